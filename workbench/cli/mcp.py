"""The library for other programs, by the Model Context Protocol."""

import argparse
import json
import sys

from workbench.cli.filters import chosen_filter
from workbench.cli.opened import opened
from workbench.cli.output import Output
from workbench.errors import LibraryLocked, LibraryMissing, SettingError

Options = argparse.Namespace

_NO_TOKEN = (
    "Warning: without a token every program of this machine, also of another user of it, can search and read what is"
    " served here."
)
_OFFERED = "Programs that speak MCP are set up with this; whoever has the token can read what is served here:"

_LOCKED = (
    "That program has to make it, or bring it up to date, first. Then start this server again: most programs do that"
    " when they are restarted."
)


async def mcp(options: Options, output: Output) -> int:
    """Serve the library until the other program, or Ctrl+C, ends it."""
    # pydantic and what the server needs take 0.3 s: no other command waits for them.
    from workbench.operations.mcp_server import refuse_stdio, serve_http, serve_stdio

    token, told = _access(options)
    try:
        async with opened(options) as library:
            chosen = await chosen_filter(library, options)
            # Standard output belongs to the protocol: all words go to stderr.
            if options.http is None:
                await serve_stdio(library, chosen)
            else:
                await serve_http(
                    library, chosen, options.http, lambda address: _tell(address, told, output), token=token
                )
    except LibraryMissing as error:
        if options.http is None and not sys.stdin.isatty():
            output.note(str(error))
            await refuse_stdio(str(error))
        raise
    except LibraryLocked as error:
        locked = LibraryLocked(error.message, _LOCKED)
        if options.http is None and not sys.stdin.isatty():
            output.note(str(locked))
            await refuse_stdio(str(locked))
        raise locked from error
    return 0


def _access(options: Options) -> tuple[str | None, str]:
    """Return the token that programs have to send, None for none, and what stands for it where it is shown.

    Raises:
        SettingError: An option does not go with the way of serving, or the variable holds no token.
    """
    from workbench.operations.mcp_access import new_token, token_in

    if options.http is None:
        if options.no_token or options.token_env:
            raise SettingError(
                "A token is for a server over HTTP: over standard input and output nobody asks but who started it.",
                "Add --http PORT, or leave the option out.",
            )
        return None, ""
    if options.no_token:
        return None, ""
    if options.token_env:
        return token_in(options.token_env), f"${{{options.token_env}}}"
    token = new_token()
    return token, token


def _tell(address: str, told: str, output: Output) -> None:
    """Say where the server is reached and, the only time, with which token: as most programs are set up with it."""
    output.note(f"Serving at {address}")
    if not told:
        output.note(_NO_TOKEN)
        return
    server = {"type": "http", "url": address, "headers": {"Authorization": f"Bearer {told}"}}
    output.note(_OFFERED)
    output.note(json.dumps({"mcpServers": {"documents": server}}))

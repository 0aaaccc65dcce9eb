"""The library for other programs, by the Model Context Protocol."""

import argparse
import sys

from workbench.cli.filters import chosen_filter
from workbench.cli.opened import opened
from workbench.cli.output import Output
from workbench.errors import LibraryLocked, LibraryMissing

Options = argparse.Namespace

_LOCKED = (
    "That program has to make it, or bring it up to date, first. Then start this server again: most programs do that"
    " when they are restarted."
)


async def mcp(options: Options, output: Output) -> int:
    """Serve the library until the other program, or Ctrl+C, ends it."""
    # pydantic and what the server needs take 0.3 s: no other command waits for them.
    from workbench.operations.mcp_server import refuse_stdio, serve_http, serve_stdio

    try:
        async with opened(options) as library:
            chosen = await chosen_filter(library, options)
            # Standard output belongs to the protocol: all words go to stderr.
            if options.http is None:
                await serve_stdio(library, chosen)
            else:
                await serve_http(library, chosen, options.http, lambda address: output.note(f"Serving at {address}"))
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

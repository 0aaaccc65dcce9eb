"""The library for other programs, by the Model Context Protocol."""

import argparse

from workbench.cli.filters import filter_of_options
from workbench.cli.opened import opened
from workbench.cli.output import Output

Options = argparse.Namespace


async def mcp(options: Options, output: Output) -> int:
    """Serve the library until the other program, or Ctrl+C, ends it."""
    # pydantic and what the server needs take 0.3 s: no other command waits for them.
    from workbench.operations.mcp_server import serve_http, serve_stdio

    chosen = filter_of_options(options)
    async with opened(options) as library:
        # Standard output belongs to the protocol: all words go to stderr.
        if options.http is None:
            await serve_stdio(library, chosen)
        else:
            await serve_http(library, chosen, options.http, lambda address: output.note(f"Serving at {address}"))
    return 0

"""The library that a command works on, opened for as long as it runs."""

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from workbench.operations import Library


@asynccontextmanager
async def opened(options: argparse.Namespace) -> AsyncIterator[Library]:
    """Give the library of --library, and close it afterwards."""
    library = Library.open(options.library)
    try:
        yield library
    finally:
        library.close()

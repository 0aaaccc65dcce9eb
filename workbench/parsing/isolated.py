"""Parsing in a child process, with limits: whatever a file does there, only that file fails."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from workbench.errors import ParserCrashed, ParserKilled, ParserOutOfMemory, ParserTimedOut
from workbench.model.document import ParsedDocument
from workbench.parsing.parse import parse_file
from workbench.worker.processes import ProcessCrashed, ProcessOutOfMemory, ProcessPool, ProcessTimedOut

T = TypeVar("T")

_KILLED = -9
"""How a child ends that got SIGKILL."""

PRELOAD = ("workbench.parsing.parse", "workbench.parsing.warm_up")
"""What a pool for parsing should have its children import before the first file comes."""


class IsolatedParser:
    """Parses in the pool's children."""

    def __init__(self, pool: ProcessPool, *, seconds: float, megabytes: int) -> None:
        self._pool = pool
        self._seconds = seconds
        self._megabytes = megabytes

    async def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path; cancelling the awaiting task ends the work.

        Raises:
            DocumentError: It cannot be read, or its reading went over a limit.
        """
        return await self.call(parse_file, path, password)

    async def call(self, function: Callable[..., T], *args: object) -> T:
        """Return function(*args) for a module-level function that parses and does more with the outcome.

        Raises:
            DocumentError: As for parse, or whatever the function raises.
        """
        try:
            return await self._pool.run(function, *args, seconds=self._seconds, megabytes=self._megabytes)
        except ProcessTimedOut as error:
            raise ParserTimedOut(
                f"Reading the file took longer than {self._seconds:g} seconds.",
                "Raise the time limit per file in the settings, or save the file again.",
            ) from error
        except ProcessOutOfMemory as error:
            raise ParserOutOfMemory(
                f"Reading the file took more than {self._megabytes} megabytes of memory.",
                "Raise the memory limit per file in the settings, or divide the file.",
            ) from error
        except ProcessCrashed as error:
            if error.exit_code == _KILLED:
                # No reader does that to itself: the system does when memory runs out, or a person.
                raise ParserKilled(
                    "The system stopped the reading of this file, mostly because memory ran out.",
                    "Close other programs, and read it again.",
                ) from error
            raise ParserCrashed(
                "The file is so damaged that reading it crashed the reader.",
                "Try to open it in its own program and save it again.",
            ) from error

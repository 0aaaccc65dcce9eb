"""Parsing in a child process, with limits: whatever a file does there, only that file fails."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from workbench.errors import (
    DocumentError,
    DocumentTooLarge,
    ParserCrashed,
    ParserKilled,
    ParserOutOfMemory,
    ParserTimedOut,
)
from workbench.language import in_seconds
from workbench.model.document import ParsedDocument
from workbench.parsing.parse import parse_file
from workbench.worker.processes import (
    ProcessCrashed,
    ProcessFailure,
    ProcessFilledDisk,
    ProcessForked,
    ProcessOutOfMemory,
    ProcessOutputTooLarge,
    ProcessPool,
    ProcessTimedOut,
)

T = TypeVar("T")

_KILLED = (-9, -15)
"""How a child ends that got SIGKILL or SIGTERM."""

_PATIENCE = 10.0
"""Times the limit that a file may take where other programs keep the processors busy: 3 of 34 long reports were given
up after 120 seconds on such a machine, and take less than 10 of a processor."""

PRELOAD = ("workbench.parsing.parse", "workbench.parsing.warm_up")
"""What a pool for parsing should have its children import before the first file comes."""


class SandboxedParser:
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

    async def call(self, function: Callable[..., T], *args: object, heard: Callable[[Any], None] | None = None) -> T:
        """Return function(*args) for a module-level function that parses and does more with the outcome.

        Args:
            function: What runs in the child.
            args: Its arguments.
            heard: Given what it says before its answer (worker/interim.py), on another thread.

        Raises:
            DocumentError: As for parse, or whatever the function raises.
        """
        try:
            return await self._pool.run(
                function, *args, seconds=self._seconds, megabytes=self._megabytes, patience=_PATIENCE, heard=heard
            )
        except ProcessFailure as error:
            raise self._told(error) from error

    def _told(self, error: ProcessFailure) -> DocumentError:
        """Return what a failure of the child means for the file."""
        match error:
            case ProcessTimedOut():
                return ParserTimedOut(
                    f"Reading the file came no further for {in_seconds(self._seconds)}.",
                    "Raise the time limit per file in the settings, or save the file again.",
                )
            case ProcessOutOfMemory():
                return ParserOutOfMemory(
                    f"Reading the file took more than {self._megabytes} megabytes of memory.",
                    "Raise the memory limit per file in the settings, or divide the file.",
                )
            case ProcessOutputTooLarge():
                return DocumentTooLarge("More comes out of the file than one file may hold.", "Divide the file.")
            case ProcessFilledDisk():
                return DocumentTooLarge(
                    "Reading the file filled the disk with what it unpacks to, and was ended.", "Divide the file."
                )
            case ProcessForked():
                return ParserCrashed(
                    "The file made its reader start one program after another, and it was ended.",
                    "Do not open it in another program unless you trust where it comes from.",
                )
            # No reader does that to itself: the system does when memory runs out, or a person.
            case ProcessCrashed(exit_code=code, memory_ran_out=True) if code in _KILLED:
                return ParserKilled(
                    "The system stopped the reading of this file: memory ran out.",
                    "Close other programs, and read it again.",
                )
            case ProcessCrashed(exit_code=code) if code in _KILLED:
                return ParserKilled(
                    "Another program, or the system, ended the reading of this file.",
                    "Read it again. If that happens again, look for a program that ends others, such as a virus scanner"
                    " or a limit set by whoever looks after this computer.",
                )
        return ParserCrashed(
            "The file is so damaged that reading it crashed the reader.",
            "Try to open it in its own program and save it again.",
        )


def reader_programs() -> tuple[str, ...]:
    """Return the programs that readers have run for them, and where these keep what they need."""
    from workbench.parsing import libreoffice, ocr_engines

    data = os.environ.get("TESSDATA_PREFIX")
    return (*libreoffice.NAMES, ocr_engines.NAME, *((data,) if data else ()))

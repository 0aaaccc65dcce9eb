"""Parsing in a child process with limits: a crash or timeout there fails only that file."""

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
"""Exit codes of a child that received SIGKILL or SIGTERM."""

_PATIENCE = 10.0
"""Multiple of the limit that a file may take while other programs use the processors: 3 of 34 long reports were stopped
after 120 seconds on such a machine, and take less than 10 seconds of processor time.
"""

PRELOAD = ("workbench.parsing.parse", "workbench.parsing.parser_imports")
"""Modules that a pool for parsing should preload in its child processes."""


class SandboxedParser:
    """Parser that runs in the child processes of a pool."""

    def __init__(self, pool: ProcessPool, *, seconds: float, megabytes: int) -> None:
        self._pool = pool
        self._seconds = seconds
        self._megabytes = megabytes

    async def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path; cancelling the awaiting task ends the child's work.

        Raises:
            DocumentError: The file cannot be read, or exceeded a limit.
        """
        return await self.call(parse_file, path, password)

    async def call(
        self, function: Callable[..., T], *args: object, on_partial: Callable[[Any], None] | None = None
    ) -> T:
        """Return function(*args) for a module-level function that parses and processes the result.

        Args:
            function: Function to run in the child.
            args: Its arguments.
            on_partial: Callback for partial results (worker/child_messages.py), called on another thread.

        Raises:
            DocumentError: Same as for parse, or any exception of the function.
        """
        try:
            return await self._pool.run(
                function,
                *args,
                seconds=self._seconds,
                megabytes=self._megabytes,
                patience=_PATIENCE,
                on_partial=on_partial,
            )
        except ProcessFailure as error:
            raise self._describe(error) from error

    def _describe(self, error: ProcessFailure) -> DocumentError:
        """Return the error that describes a failure of the child."""
        match error:
            case ProcessTimedOut():
                return ParserTimedOut(
                    f"Reading the file made no progress for {in_seconds(self._seconds)}.",
                    "Try it again with more time, as its menu offers, or save the file again.",
                )
            case ProcessOutOfMemory():
                return ParserOutOfMemory(
                    f"Reading the file took more than {self._megabytes} megabytes of memory.",
                    "Raise the memory limit per file in the settings, or divide the file.",
                )
            case ProcessOutputTooLarge():
                return DocumentTooLarge("The file unpacks to more than the limit for one file.", "Divide the file.")
            case ProcessFilledDisk():
                return DocumentTooLarge(
                    "The file unpacked to so much that it filled the disk, so reading was stopped.", "Divide the file."
                )
            case ProcessForked():
                return ParserCrashed(
                    "Reading the file started one program after another, so it was stopped.",
                    "Do not open it in another program unless you trust where it comes from.",
                )
            # A parser process does not do this itself: the system does if memory runs out, or a person.
            case ProcessCrashed(exit_code=code, memory_ran_out=True) if code in _KILLED:
                return ParserKilled(
                    "The system stopped reading this file: memory ran out.",
                    "Close other programs, and read it again.",
                )
            case ProcessCrashed(exit_code=code) if code in _KILLED:
                return ParserKilled(
                    "Another program, or the system, ended the reading of this file.",
                    "Read it again. If this happens again, check whether a virus scanner or a limit set by your"
                    " administrator stops programs on this computer.",
                )
        return ParserCrashed(
            "The file is so damaged that reading it crashed the reader.",
            "Try to open it in its own program and save it again.",
        )


def reader_programs() -> tuple[str, ...]:
    """Return the programs that parser processes may run, and the folders with their data."""
    from workbench.parsing import libreoffice, ocr_engines

    data = os.environ.get("TESSDATA_PREFIX")
    return (*libreoffice.NAMES, ocr_engines.NAME, *((data,) if data else ()))

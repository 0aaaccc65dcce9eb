"""Where the command line writes: records as JSON lines or words on stdout, everything else on stderr."""

import json as json_module
import sys
from typing import Any

from workbench.errors import WorkbenchError

Record = dict[str, Any]


class Output:
    """Prints a result either as one JSON object a line or in words."""

    def __init__(self, *, json: bool) -> None:
        self.json = json

    def record(self, record: Record, words: str) -> None:
        """Print one result: the record with --json, else the words."""
        self._write(json_module.dumps(record, ensure_ascii=False) if self.json else words)

    def words(self, text: str) -> None:
        """Print text for people; nothing with --json."""
        if not self.json:
            self._write(text)

    def note(self, text: str) -> None:
        """Tell the user something that is not a result, on stderr."""
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def error(self, error: WorkbenchError) -> None:
        """Tell what went wrong and what to do: on stderr, and as a record with --json."""
        self.note(str(error))
        if self.json:
            self.record({"error": error.message, "hint": error.hint, "kind": type(error).__name__}, "")

    def _write(self, text: str) -> None:
        # A lone surrogate (a file name that is not UTF-8) must not end the program.
        sys.stdout.write(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") + "\n")
        sys.stdout.flush()

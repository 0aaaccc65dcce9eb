"""Output: records as JSON lines or text on stdout, everything else on stderr.

Terminals execute control sequences: a file name or an answer could move the cursor, rename the window or fill the
clipboard. Therefore every control character is escaped, whatever its origin.
"""

import json as json_module
import sys
from typing import Any

from workbench.errors import WorkbenchError
from workbench.model.visible import escaped_json, visible

Record = dict[str, Any]


def printable(text: str) -> str:
    """Return the text with “�” for parts that have no UTF-8 form: bytes of a file name, or half a surrogate pair."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Output:
    """Writer of results, either as one JSON object per line or as text."""

    def __init__(self, *, json: bool) -> None:
        self.json = json

    def record(self, record: Record, words: str) -> None:
        """Print one result: the record with --json, otherwise the text."""
        text = printable(json_module.dumps(record, ensure_ascii=False) if self.json else words)
        self._write(escaped_json(text) if self.json else visible(text))

    def words(self, text: str) -> None:
        """Print text for people; does nothing with --json."""
        if not self.json:
            self._write(visible(printable(text)))

    def note(self, text: str) -> None:
        """Print a message that is not a result on stderr."""
        sys.stderr.write(visible(printable(text)) + "\n")
        sys.stderr.flush()

    def error(self, error: WorkbenchError) -> None:
        """Print an error with its hint: on stderr, and as a record with --json."""
        self.note(str(error))
        if self.json:
            self.record({"error": error.message, "hint": error.hint, "kind": type(error).__name__}, "")

    def _write(self, text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

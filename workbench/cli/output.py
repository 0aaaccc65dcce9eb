"""Where the command line writes: records as JSON lines or words on stdout, everything else on stderr.

A terminal obeys what it is told: a file name or an answer could move its cursor, name its window or fill its clipboard.
So every control character is spelt out, whoever wrote it.
"""

import json as json_module
import sys
from typing import Any

from workbench.errors import WorkbenchError
from workbench.model.visible import escaped_json, visible

Record = dict[str, Any]


def printable(text: str) -> str:
    """Return the text with “�” for what has no UTF-8 form: bytes of a file name, half a character in a question."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Output:
    """Prints a result either as one JSON object a line or in words."""

    def __init__(self, *, json: bool) -> None:
        self.json = json

    def record(self, record: Record, words: str) -> None:
        """Print one result: the record with --json, else the words."""
        said = printable(json_module.dumps(record, ensure_ascii=False) if self.json else words)
        self._write(escaped_json(said) if self.json else visible(said))

    def words(self, text: str) -> None:
        """Print text for people; nothing with --json."""
        if not self.json:
            self._write(visible(printable(text)))

    def note(self, text: str) -> None:
        """Tell the user something that is not a result, on stderr."""
        sys.stderr.write(visible(printable(text)) + "\n")
        sys.stderr.flush()

    def error(self, error: WorkbenchError) -> None:
        """Tell what went wrong and what to do: on stderr, and as a record with --json."""
        self.note(str(error))
        if self.json:
            self.record({"error": error.message, "hint": error.hint, "kind": type(error).__name__}, "")

    def _write(self, text: str) -> None:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

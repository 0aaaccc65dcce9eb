"""A reading of every passage -> CSV: a row a quote, a document without one has a row, too."""

import csv
import io

from workbench.export.escaping import one_line
from workbench.model.exhaustive import DocumentReading, Reading
from workbench.model.hit import Citation

_COLUMNS = (
    *("document", "verdict", "answer", "quote", "place", "passages", "read", "unreadable", "relevant", "differs"),
    "path",
)
# A spreadsheet takes a cell that begins so for a formula, and runs it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def reading_csv(reading: Reading) -> bytes:
    """Return the whole file, with the mark by which spreadsheets know UTF-8."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for one in reading.documents:
        for citation in one.citations or (None,):
            writer.writerow([_cell(value) for value in _row(one, citation, offline=reading.info.is_offline)])
    return text.getvalue().encode("utf-8-sig")


def verdict_word(one: DocumentReading, *, offline: bool) -> str:
    """Return a verdict in words; the offline reader finds or finds not."""
    if offline:
        return {"yes": "found", "not said": "not found"}.get(one.verdict.value, one.verdict.value)
    return one.verdict.value


def _row(one: DocumentReading, citation: Citation | None, *, offline: bool) -> tuple[str, ...]:
    quote, place, path = (citation.quote, citation.place, citation.path) if citation else ("", "", "")
    numbers = (one.passages, one.read, one.unreadable, one.relevant)
    verdict = verdict_word(one, offline=offline)
    differs = "yes" if one.differs else ""
    return (one.name, verdict, one.answer, quote, place, *map(str, numbers), differs, path)


def _cell(value: str) -> str:
    line = one_line(value)
    # The apostrophe is how spreadsheets themselves mark a text; numbers of ours stay numbers.
    return f"'{line}" if line.startswith(_FORMULA) else line

"""A reading of every passage -> CSV: a row a quote, a document without one has a row, too."""

from workbench.export.spreadsheet import MARK, cell, row
from workbench.model.exhaustive import DocumentReading, Reading
from workbench.model.hit import Citation

_COLUMNS = (
    *("document", "verdict", "answer", "quote", "place", "passages", "read", "unreadable", "relevant", "differs"),
    "path",
)


def reading_csv(reading: Reading) -> bytes:
    """Return the whole file."""
    rows = [row(_COLUMNS)]
    for one in reading.documents:
        for citation in one.citations or (None,):
            rows.append(row(cell(value) for value in _row(one, citation, offline=reading.info.is_offline)))
    return (MARK + "".join(rows)).encode("utf-8")


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

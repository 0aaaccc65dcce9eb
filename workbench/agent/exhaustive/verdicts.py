"""What the passages of a document said -> what the document says."""

from collections.abc import Iterable

from workbench.model.exhaustive import DocumentReading, DocumentVerdict, PassageReading, Says
from workbench.model.hit import Citation

MOST_QUOTES = 6
"""Of a document in the table; the export has all."""


def document_reading(
    document: int, name: str, passages: int, read: Iterable[PassageReading], *, most: int | None = MOST_QUOTES
) -> DocumentReading:
    """Return a document's row of the table.

    Yes is said where one passage says it: a contract has a long notice period if any clause of it has. That others say
    no is told. Nothing is said to stand nowhere in a document before all of it was read.

    Args:
        document: Its id.
        name: Its name.
        passages: How many are to be read.
        read: Those that were.
        most: How many quotes are given.
    """
    done = list(read)
    said = {says: [one for one in done if one.says is says] for says in Says}
    yes, no = said[Says.YES], said[Says.NO]
    relevant = _best_first(yes) + _best_first(no) if yes else _best_first(no)
    unreadable = said[Says.UNREADABLE]
    return DocumentReading(
        document=document,
        name=name,
        verdict=_verdict(bool(yes), bool(no), bool(unreadable), len(done) >= passages),
        answer=relevant[0].finding if relevant else "",
        citations=_citations(relevant)[:most],
        passages=passages,
        read=len(done),
        relevant=len(relevant),
        unreadable=len(unreadable),
        differs=bool(yes and no),
        problem=unreadable[0].problem if unreadable else "",
    )


def _verdict(yes: bool, no: bool, unreadable: bool, whole: bool) -> DocumentVerdict:
    if yes:
        return DocumentVerdict.YES
    if not whole:
        return DocumentVerdict.UNFINISHED
    if no:
        return DocumentVerdict.NO
    return DocumentVerdict.UNREADABLE if unreadable else DocumentVerdict.NOT_SAID


def _best_first(passages: list[PassageReading]) -> list[PassageReading]:
    """Return them by the offline reader's certainty; a model's, which have none, as they stand in the document."""
    return sorted(passages, key=lambda one: (-one.score, one.ordinal))


def _citations(passages: Iterable[PassageReading]) -> tuple[Citation, ...]:
    return tuple(quote for one in passages for quote in one.quotes)

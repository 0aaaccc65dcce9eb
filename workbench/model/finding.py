"""What a parser found in a file and what it lost: the ingestion doctor's facts."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from workbench.language import mark


class FindingKind(StrEnum):
    """What a finding is about."""

    NO_TEXT = "no text"
    """Pages without usable text that were not read by OCR either."""
    GARBLED = "garbled"
    """Pages whose text layer is not the text that people see."""
    OCR = "ocr"
    """Pages that were read by OCR."""
    TABLES = "tables"
    """Tables that were found; count says how many."""
    LOST_TABLES = "lost tables"
    """Pages with a table that was read as lines of text, and that the layout model has not looked at."""
    LAYOUT = "layout"
    """Pages on which the layout model looked for tables; count says how many it found."""
    IMAGES = "images"
    """Pictures whose content was not read; count says how many."""
    ENCODING = "encoding"
    """The text's encoding had to be guessed; detail names it."""
    REPLACED = "replaced"
    """Characters that could not be decoded; count says how many."""
    LEFT_OUT = "left out"
    """Something that was not read; detail says what."""
    TRUNCATED = "truncated"
    """A limit was reached and the rest was not read; detail says which."""
    SKIPPED = "skipped"
    """Pages that took too long or ended their reader, and were left out."""
    UNREAD = "unread"
    """The reading was stopped, or goes on: the document holds the first pages of a file; count says of how many."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact about how a file was read.

    Attributes:
        kind: What it is about.
        pages: The 1-based pages (slides, sheets...) concerned; empty where the format has none, or all are.
        count: How many, where that can be counted.
        detail: A few words more, fit to be shown.
    """

    kind: FindingKind
    pages: tuple[int, ...] = ()
    count: int = 0
    detail: str = ""


def not_read(findings: Iterable[Finding]) -> str:
    """Return what of a file was not read because a limit was reached, one sentence; empty where all was."""
    details = [finding.detail for finding in findings if finding.kind is FindingKind.TRUNCATED]
    return mark(f"Not all of it was read: {', '.join(filter(None, details))}.") if any(details) else ""


def pages_with(findings: Iterable[Finding], *kinds: FindingKind) -> set[int]:
    """Return the pages of all findings of these kinds."""
    return {page for finding in findings if finding.kind in kinds for page in finding.pages}

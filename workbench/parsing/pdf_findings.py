"""What was found in a PDF and what was lost, as findings and as sentences."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.language import mark
from workbench.model.document import Block, BlockKind, Finding, FindingKind, ParsedDocument
from workbench.parsing.pdf_quality import TextLayer, settled
from workbench.parsing.pdf_words import Line

_MOST_LISTED = 12
"""Page numbers that a warning names before it only counts."""

_ON_MOST_PAGES = 0.5
"""Of the pages: a picture on more of them is a letterhead, or stands in a list that all pages share."""


@dataclass(slots=True)
class PageFacts:
    """What was met on one page.

    Attributes:
        lines: Of words; empty where the page cannot be read.
        width: In points, as displayed.
        height: As width.
        layer: What its text is worth.
        pictures: Numbers of the pictures on it.
        has_unread_rules: Rules draw a grid on it that could not be read as a table.
        lost_table: A table stands on it that could not be read as one.
        is_looked_at: The layout model has looked for tables on it.
        model_tables: How many of those that it found were read.
        is_damaged: It could not be read at all.
        is_skipped: An earlier reading did not survive it, and it was left out.
        has_text: There were lines on it before they were let go.
        is_furniture: Nothing stands on it but running heads and feet, which are left out.
    """

    lines: list[Line]
    width: float = 0.0
    height: float = 0.0
    layer: TextLayer = TextLayer.BLANK
    pictures: set[int] = field(default_factory=set)
    has_unread_rules: bool = False
    lost_table: bool = False
    is_looked_at: bool = False
    model_tables: int = 0
    is_damaged: bool = False
    is_skipped: bool = False
    has_text: bool = False
    is_furniture: bool = False


def settle_layers(pages: Sequence[PageFacts]) -> None:
    """Decide which of the pages with a few words over a picture are scans."""
    own = _own_pictures(pages)
    for page, pictures in zip(pages, own, strict=True):
        page.layer = settled(page.layer, has_own_picture=bool(pictures))


def findings_of(pages: Sequence[PageFacts], blocks: Sequence[Block], *, total: int) -> tuple[Finding, ...]:
    """Return what was found and lost.

    Args:
        pages: In order.
        blocks: Of the document that was made of them.
        total: How many pages the file has: the last ones may not have been read yet.
    """
    found = [
        _on_pages(FindingKind.NO_TEXT, [page.layer is TextLayer.MISSING for page in pages]),
        _on_pages(FindingKind.GARBLED, [page.layer is TextLayer.GARBLED for page in pages]),
        _tables(blocks),
        _on_pages(FindingKind.LOST_TABLES, [_loses_table(page) for page in pages]),
        _looked_at(pages),
        _pictures(pages),
        _on_pages(FindingKind.LEFT_OUT, [page.is_damaged for page in pages], mark("damaged pages")),
        _on_pages(FindingKind.SKIPPED, [page.is_skipped for page in pages]),
        Finding(FindingKind.UNREAD, count=total) if len(pages) < total else None,
        _on_pages(FindingKind.LEFT_OUT, [page.is_furniture for page in pages], mark("pages of running heads and feet")),
    ]
    return tuple(finding for finding in found if finding is not None)


def with_reason(document: ParsedDocument, failure: str) -> ParsedDocument:
    """Return the document with what kept the layout model from its lost tables; empty for nothing."""
    found = [
        dataclasses.replace(one, detail=failure) if one.kind is FindingKind.LOST_TABLES else one
        for one in document.findings
    ]
    return dataclasses.replace(document, findings=tuple(found))


def warnings_of(pages: Sequence[PageFacts], *, is_repaired: bool) -> tuple[str, ...]:
    """Return sentences on what was lost."""
    warnings = []
    if empty := [number for number, page in enumerate(pages, 1) if page.layer is TextLayer.MISSING]:
        warnings.append(no_text_warning(empty))
    if damaged := [number for number, page in enumerate(pages, 1) if page.is_damaged]:
        warnings.append(mark(f"{_listed(damaged, _ARE)} damaged and could not be read."))
    if skipped := [number for number, page in enumerate(pages, 1) if page.is_skipped]:
        warnings.append(mark(f"{_listed(skipped, _WERE)} left out: reading took too long, or ended the reader."))
    if is_repaired:
        warnings.append(mark("The file is damaged; what could be saved of it was read."))
    return tuple(warnings)


def no_text_warning(pages: Sequence[int]) -> str:
    """Return a sentence on pages without text."""
    return mark(f"{_listed(pages, _HOLD)} no text; scanned pictures cannot be searched.")


def _on_pages(kind: FindingKind, concerned: Sequence[bool], detail: str = "") -> Finding | None:
    numbers = tuple(number for number, is_concerned in enumerate(concerned, 1) if is_concerned)
    return Finding(kind, numbers, len(numbers), detail) if numbers else None


def _tables(blocks: Sequence[Block]) -> Finding | None:
    tables = [block for block in blocks if block.kind is BlockKind.TABLE]
    if not tables:
        return None
    return Finding(FindingKind.TABLES, tuple(sorted({block.page or 1 for block in tables})), len(tables))


def _loses_table(page: PageFacts) -> bool:
    """Tell whether the layout model may find more; the text of a scan is for OCR."""
    return page.lost_table and not page.is_looked_at and page.layer is TextLayer.GOOD


def _looked_at(pages: Sequence[PageFacts]) -> Finding | None:
    numbers = tuple(number for number, page in enumerate(pages, 1) if page.is_looked_at)
    return Finding(FindingKind.LAYOUT, numbers, sum(page.model_tables for page in pages)) if numbers else None


def _pictures(pages: Sequence[PageFacts]) -> Finding | None:
    """Return the pictures that stand beside good text: those of scans are read, or missed, as pages."""
    found: set[int] = set()
    numbers = []
    for number, (page, own) in enumerate(zip(pages, _own_pictures(pages), strict=True), 1):
        if own and page.layer is TextLayer.GOOD:
            found |= own
            numbers.append(number)
    return Finding(FindingKind.IMAGES, tuple(numbers), len(found)) if found else None


def _own_pictures(pages: Sequence[PageFacts]) -> list[set[int]]:
    """Return the pictures of each page that do not stand on most of the others too."""
    times = Counter(picture for page in pages for picture in page.pictures)
    everywhere = max(2, int(_ON_MOST_PAGES * len(pages)))
    return [{picture for picture in page.pictures if times[picture] <= everywhere} for page in pages]


_HOLD = mark("Page {0:d} holds"), mark("Pages {0:d} hold"), mark("{0:d} pages hold")
_WERE = mark("Page {0:d} was"), mark("Pages {0:d} were"), mark("{0:d} pages were")
_ARE = mark("Page {0:d} is"), mark("Pages {0:d} are"), mark("{0:d} pages are")


def _listed(numbers: Sequence[int], words: tuple[str, str, str]) -> str:
    """Return the subject of a sentence on some pages, with its verb: as words say it of one, of some, and of many."""
    one, some, many = words
    if len(numbers) == 1:
        return one.replace("{0:d}", str(numbers[0]))
    if len(numbers) > _MOST_LISTED:
        return many.replace("{0:d}", str(len(numbers)))
    return some.replace("{0:d}", f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}")

"""Quality of the text layers of PDF pages, and the findings and warnings about lost content."""

import dataclasses
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from workbench.language import mark
from workbench.model.document import Block, BlockKind, Finding, FindingKind, PageFailure, ParsedDocument
from workbench.parsing.pdf_words import TextLine

_FEW = 30
"""Characters: a scan often has a page number or a stamp as text."""

_STAMP = 150
"""Characters: “Digitized by ...”, “This content downloaded from ...” at the foot of each page of a scan."""

_UNSEEN = 3
"""PDF's text rendering mode for invisible text."""

_COVERED = 0.5
"""Minimum share of the page covered by pictures for a page with few characters to count as a scan."""

_SPECK = 0.01
"""Share of the page covered by pictures below which a page without text has nothing to read."""

_OUTLINES = 60
"""Drawing items: text converted to outlines has hundreds on a page, a frame with a rule has six."""

_JUDGED = 40
"""Minimum characters for the detection of garbled text."""

_BAD = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]")
"""Control, replacement and private use characters, which result from fonts without a Unicode map."""

_BAD_SHARE = 0.2
_VOWEL = re.compile("[AEIOUYaeiouyà-æè-ïò-öø-ýāăąēĕėęěīĭįōŏőœũūŭůűų]")
_LOWER = re.compile("[a-zß-öø-ÿ]")
_LATIN_BYTES, _LOWER_BYTES, _VOWEL_BYTES = (
    bytes(code for code in range(256) if kind.match(chr(code))) for kind in (re.compile("[A-Za-z]"), _LOWER, _VOWEL)
)
_FEWEST_LATIN = 200
_FEWEST_VOWELS = 0.15
"""Share of the Latin letters; prose of any language has 0.3 to 0.5."""

_GLYPHS = {code: code + 29 for code in range(3, 98)}
"""Glyph numbers to letters in the order of most fonts: the only information if a font has no Unicode map."""

_PROSE = (0.7, 0.3)
"""Minimum share of small letters in a text, and of vowels in these."""


class TextLayer(Enum):
    """Usability of a page's text layer."""

    GOOD = auto()
    BLANK = auto()
    """There is neither text nor anything else."""
    MISSING = auto()
    SPARSE = auto()
    """A few words over a picture: a stamp on a scan, or a slide; see settled."""
    GARBLED = auto()


def text_layer(page: Any, lines: Sequence[TextLine]) -> TextLayer:
    """Return the quality of a page's text layer; 0.1 ms for a page full of text.

    Args:
        page: The PyMuPDF page.
        lines: Its lines of words.
    """
    text = "".join([word[4] for line in lines for word in line.words])
    if len(text) >= _JUDGED and _is_garbled(text):
        return TextLayer.GARBLED
    if len(text) >= _STAMP:
        return TextLayer.GOOD
    covered = _covered(page)
    if len(text) >= _FEW:
        return TextLayer.SPARSE if covered >= _COVERED and not _was_read_before(page) else TextLayer.GOOD
    if text:
        return TextLayer.MISSING if covered >= _COVERED else TextLayer.GOOD
    return TextLayer.MISSING if covered >= _SPECK or _has_outlines(page) else TextLayer.BLANK


def settled(layer: TextLayer, *, has_own_picture: bool) -> TextLayer:
    """Classify a page with few words: each page of a scan has its own picture, slides share their background."""
    if layer is not TextLayer.SPARSE:
        return layer
    return TextLayer.MISSING if has_own_picture else TextLayer.GOOD


def pictures_of(page: Any, layer: TextLayer = TextLayer.GOOD) -> set[int]:
    """Return the numbers of the pictures that a page may show, without small ones; 0.05 ms.

    For a page with few words, return only those that are shown, 5 ms: some scans list the pictures of all pages with
    each of them. Others have inline pictures, which are not listed; their number is computed from the content.
    """
    if layer is not TextLayer.SPARSE:
        return {xref for xref, _, width, height, *_ in page.get_images() if width >= 100 and height >= 100}
    shown = [one for one in page.get_image_info(xrefs=True) if one["width"] >= 100 and one["height"] >= 100]
    return {one["xref"] or -int.from_bytes(one["digest"][:6]) for one in shown}


def _is_garbled(text: str) -> bool:
    if len(_BAD.findall(text)) > _BAD_SHARE * len(text):
        return True
    # Bytes are counted twenty times as fast as characters, and letters beyond Latin-1 count neither as Latin nor as
    # small.
    plain = text.encode("latin-1", "replace")
    lower = _count(plain, _LOWER_BYTES)
    if lower < 0.1 * len(text) and _is_prose(text.translate(_GLYPHS)):
        return True
    latin = _count(plain, _LATIN_BYTES)
    # Without small letters it may be a list of part numbers.
    if latin < _FEWEST_LATIN or latin < 0.5 * len(text) or lower < 0.2 * latin:
        return False
    fewest = _FEWEST_VOWELS * latin
    return _count(plain, _VOWEL_BYTES) < fewest and len(_VOWEL.findall(text)) < fewest


def _count(text: bytes, wanted: bytes) -> int:
    return len(text) - len(text.translate(None, wanted))


def _is_prose(text: str) -> bool:
    small = _LOWER.findall(text)
    share, vowels = _PROSE
    return len(small) > share * len(text) and len(_VOWEL.findall("".join(small))) > vowels * len(small)


def _was_read_before(page: Any) -> bool:
    """Return True if the text is invisible, as in searchable scans; only called for few pages."""
    return any(span["type"] == _UNSEEN for span in page.get_texttrace())


def _covered(page: Any) -> float:
    """Return the share of the page covered by pictures, 0 to 1; overlapping pictures count twice."""
    whole = page.rect
    area = float(whole.width * whole.height)
    if area <= 0:
        return 0.0
    found = 0.0
    for picture in page.get_image_info():
        x0, y0, x1, y1 = picture["bbox"]
        width = min(x1, whole.x1) - max(x0, whole.x0)
        height = min(y1, whole.y1) - max(y0, whole.y0)
        found += max(width, 0.0) * max(height, 0.0)
    return float(min(found / area, 1.0))


def _has_outlines(page: Any) -> bool:
    count = 0
    for drawing in page.get_cdrawings():
        count += len(drawing["items"])
        if count >= _OUTLINES:
            return True
    return False


_MOST_LISTED = 12
"""Maximum page numbers in a warning; for more pages it contains their number instead."""

_ON_MOST_PAGES = 0.5
"""Share of the pages: a picture on more of them is a letterhead, or in a list shared by all pages."""


@dataclass(slots=True)
class PageFacts:
    """Facts about one page.

    Attributes:
        lines: Lines of words; empty if the page cannot be read.
        width: In points, as displayed.
        height: In points, as displayed.
        layer: Quality of its text.
        pictures: Numbers of the pictures on it.
        has_unread_rules: True if rules draw a grid that could not be read as a table.
        lost_table: True if it has a table that could not be read as one.
        is_looked_at: True if the layout model has searched it for tables.
        model_tables: Number of the model's tables that were read.
        is_damaged: True if it could not be read at all.
        is_skipped: True if it was left out because an earlier attempt to read it ended the process.
        has_text: True if it had lines before they were released.
        is_furniture: True if it only has running heads and footers, which are left out.
    """

    lines: list[TextLine]
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


def settle_text_layers(pages: Sequence[PageFacts]) -> None:
    """Decide which of the pages with a few words over a picture are scans."""
    own = _own_pictures(pages)
    for page, pictures in zip(pages, own, strict=True):
        page.layer = settled(page.layer, has_own_picture=bool(pictures))


def findings_of(pages: Sequence[PageFacts], blocks: Sequence[Block], *, total: int) -> tuple[Finding, ...]:
    """Return the findings about extracted and lost content.

    Args:
        pages: In order.
        blocks: Blocks of the document made of the pages.
        total: Number of pages in the file: the last ones may not have been read yet.
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
        _on_pages(
            FindingKind.LEFT_OUT, [page.is_furniture for page in pages], mark("pages with only headers and footers")
        ),
    ]
    return tuple(finding for finding in found if finding is not None)


def with_reason(document: ParsedDocument, failure: PageFailure) -> ParsedDocument:
    """Return the document with the reason why the layout model did not find lost tables."""
    found = [
        dataclasses.replace(one, detail=failure.reason, failure=failure.kind)
        if one.kind is FindingKind.LOST_TABLES
        else one
        for one in document.findings
    ]
    return dataclasses.replace(document, findings=tuple(found))


def warnings_of(pages: Sequence[PageFacts], *, is_repaired: bool) -> tuple[str, ...]:
    """Return sentences about lost content."""
    warnings = []
    if empty := [number for number, page in enumerate(pages, 1) if page.layer is TextLayer.MISSING]:
        warnings.append(no_text_warning(empty))
    if damaged := [number for number, page in enumerate(pages, 1) if page.is_damaged]:
        warnings.append(mark(f"{_listed(damaged, _ARE)} damaged and could not be read."))
    if skipped := [number for number, page in enumerate(pages, 1) if page.is_skipped]:
        warnings.append(mark(f"{_listed(skipped, _WERE)} left out: reading took too long or crashed."))
    if is_repaired:
        warnings.append(mark("The file is damaged; what could be saved of it was read."))
    return tuple(warnings)


def no_text_warning(pages: Sequence[int]) -> str:
    """Return a sentence about pages without text."""
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
    """Return True if the layout model may find more tables; the text of a scan is left to OCR."""
    return page.lost_table and not page.is_looked_at and page.layer is TextLayer.GOOD


def _looked_at(pages: Sequence[PageFacts]) -> Finding | None:
    numbers = tuple(number for number, page in enumerate(pages, 1) if page.is_looked_at)
    return Finding(FindingKind.LAYOUT, numbers, sum(page.model_tables for page in pages)) if numbers else None


def _pictures(pages: Sequence[PageFacts]) -> Finding | None:
    """Return the pictures on pages with good text; those of scans are covered by OCR or its findings."""
    found: set[int] = set()
    numbers = []
    for number, (page, own) in enumerate(zip(pages, _own_pictures(pages), strict=True), 1):
        if own and page.layer is TextLayer.GOOD:
            found |= own
            numbers.append(number)
    return Finding(FindingKind.IMAGES, tuple(numbers), len(found)) if found else None


def _own_pictures(pages: Sequence[PageFacts]) -> list[set[int]]:
    """Return the pictures of each page, without those that are on most other pages, too."""
    times = Counter(picture for page in pages for picture in page.pictures)
    everywhere = max(2, int(_ON_MOST_PAGES * len(pages)))
    return [{picture for picture in page.pictures if times[picture] <= everywhere} for page in pages]


_HOLD = mark("Page {0:d} holds"), mark("Pages {0:d} hold"), mark("{0:d} pages hold")
_WERE = mark("Page {0:d} was"), mark("Pages {0:d} were"), mark("{0:d} pages were")
_ARE = mark("Page {0:d} is"), mark("Pages {0:d} are"), mark("{0:d} pages are")


def _listed(numbers: Sequence[int], words: tuple[str, str, str]) -> str:
    """Return the subject of a sentence about some pages with its verb, using the form for one, some or many."""
    one, some, many = words
    if len(numbers) == 1:
        return one.replace("{0:d}", str(numbers[0]))
    if len(numbers) > _MOST_LISTED:
        return many.replace("{0:d}", str(len(numbers)))
    return some.replace("{0:d}", f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}")

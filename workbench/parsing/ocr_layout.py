"""Pages read by OCR -> text with blocks and boxes, in reading order, the way a PDF's own text goes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from workbench.model.document import Block, WordBox, WordBoxes
from workbench.parsing.ocr_base import OcrLine
from workbench.parsing.ocr_page import ReadPage
from workbench.parsing.ocr_upright import turned_back
from workbench.parsing.pdf_aligned_tables import lift_aligned_tables
from workbench.parsing.pdf_columns import reading_order
from workbench.parsing.pdf_furniture import without_furniture
from workbench.parsing.pdf_headings import mark_headings
from workbench.parsing.pdf_paragraphs import Paragraph, paragraphs_of
from workbench.parsing.pdf_text import PdfText, cleaned, vocabulary
from workbench.parsing.pdf_words import Line

_LEAST_CONFIDENCE = 0.5
_HEIGHT = 0.72
"""Font size as part of the height of a line's box, which is drawn with some air."""

_SAME_SIZE = (0.7, 1.3)
"""As parts of the usual size: lines without a tall letter are lower, and no smaller for that."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """The text of one page, with offsets of its own that begin at 0."""

    page: int
    text: str
    blocks: tuple[Block, ...]
    words: tuple[WordBox, ...]


def fragments(pages: Sequence[ReadPage], known: Mapping[int, WordBoxes]) -> list[Fragment]:
    """Return the text of pages that were read.

    Args:
        pages: In order.
        known: Boxes of the words that the document has of a page already: what stands there is left out.
    """
    drawn = [_lines(page, known.get(page.number, ())) for page in pages]
    for lines in drawn:
        cleaned(lines)
    words = vocabulary(drawn)
    kept = without_furniture([(lines, _height(page)) for page, lines in zip(pages, drawn, strict=True)])
    paragraphs = [_paragraphs(lines, page.number) for page, lines in zip(pages, kept, strict=True)]
    mark_headings([paragraph for page in paragraphs for paragraph in page], ())
    return [_fragment(page, found, words) for page, found in zip(pages, paragraphs, strict=True)]


def _height(page: ReadPage) -> float:
    return page.width if page.quarters % 2 else page.height


def _lines(page: ReadPage, known: Collection[WordBox] | WordBoxes) -> list[Line]:
    taken = [(box.x0, box.y0, box.x1, box.y1) for box in known]
    sure = [line for line in page.lines if line.confidence >= _LEAST_CONFIDENCE]
    found = [line for line in sure if not _stands_there(line, page, taken)]
    heights = {id(line): _HEIGHT * _line_height(line) for line in found}
    flat = [heights[id(line)] for line in found if not line.is_tall]
    usual = median(flat) if flat else 0.0
    return [_line(line, heights[id(line)], usual) for line in found]


def _line_height(line: OcrLine) -> float:
    # The median of the words: of a line that is not quite level, the whole box is far too high.
    return median(word[2] - word[0] if line.is_tall else word[3] - word[1] for word in line.words)


def _line(line: OcrLine, size: float, usual: float) -> Line:
    if _SAME_SIZE[0] * usual <= size <= _SAME_SIZE[1] * usual:
        size = usual
    return Line(
        list(line.words),
        min(word[0] for word in line.words),
        min(word[1] for word in line.words),
        max(word[2] for word in line.words),
        max(word[3] for word in line.words),
        size,
        upright=not line.is_tall,
    )


def _stands_there(line: OcrLine, page: ReadPage, taken: Sequence[tuple[float, float, float, float]]) -> bool:
    """Tell whether the document has most of a line's words as text: it would be there twice."""
    if not taken:
        return False
    hits = 0
    for word in line.words:
        x0, y0, x1, y1 = turned_back(word[:4], page.quarters, page.width, page.height)
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        hits += any(
            (box[0] - 1 <= x <= box[2] + 1 and box[1] - 1 <= y <= box[3] + 1)
            or (x0 <= (box[0] + box[2]) / 2 <= x1 and y0 <= (box[1] + box[3]) / 2 <= y1)
            for box in taken
        )
    return 2 * hits > len(line.words)


def _paragraphs(lines: Sequence[Line], number: int) -> list[Paragraph]:
    lifted = [lift_aligned_tables(region)[0] for region in reading_order(lines)]
    return [paragraph for region in lifted for paragraph in paragraphs_of(region, number)]


def _fragment(page: ReadPage, paragraphs: Sequence[Paragraph], words: frozenset[str]) -> Fragment:
    text = PdfText(words)
    text.add_page(page.number, page.width, page.height, paragraphs)
    text.finish()
    return Fragment(page.number, text.text, tuple(text.blocks), tuple(_as_shown(page, text.pages[0].words)))


def _as_shown(page: ReadPage, words: WordBoxes) -> Iterator[WordBox]:
    for word in words:
        box = turned_back((word.x0, word.y0, word.x1, word.y1), page.quarters, page.width, page.height)
        yield WordBox(word.start, word.end, *box)

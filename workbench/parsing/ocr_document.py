"""OCR results in a document.

Layout of recognized lines as text with boxes, splice_pages to insert them into pages, and the resulting findings.
"""

import dataclasses
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from workbench.language import mark
from workbench.model.document import (
    NO_FAILURE,
    Block,
    BlockKind,
    Finding,
    FindingKind,
    Metadata,
    Page,
    PageFailure,
    ParsedDocument,
    WordBox,
    WordBoxes,
    pages_with,
)
from workbench.parsing.ocr_engines import OcrLine
from workbench.parsing.ocr_page import ReadPage, rotate_back
from workbench.parsing.pdf_aligned_tables import extract_aligned_tables
from workbench.parsing.pdf_headers_footers import without_furniture
from workbench.parsing.pdf_quality import no_text_warning
from workbench.parsing.pdf_structure import Paragraph, mark_headings, paragraphs_of
from workbench.parsing.pdf_text import PdfText, cleaned, vocabulary
from workbench.parsing.pdf_words import TextLine, reading_order

_LEAST_CONFIDENCE = 0.5
_HEIGHT = 0.72
"""Font size as a share of the height of a line's box, which has some margin."""

_SAME_SIZE = (0.7, 1.3)
"""Shares of the usual size: lines without tall letters have a lower box, but the same font size."""


@dataclass(frozen=True, slots=True)
class OcrFragment:
    """Text of one page, with offsets that begin at 0."""

    page: int
    text: str
    blocks: tuple[Block, ...]
    words: tuple[WordBox, ...]


def fragments(pages: Sequence[ReadPage], known: Mapping[int, WordBoxes]) -> list[OcrFragment]:
    """Return the text of pages after OCR.

    Args:
        pages: In order.
        known: Boxes of the words that the document already has on a page; lines there are left out.
    """
    drawn = [_lines(page, known.get(page.number, ())) for page in pages]
    for lines in drawn:
        cleaned(lines)
    words = vocabulary(drawn)
    kept = without_furniture([(lines, _height(page)) for page, lines in zip(pages, drawn, strict=True)])
    paragraphs = [_paragraphs(lines, page.number) for page, lines in zip(pages, kept, strict=True)]
    mark_headings([paragraph for page in paragraphs for paragraph in page], ())
    return [_ocr_layout_fragment(page, found, words) for page, found in zip(pages, paragraphs, strict=True)]


def _height(page: ReadPage) -> float:
    return page.width if page.quarters % 2 else page.height


def _lines(page: ReadPage, known: Collection[WordBox] | WordBoxes) -> list[TextLine]:
    taken = [(box.x0, box.y0, box.x1, box.y1) for box in known]
    sure = [line for line in page.lines if line.confidence >= _LEAST_CONFIDENCE]
    found = [line for line in sure if not _is_in_document(line, page, taken)]
    heights = {id(line): _HEIGHT * _line_height(line) for line in found}
    flat = [heights[id(line)] for line in found if not line.is_tall]
    usual = median(flat) if flat else 0.0
    return [_line(line, heights[id(line)], usual) for line in found]


def _line_height(line: OcrLine) -> float:
    # Median of the words, because the whole box of a line that is not level is much too high.
    return median(word[2] - word[0] if line.is_tall else word[3] - word[1] for word in line.words)


def _line(line: OcrLine, size: float, usual: float) -> TextLine:
    if _SAME_SIZE[0] * usual <= size <= _SAME_SIZE[1] * usual:
        size = usual
    return TextLine(
        list(line.words),
        min(word[0] for word in line.words),
        min(word[1] for word in line.words),
        max(word[2] for word in line.words),
        max(word[3] for word in line.words),
        size,
        upright=not line.is_tall,
    )


def _is_in_document(line: OcrLine, page: ReadPage, taken: Sequence[tuple[float, float, float, float]]) -> bool:
    """Return True if the document already has most of a line's words as text, which would be duplicated."""
    if not taken:
        return False
    hits = 0
    for word in line.words:
        x0, y0, x1, y1 = rotate_back(word[:4], page.quarters, page.width, page.height)
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        hits += any(
            (box[0] - 1 <= x <= box[2] + 1 and box[1] - 1 <= y <= box[3] + 1)
            or (x0 <= (box[0] + box[2]) / 2 <= x1 and y0 <= (box[1] + box[3]) / 2 <= y1)
            for box in taken
        )
    return 2 * hits > len(line.words)


def _paragraphs(lines: Sequence[TextLine], number: int) -> list[Paragraph]:
    lifted = [extract_aligned_tables(region)[0] for region in reading_order(lines)]
    return [paragraph for region in lifted for paragraph in paragraphs_of(region, number)]


def _ocr_layout_fragment(page: ReadPage, paragraphs: Sequence[Paragraph], words: frozenset[str]) -> OcrFragment:
    text = PdfText(words)
    text.add_page(page.number, page.width, page.height, paragraphs)
    text.finish()
    return OcrFragment(page.number, text.text, tuple(text.blocks), tuple(_as_shown(page, text.pages[0].words)))


def _as_shown(page: ReadPage, words: WordBoxes) -> Iterator[WordBox]:
    for word in words:
        box = rotate_back((word.x0, word.y0, word.x1, word.y1), page.quarters, page.width, page.height)
        yield WordBox(word.start, word.end, *box)


_AGREES = 0.8
"""Share of the characters: a text layer that agrees with OCR is good, whatever its appearance."""

_SURE = 0.75
"""Minimum confidence for replacing a text layer that looks garbled by OCR."""

_UNSURE = mark("OCR was not sure of what it read there, so that the text was left as it is.")


def insert_ocr_pages(
    document: ParsedDocument, read: Sequence[ReadPage], failure: PageFailure = NO_FAILURE
) -> ParsedDocument:
    """Return the document with the text of pages after OCR.

    Text of a page is kept, and only lines elsewhere on the page are added. Text of a page is replaced if it is garbled
    and OCR differs from it, or if it comes from earlier OCR.

    Args:
        document: The document in the library.
        read: Pages of it, in order.
        failure: Reason why other pages could not be read; added to the findings on these pages.
    """
    garbled = pages_with(document.findings, FindingKind.GARBLED)
    pages = {page.number: page for page in document.pages}
    read = [one for one in read if one.number in pages]
    replaced = {one.number for one in read if one.number in garbled or pages[one.number].ocr}
    known = {one.number: pages[one.number].words for one in read if one.number not in replaced}
    found = {fragment.page: fragment for fragment in fragments(read, known)}
    keeping: set[int] = set()
    agreeing: set[int] = set()
    for one in read:
        own = document.text[pages[one.number].start : pages[one.number].end]
        if one.number in replaced and own.strip():
            if one.number in garbled and _agrees(own, found[one.number].text):
                agreeing.add(one.number)
            elif one.confidence < _SURE or not found[one.number].text:
                keeping.add(one.number)
    put_in = {number: fragment for number, fragment in found.items() if number not in agreeing | keeping}
    result = splice_pages(document, put_in, replaced=replaced)
    done = put_in.keys() | agreeing
    findings = _findings(result, done, failure, PageFailure(_UNSURE) if keeping else failure)
    return dataclasses.replace(
        result,
        metadata=_metadata(document, put_in.values()),
        findings=findings,
        warnings=_warnings(document, findings),
    )


def with_pages_kept(document: ParsedDocument, older: ParsedDocument) -> ParsedDocument:
    """Return a document that was parsed again, with the OCR pages of its previous version.

    Args:
        document: The new version.
        older: The previous version, with OCR pages.
    """
    pages = {page.number: page for page in document.pages}
    kept = {page.number: _fragment(older, page) for page in older.pages if page.ocr and page.number in pages}
    reasons = {one.kind: PageFailure(one.detail, one.failure) for one in older.findings}
    of_missing, of_garbled = (reasons.get(kind, NO_FAILURE) for kind in (FindingKind.NO_TEXT, FindingKind.GARBLED))
    result = splice_pages(document, kept, replaced=kept)
    findings = _findings(result, set(kept), of_missing, of_garbled if of_garbled.reason else of_missing)
    return dataclasses.replace(result, findings=findings, warnings=_warnings(document, findings))


def _fragment(document: ParsedDocument, page: Page) -> OcrFragment:
    """Return a page's part of a document, for insertion into another."""
    start, end = page.start, page.end
    blocks = [
        dataclasses.replace(block, start=max(block.start, start) - start, end=min(block.end, end) - start)
        for block in document.blocks
        if block.start < end and block.end > start
    ]
    words = [dataclasses.replace(word, start=word.start - start, end=word.end - start) for word in page.words]
    return OcrFragment(page.number, document.text[start:end], tuple(blocks), tuple(words))


def _agrees(text: str, other: str) -> bool:
    ours, theirs = Counter("".join(text.split())), Counter("".join(other.split()))
    return 2 * (ours & theirs).total() >= _AGREES * (ours.total() + theirs.total())


def _findings(
    document: ParsedDocument, done: set[int], of_missing: PageFailure, of_garbled: PageFailure
) -> tuple[Finding, ...]:
    """Return the findings of a document without the pages that are done, with the reason for the remaining ones."""
    reasons = {FindingKind.NO_TEXT: of_missing, FindingKind.GARBLED: of_garbled}
    found: list[Finding] = []
    for finding in document.findings:
        if finding.kind in (FindingKind.OCR, FindingKind.TABLES):
            continue
        if finding.kind in (FindingKind.NO_TEXT, FindingKind.GARBLED, FindingKind.IMAGES) and done & {*finding.pages}:
            left = tuple(page for page in finding.pages if page not in done)
            finding = dataclasses.replace(finding, pages=left, count=min(finding.count, len(left)))
            if not left:
                continue
        if finding.kind in reasons:
            reason = reasons[finding.kind]
            finding = dataclasses.replace(finding, detail=reason.reason, failure=reason.kind)
        found.append(finding)
    tables = [block for block in document.blocks if block.kind is BlockKind.TABLE]
    if tables:
        places = tuple(sorted({block.page for block in tables if block.page is not None}))
        found.append(Finding(FindingKind.TABLES, places, len(tables)))
    read = [page for page in document.pages if page.ocr]
    if read:
        found.append(Finding(FindingKind.OCR, tuple(page.number for page in read), len(read), _without_text(read)))
    return tuple(found)


def _without_text(read: Sequence[Page]) -> str:
    empty = sum(1 for page in read if page.start == page.end)
    return mark(f"on {empty} of them no text was found") if empty else ""


def _warnings(document: ParsedDocument, findings: Sequence[Finding]) -> tuple[str, ...]:
    def sentence(of: Sequence[Finding]) -> str:
        missing = sorted(pages_with(of, FindingKind.NO_TEXT))
        return no_text_warning(missing) if missing else ""

    before, now = sentence(document.findings), sentence(findings)
    warnings = [now if warning == before else warning for warning in document.warnings]
    return tuple(warning for warning in warnings if warning)


def _metadata(document: ParsedDocument, put_in: Iterable[OcrFragment]) -> Metadata:
    """Return the metadata; the title of a scan, which is only its file name, is replaced by its first heading."""
    if document.text.strip():
        return document.metadata
    for fragment in put_in:
        heading = next((block for block in fragment.blocks if block.kind is BlockKind.HEADING), None)
        if fragment.page == 1 and heading is not None and document.format == "pdf":
            title = " ".join(fragment.text[heading.start : heading.end].split())
            return dataclasses.replace(document.metadata, title=title)
    return document.metadata


@dataclass(frozen=True, slots=True)
class _KeptText:
    """Span text[start:end] of the old text that starts at `at` in the new one."""

    start: int
    end: int
    at: int


def splice_pages(
    document: ParsedDocument, fragments: Mapping[int, OcrFragment], *, replaced: Collection[int] = ()
) -> ParsedDocument:
    """Return the document with the fragments inserted at the end of their pages, which are marked as OCR pages.

    Args:
        document: As it was parsed.
        fragments: By page.
        replaced: Pages whose own text is removed.
    """
    text = _Text(document.text)
    pages: list[Page] = []
    placed: list[tuple[int, OcrFragment]] = []
    for page in document.pages:
        text.keep(page.start)
        fragment = fragments.get(page.number)
        if fragment is None:
            text.keep(page.end)
            start = text.position(page.start)
            words = _moved(page.words, start - page.start)
            pages.append(dataclasses.replace(page, start=start, end=start + page.end - page.start, words=words))
            continue
        own: tuple[WordBox, ...] = ()
        start = -1
        if page.number in replaced:
            text.drop(page.end)
        elif page.end > page.start:
            text.keep(page.end)
            start = text.position(page.start)
            own = _shifted(page.words, start - page.start)
        at = text.put(fragment.text)
        if fragment.text:
            placed.append((at, fragment))
        end = text.length
        boxes = WordBoxes.pack([*own, *_shifted(fragment.words, at)])
        start = start if start >= 0 else at
        pages.append(dataclasses.replace(page, start=start, end=end, words=boxes, ocr=bool(fragment.text) or not own))
    text.keep(len(document.text))
    blocks = [*_blocks(document, text.kept, pages), *_new_blocks(placed)]
    blocks.sort(key=lambda block: block.start)
    return dataclasses.replace(document, text=text.text, blocks=tuple(blocks), pages=tuple(pages))


class _Text:
    """Builder of the new text from the old one and the fragments."""

    def __init__(self, old: str) -> None:
        self._old = old
        self._cursor = 0
        self._parts: list[str] = []
        self._after_fragment = False
        self.length = 0
        self.kept: list[_KeptText] = []

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def keep(self, end: int) -> None:
        """Copy the old text up to this offset."""
        if end <= self._cursor:
            return
        piece = self._old[self._cursor : end]
        if self._after_fragment and piece.strip():
            # A blank line between a fragment and the text after it.
            self._append("\n" * max(0, 2 - (len(piece) - len(piece.lstrip("\n")))))
            self._after_fragment = False
        self.kept.append(_KeptText(self._cursor, end, self.length))
        self._append(piece)
        self._cursor = end

    def drop(self, end: int) -> None:
        """Omit the old text up to this offset."""
        self._cursor = max(self._cursor, end)

    def put(self, text: str) -> int:
        """Insert a fragment and return its start offset."""
        if text and self.length:
            tail = "".join(self._parts[-2:])
            self._append("\n" * max(0, 2 - (len(tail) - len(tail.rstrip("\n")))))
        at = self.length
        if text:
            self._append(text)
            self._after_fragment = True
        return at

    def position(self, old: int) -> int:
        """Return the new offset of a kept character."""
        index = bisect_right(self.kept, old, key=lambda kept: kept.start) - 1
        if index < 0:
            return min(old, self.length)
        kept = self.kept[index]
        return kept.at + min(old, kept.end) - kept.start if old < kept.end else self.length

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self.length += len(text)


def _blocks(document: ParsedDocument, kept: Sequence[_KeptText], pages: Sequence[Page]) -> Iterator[Block]:
    """Yield the old blocks with new offsets; a block with an inserted fragment is divided."""
    starts = [page.start for page in pages]
    joined = list(_joined(kept))
    first = 0
    for block in document.blocks:
        while first < len(joined) and joined[first].end <= block.start:
            first += 1
        is_first = True
        for piece in joined[first:]:
            if piece.start >= block.end:
                break
            span = _visible(document.text, max(block.start, piece.start), min(block.end, piece.end))
            if span is None:
                continue
            start, end = (offset - piece.start + piece.at for offset in span)
            page = block.page
            if not is_first or span[0] != block.start:
                page = pages[max(0, bisect_right(starts, start) - 1)].number if pages else None
            yield dataclasses.replace(block, start=start, end=end, page=page)
            is_first = False


def _joined(kept: Iterable[_KeptText]) -> Iterator[_KeptText]:
    last: _KeptText | None = None
    for piece in kept:
        if last is not None and piece.start == last.end and piece.at == last.at + last.end - last.start:
            last = _KeptText(last.start, piece.end, last.at)
            continue
        if last is not None:
            yield last
        last = piece
    if last is not None:
        yield last


def _visible(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return None
    start += len(piece) - len(piece.lstrip())
    return start, start + len(stripped)


def _new_blocks(placed: Iterable[tuple[int, OcrFragment]]) -> Iterator[Block]:
    for at, fragment in placed:
        for block in fragment.blocks:
            yield dataclasses.replace(block, start=block.start + at, end=block.end + at)


def _moved(words: WordBoxes, by: int) -> WordBoxes:
    return WordBoxes.pack(_shifted(words, by)) if by and len(words) else words


def _shifted(words: Iterable[WordBox], by: int) -> tuple[WordBox, ...]:
    return tuple(dataclasses.replace(word, start=word.start + by, end=word.end + by) for word in words)

"""Document text, blocks, pages and word boxes from paragraphs, with repair of hyphenated words."""

import copy
import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from workbench.model.document import Block, BlockKind, Page, WordBoxes
from workbench.parsing.assembly import clean
from workbench.parsing.pdf_structure import Paragraph
from workbench.parsing.pdf_words import TextLine, Word

_RECORD = struct.Struct("<iiffff")
_HYPHENS = "-\u00ad\u2010"
_CJK = re.compile("[\u2e80-\u30ff\u31f0-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003134f]")
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_FIRST_WORD = re.compile(r"^[^\W\d_]+")
_KEPT_PREFIXES = frozenset(
    (
        "all",
        "anti",
        "cross",
        "ex",
        "full",
        "half",
        "high",
        "long",
        "low",
        "mid",
        "multi",
        "non",
        "post",
        "pre",
        "pro",
        "quasi",
        "real",
        "self",
        "semi",
        "short",
        "so",
        "well",
    )
)


@dataclass(slots=True)
class _PageText:
    number: int
    width: float
    height: float
    start: int = -1
    end: int = 0
    records: list[tuple[int, int, float, float, float, float]] = field(default_factory=list)

    def finished(self, fallback: int) -> Page:
        start = self.start if self.start >= 0 else fallback
        packed = WordBoxes(b"".join([_RECORD.pack(*record) for record in self.records]))
        return Page(self.number, start, max(start, self.end), self.width, self.height, packed)


class PdfText:
    """Builder of a PDF's text, page by page.

    Args:
        vocabulary: Words of the document in lower case, to distinguish a hyphenated word from a compound.
    """

    def __init__(self, vocabulary: frozenset[str]) -> None:
        self._vocabulary = vocabulary
        self._parts: list[str] = []
        self._length = 0
        self._last = ""
        self._page: _PageText | None = None
        self._unfinished: _PageText | None = None
        self._paragraph: Paragraph | None = None
        self.blocks: list[Block] = []
        self.pages: list[Page] = []

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._parts)

    def use_vocabulary(self, vocabulary: frozenset[str]) -> None:
        """Use the words of another section; the text so far is merged into one string to save memory."""
        self._vocabulary = vocabulary
        last = self._parts.pop() if self._parts else ""  # may still be shortened
        self._parts = ["".join(self._parts), last]

    def copy(self) -> "PdfText":
        """Return a copy with the same text that grows independently."""
        other = copy.copy(self)
        other._parts, other.blocks, other.pages = list(self._parts), list(self.blocks), list(self.pages)
        other._page, other._unfinished = copy.deepcopy((self._page, self._unfinished))
        return other

    def add_page(self, number: int, width: float, height: float, paragraphs: Iterable[Paragraph]) -> None:
        """Append a page."""
        self._finish_page()
        # The last word of the previous page may still be joined with the first one of this page.
        self._unfinished = self._page
        self._page = _PageText(number, width, height)
        for paragraph in paragraphs:
            self._add(paragraph)

    def finish(self) -> None:
        """Close the last page."""
        self._finish_page()
        if self._page is not None:
            self.pages.append(self._page.finished(self._length))
            self._page = None

    def _finish_page(self) -> None:
        if self._unfinished is not None:
            self.pages.append(self._unfinished.finished(self._length))
            self._unfinished = None

    def _add(self, paragraph: Paragraph) -> None:
        kind, before = paragraph.kind, self._paragraph
        if before is not None and _continues(before, paragraph):
            self._add_lines(paragraph, first="\n")
        elif before is not None and kind is before.kind is BlockKind.LIST:
            self._add_lines(paragraph, first="\n", mend=False)
        else:
            start = self._length + (2 if self.blocks else 0)
            first = "\n\n" if self.blocks else ""
            assert self._page is not None
            self._finish_page()
            if self._page.start < 0:
                self._page.start = start
            number, continues = self._page.number, paragraph.continues
            self.blocks.append(Block(kind, start, start, paragraph.level, number, continues=continues))
            if kind is BlockKind.TABLE:
                self._add_table(paragraph.lines[0].cells, first)
            elif kind is BlockKind.CODE:
                self._add_code(paragraph.lines, first)
            else:
                self._add_lines(paragraph, first=first, mend=False)
        block = self.blocks[-1]
        self.blocks[-1] = replace(block, end=self._length)
        self._paragraph = paragraph

    def _add_lines(self, paragraph: Paragraph, *, first: str, mend: bool = True) -> None:
        """Append lines after a first separator; with mend, a hyphenated word before them is joined."""
        newline = " " if paragraph.kind is BlockKind.HEADING else "\n"
        separator = first
        for line in paragraph.lines:
            start, *rest = line.words
            broke_word = mend and self._mend(start[4])
            if broke_word or (mend and _CJK.match(start[4]) and _CJK.match(self._last[-1:])):
                separator = ""
            self._word(separator, start)
            if broke_word and rest:
                # The rest of the line goes below the word that the line break divided.
                self._word(newline, rest.pop(0))
            self._words(rest)
            separator, mend = newline, True

    def _add_code(self, lines: Sequence[TextLine], first: str) -> None:
        left = min(line.x0 for line in lines)
        separator = first
        for line in lines:
            end = left
            for word in line.words:
                width = (word[2] - word[0]) / max(len(word[4]), 1) or 1.0
                spaces = round((word[0] - end) / width)
                inside = end != left
                self._word(separator + " " * min(max(spaces, 1 if inside else 0), 200), word)
                separator, end = "", word[2]
            separator = "\n"

    def _add_table(self, rows: Sequence[Sequence[Sequence[Word]]], first: str) -> None:
        self._write(first)
        for number, row in enumerate(rows):
            if number:
                self._write("\n")
            if number == 1:
                self._write("|" + " --- |" * len(row) + "\n")
            self._write("|")
            for cell in row:
                for x0, y0, x1, y1, text in cell:
                    self._word(" ", (x0, y0, x1, y1, text.replace("|", "\\|")))
                self._write(" |")

    def _mend(self, following: str) -> bool:
        """Join the last word with the following one if a hyphen divides them; return True if they were joined."""
        word = self._last
        if len(word) < 2 or word[-1] not in _HYPHENS or not word[-2].isalpha() or not following[0].islower():
            return False
        if word[-1] == "\u00ad" or not self._is_compound(word[:-1], following):
            self._shorten()
        return True

    def _is_compound(self, stem: str, following: str) -> bool:
        """Return True if the hyphen belongs to the word, such as "well-known", and does not come from a line break."""
        left, right = _LAST_WORD.search(stem), _FIRST_WORD.match(following)
        if left is None or right is None:
            return True
        first, second = left[0].lower(), right[0].lower()
        if first + second in self._vocabulary:
            return False
        if f"{first}-{second}" in self._vocabulary or first in _KEPT_PREFIXES or "-" in stem:
            return True
        return len(first) > 3 and len(second) > 3 and first in self._vocabulary and second in self._vocabulary

    def _shorten(self) -> None:
        """Remove the hyphen from the last word."""
        self._parts[-1] = self._parts[-1][:-1]
        self._length -= 1
        page = self._page if self._page is not None and self._page.records else self._unfinished
        if page is not None and page.records:
            start, end, x0, y0, x1, y1 = page.records[-1]
            page.records[-1] = (start, end - 1, x0, y0, x1, y1)
            page.end = self._length

    def _write(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._length += len(text)
            if self._page is not None and self._page.start >= 0:
                self._page.end = self._length

    def _word(self, separator: str, word: Word) -> None:
        if self._unfinished is not None:
            self._finish_page()
        page = self._page
        assert page is not None
        if separator:
            self._parts.append(separator)
            self._length += len(separator)
        x0, y0, x1, y1, text = word
        start = self._length
        self._parts.append(text)
        self._length = end = start + len(text)
        self._last = text
        if page.start < 0:
            page.start = start
        page.end = end
        if text.isascii() or len(text) < 2 or not _CJK.search(text):
            page.records.append((start, end, x0, y0, x1, y1))
        else:
            page.records.extend(_pieces(start, word))

    def _words(self, words: Sequence[Word]) -> None:
        """Append words, each preceded by a space; equivalent to _word() for each, but takes half the time."""
        texts = [word[4] for word in words]
        joined = " ".join(texts)
        if not joined.isascii() and _CJK.search(joined):
            for word in words:
                self._word(" ", word)
            return
        if not words:
            return
        page = self._page
        assert page is not None
        end = self._length
        records = page.records
        for x0, y0, x1, y1, text in words:
            start = end + 1
            end = start + len(text)
            records.append((start, end, x0, y0, x1, y1))
        self._parts.append(" " + joined)
        self._length = page.end = end
        self._last = texts[-1]


def is_ideograph(character: str) -> bool:
    """Return True if words of such characters are not separated by spaces."""
    return bool(_CJK.match(character))


def _pieces(start: int, word: Word) -> Iterable[tuple[int, int, float, float, float, float]]:
    """Yield a box for each ideograph and each run of other characters: the PDF has a line of Chinese as one “word”."""
    x0, y0, x1, y1, text = word
    wide = [bool(_CJK.match(character)) for character in text]
    unit = (x1 - x0) / sum(2 if is_wide else 1 for is_wide in wide)
    position, x = 0, x0
    while position < len(text):
        end = position + 1
        while not wide[position] and end < len(text) and not wide[end]:
            end += 1
        width = unit * (2 if wide[position] else end - position)
        yield start + position, start + end, x, y0, x + width, y1
        position, x = end, x + width


def _continues(before: Paragraph, paragraph: Paragraph) -> bool:
    """Return True if a paragraph continues the last one of the previous column or page."""
    if not paragraph.opens_region or paragraph.kind is not BlockKind.PARAGRAPH or before.lines[-1].entry:
        return False
    if before.kind not in (BlockKind.PARAGRAPH, BlockKind.LIST):
        return False
    if abs(before.size - paragraph.size) > 0.1 * before.size or before.bold != paragraph.bold:
        return False
    last, following = before.lines[-1], paragraph.lines[0].words[0][4]
    end = last.words[-1][4][-1]
    if end in ".!?:;。！？：；…":
        return False
    if _CJK.match(end) and _CJK.match(following):
        return last.x1 > before.right - 2.5 * last.size
    return following[0].islower()


def vocabulary(pages: Iterable[Sequence[TextLine]]) -> frozenset[str]:
    """Return the words of the pages in lower case, except those at line ends, which may be halves."""
    found: set[str] = set()
    for lines in pages:
        for line in lines:
            found.update([word[4].strip(".,;:!?()[]\"'“”‘’").lower() for word in line.words[1:-1]])
    return frozenset(found)


def cleaned(lines: Iterable[TextLine]) -> None:
    """Replace characters in the words of the lines that cannot be stored."""
    for line in lines:
        for position, word in enumerate(line.words):
            if not word[4].isprintable():
                line.words[position] = (*word[:4], clean(word[4]))

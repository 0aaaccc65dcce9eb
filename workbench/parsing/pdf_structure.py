"""Structure of a PDF's text: paragraphs, list items, code, headings and tables of contents."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from workbench.model.document import BlockKind
from workbench.parsing.pdf_headers_footers import fold_title
from workbench.parsing.pdf_table_parts import continues_columns
from workbench.parsing.pdf_words import TextLine, Word

BULLET = re.compile(
    r"^(?:[•▪◦‣●○■□–—*·\uf0b7\uf0a7-]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|[（(][一二三四五六七八九十\d]+[)）])(?:\s|$)"
)
_SENTENCE_END = re.compile(r"[.!?:;。！？：；…][\"'”’»）)\]]*$")


@dataclass(slots=True)
class Paragraph:
    """Consecutive lines of one page that belong together.

    Attributes:
        right: Right edge of its column.
        opens_region: True if it is the first paragraph of a column or page.
        continues: True for a table that goes on with the last one of the page before; see mark_continued_tables().
    """

    lines: list[TextLine]
    page: int
    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    right: float = 0.0
    opens_region: bool = False
    continues: bool = False
    _text: str = field(default="")

    @property
    def size(self) -> float:
        """Font size of its first line."""
        return self.lines[0].size

    @property
    def bold(self) -> bool:
        """True if every line is bold."""
        return all(line.bold for line in self.lines)

    @property
    def text(self) -> str:
        """The lines joined with single spaces, for classification; the document's text is assembled separately."""
        if not self._text:
            self._text = " ".join(line.text for line in self.lines)
        return self._text


def paragraphs_of(region: Sequence[TextLine], page: int) -> list[Paragraph]:
    """Return the paragraphs of a region."""
    if not region:
        return []
    leading = _leading(region)
    left = min(line.x0 for line in region)
    right = max(line.x1 for line in region)
    found: list[Paragraph] = []
    before: TextLine | None = None
    for line in region:
        if line.cells:
            found.append(Paragraph([line], page, BlockKind.TABLE, right=right))
            before = None
            continue
        if before is None or _starts_paragraph(found[-1], before, line, leading, left, right):
            kind = BlockKind.LIST if BULLET.match(line.text) else BlockKind.PARAGRAPH
            if line.mono:
                kind = BlockKind.CODE
            if line.entry:
                kind = BlockKind.LIST
            found.append(Paragraph([line], page, kind, right=right))
        else:
            found[-1].lines.append(line)
        before = line
    found[0].opens_region = True
    return found


def _leading(region: Sequence[TextLine]) -> float:
    """Return the usual distance from one line to the next, as a multiple of the font size."""
    distances = [
        (after.y1 - before.y1) / after.size
        for before, after in pairwise(region)
        if after.size
        and abs(after.size - before.size) < 0.1 * after.size
        and 0 < after.y1 - before.y1 < 2.5 * after.size
    ]
    return median(distances) if distances else 1.3


def _starts_paragraph(
    paragraph: Paragraph, before: TextLine, line: TextLine, leading: float, left: float, right: float
) -> bool:
    size = line.size or 1.0
    gap = (line.y1 - before.y1) / size
    if line.entry or before.entry:
        return not (line.entry and before.entry)
    if line.mono != before.mono:
        return True
    if line.mono:
        return gap > 2.5 * leading
    if abs(size - before.size) > 0.1 * size or line.bold != before.bold:
        return True
    if gap > 1.3 * leading or gap < -0.5:
        return True
    if BULLET.match(line.text) and (paragraph.kind is BlockKind.LIST or _SENTENCE_END.search(before.text)):
        return True
    ended = bool(_SENTENCE_END.search(before.text))
    if paragraph.kind is BlockKind.LIST:
        return ended and line.x0 < paragraph.lines[0].x0 - size
    indented = line.x0 > left + 0.8 * size and abs(before.x0 - left) < 0.5 * size and line.x0 < left + 5 * size
    short = before.x1 < right - 0.2 * (right - left)
    return (ended and (indented or short)) or (line.block != before.block and ended and gap > 1.1 * leading)


def mark_continued_tables(pages: Sequence[Sequence[Paragraph]]) -> None:
    """Mark the tables at the top of a page that go on with the one at the end of the page before.

    Between the two there is nothing but running heads and feet, which are not among the paragraphs any more.

    Args:
        pages: The paragraphs of consecutive pages, in order.
    """
    for before, page in pairwise(pages):
        if not before or not page or before[-1].kind is not BlockKind.TABLE or page[0].kind is not BlockKind.TABLE:
            continue
        last, first = before[-1].lines[0], page[0].lines[0]
        is_last = all(line.y1 <= last.y1 + 1 for one in before for line in one.lines)
        is_first = all(line.y0 >= first.y0 - 1 for one in page for line in one.lines)
        page[0].continues = is_last and is_first and continues_columns(last, first)


_LARGER = 1.12
_LONGEST = 200
_MOST_LINES = 4
_DEEPEST = 6
_MOST_BETWEEN = 4
"""Maximum number of paragraphs between the title of a statement and its table, such as company, unit and years."""

_INDENT = 40.0
"""Minimum indentation of a statement's title from the left edge of its table, in points."""

_NUMBERED = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[IVX]+\.|[A-Z]\.|第[一二三四五六七八九十百\d]+[章节篇部])\s*\S")
_SECTION_NUMBER = re.compile(r"^\d+(?:\.\d+)*(?=\.?\s)")
_LETTER = re.compile(r"[^\W\d_]")
_NOT_LETTERS = re.compile(r"[\W_]+")

Style = tuple[float, bool]


def mark_headings(
    paragraphs: Sequence[Paragraph], outline: Sequence[tuple[int, str, int]], contents: Sequence[str] = ()
) -> None:
    """Set kind and level of each heading.

    Args:
        paragraphs: Paragraphs of the whole document, in order.
        outline: Level, title and page of each entry.
        contents: Titles listed in tables of contents; used only if there is no outline.
    """
    body = _body_size(paragraphs)
    if not body:
        return
    claimed = _match_outline(paragraphs, {(page, _folded(title)): level for level, title, page in outline})
    printed = set() if outline else {_folded(title) for title in contents} - {""}
    levels_of_style: dict[Style, Counter[int]] = defaultdict(Counter)
    candidates: list[Paragraph] = []
    for paragraph, following in pairwise([*paragraphs, None]):
        if paragraph is None or not _may_be_heading(paragraph) or _is_column_heading(paragraph, following):
            continue
        level = claimed.get(id(paragraph))
        if level is not None:
            paragraph.kind, paragraph.level = BlockKind.HEADING, min(level, _DEEPEST)
            levels_of_style[_style(paragraph)][paragraph.level] += 1
        elif _looks_like_heading(paragraph, body) or _folded(paragraph.text) in printed:
            candidates.append(paragraph)
    candidates = _without_eyebrows(candidates, body)
    levels = _levels(candidates, levels_of_style)
    for paragraph in candidates:
        paragraph.kind, paragraph.level = BlockKind.HEADING, levels[_style(paragraph)]
    _mark_titles_of_tables(paragraphs)
    if printed:
        _level_by_number([paragraph for paragraph in candidates if _folded(paragraph.text) in printed])


def _mark_titles_of_tables(paragraphs: Sequence[Paragraph]) -> None:
    """Mark centred titles above a table at the top of a page as headings, such as those of financial statements.

    They have the same font as the text. Without such a heading the statement would belong to the last heading of the
    pages before, mostly the auditor's report. The new heading gets the level of that heading.
    """
    level = 1
    for position, paragraph in enumerate(paragraphs):
        if paragraph.kind is BlockKind.HEADING:
            level = paragraph.level
        elif position and paragraphs[position - 1].page != paragraph.page and _may_be_heading(paragraph):
            near = paragraphs[position + 1 : position + 1 + _MOST_BETWEEN]
            table = next((one for one in near if one.kind is BlockKind.TABLE and one.page == paragraph.page), None)
            if table is not None and _is_title(paragraph.text) and _is_centred(paragraph, table.lines[0]):
                paragraph.kind, paragraph.level = BlockKind.HEADING, level


def _is_title(text: str) -> bool:
    words = [word for word in text.split() if word[0].isalpha()]
    return (
        bool(words)
        and text[-1] not in ".。:：;；"
        and sum(1 for word in words if not word[0].islower()) > len(words) / 2
    )


def _is_centred(paragraph: Paragraph, table: TextLine) -> bool:
    middle = (table.x0 + table.x1) / 2
    return all(
        line.x0 > table.x0 + _INDENT and abs((line.x0 + line.x1) / 2 - middle) < _INDENT / 2 for line in paragraph.lines
    )


def _level_by_number(headings: Sequence[Paragraph]) -> None:
    """Put section 2.3.1 two levels below chapter 2, whatever their fonts."""
    numbered = [(match[0].count("."), one) for one in headings if (match := _SECTION_NUMBER.match(one.text))]
    chapters = Counter(one.level for depth, one in numbered if depth == 0)
    if chapters:
        level = chapters.most_common(1)[0][0]
        for depth, one in numbered:
            one.level = min(level + depth, _DEEPEST)


def _may_be_heading(paragraph: Paragraph) -> bool:
    return (
        paragraph.kind not in (BlockKind.TABLE, BlockKind.CODE)
        and len(paragraph.lines) <= _MOST_LINES
        and len(paragraph.text) <= _LONGEST
        and not paragraph.lines[0].entry
    )


def _is_column_heading(paragraph: Paragraph, following: Paragraph | None) -> bool:
    """Return True if the paragraph heads columns of the table below (“Fiscal year”) and is not its title."""
    if following is None or following.kind is not BlockKind.TABLE or following.page != paragraph.page:
        return False
    edges = [cell[0][0] for row in following.lines[0].cells for cell in row[1:2] if cell]
    return bool(edges) and paragraph.lines[0].x0 >= min(edges)


def _match_outline(paragraphs: Sequence[Paragraph], listed: Mapping[tuple[int, str], int]) -> dict[int, int]:
    """Return the outline level of each paragraph that matches an entry of the outline, by the paragraph's id.

    If several paragraphs have the words of one entry, those nearest to its page are chosen, and of these the largest.
    The others are running heads or entries of a table of contents.
    """
    if not listed:
        return {}
    found: dict[tuple[int, str], list[tuple[int, float, Paragraph]]] = defaultdict(list)
    for paragraph in paragraphs:
        if _may_be_heading(paragraph) and (entry := _entry_of(paragraph, listed)):
            found[entry].append((abs(entry[0] - paragraph.page), -round(2 * paragraph.size), paragraph))
    claimed: dict[int, int] = {}
    for entry, places in found.items():
        best = min((distance, size) for distance, size, _ in places)
        claimed.update({id(paragraph): listed[entry] for *place, paragraph in places if tuple(place) == best})
    return claimed


def _without_eyebrows(candidates: list[Paragraph], body: float) -> list[Paragraph]:
    """Remove small candidates above the first large one: on a cover they name a publisher or author, not the title."""
    large = next((position for position, one in enumerate(candidates) if one.size >= _LARGER * body), 0)
    if large and candidates[large].page == candidates[0].page and candidates[large].size >= 1.5 * body:
        return candidates[large:]
    return candidates


def _body_size(paragraphs: Sequence[Paragraph]) -> float:
    sizes: Counter[float] = Counter()
    for paragraph in paragraphs:
        if paragraph.kind is not BlockKind.TABLE:
            sizes[round(paragraph.size * 2) / 2] += len(paragraph.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _style(paragraph: Paragraph) -> Style:
    return round(paragraph.size * 2) / 2, paragraph.bold


def _folded(title: str) -> str:
    return _NOT_LETTERS.sub("", title).casefold()


def _entry_of(paragraph: Paragraph, listed: Mapping[tuple[int, str], int]) -> tuple[int, str] | None:
    """Return the outline entry with the words of the paragraph, on its page or an adjacent page."""
    folded = _folded(paragraph.text)
    # Outlines often omit the section number.
    bare = _folded(re.sub(r"^[\dIVX.]+\s+", "", paragraph.text))
    for page in (paragraph.page, paragraph.page - 1, paragraph.page + 1):
        for title in (folded, bare):
            if title and (page, title) in listed:
                return page, title
    return None


def _looks_like_heading(paragraph: Paragraph, body: float) -> bool:
    text = paragraph.text
    if len(text) > _LONGEST or not _LETTER.search(text) or text[-1] in ",;，；、" or "...." in text:
        return False
    if paragraph.size >= _LARGER * body:
        return text[-1] not in ".。" or len(text) < 60
    if not paragraph.bold or paragraph.size < 0.95 * body or len(paragraph.lines) > 2:
        return False
    if paragraph.kind is BlockKind.LIST and not _NUMBERED.match(text):
        return False
    return len(text) < 100 and text[-1] not in ".。:："


def _levels(candidates: Sequence[Paragraph], known: dict[Style, Counter[int]]) -> dict[Style, int]:
    """Return the level of each style: from the outline if known, otherwise by rank of size, bold before regular."""
    styles = sorted({_style(paragraph) for paragraph in candidates} | set(known), reverse=True)
    levels: dict[Style, int] = {}
    level = 0
    for style in styles:
        level = known[style].most_common(1)[0][0] if style in known else min(level + 1, _DEEPEST)
        levels[style] = level
    return levels


_PAGE = re.compile(r"^(?:\d{1,4}|[ivxl]{1,6})$", re.I)
_LEADER = re.compile(r"^[.·…‥]+$")
_TRAILING_LEADER = re.compile(r"[.·…‥]{3,}\s*(?:\d{1,4}|[ivxl]{1,6})?$", re.I)
_DOTS = re.compile(r"^(.*?)[.·…‥]{3,}(.*)$|^[.·…‥]$")
_LAST = frozenset("0123456789ivxlIVXL")
_FEWEST = 4
_FRONT_MATTER = 20
"""Pages. A list with numbers beyond the page count plus this is a price list or part of a table."""

_MOST_WITHOUT_PAGE = 2
"""Maximum lines without a page number between two entries: a title of several lines, the name of a part."""

_SHARE_FOUND = 0.5
"""Minimum share of titles that occur elsewhere. The others are shortened or broken into lines in a different way."""


def mark_table_of_contents(pages: Sequence[Sequence[Sequence[TextLine]]]) -> list[str]:
    """Mark the entries of tables of contents, remove their dot leaders, and return the titles.

    Args:
        pages: The regions of each page, each with its lines from top to bottom.
    """
    listed: list[str] = []
    titles: list[set[str]] = []
    for number, regions in enumerate(pages):
        for region in regions:
            for run in _runs(region):
                entries = [line for line in run if _page_of(line) is not None]
                if (_page_of(entries[-1]) or 0) > len(pages) + _FRONT_MATTER:
                    continue
                if sum(1 for line in entries if _has_leader(line)) < 0.5 * len(entries):
                    titles = titles or [{fold_title(line.text) for line in _lines(page)} - {""} for page in pages]
                    others = set().union(*titles[:number], *titles[number + 1 :])
                    if sum(1 for line in entries if _title_of(line) in others) < _SHARE_FOUND * len(entries):
                        continue
                for line in run:
                    line.entry = True
                    line.words = [part for word in line.words for part in _without_dots(word)] or line.words
                listed.extend(" ".join(word[4] for word in line.words[:-1]) for line in entries)
    return listed


def _lines(page: Iterable[Sequence[TextLine]]) -> Iterator[TextLine]:
    for region in page:
        yield from region


def _runs(region: Sequence[TextLine]) -> Iterator[Sequence[TextLine]]:
    """Yield runs of lines that end in increasing page numbers, aligned below each other."""
    start = last = count = page = 0
    right = 0.0
    for position, line in enumerate(region):
        found = _page_of(line)
        if found is None:
            continue
        if count and (
            position - last > _MOST_WITHOUT_PAGE + 1 or found < page or abs(line.x1 - right) > 0.5 * line.size
        ):
            if count >= _FEWEST:
                yield region[start : last + 1]
            count = 0
        if not count:
            start = position
        last, page, right, count = position, found, line.x1, count + 1
    if count >= _FEWEST:
        yield region[start : last + 1]


def _page_of(line: TextLine) -> int | None:
    """Return the page number at the end of a line, preceded by white space or dots; Roman numbers count as 0."""
    if len(line.words) < 2 or line.words[-1][4][-1] not in _LAST or line.cells or not line.upright:
        return None
    before, word = line.words[-2], line.words[-1]
    if not _PAGE.match(word[4]):
        match = _TRAILING_LEADER.search(word[4])
        digits = word[4].rpartition(".")[2]
        return int(digits) if match and digits.isdecimal() else None
    if word[0] - before[2] < 0.9 * line.size and not _LEADER.match(before[4]) and not before[4].endswith("..."):
        return None
    return int(word[4]) if word[4].isdecimal() else 0


def _without_dots(word: Word) -> Iterator[Word]:
    """Yield the parts before and after a dot leader; the PDF may contain “history......2” as one word."""
    x0, y0, x1, y1, text = word
    match = _DOTS.match(text)
    if match is None:
        yield word
        return
    unit = (x1 - x0) / len(text)
    before, after = match[1] or "", match[2] or ""
    if before:
        yield x0, y0, x0 + unit * len(before), y1, before
    if after:
        yield x1 - unit * len(after), y0, x1, y1, after


def _has_leader(line: TextLine) -> bool:
    return "..." in line.text or ". . ." in line.text or "……" in line.text or "···" in line.text


def _title_of(line: TextLine) -> str:
    return fold_title(" ".join(word[4] for word in line.words[:-1] if not _LEADER.match(word[4])))

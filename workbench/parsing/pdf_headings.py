"""Which paragraphs are headings, and of which level: by the outline, else by size and weight."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from workbench.model.document import BlockKind
from workbench.parsing.pdf_paragraphs import Paragraph
from workbench.parsing.pdf_words import Line

_LARGER = 1.12
_LONGEST = 200
_MOST_LINES = 4
_DEEPEST = 6
_MOST_BETWEEN = 4
"""Paragraphs from the title of a statement to its table: the company, the unit, the years."""

_INDENT = 40.0
"""Points that the title of a statement stands in from the left edge of its table, at least."""

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
        paragraphs: Of the whole document, in order.
        outline: Level, title and page of each entry.
        contents: The titles that tables of contents list; they are asked where there is no outline.
    """
    body = _body_size(paragraphs)
    if not body:
        return
    claimed = _claimed(paragraphs, {(page, _folded(title)): level for level, title, page in outline})
    printed = set() if outline else {_folded(title) for title in contents} - {""}
    levels_of_style: dict[Style, Counter[int]] = defaultdict(Counter)
    candidates: list[Paragraph] = []
    for paragraph, following in pairwise([*paragraphs, None]):
        if paragraph is None or not _may_be_heading(paragraph) or _stands_over_columns(paragraph, following):
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
    """Make a heading of what stands centred over a table at the top of a page, as titles of financial statements do.

    It is set like the text. Without it the statement stands under the last heading of the pages before, mostly the
    auditor's report, whose level it takes.
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


def _is_centred(paragraph: Paragraph, table: Line) -> bool:
    middle = (table.x0 + table.x1) / 2
    return all(
        line.x0 > table.x0 + _INDENT and abs((line.x0 + line.x1) / 2 - middle) < _INDENT / 2 for line in paragraph.lines
    )


def _level_by_number(headings: Sequence[Paragraph]) -> None:
    """Put section 2.3.1 two levels below chapter 2, whatever they are set in."""
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


def _stands_over_columns(paragraph: Paragraph, following: Paragraph | None) -> bool:
    """Tell what heads the columns of the table below, as “Fiscal year” does, from the table's title."""
    if following is None or following.kind is not BlockKind.TABLE or following.page != paragraph.page:
        return False
    edges = [cell[0][0] for row in following.lines[0].cells for cell in row[1:2] if cell]
    return bool(edges) and paragraph.lines[0].x0 >= min(edges)


def _claimed(paragraphs: Sequence[Paragraph], listed: Mapping[tuple[int, str], int]) -> dict[int, int]:
    """Return the level of each paragraph, by its id, that an entry of the outline leads to.

    Of several with the words of one entry those on its own page are meant, and of these the largest: the others are
    running heads, or stand in a table of contents.
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
    """Return the candidates without small ones above the first large one: on a cover they say who, not what."""
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
    """Return the outline's entry of these words, on the paragraph's page or next to it."""
    folded = _folded(paragraph.text)
    # Outlines often leave the section's number out.
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
    """Return the level of each style: as the outline has it, else by rank of size, bold before regular."""
    styles = sorted({_style(paragraph) for paragraph in candidates} | set(known), reverse=True)
    levels: dict[Style, int] = {}
    level = 0
    for style in styles:
        level = known[style].most_common(1)[0][0] if style in known else min(level + 1, _DEEPEST)
        levels[style] = level
    return levels

"""Detection of running heads, footers and page numbers: lines repeated or counted in the same place on most pages."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from workbench.parsing.pdf_words import TextLine, join_lines

_NUMBER = re.compile(r"\d+|\b[ivxl]+\b", re.I)
_NUMBER_AT_END = re.compile(r"^(?:\d+[\s.|·–—-]+)+|(?:[\s|·–—-]+(?:\d+|[ivxl]+))+$", re.I)
_KIND_AND_NUMBER = re.compile(r"^\w+ (?:\d+|[A-Z]|[IVXL]+)[.:]?\s+")
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}
_MARGIN = 0.22
"""Share of the page's height, at the top and at the bottom, that is searched for furniture; large, because some pages
have crop marks.
"""

_OUTERMOST = 3
_FEWEST_PAGES = 3
_SHARE = 0.35
"""Share of the pages: heads often differ between left and right pages, and the first page of a chapter has none."""

_FEWEST_COUNTED, _COUNTED = 5, 0.8
"""Minimum number of pages whose last line counts them, and share of the steps between them that count. Used if fewer
than the usual share of the pages have such a line: “F-1” to “F-60” in a report of 200.
"""

_FOOT_ROWS = 2
_FEWEST_ABOVE = 5
"""Minimum lines above a footer in the last line: a form's page may only contain “Page 3, field 1”."""

_LARGE = 1.3
_SHARE_OF_LARGE = 0.8
"""Titles of slides are larger than the text, and some of them are repeated: “Results”, “Results”."""

_APART = 0.6
"""Multiple of the font size: gap between a running head and the text. Lines of a paragraph had gaps of -0.2 to 0.35 in
four books measured.
"""

Page = tuple[list[TextLine], float]
"""Lines and height of a page."""

Place = tuple[bool, int]
"""True for the lower half, and the distance from the page's edge in steps of four points."""

Slot = tuple[bool, int, int]
"""True for the lower half, the distance from the page's edge in steps of two points, twice the font size."""


def without_furniture(pages: Sequence[Page], outline: Sequence[tuple[int, str, int]] = ()) -> list[list[TextLine]]:
    """Return each page's lines without furniture.

    Args:
        pages: The lines of each page, and its height.
        outline: Level, title and page of each entry.
    """
    filled = sum(1 for lines, _ in pages if lines)
    if filled < _FEWEST_PAGES:
        return [lines for lines, _ in pages]
    candidates = [_candidates(lines, height) for lines, height in pages]
    body = _body_size(pages)
    furniture = _repeated(pages, candidates, filled, body)
    furniture |= _running_titles(pages, candidates, furniture, outline, body)
    furniture |= _feet_below_the_text(pages, furniture, filled, body)
    titles = {(page, _letters(title)) for _, title, page in outline}
    kept = []
    for number, ((lines, height), near_edge) in enumerate(zip(pages, candidates, strict=True), 1):
        for line in sorted(near_edge, key=lambda line: min(line.y0, height - line.y0), reverse=True):
            if id(line) in furniture and (_continues(line, lines, furniture) or _is_title(line, lines, number, titles)):
                furniture.discard(id(line))
        rest = [line for line in lines if id(line) not in furniture]
        kept.append(rest)
    # A document with only repeated lines keeps them as its text. A single page with only such lines is blank.
    return kept if any(kept) else [lines for lines, _ in pages]


def _candidates(lines: Sequence[TextLine], height: float) -> list[TextLine]:
    top = sorted((line for line in lines if line.y1 < _MARGIN * height), key=lambda line: line.y0)
    bottom = sorted((line for line in lines if line.y0 > (1 - _MARGIN) * height), key=lambda line: -line.y0)
    return _outermost(top) + _outermost(bottom)


def _outermost(lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the pieces on the first few base lines."""
    heights: set[int] = set()
    found = []
    for line in lines:
        heights.add(round(line.y0 / 4))
        if len(heights) > _OUTERMOST:
            break
        found.append(line)
    return found


def _repeated(pages: Sequence[Page], candidates: Sequence[Sequence[TextLine]], filled: int, body: float) -> set[int]:
    """Return the ids of the lines whose text, except for the page number, is repeated on many pages."""
    found: dict[tuple[str, Place], list[tuple[int, TextLine]]] = defaultdict(list)
    places: Counter[Place] = Counter()
    for number, ((_, height), lines) in enumerate(zip(pages, candidates, strict=True)):
        keys = [(_NUMBER.sub("#", line.text.lower()), _place(line, height)) for line in lines]
        places.update({place for _, place in keys})
        alone = Counter(keys)
        for key, line in zip(keys, lines, strict=True):
            # Several numbers next to each other are a row of a table, not page numbers.
            if alone[key] == 1 or not _is_bare(key[0]):
                found[key].append((number, line))
    furniture: set[int] = set()
    for (_, place), lines_found in found.items():
        if len({number for number, _ in lines_found}) < _FEWEST_PAGES or not _comes_back(lines_found):
            continue
        large = lines_found[0][1].size > _LARGE * body
        if large and not _is_bare(lines_found[0][1].text) and len({line.text for _, line in lines_found}) > 1:
            continue
        needed = max(_FEWEST_PAGES, (_SHARE_OF_LARGE if large else _SHARE) * filled)
        often = len({number for number, _ in lines_found}) >= needed
        for number, line in lines_found:
            if often or (places[place] >= 2 * needed and _is_edge(line, pages[number][0])):
                furniture.add(id(line))
    return furniture


def _feet_below_the_text(pages: Sequence[Page], furniture: set[int], filled: int, body: float) -> set[int]:
    """Return the ids of pages' last lines that are repeated or count the pages, at any height.

    Reports made from web pages have the footer directly below the text: in 8 of 14 filings at a different height on
    each page.
    """
    found: set[int] = set()
    for _ in range(_FOOT_ROWS):
        rows: dict[str, list[tuple[int, TextLine]]] = defaultdict(list)
        pieces: dict[int, list[TextLine]] = {}
        for number, (lines, _) in enumerate(pages):
            last = _last_row(lines, furniture | found)
            if last and last[0].size <= _LARGE * body:
                pieces[number] = last
                whole = join_lines(last)
                rows[_NUMBER.sub("#", whole.text.lower())].append((number, whole))
        feet = [number for row in rows.values() if _is_foot(row, filled) for number, _ in row]
        if not feet:
            break
        found.update(id(line) for number in feet for line in pieces[number])
    return found


def _last_row(lines: Sequence[TextLine], left_out: set[int]) -> list[TextLine]:
    rest = [line for line in lines if line.upright and not line.cells and id(line) not in left_out]
    if not rest or len(rest) + sum(len(line.cells) for line in lines) <= _FEWEST_ABOVE:
        return []
    lowest = max(rest, key=lambda line: line.y0)
    if any(line.cells and line.y0 > lowest.y0 for line in lines):
        return []
    row = [line for line in rest if line.y1 > (lowest.y0 + lowest.y1) / 2]
    above = max((line.y1 for line in rest if line.y1 <= (lowest.y0 + lowest.y1) / 2), default=0.0)
    is_apart = min(line.y0 for line in row) - above > _APART * lowest.size
    return row if is_apart or all(_is_bare(line.text) for line in row) else []


def _is_foot(rows: Sequence[tuple[int, TextLine]], filled: int) -> bool:
    if len(rows) >= max(_FEWEST_PAGES, _SHARE * filled) and _comes_back(rows):
        return True
    counted = sum(1 for before, after in pairwise(rows) if _counts(before, after))
    return len(rows) >= _FEWEST_COUNTED and counted >= _COUNTED * (len(rows) - 1)


def _place(line: TextLine, height: float) -> Place:
    return (True, round((height - line.y0) / 4)) if line.y0 > height / 2 else (False, round(line.y0 / 4))


def _is_bare(text: str) -> bool:
    return not any(character.isalpha() for character in text)


def _comes_back(lines: Sequence[tuple[int, TextLine]]) -> bool:
    """Return True if most lines that only differ in numbers stay the same or count the pages."""
    steps = list(pairwise(lines))
    follows = sum(1 for before, after in steps if before[1].text == after[1].text or _counts(before, after))
    return follows >= 0.5 * len(steps)


def _counts(before: tuple[int, TextLine], after: tuple[int, TextLine]) -> bool:
    return any(
        second - first == after[0] - before[0]
        for first, second in zip(_numbers(before[1].text), _numbers(after[1].text), strict=False)
    )


def _numbers(text: str) -> Iterator[int]:
    for number in _NUMBER.findall(text):
        if number.isdecimal():
            yield int(number)
        else:
            digits = [_ROMAN[letter] for letter in number.lower()]
            yield sum(-one if one < two else one for one, two in zip(digits, [*digits[1:], 0], strict=True))


def _is_edge(line: TextLine, lines: Sequence[TextLine]) -> bool:
    """Return True if no line is above or none is below: the place of a chapter's running head."""
    middle = (line.y0 + line.y1) / 2
    return all(other.y1 > middle for other in lines) or all(other.y0 < middle for other in lines)


def _continues(line: TextLine, lines: Sequence[TextLine], furniture: set[int]) -> bool:
    """Return True if text closely follows a repeated line, which is then a form's label or part of a list."""
    if _is_bare(line.text):
        return False
    for other in lines:
        if abs(other.y0 - line.y0) > 3 * line.size or id(other) in furniture or abs(other.size - line.size) > 0.3:
            continue
        if other.x0 >= line.x1 or other.x1 <= line.x0:
            continue
        gap = max(other.y0 - line.y1, line.y0 - other.y1)
        if gap < 0.5 * _APART * line.size and abs(other.y0 - line.y0) > 0.5 * line.size:
            return True
    return False


def _is_title(line: TextLine, lines: Sequence[TextLine], page: int, titles: set[tuple[int, str]]) -> bool:
    """Return True if a line is the target of an outline entry: “Question 3” at the top of page 3."""
    letters = _letters(line.text)
    if _is_bare(line.text) or (page, letters) not in titles:
        return False
    return all(other is line or _letters(other.text) != letters for other in lines)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _running_titles(
    pages: Sequence[Page],
    candidates: Sequence[Sequence[TextLine]],
    furniture: set[int],
    outline: Sequence[tuple[int, str, int]],
    body: float,
) -> set[int]:
    """Return the ids of the lines that name the chapter or section in the margin of its pages.

    They have one height and one size on most pages, are no larger than the text and apart from it. Nothing is lost with
    them: the same words are a heading, or occurred in the same place on a page just before.
    """
    slots: dict[Slot, dict[int, list[TextLine]]] = defaultdict(dict)
    for number, ((_, height), lines) in enumerate(zip(pages, candidates, strict=True)):
        for line in lines:
            if 0 < line.size <= 1.05 * body:
                slots[_slot(line, height)].setdefault(number, []).append(line)
    needed = max(_FEWEST_PAGES, 0.5 * sum(1 for lines, _ in pages if lines))
    found: set[int] = set()
    names: _Headings | None = None
    for slot, lines_of_page in slots.items():
        if len({number for other in _neighbours(slot) for number in slots.get(other, ())}) < needed:
            continue
        seen: dict[str, int] = {}
        for number, lines in lines_of_page.items():
            for line in lines:
                if id(line) in furniture or not _is_apart_from_text(line, pages[number], furniture):
                    continue
                names = names or _Headings(pages, outline, body)
                name = fold_title(line.text)
                known = any(names.has(one, line, number + 1) for one in _names(line.text) - {""})
                if known or (name and number - seen.get(name, -9) <= 2):
                    found.add(id(line))
                seen[name] = number
    return found


class _Headings:
    """Headings, as far as they can be detected before the furniture is removed."""

    def __init__(self, pages: Sequence[Page], outline: Sequence[tuple[int, str, int]], body: float) -> None:
        self._weights: dict[str, float] = {}
        self._pages: dict[str, set[int]] = defaultdict(set)
        for _, title, page in outline:
            for name in _names(title):
                self._pages[name].add(page)
        for lines, _ in pages:
            before: TextLine | None = None
            for line in lines:
                if line.bold or line.size > 1.05 * body:
                    self._note(line.text, line)
                    if before is not None and abs(before.size - line.size) < 0.5:
                        self._note(f"{before.text} {line.text}", line)
                before = line

    def has(self, name: str, line: TextLine, page: int) -> bool:
        """Return True if a different line is the heading with that name."""
        listed = self._pages.get(name)
        return self._weights.get(name, 0.0) > 1.05 * _weight(line) or (listed is not None and page not in listed)

    def _note(self, text: str, line: TextLine) -> None:
        for name in _names(text):
            self._weights[name] = max(self._weights.get(name, 0.0), _weight(line))


def _weight(line: TextLine) -> float:
    return line.size * (1.1 if line.bold else 1.0)


def _body_size(pages: Sequence[Page]) -> float:
    sizes: Counter[float] = Counter()
    for lines, _ in pages:
        for line in lines:
            if not line.cells:  # a table has no size
                sizes[line.size] += len(line.words)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _slot(line: TextLine, height: float) -> Slot:
    low = line.y0 > height / 2
    return low, round((height - line.y0 if low else line.y0) / 2), round(2 * line.size)


def _neighbours(slot: Slot) -> Iterator[Slot]:
    low, height, size = slot
    return ((low, height + up, size + larger) for up in (-1, 0, 1) for larger in (-1, 0, 1))


def _is_apart_from_text(line: TextLine, page: Page, furniture: set[int]) -> bool:
    """Return True if there is only furniture on the line's side of the page, and a gap before the text."""
    lines, height = page
    low = line.y0 > height / 2
    for other in lines:
        if other is line or id(other) in furniture or abs(other.y0 - line.y0) < 0.3 * line.size:
            continue
        gap = line.y0 - other.y1 if low else other.y0 - line.y1
        if gap < _APART * line.size:
            return False
    return True


def _names(title: str) -> set[str]:
    """Return the possible names of a chapter in a running head: “Chapter 2. Methods” is often “Methods” there."""
    return {fold_title(title), fold_title(_KIND_AND_NUMBER.sub("", title))}


def fold_title(title: str) -> str:
    """Return the letters of a title without case, and without the number of its section or page."""
    return _NOT_LETTERS.sub("", _NUMBER_AT_END.sub("", title)).casefold()

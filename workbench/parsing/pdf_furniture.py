"""Running heads, feet and page numbers: lines that come back at the same place on most pages."""

import re
from collections import Counter
from collections.abc import Sequence

from workbench.parsing.pdf_words import Line

_DIGITS = re.compile(r"\d+|\b[ivxl]+\b", re.I)
_MARGIN = 0.22
"""Part of the page's height, at the top and at the bottom, in which furniture is looked for; wide, for pages with
crop marks."""

_OUTERMOST = 3
_FEWEST_PAGES = 3
_SHARE = 0.35
"""Of the pages: heads often differ between left and right pages, and chapters begin without one."""

Key = tuple[str, int, bool]


def without_furniture(pages: Sequence[tuple[list[Line], float]]) -> list[list[Line]]:
    """Return each page's lines without furniture.

    Args:
        pages: The lines of each page, and its height.
    """
    keys = [{_key(line, height): line for line in _candidates(lines, height)} for lines, height in pages]
    counts = Counter(key for page in keys for key in page)
    needed = max(_FEWEST_PAGES, _SHARE * sum(1 for lines, _ in pages if lines))
    slots = Counter(slot for page in keys for slot in {(height, low) for _, height, low in page})
    kept = []
    for (lines, _), page in zip(pages, keys, strict=True):
        furniture = {
            id(line)
            for key, line in page.items()
            if counts[key] >= needed
            or (counts[key] >= _FEWEST_PAGES and slots[key[1:]] >= 2 * needed and _is_edge(line, lines))
        }
        rest = [line for line in lines if id(line) not in furniture]
        # A page that is nothing but repeated lines keeps them: they are its text.
        kept.append(rest or lines)
    return kept


def _is_edge(line: Line, lines: Sequence[Line]) -> bool:
    """Tell whether nothing stands above or nothing below a line: the place of a chapter's running head."""
    middle = (line.y0 + line.y1) / 2
    return all(other.y1 > middle for other in lines) or all(other.y0 < middle for other in lines)


def _candidates(lines: Sequence[Line], height: float) -> list[Line]:
    top = sorted((line for line in lines if line.y1 < _MARGIN * height), key=lambda line: line.y0)
    bottom = sorted((line for line in lines if line.y0 > (1 - _MARGIN) * height), key=lambda line: -line.y0)
    return _outermost(top) + _outermost(bottom)


def _outermost(lines: Sequence[Line]) -> list[Line]:
    """Return the pieces on the first few base lines."""
    heights: set[int] = set()
    found = []
    for line in lines:
        heights.add(round(line.y0 / 4))
        if len(heights) > _OUTERMOST:
            break
        found.append(line)
    return found


def _key(line: Line, height: float) -> Key:
    return _DIGITS.sub("#", line.text.lower()), round(line.y0 / 4), line.y0 > height / 2

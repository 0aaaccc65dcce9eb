"""Ruling lines of a page: its vector drawings -> horizontal and vertical rules, snapped to one another and joined.

Edges of filled boxes count as rules too: the shaded rows of an annual report draw its tables. All of it is plain
arithmetic on tuples, because a reader process holds no NumPy; it takes 1 ms for a page of an annual report.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from workbench.parsing.pdf_words import turned

Box = tuple[float, float, float, float]
Rule = tuple[float, float, float]
"""Where it stands (y of a horizontal rule, x of a vertical one), where it begins and where it ends."""

Matrix = Sequence[float]

SNAP = 3.0
"""Points: rules nearer to one another than this are one, and so are boxes."""

_SHORTEST_PIECE, _SHORTEST = 1.0, 3.0
"""Points: of a piece, for dotted rules are many dots, and of a whole rule."""

_MOST_PIECES = 15_000
"""Of rules on a page; one with more is a map or a chart. A box around each cell of a table of 60 columns and 60 rows
makes 14,400."""


@dataclass(frozen=True, slots=True)
class PageRules:
    """The rules of a page as its drawings give them.

    Attributes:
        across: Horizontal pieces.
        down: Vertical pieces.
        hulls: The drawings' own boxes; such as touch one another may frame a table together.
        lines: Those of across that are drawn as lines, not as edges of boxes.
        is_crowded: There are too many to be a table's, and none is given.
    """

    across: Sequence[Rule]
    down: Sequence[Rule]
    hulls: Sequence[Box]
    lines: Sequence[Rule]
    is_crowded: bool = False


def read_rules(drawings: Iterable[Any], page: Box, matrix: Matrix | None = None) -> PageRules:
    """Return the rules among a page's drawings.

    Args:
        drawings: As PyMuPDF's get_cdrawings gives them.
        page: The visible part of the page, before it is turned; what stands outside is left out.
        matrix: Turns page and rules, which come as the page is stored.
    """
    across: set[Rule] = set()
    down: set[Rule] = set()
    hulls: set[Box] = set()
    lines: set[Rule] = set()
    for drawing in drawings:
        hull = drawing["rect"]
        hulls.add(turned(hull, matrix) if matrix else hull)
        for box in _boxes(drawing):
            if (seen := _clipped(box, page)) is not None:
                _add_edges(turned(seen, matrix) if matrix else seen, across, down, lines)
        if len(across) + len(down) + len(lines) > _MOST_PIECES:
            return PageRules((), (), (), (), is_crowded=True)
    return PageRules([*across, *lines], list(down), list(hulls), list(lines))


def _boxes(drawing: Any) -> Iterator[Box]:
    """Yield the boxes of a drawing, and its straight lines as boxes without width or height."""
    items = drawing["items"]
    for item in items:
        kind = item[0]
        if kind == "re":
            yield item[1]
        elif kind == "l":
            yield from _line(item[1], item[2])
        elif kind == "qu":
            upper_left, upper_right, lower_left, lower_right = item[1]
            yield from _line(upper_left, lower_left)
            yield from _line(lower_left, lower_right)
            yield from _line(lower_right, upper_right)
            yield from _line(upper_right, upper_left)
    if drawing.get("closePath") and items and items[0][0] == items[-1][0] == "l":
        yield from _line(items[-1][2], items[0][1])


def _line(start: Sequence[float], end: Sequence[float]) -> Iterator[Box]:
    if abs(start[0] - end[0]) <= SNAP or abs(start[1] - end[1]) <= SNAP:
        yield start[0], start[1], end[0], end[1]


def _clipped(box: Box, page: Box) -> Box | None:
    x0, y0, x1, y1 = box
    if x0 > x1:
        x0, x1 = x1, x0
    if y0 > y1:
        y0, y1 = y1, y0
    left, top, right, bottom = page
    if x0 > right or x1 < left or y0 > bottom or y1 < top:
        return None
    return max(x0, left), max(y0, top), min(x1, right), min(y1, bottom)


def _add_edges(box: Box, across: set[Rule], down: set[Rule], lines: set[Rule]) -> None:
    """Add the edges of a box; of a thin one the line along its middle."""
    x0, y0, x1, y1 = box
    width, height = x1 - x0, y1 - y0
    if height <= SNAP and height < width:
        if width >= _SHORTEST_PIECE:
            lines.add(((y0 + y1) / 2, x0, x1))
    elif width <= SNAP:
        if height >= _SHORTEST_PIECE:
            down.add(((x0 + x1) / 2, y0, y1))
    else:
        across.add((y0, x0, x1))
        across.add((y1, x0, x1))
        down.add((x0, y0, y1))
        down.add((x1, y0, y1))


def merged_rules(pieces: Iterable[Rule]) -> list[Rule]:
    """Return the pieces of one direction with those on one line joined, sorted by where they stand."""
    ordered = sorted(pieces)
    rules: list[Rule] = []
    start = 0
    while start < len(ordered):
        end = start + 1
        while end < len(ordered) and ordered[end][0] <= ordered[end - 1][0] + SNAP:
            end += 1
        line = ordered[start:end]
        at = sum(map(itemgetter(0), line)) / len(line)
        rules.extend((at, first, last) for first, last in _joined(line) if last - first >= _SHORTEST)
        start = end
    return rules


def _joined(line: Iterable[Rule]) -> Iterator[tuple[float, float]]:
    """Yield the stretches that the pieces on one line cover."""
    pieces = iter(sorted(map(itemgetter(1, 2), line)))
    first, last = next(pieces)
    for begin, end in pieces:
        if begin <= last + SNAP:
            last = max(last, end)
        else:
            yield first, last
            first, last = begin, end
    yield first, last


def joined_hulls(boxes: Iterable[Box]) -> list[Box]:
    """Return the hulls of boxes that touch one another, until none of them touches another one."""
    hulls = sorted(set(boxes), key=itemgetter(1))
    while True:
        joined = _swept(hulls)
        if len(joined) == len(hulls):
            return joined
        hulls = sorted(joined, key=itemgetter(1))


def _swept(boxes: Sequence[Box]) -> list[Box]:
    """Return the boxes, from top to bottom, with those joined that touch the hull of earlier ones."""
    done: list[Box] = []
    open_: list[Box] = []
    for box in boxes:
        x0, y0, x1, y1 = box
        left = []
        for other in open_:
            if other[3] < box[1] - SNAP:
                done.append(other)
            elif other[0] <= x1 + SNAP and other[2] >= x0 - SNAP and other[1] <= y1 + SNAP:
                x0, y0, x1, y1 = min(x0, other[0]), min(y0, other[1]), max(x1, other[2]), max(y1, other[3])
            else:
                left.append(other)
        left.append((x0, y0, x1, y1))
        open_ = left
    return done + open_

"""Ruling lines of a PDF page: drawings as rules, and rules as grids of table cells.

Edges of filled boxes count as rules, too, because the tables of annual reports have shaded rows. The code uses plain
arithmetic on tuples, because a parser process does not import NumPy; it takes 1 ms for a page of an annual report.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from workbench.parsing.pdf_words import turn_box

Box = tuple[float, float, float, float]
Rule = tuple[float, float, float]
"""Position (y of a horizontal rule, x of a vertical one), start and end."""

Matrix = Sequence[float]

SNAP = 3.0
"""Points: rules closer to each other than this are joined, as are boxes."""

_GAP = 3.1
"""Points between two pieces of one rule: 3 between the boxes of Word's tables whose cells have borders of their own."""

_SHORTEST_PIECE, _SHORTEST = 1.0, 3.0
"""Minimum length in points of a piece, because dotted rules consist of many dots, and of a whole rule."""

_MOST_PIECES = 15_000
"""Maximum rules on a page; a page with more is a map or a chart. A box around each cell of a table of 60 columns and 60
rows makes 14,400.
"""


@dataclass(frozen=True, slots=True)
class PageRules:
    """Rules in the drawings of a page.

    Attributes:
        across: Horizontal edges of boxes.
        down: Vertical edges of boxes.
        hulls: Bounding boxes of the drawings; those that touch may frame a table together.
        lines: Horizontal pieces that are drawn as lines.
        walls: Vertical pieces that are drawn as lines.
        is_crowded: True if there are too many for a table; then none are returned.
    """

    across: Sequence[Rule]
    down: Sequence[Rule]
    hulls: Sequence[Box]
    lines: Sequence[Rule]
    walls: Sequence[Rule]
    is_crowded: bool = False


def read_rules(drawings: Iterable[Any], page: Box, matrix: Matrix | None = None) -> PageRules:
    """Return the rules among a page's drawings.

    Args:
        drawings: Result of PyMuPDF's get_cdrawings.
        page: The visible part of the page before rotation; drawings outside are left out.
        matrix: Rotation of page and rules, which have the coordinates of the page as stored.
    """
    across: set[Rule] = set()
    down: set[Rule] = set()
    hulls: set[Box] = set()
    lines: set[Rule] = set()
    walls: set[Rule] = set()
    painted: dict[tuple[Any, int, int], tuple[float, float]] = {}
    for drawing in drawings:
        hull = drawing["rect"]
        hulls.add(turn_box(hull, matrix) if matrix else hull)
        for box in _boxes(drawing):
            if (seen := _clipped(box, page)) is None:
                continue
            seen = turn_box(seen, matrix) if matrix else seen
            if drawing["type"] != "f" or not _is_painted(seen, drawing["fill"], painted):
                _add_edges(seen, across, down, lines, walls)
        if len(across) + len(down) + len(lines) + len(walls) > _MOST_PIECES:
            return PageRules((), (), (), (), (), is_crowded=True)
    return PageRules(list(across), list(down), list(hulls), list(lines), list(walls))


def _is_painted(box: Box, colour: Any, painted: dict[tuple[Any, int, int], tuple[float, float]]) -> bool:
    """Return whether a filled box lies in a box of the same colour and width: its edges cannot be seen.

    Args:
        box: The box.
        colour: Its colour.
        painted: Colour, left and right edge -> top and bottom of the last box with these; changed.
    """
    x0, y0, x1, y1 = box
    key = colour, round(x0), round(x1)
    if key in painted and painted[key][0] - 1 <= y0 and y1 <= painted[key][1] + 1:
        return True
    painted[key] = y0, y1
    return False


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


def _add_edges(box: Box, across: set[Rule], down: set[Rule], lines: set[Rule], walls: set[Rule]) -> None:
    """Add the edges of a box; for a thin one the line along its middle."""
    x0, y0, x1, y1 = box
    width, height = x1 - x0, y1 - y0
    if height <= SNAP and height < width:
        if width >= _SHORTEST_PIECE:
            lines.add(((y0 + y1) / 2, x0, x1))
    elif width <= SNAP:
        if height >= _SHORTEST_PIECE:
            walls.add(((x0 + x1) / 2, y0, y1))
    else:
        across.add((y0, x0, x1))
        across.add((y1, x0, x1))
        down.add((x0, y0, y1))
        down.add((x1, y0, y1))


def merged_rules(pieces: Iterable[Rule]) -> list[Rule]:
    """Return the pieces of one direction with those on one line joined, sorted by position."""
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
    """Yield the spans covered by the pieces on one line."""
    pieces = iter(sorted(map(itemgetter(1, 2), line)))
    first, last = next(pieces)
    for begin, end in pieces:
        if begin <= last + _GAP:
            last = max(last, end)
        else:
            yield first, last
            first, last = begin, end
    yield first, last


def joined_hulls(boxes: Iterable[Box]) -> list[Box]:
    """Return the hulls of touching boxes, merged until none touch each other."""
    hulls = sorted(set(boxes), key=itemgetter(1))
    while True:
        joined = _swept(hulls)
        if len(joined) == len(hulls):
            return joined
        hulls = sorted(joined, key=itemgetter(1))


def _swept(boxes: Sequence[Box]) -> list[Box]:
    """Merge boxes, ordered from top to bottom, with earlier hulls that they touch."""
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


Point = tuple[float, float]
Row = list[Box | None]
"""A cell for each column of the grid; None if it is covered by another cell, or not drawn."""

_MOST_CROSSINGS = 20_000
"""Maximum crossings of rules on a page; more are graph paper, not a table."""


def ruled_grids(rules: PageRules, words: Iterable[Sequence[float | str]]) -> list[list[Row]]:
    """Return the grids that rules draw around words, each with its rows from top to bottom.

    Args:
        rules: Rules of the page.
        words: Words of the page, each beginning with its box.
    """
    middles = sorted(((word[1] + word[3]) / 2, (word[0] + word[2]) / 2) for word in words)  # type: ignore[operator]
    # If alternate rows are shaded, the others have no border at the sides, but the common hull has.
    frames = [hull for hull in joined_hulls(rules.hulls) if _holds_word(hull, middles)]
    across, down = _without_paint(rules)
    across = merged_rules([*across, *rules.lines, *((y, x0, x1) for x0, y0, x1, y1 in frames for y in (y0, y1))])
    down = merged_rules([*down, *rules.walls, *((x, y0, y1) for x0, y0, x1, y1 in frames for x in (x0, x1))])
    grids = []
    for cells in _touching(_Crossings(across, down).cells()):
        lefts = sorted({cell[0] for cell in cells})
        if len(lefts) > 1 and len({cell[2] for cell in cells}) > 1 and _holds_word(_hull(cells), middles):
            grids.append(list(_rows(cells, lefts)))
    return grids


_MOST_COMPARED, _MOST_PAINTED = 2_000_000, 50
"""Maximum pairs of a cell and an edge in a grid, 0.3 s, and number of painted grids on a page."""

_FEWEST_ROWS = 3
"""Minimum of a grid of lines that has the rows of a table, rather than a frame with a line below the head."""


def _without_paint(rules: PageRules) -> tuple[Sequence[Rule], Sequence[Rule]]:
    """Return the edges of boxes, horizontal and vertical, without those of boxes that paint cells line by line.

    Word fills a shaded cell with a box for each of its lines and for the space around them, whose edges would divide
    the cell into as many rows. A grid of lines is painted so if the boxes in a cell end at other heights than those in
    a cell beside it. Where they always end at the same heights, they may be the rows of the table.
    """
    across, down = sorted(rules.across), rules.down
    if not across or not rules.walls:
        return across, down
    heights = [edge[0] for edge in across]
    painted: list[Box] = []
    for cells in _touching(_Crossings(merged_rules(rules.lines), merged_rules(rules.walls)).cells()):
        if len(cells) * len(across) > _MOST_COMPARED:
            continue
        by_row = [list(row) for _, row in groupby(sorted(cells, key=itemgetter(1, 3, 0)), key=itemgetter(1, 3))]
        if len(by_row) >= _FEWEST_ROWS and any(_has_different_ends(row, across, heights) for row in by_row):
            painted.append(_hull(cells))
    for hull in painted[:_MOST_PAINTED]:
        x0, y0, x1, y1 = hull[0] - SNAP, hull[1] - SNAP, hull[2] + SNAP, hull[3] + SNAP
        across = [one for one in across if not (y0 <= one[0] <= y1 and x0 <= one[1] and one[2] <= x1)]
        down = [one for one in down if not (x0 <= one[0] <= x1 and y0 <= one[1] and one[2] <= y1)]
    return across, down


def _has_different_ends(row: Sequence[Box], across: Sequence[Rule], heights: Sequence[float]) -> bool:
    """Return whether horizontal edges, sorted, run inside of the cells of a row at different heights."""
    first, *others = (_ends_inside(cell, across, heights) for cell in row)
    return any(
        len(ends) != len(first) or any(abs(one - other) >= SNAP / 2 for one, other in zip(ends, first, strict=True))
        for ends in others
    )


def _ends_inside(cell: Box, across: Sequence[Rule], heights: Sequence[float]) -> list[float]:
    """Return the heights at which edges run inside of a cell, ascending; those close to each other once."""
    x0, y0, x1, y1 = cell
    ends: list[float] = []
    for y, left, right in across[bisect_right(heights, y0 + SNAP) : bisect_left(heights, y1 - SNAP)]:
        if left < x1 - SNAP and right > x0 + SNAP and (not ends or y - ends[-1] >= SNAP / 2):
            ends.append(y)
    return ends


class _Crossings:
    """Points where vertical rules cross or touch horizontal ones."""

    def __init__(self, across: Sequence[Rule], down: Sequence[Rule]) -> None:
        self._rules: dict[Point, tuple[int, int]] = {}
        self._below: dict[int, list[float]] = defaultdict(list)
        self._beside: dict[int, list[float]] = defaultdict(list)
        heights = [rule[0] for rule in across]
        for wall, (x, top, bottom) in enumerate(down):
            for floor in range(bisect_left(heights, top - SNAP), bisect_right(heights, bottom + SNAP)):
                y, left, right = across[floor]
                if left - SNAP <= x <= right + SNAP and (x, y) not in self._rules:
                    self._rules[x, y] = wall, floor
                    self._below[wall].append(y)
                    self._beside[floor].append(x)
            if len(self._rules) > _MOST_CROSSINGS:
                self._rules.clear()
                break

    def cells(self) -> Iterator[Box]:
        """Yield the smallest cell below and to the right of each crossing that has one."""
        for (x, y), (wall, floor) in self._rules.items():
            below, beside = self._below[wall], self._beside[floor]
            corner = self._corner(x, y, below[bisect_right(below, y) :], beside[bisect_right(beside, x) :])
            if corner is not None:
                yield (x, y, *corner)

    def _corner(self, x: float, y: float, below: Sequence[float], beside: Sequence[float]) -> Point | None:
        """Return the nearest opposite corner that rules connect to a crossing on both sides."""
        rules = self._rules
        ends = [(end, rules[end, y][0]) for end in beside] if below else []
        for bottom in below:
            floor = rules[x, bottom][1]
            for end, wall in ends:
                if rules.get((end, bottom)) == (wall, floor):
                    return end, bottom
        return None


def _touching(cells: Iterable[Box]) -> list[list[Box]]:
    """Return groups of cells connected by corners, from top to bottom."""
    group_at: dict[Point, list[Box]] = {}
    for cell in cells:
        touched = [group_at[corner] for corner in _corners(cell) if corner in group_at]
        group = max(touched, key=len) if touched else []
        for other in touched:
            if other is not group and other:
                group.extend(other)
                for moved in other:
                    group_at.update(dict.fromkeys(_corners(moved), group))
                other.clear()
        group.append(cell)
        group_at.update(dict.fromkeys(_corners(cell), group))
    groups = {id(group): group for group in group_at.values()}
    return sorted(groups.values(), key=lambda group: min((cell[1], cell[0]) for cell in group))


def _corners(cell: Box) -> tuple[Point, Point, Point, Point]:
    x0, y0, x1, y1 = cell
    return (x0, y0), (x0, y1), (x1, y0), (x1, y1)


def _rows(cells: Iterable[Box], lefts: Sequence[float]) -> Iterator[Row]:
    for _, row in groupby(sorted(cells, key=itemgetter(1, 0)), key=itemgetter(1)):
        by_left = {cell[0]: cell for cell in row}
        yield [by_left.get(left) for left in lefts]


def _hull(cells: Sequence[Box]) -> Box:
    return (
        min(cell[0] for cell in cells),
        min(cell[1] for cell in cells),
        max(cell[2] for cell in cells),
        max(cell[3] for cell in cells),
    )


def _holds_word(box: Box, middles: Sequence[Point]) -> bool:
    """Return True if a box contains the middle of a word; the middles are sorted by y."""
    first = bisect_left(middles, (box[1], 0.0))
    last = bisect_right(middles, (box[3], 0.0))
    return any(box[0] <= x <= box[2] for _, x in middles[first:last])

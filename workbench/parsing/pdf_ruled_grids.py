"""Rules -> cells -> grids: where rules cross, which four crossings make a cell, and which cells share corners."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from workbench.parsing.pdf_rules import SNAP, Box, PageRules, Rule, joined_hulls, merged_rules

Point = tuple[float, float]
Row = list[Box | None]
"""A cell for each column of the grid; None where a cell of another row or column reaches, or none is drawn."""

_MOST_CROSSINGS = 20_000
"""Of rules on a page, from which on it is squared paper and no table."""


def ruled_grids(rules: PageRules, words: Iterable[Sequence[float | str]]) -> list[list[Row]]:
    """Return the grids that rules draw around words, each its rows from top to bottom.

    Args:
        rules: Of the page.
        words: Of the page: each begins with its box.
    """
    middles = sorted(((word[1] + word[3]) / 2, (word[0] + word[2]) / 2) for word in words)  # type: ignore[operator]
    # Rows that are shaded in turn have no border at the sides of the others, but their common hull has.
    frames = [hull for hull in joined_hulls(rules.hulls) if _holds_word(hull, middles)]
    across = merged_rules([*rules.across, *((y, x0, x1) for x0, y0, x1, y1 in frames for y in (y0, y1))])
    down = merged_rules([*rules.down, *((x, y0, y1) for x0, y0, x1, y1 in frames for x in (x0, x1))])
    grids = []
    for cells in _touching(_Crossings(across, down).cells()):
        lefts = sorted({cell[0] for cell in cells})
        if len(lefts) > 1 and len({cell[2] for cell in cells}) > 1 and _holds_word(_hull(cells), middles):
            grids.append(list(_rows(cells, lefts)))
    return grids


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
        """Return the nearest point that rules lead to from a crossing both ways round."""
        rules = self._rules
        ends = [(end, rules[end, y][0]) for end in beside] if below else []
        for bottom in below:
            floor = rules[x, bottom][1]
            for end, wall in ends:
                if rules.get((end, bottom)) == (wall, floor):
                    return end, bottom
        return None


def _touching(cells: Iterable[Box]) -> list[list[Box]]:
    """Return the cells in groups that hang together by their corners, from top to bottom."""
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
    """Tell whether one of the words, whose middles are sorted by y, stands in a box."""
    first = bisect_left(middles, (box[1], 0.0))
    last = bisect_right(middles, (box[3], 0.0))
    return any(box[0] <= x <= box[2] for _, x in middles[first:last])

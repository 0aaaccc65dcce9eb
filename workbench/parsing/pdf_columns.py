"""Reading order: one or more columns, with headings and figures that run across them."""

from collections.abc import Sequence
from statistics import median

from workbench.parsing.pdf_words import Line, join_lines

_BIN = 2.0
"""Points: the raster on which the white space between columns is looked for."""

_FEWEST_LINES = 5
_MOST_CROSSING = 0.4


def reading_order(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the page's regions in reading order, each a list of whole lines from top to bottom."""
    upright = [line for line in lines if line.upright]
    regions = _divide(upright, depth=0)
    # Text up the margin, and whole pages set sideways: in the page's own order.
    sideways = [line for line in lines if not line.upright]
    return [*regions, sideways] if sideways else regions


def _divide(lines: list[Line], depth: int) -> list[list[Line]]:
    gutter = _gutter(lines) if depth < 3 else None
    if gutter is None:
        return [_rows(lines)] if lines else []
    crossing = sorted((line for line in lines if line.x0 < gutter - 1 and line.x1 > gutter + 1), key=_middle)
    others = [line for line in lines if not (line.x0 < gutter - 1 and line.x1 > gutter + 1)]
    regions: list[list[Line]] = []
    across: list[Line] = []
    previous = float("-inf")
    for line in [*crossing, None]:
        bottom = _middle(line) if line is not None else float("inf")
        band = [other for other in others if previous <= _middle(other) < bottom]
        left = [other for other in band if other.x1 <= gutter + 1]
        right = [other for other in band if other.x1 > gutter + 1]
        if min(len(left), len(right)) < 2:
            # A line or two beside each other between full lines: a row, not columns.
            across.extend(band)
        else:
            regions.extend(_across(across))
            across = []
            regions.extend(_divide(left, depth + 1))
            regions.extend(_divide(right, depth + 1))
        if line is not None:
            across.append(line)
            previous = bottom
    regions.extend(_across(across))
    return regions


def _across(lines: list[Line]) -> list[list[Line]]:
    return [_rows(lines)] if lines else []


def _middle(line: Line) -> float:
    return (line.y0 + line.y1) / 2


def _gutter(lines: Sequence[Line]) -> float | None:
    """Return the x of the white strip between two columns of running text, or None."""
    if len(lines) < 2 * _FEWEST_LINES:
        return None
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    bins = int((right - left) / _BIN) + 1
    if bins < 20 or bins > 5000:
        return None
    change = [0] * (bins + 1)
    for line in lines:
        change[int((line.x0 - left) / _BIN)] += 1
        change[min(int((line.x1 - left) / _BIN) + 1, bins)] -= 1
    covered, counts = 0, []
    for step in change[:bins]:
        covered += step
        counts.append(covered)
    inner = range(bins // 5, bins - bins // 5)
    fewest = min(counts[index] for index in inner)
    if fewest > _MOST_CROSSING * len(lines):
        return None
    gutter = left + _BIN * (_widest_run([index for index in inner if counts[index] == fewest]) + 0.5)
    return gutter if _are_columns(lines, gutter, left, right) else None


def _widest_run(indices: Sequence[int]) -> float:
    """Return the middle of the longest run of neighbouring indices."""
    best_start = best_length = 0
    start = indices[0]
    for before, after in zip(indices, [*indices[1:], -2], strict=True):
        if after != before + 1:
            if before - start + 1 > best_length:
                best_start, best_length = start, before - start + 1
            start = after
    return best_start + (best_length - 1) / 2


def _are_columns(lines: Sequence[Line], gutter: float, left: float, right: float) -> bool:
    """Tell columns of running text from the columns of a table: their lines are long and fill the width."""
    sides = (
        [line for line in lines if line.x1 <= gutter + 1],
        [line for line in lines if line.x0 >= gutter - 1],
    )
    for side in sides:
        if len(side) < _FEWEST_LINES:
            return False
        start, end = _quantile([line.x0 for line in side], 0.1), _quantile([line.x1 for line in side], 0.9)
        if end - start < 0.2 * (right - left):
            return False
        inked, weights = _ink(side)
        if len(inked) < _FEWEST_LINES or median(inked) < 0.6 * (end - start) or median(weights) < 15:
            return False
    top = max(min(line.y0 for line in side) for side in sides)
    bottom = min(max(line.y1 for line in side) for side in sides)
    shorter = min(max(line.y1 for line in side) - min(line.y0 for line in side) for side in sides)
    return bottom - top > 0.3 * shorter


def _ink(lines: Sequence[Line]) -> tuple[list[float], list[int]]:
    """Return how much of each base line is covered with words, and how many characters it has.

    Justified lines come in several pieces, and so do the rows of a table: but those are mostly white.
    """
    inked: dict[int, float] = {}
    weights: dict[int, int] = {}
    for line in lines:
        key = round(line.y1 / 4)
        inked[key] = inked.get(key, 0.0) + line.x1 - line.x0
        weights[key] = weights.get(key, 0) + _weight(line)
    return list(inked.values()), list(weights.values())


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[int(share * (len(values) - 1))]


def _weight(line: Line) -> int:
    """Return a line's characters, wide ones counted twice."""
    return sum(
        len(word[4]) if word[4].isascii() else sum(2 if c > "\u2e80" else 1 for c in word[4]) for word in line.words
    )


def _rows(lines: Sequence[Line]) -> list[Line]:
    """Return lines from top to bottom, pieces on one base line joined from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.y1, line.x0)):
        if rows and _on_one_line(rows[-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [join_lines(row) for row in rows]


def _on_one_line(row: Sequence[Line], line: Line) -> bool:
    last = row[-1]
    if last.cells or line.cells:
        return False
    overlap = min(last.y1, line.y1) - max(last.y0, line.y0)
    if overlap < 0.6 * min(last.height, line.height):
        return False
    return all(line.x0 >= other.x1 - 1 or line.x1 <= other.x0 + 1 for other in row)

"""Assignment of text blocks to pages, slides and sheets, and the reading order of the shapes on a slide."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from workbench.model.document import Block, Page
from workbench.parsing.assembly import TextBuilder


def assign_pages(builder: TextBuilder, starts: Sequence[tuple[int, str]]) -> tuple[tuple[Block, ...], tuple[Page, ...]]:
    """Return the builder's blocks with their page numbers, and the pages.

    Args:
        builder: Contains the whole text.
        starts: Start offset and label of each page, in order.
    """
    if not starts:
        return tuple(builder.blocks), ()
    offsets = [0, *(offset for offset, _ in starts[1:])]
    ends = [*offsets[1:], builder.length]
    pages = tuple(
        Page(number, start, end, label=label)
        for number, (start, end, (_, label)) in enumerate(zip(offsets, ends, starts, strict=True), 1)
    )
    blocks = tuple(replace(block, page=bisect_right(offsets, block.start)) for block in builder.blocks)
    return blocks, pages


class Area(NamedTuple):
    """Bounding box of a shape in any unit; number is its position in the file."""

    left: float
    top: float
    right: float
    bottom: float
    number: int


_OVERLAP = 0.15
"""Share of a shape that may overlap the next row or column."""

_MOST_SHAPES = 400


def reading_order(areas: Sequence[Area]) -> list[int]:
    """Return the shapes' numbers by rows from the top or columns from the left, whichever have the wider gap."""
    if len(areas) > _MOST_SHAPES:
        return [area.number for area in sorted(areas, key=lambda area: (area.top, area.left))]
    return [area.number for area in _ordered(list(areas))]


def _ordered(areas: list[Area]) -> list[Area]:
    if len(areas) < 2:
        return areas
    rows, row_gap = _divide(sorted(areas, key=lambda area: area.top), top=True)
    columns, column_gap = _divide(sorted(areas, key=lambda area: area.left), top=False)
    if len(rows) == 1 and len(columns) == 1:
        return sorted(areas, key=lambda area: (area.top, area.left))
    parts = columns if len(columns) > 1 and (len(rows) == 1 or column_gap > row_gap) else rows
    return [area for part in parts for area in _ordered(part)]


def _divide(areas: list[Area], *, top: bool) -> tuple[list[list[Area]], float]:
    """Return groups of areas that no area crosses, and the widest gap between them."""
    first, last = (1, 3) if top else (0, 2)
    groups: list[list[Area]] = []
    end, widest = 0.0, 0.0
    for area in areas:
        slack = _OVERLAP * min(area[last] - area[first], end - groups[-1][0][first]) if groups else 0.0
        if groups and area[first] < end - slack:
            groups[-1].append(area)
            end = max(end, area[last])
            continue
        widest = max(widest, area[first] - end) if groups else 0.0
        end = max(end, area[last]) if groups else area[last]
        groups.append([area])
    return groups, widest

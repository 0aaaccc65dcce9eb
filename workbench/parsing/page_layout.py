"""Dividing a finished text into its pages, slides or sheets."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from workbench.model.document import Block, Page
from workbench.parsing.assembly import TextBuilder


def lay_pages(builder: TextBuilder, starts: Sequence[tuple[int, str]]) -> tuple[tuple[Block, ...], tuple[Page, ...]]:
    """Return the builder's blocks with their page numbers, and the pages.

    Args:
        builder: Holds the whole text.
        starts: Where in the text each page begins, in order, and its own name.
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

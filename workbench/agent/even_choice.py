"""Passages of several documents in an order of which every beginning is spread over all documents and sections."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from workbench.model.hit import Hit


def spread(count: int) -> list[int]:
    """Return the numbers from 0 to count - 1 so that each beginning of the list is spread over all of them.

    It is the van der Corput sequence: 0, the middle, the quarters, the eighths.
    """
    bits = max(0, count - 1).bit_length()
    mirrored = (int(f"{number:0{bits}b}"[::-1], 2) if bits else 0 for number in range(1 << bits))
    return [number for number in mirrored if number < count]


def by_section(passages: Sequence[Hit]) -> list[int]:
    """Return the places of a document's passages: the first of each section, then the second of each, and so on."""
    sections = [
        [place for place, _ in section]
        for _, section in groupby(enumerate(passages), key=lambda one: one[1].chunk.headings)
    ]
    order: list[int] = []
    rank = 0
    while sections:
        order += [sections[number][rank] for number in spread(len(sections))]
        rank += 1
        sections = [section for section in sections if len(section) > rank]
    return order


def evenly(documents: Sequence[Sequence[Hit]]) -> Iterator[tuple[int, int]]:
    """Yield document and place of every passage, one of each document in turn: a short one is soon through."""
    orders = [by_section(passages) for passages in documents]
    turns = spread(len(documents))
    for rank in range(max(map(len, orders), default=0)):
        yield from ((number, orders[number][rank]) for number in turns if rank < len(orders[number]))

"""Parts become segments, small segments become bigger ones: a save writes little, and searches meet few segments."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.indexing.part import Part
from workbench.indexing.segment import PIECE

MOST = 262_144
"""Vectors of a segment that others were merged into: 400 MB of those that are 384 wide."""

# Segments below it are always merged: each costs a search 20 microseconds.
_LEAST = 1024


def to_write(parts: Sequence[Part]) -> list[list[Part]]:
    """Return which parts are to become one new segment each.

    What is new takes with it every segment that is no bigger than what it has become so far: the segments' sizes
    double, and a vector is written again only when its segment's size does. A segment of which a quarter is dead is
    written again without them.
    """
    fresh = [part for part in parts if part.segment is None]
    wasteful = [part for part in parts if part.segment is not None and 4 * part.count < 3 * len(part.ids)]
    groups = []
    if fresh:
        group, size = list(fresh), sum(part.count for part in fresh)
        for part in sorted((part for part in parts if part.segment is not None), key=lambda part: part.count):
            if part.count > max(size, _LEAST) or size + part.count > MOST:
                break
            group.append(part)
            size += part.count
        groups.append(group)
    taken = {id(part) for group in groups for part in group}
    return groups + [[part] for part in wasteful if id(part) not in taken]


def merged(parts: Sequence[Part]) -> tuple[NDArray[np.int64], Iterator[NDArray[np.float32]]]:
    """Return the ids that the parts hold, ascending, and their rows, some at a time."""
    places = [part.places for part in parts]
    ids = np.concatenate([part.ids[some] for part, some in zip(parts, places, strict=True)])
    order = np.argsort(ids)
    owner = np.repeat(np.arange(len(parts)), [len(some) for some in places])[order]
    place = np.concatenate(places)[order]
    return ids[order], _rows(parts, owner, place)


def _rows(parts: Sequence[Part], owner: NDArray[np.int64], place: NDArray[np.int64]) -> Iterator[NDArray[np.float32]]:
    for start in range(0, len(owner), PIECE):
        owners, places = owner[start : start + PIECE], place[start : start + PIECE]
        rows = np.empty((len(owners), parts[0].rows.shape[1]), np.float32)
        for number in np.unique(owners):
            mine = owners == number
            rows[mine] = parts[number].rows[places[mine]]
        yield rows

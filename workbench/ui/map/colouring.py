"""Colours of the map: palette, assignment of colours to documents, and shading of each point.

A document keeps its colour while one looks around, until another one has many more points in sight, or all are seen.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from workbench.ui.map.palette import LIGHT, colours
from workbench.ui.map.raster import Shading
from workbench.ui.map.viewport import View
from workbench.ui.theme import Tokens

if TYPE_CHECKING:
    from workbench.model.map import LibraryMap


Slots = tuple[int, ...]
"""For each colour the document that has it, by its place in map.shown."""

COLOURS = len(LIGHT)
_MANY_MORE = 4


def first_slots(map: LibraryMap | None) -> Slots:
    """Return the colours of a map that is seen whole: those with most points have them."""
    return tuple(range(min(COLOURS, len(map.shown)))) if map is not None else ()


def visible_slots(map: LibraryMap, view: View, before: Slots) -> Slots:
    """Return the colours for a part of the map: 100,000 points in 2 ms.

    Args:
        map: The points.
        view: What is seen of them.
        before: The colours so far.
    """
    if len(map.shown) <= COLOURS:
        return before
    (left, top), (right, bottom) = view.place(0, 0), view.place(view.width, view.height)
    x, y = map.points[:, 0], map.points[:, 1]
    seen = (x >= left) & (x <= right) & (y >= bottom) & (y <= top)
    if seen.all():
        return first_slots(map)
    counts = np.bincount(map.documents[seen], minlength=len(map.shown))
    slots = list(before)
    for waiting in np.argsort(-counts, kind="stable")[: 2 * COLOURS].tolist():
        if waiting in slots:
            continue
        least = min(range(len(slots)), key=lambda slot: counts[slots[slot]])
        if counts[waiting] <= _MANY_MORE * counts[slots[least]]:
            break
        slots[least] = waiting
    return tuple(slots)


_OTHERS = 0.3
"""How strongly the grey of all other documents is drawn beside the colours of the first ones."""


def shading_of(map: LibraryMap, chosen: Collection[int], tokens: Tokens, slots: Slots | None = None) -> Shading:
    """Return how the points are drawn.

    Args:
        map: The points.
        chosen: The documents that stand out, by their places in map.shown; none means that all do.
        tokens: Of the theme.
        slots: Which documents have the colours; None for those with most points.
    """
    found = colours(tokens)
    grey = len(found) - 1
    colour = np.full(max(1, len(map.shown)), grey, np.uint8)
    for place, document in enumerate(first_slots(map) if slots is None else slots):
        colour[document] = place
    kinds = colour[map.documents]
    table = [_channels(colour) for colour in found]
    if not chosen:
        # With few documents none is grey, and nothing is to be faint.
        weights = [1.0] * grey + [_OTHERS if len(map.shown) > grey else 1.0]
        return Shading(kinds, np.array(table, np.float32), np.array(weights, np.float32))
    out = np.isin(map.documents, np.fromiter(chosen, np.int32, len(chosen)))
    # Twice the colours: those that stand out, then the grey of what stands back; a chosen grey takes the accent.
    table[grey] = _channels(tokens.accent)
    kinds = np.where(out, kinds, len(found)).astype(np.uint8)
    table.append(_channels(found[grey]))
    weights = [1.0] * len(found) + [0.0]
    return Shading(kinds, np.array(table, np.float32), np.array(weights, np.float32))


def visible(map: LibraryMap, chosen: Collection[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]] | None:
    """Return which points can be meant by the pointer, bool [n]; None for all."""
    if not chosen:
        return None
    return np.isin(map.documents, np.fromiter(chosen, np.int32, len(chosen)))


def _channels(colour: str) -> list[float]:
    return [float(int(colour[place : place + 2], 16)) for place in (1, 3, 5)]

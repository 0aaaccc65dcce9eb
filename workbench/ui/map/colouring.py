"""Colours of the map: palette, assignment of colours to documents, and shading of each point.

A document keeps its colour while the view moves, until another has many more visible points, or all are visible.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from workbench.ui.map.raster import Shading
from workbench.ui.map.viewport import View
from workbench.ui.theme import Tokens

if TYPE_CHECKING:
    from workbench.model.map import LibraryMap


LIGHT = ("#488ff2", "#cc8302", "#075c4e", "#f16659", "#5335ac", "#a44ea2", "#823913", "#922bf6")
DARK = ("#709ee3", "#cc6c2b", "#45d6a0", "#e2bc6e", "#7973ed", "#a7d4f6", "#b17a5c", "#f28cc3")
"""Colours of the documents with most passages; all others share a grey. Found by search: any two of them and the grey
differ by 18 in CIELAB with full colour vision, protanopia, deuteranopia and tritanopia, and each has a contrast of 3:1
on the surface (a test checks both)."""

GREY_LIGHT, GREY_DARK = "#8d9299", "#7f858e"


def colours(tokens: Tokens) -> tuple[str, ...]:
    """Return the colours of the documents with most passages, followed by the grey of all others."""
    return (*DARK, GREY_DARK) if tokens.dark else (*LIGHT, GREY_LIGHT)


def colour_of(place: int, tokens: Tokens) -> str:
    """Return a colour by its index in the palette; higher indexes get the grey."""
    found = colours(tokens)
    return found[min(place, len(found) - 1)]


Slots = tuple[int, ...]
"""Document of each colour, as its index in map.shown."""

COLOURS = len(LIGHT)
_MANY_MORE = 4


def first_slots(map: LibraryMap | None) -> Slots:
    """Return the colours of a map that is visible as a whole: the documents with most points have them."""
    return tuple(range(min(COLOURS, len(map.shown)))) if map is not None else ()


def visible_slots(map: LibraryMap, view: View, before: Slots) -> Slots:
    """Return the colours for a part of the map; takes 2 ms for 100,000 points.

    Args:
        map: The points.
        view: The visible part.
        before: The present colours.
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
"""Weight of the grey of all other documents, relative to the colours of the first ones."""


def shading_of(map: LibraryMap, chosen: Collection[int], tokens: Tokens, slots: Slots | None = None) -> Shading:
    """Return the shading of the points.

    Args:
        map: The points.
        chosen: The highlighted documents, by their indexes in map.shown; if empty, all are drawn alike.
        tokens: The tokens of the theme.
        slots: The documents that have the colours; None for those with most points.
    """
    found = colours(tokens)
    grey = len(found) - 1
    colour = np.full(max(1, len(map.shown)), grey, np.uint8)
    for place, document in enumerate(first_slots(map) if slots is None else slots):
        colour[document] = place
    kinds = colour[map.documents]
    table = [_channels(colour) for colour in found]
    if not chosen:
        # With few documents none is grey, so none needs to be faint.
        weights = [1.0] * grey + [_OTHERS if len(map.shown) > grey else 1.0]
        return Shading(kinds, np.array(table, np.float32), np.array(weights, np.float32))
    out = np.isin(map.documents, np.fromiter(chosen, np.int32, len(chosen)))
    # Colours of highlighted documents, with the accent in place of the grey, then the grey of all others.
    table[grey] = _channels(tokens.accent)
    kinds = np.where(out, kinds, len(found)).astype(np.uint8)
    table.append(_channels(found[grey]))
    weights = [1.0] * len(found) + [0.0]
    return Shading(kinds, np.array(table, np.float32), np.array(weights, np.float32))


def visible(map: LibraryMap, chosen: Collection[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]] | None:
    """Return a mask of the points that the pointer can select, bool [n]; None for all."""
    if not chosen:
        return None
    return np.isin(map.documents, np.fromiter(chosen, np.int32, len(chosen)))


def _channels(colour: str) -> list[float]:
    return [float(int(colour[place : place + 2], 16)) for place in (1, 3, 5)]

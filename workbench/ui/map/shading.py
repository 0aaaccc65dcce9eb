"""Documents -> how each point of the map is drawn: its colour, and whether it stands out or back."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from workbench.ui.map.colouring import Slots, first_slots
from workbench.ui.map.palette import colours
from workbench.ui.map.raster import Shading
from workbench.ui.theme import Tokens

if TYPE_CHECKING:
    from workbench.model.map import LibraryMap

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

"""How much is on the map, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.language import tr, trn

if TYPE_CHECKING:
    from workbench.model.map import LibraryMap


def passages_words(number: int) -> str:
    """Return so many passages: "1,200 passages"."""
    return trn("{n:,} passage", "{n:,} passages", number)


def extent_words(map: LibraryMap) -> str:
    """Return how much a map shows: "1,200 passages of 3 documents"."""
    documents = trn("{n:,} document", "{n:,} documents", len(map.shown))
    return tr("{passages} of {documents}", passages=passages_words(len(map.ids)), documents=documents)

"""Some vectors of an index, and which of them are dead; in memory, or in the file of a segment."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.indexing.file_rows import FileRows
from workbench.indexing.flat import best, inner_products
from workbench.indexing.lists import Lists
from workbench.indexing.segment import Segment

Ids = NDArray[np.int64]
Found = tuple[Ids, NDArray[np.float32]]

# A few ids are looked up one by one, many by a walk over all that the part holds.
_FEW = 16


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Never changed: a change makes another one, so that a search goes on in what it began with.

    Attributes:
        ids: int64 [n]; ascending in a segment.
        rows: float32 [n, dim].
        dead: bool [n], those that are no longer held; None when all are.
        segment: The file that it is of; None where it is to be written to one.
        number: The number of that file.
        lists: The same rows for a search that does not look at all of them; None where there are few, or not yet.
    """

    ids: Ids
    rows: NDArray[np.float32] | FileRows
    dead: NDArray[np.bool_] | None = None
    segment: Segment | None = None
    number: int = 0
    lists: Lists | None = None

    @property
    def count(self) -> int:
        """How many are held."""
        return len(self.ids) - (0 if self.dead is None else int(np.count_nonzero(self.dead)))

    @property
    def places(self) -> Ids:
        """Where those stand that are held."""
        return np.arange(len(self.ids)) if self.dead is None else np.flatnonzero(~self.dead)

    @property
    def is_changed(self) -> bool:
        """Whether anything was done to its files since they were last found to be sound."""
        return any(one is not None and one.file.is_changed for one in (self.segment, self.lists))

    def is_of(self, path: Path) -> bool:
        """Whether a file is one of its own."""
        return any(one is not None and one.path == path for one in (self.segment, self.lists))

    def places_of(self, wanted: Ids) -> Ids:
        """Return where those of the ids stand that are held; they are ascending, none twice."""
        if self.segment is not None and self.ids[-1] - self.ids[0] == len(self.ids) - 1:
            # None is lacking between the first and the last: as it mostly is, 0.1 ms in place of 2.
            found = _between(wanted, self.ids) - int(self.ids[0])
        elif self.segment is None or len(wanted) * _FEW > len(self.ids):
            found = np.flatnonzero(np.isin(self.ids, _between(wanted, self.ids), assume_unique=True))
        else:
            places = np.searchsorted(self.ids, wanted)
            places = np.minimum(places, len(self.ids) - 1)
            found = places[self.ids[places] == wanted]
        return found if self.dead is None else found[~self.dead[found]]

    def without(self, wanted: Ids) -> "Part":
        """Return the part without these ids: itself where it holds none of them."""
        places = self.places_of(wanted)
        if not len(places):
            return self
        dead = np.zeros(len(self.ids), np.bool_) if self.dead is None else self.dead.copy()
        dead[places] = True
        return replace(self, dead=dead)

    def release(self) -> None:
        """Give back the memory of lists that were looked at."""
        if self.lists is not None:
            self.lists.release()

    def search(self, query: NDArray[np.float32], k: int, allowed: Ids | None) -> Found:
        """Return ids and inner products of the k nearest that are held and allowed, best first; exact."""
        ids, scores = self.products(query, allowed)
        found = best(scores, k)
        return ids[found], scores[found]

    def products(self, query: NDArray[np.float32], allowed: Ids | None) -> Found:
        """Return ids and inner products of all that are held and allowed, as they lie; exact."""
        if allowed is not None:
            places = self.places_of(allowed)
            return self.ids[places], inner_products(self.rows, query, places)
        scores = inner_products(self.rows, query)
        return (self.ids, scores) if self.dead is None else (self.ids[~self.dead], scores[~self.dead])

    def among(self, places: Ids, query: NDArray[np.float32], k: int) -> Found:
        """Return ids and inner products of the k nearest of the rows at some places, best first; exact."""
        scores = inner_products(self.rows, query, places)
        found = best(scores, k)
        return self.ids[places[found]], scores[found]


def _between(wanted: Ids, ids: Ids) -> Ids:
    """Return those of the ascending ids that lie between the lowest and the highest of a part."""
    if not len(ids):
        return wanted[:0]
    return wanted[np.searchsorted(wanted, ids.min()) : np.searchsorted(wanted, ids.max(), side="right")]

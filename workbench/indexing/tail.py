"""What came last: vectors in memory, in one place that has room for more."""

import numpy as np
from numpy.typing import NDArray

from workbench.indexing.part import Part


class Tail:
    """Rows that are filled from the front; what was filled is never written again, so that parts may look at it.

    Attributes:
        ROOM: How many it takes: 13 MB of those that are 384 wide.
    """

    ROOM = 8192

    def __init__(self, dim: int) -> None:
        self._ids = np.empty(self.ROOM, np.int64)
        self._rows = np.empty((self.ROOM, dim), np.float32)
        self._used = 0

    @property
    def room(self) -> int:
        """How many more it takes."""
        return len(self._ids) - self._used

    def grown(self, part: Part | None, ids: NDArray[np.int64], rows: NDArray[np.float32]) -> Part:
        """Put in what there is room for, and return the part that looks at all of it.

        Args:
            part: The one that looked at it so far; its dead stay dead.
            ids: int64 [n], at most as many as there is room for.
            rows: float32 [n, dim].
        """
        end = self._used + len(ids)
        self._ids[self._used : end] = ids
        self._rows[self._used : end] = rows
        dead = None
        if part is not None and part.dead is not None:
            dead = np.concatenate([part.dead, np.zeros(len(ids), np.bool_)])
        self._used = end
        return Part(self._ids[:end], self._rows[:end], dead)

"""Pages below one another: where each stands and which are in sight; knows no Qt and draws nothing."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from workbench.model.document import Page

GAP = 12
"""Pixels above each page and below the last."""
_USUAL = (595.0, 842.0)
"""Points of a page whose size is not known."""


class PageStack:
    """The pages of a document at one zoom.

    Args:
        pages: In order, their numbers without gaps.
        factor: Pixels a point; 0 makes each page so wide as said instead.
        width: Pixels that each page is wide then.

    Attributes:
        first: The number of the first page; last: that of the last.
        width: Pixels of the widest page.
        height: Pixels of all of them and the gaps.
    """

    def __init__(self, pages: Sequence[Page], *, factor: float = 0.0, width: float = 0.0) -> None:
        sizes = [(page.width, page.height) if page.width and page.height else _USUAL for page in pages]
        self._sizes = sizes
        self._factors = [factor or width / size[0] for size in sizes]
        self._heights = [round(size[1] * by) for size, by in zip(sizes, self._factors, strict=True)]
        self._tops = list(accumulate((height + GAP for height in self._heights), initial=GAP))
        self.first = pages[0].number if pages else 1
        self.last = self.first + len(pages) - 1
        self.height = self._tops[-1]
        self.width = max((self.size(page)[0] for page in range(self.first, self.last + 1)), default=0)

    def factor(self, page: int) -> float:
        """Return how many pixels a point of a page is."""
        return self._factors[page - self.first]

    def points(self, page: int) -> tuple[float, float]:
        """Return width and height of a page in points."""
        return self._sizes[page - self.first]

    def size(self, page: int) -> tuple[int, int]:
        """Return width and height of a page in pixels."""
        place = page - self.first
        return round(self._sizes[place][0] * self._factors[place]), self._heights[place]

    def top(self, page: int) -> int:
        """Return where a page begins."""
        return self._tops[page - self.first]

    def at(self, height: float) -> int:
        """Return the page at a height; the one below where that is a gap."""
        place = bisect_right(self._tops, height) - 1
        if place >= 0 and height >= self._tops[place] + (self._heights[place] if place < len(self._heights) else 0):
            place += 1
        return min(self.last, self.first + max(0, place))

    def between(self, top: float, bottom: float) -> range:
        """Return the pages of which some is between two heights."""
        return range(self.at(top), self.at(bottom - 1) + 1) if self._heights else range(0)

"""Where each answer of a session stands in the column: heights, measured or guessed; knows no Qt."""

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from workbench.model.hit import Citation

# Pixels: of a letter, of an ideograph, of a line, of all that stands around an answer, of a source.
_LETTER = 7.0
_IDEOGRAPH = 14.0
_LINE = 22
_AROUND = 155
_SOURCE = 26


class Rows:
    """Rows below one another.

    Args:
        above: Pixels above the first row.
        between: Pixels between two.
        below: Pixels below the last one.
    """

    def __init__(self, *, above: int, between: int, below: int) -> None:
        self._above = above
        self._between = between
        self._below = below
        self._heights: list[int] = []
        self._tops: list[int] | None = []

    def __len__(self) -> int:
        return len(self._heights)

    def replace(self, heights: Iterable[int]) -> None:
        """Take other rows."""
        self._heights = list(heights)
        self._tops = None

    def append(self, height: int) -> None:
        """Take one more row, below the others."""
        self._heights.append(height)
        self._tops = None

    def height(self, row: int) -> int:
        """Return how high a row is."""
        return self._heights[row]

    def set_height(self, row: int, height: int) -> None:
        """Make a row higher or lower; those below it move."""
        if self._heights[row] != height:
            self._heights[row] = height
            self._tops = None

    def top(self, row: int) -> int:
        """Return where a row begins; one past the last row is where another one would."""
        return self._all_tops()[row]

    @property
    def total(self) -> int:
        """How high all of it is."""
        end = self._all_tops()[-1] - (self._between if self._heights else 0)
        return end + self._below

    def within(self, top: int, bottom: int) -> range:
        """Return the rows of which something stands between two places."""
        tops = self._all_tops()
        first = max(0, bisect_right(tops, top) - 1)
        if first < len(self) and tops[first] + self._heights[first] <= top:
            first += 1
        return range(first, max(first, min(len(self), bisect_right(tops, bottom - 1))))

    def _all_tops(self) -> list[int]:
        if self._tops is None:
            self._tops = list(accumulate((height + self._between for height in self._heights), initial=self._above))
        return self._tops or [self._above]


def guessed_height(answer: str, citations: Sequence[Citation], width: int) -> int:
    """Return about how high the card of an answer is; what it is exactly is known when the card is made."""
    # An ideograph is three bytes; to look at each letter would take long for 500 answers.
    ideographs = 0 if answer.isascii() else (len(answer.encode("utf-8", "replace")) - len(answer)) // 2
    pixels = (len(answer) - ideographs) * _LETTER + ideographs * _IDEOGRAPH
    lines = math.ceil(pixels / max(width, 100)) + 0.5 * answer.count("\n")
    sources = len({citation.document_name for citation in citations if citation.valid})
    return round(_AROUND + lines * _LINE + sources * _SOURCE)

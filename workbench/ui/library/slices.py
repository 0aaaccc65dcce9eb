"""Long work on the main thread in short slices, between which the window answers."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Slot

T = TypeVar("T")
Steps = Generator[None, None, T]
"""Work that yields wherever it may be interrupted, a few milliseconds at most after the last time."""

AT_ONCE = 5000
PIECE = 2000
"""Documents looked at between two yields: 1 ms."""
_SLICE_S = 0.004
"""The eye wants a picture every 16 ms, of which painting takes its part."""


class InSlices(QObject):
    """Does one job after the other, in the order in which they were given; what is short is done at once."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs: deque[tuple[str, Iterator[None]]] = deque()
        self._spent = 0.0
        self.seconds = 0.0
        """How long the last jobs took, until there was nothing more to do."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to do."""
        return not self._jobs

    def add(self, job: Iterator[None], *, key: str = "", size: int) -> None:
        """Do a job after those before it.

        Args:
            job: What to do.
            key: An unfinished job of the same key is given up; nothing for none.
            size: With how many documents: with AT_ONCE at most it is done when this returns, if none is before it.
        """
        if key:
            self._jobs = deque(one for one in self._jobs if one[0] != key)
        is_first = self.is_idle
        self._jobs.append((key, job))
        if is_first and size <= AT_ONCE:
            self._run(float("inf"))
        elif not self._timer.isActive():
            self._timer.start(0)

    def give_up(self) -> None:
        """Do nothing of what is left."""
        self._jobs.clear()

    @Slot()
    def _go_on(self) -> None:
        self._run(_SLICE_S)

    def _run(self, seconds: float) -> None:
        began = time.perf_counter()
        while self._jobs and time.perf_counter() < began + seconds:
            job = self._jobs[0]
            if next(job[1], self) is self and self._jobs and self._jobs[0] is job:
                self._jobs.popleft()
        self._spent += time.perf_counter() - began
        if self._jobs:
            self._timer.start(0)
        else:
            self.seconds, self._spent = self._spent, 0.0


def sorted_steps(numbers: Sequence[int], key: Callable[[int], Any], *, descending: bool) -> Steps[list[int]]:
    """Return what sorted() returns, as stable as that, without its 60 ms for 100,000 names in one go."""
    order = numbers[::-1] if descending else numbers
    runs = []
    for start in range(0, len(order), PIECE):
        runs.append(sorted(order[start : start + PIECE], key=key))
        yield
    if len(runs) > 1:
        ordered: list[int] = []
        for parts in _ranges(runs, key):
            ordered += sorted((number for part in parts for number in part), key=key)
            yield
    else:
        ordered = runs[0] if runs else []
    return ordered[::-1] if descending else ordered


def _ranges(runs: Sequence[list[int]], key: Callable[[int], Any]) -> Iterator[list[list[int]]]:
    """Yield from sorted runs what lies between two values, the lowest first, about as many as a run has."""
    step = max(1, PIECE // 64)
    samples = sorted(key(number) for run in runs for number in run[::step])
    every = max(1, len(samples) // len(runs))
    begun = [0] * len(runs)
    for limit in dict.fromkeys(samples[every::every]):
        ends = [bisect_left(run, limit, lo=start, key=key) for run, start in zip(runs, begun, strict=True)]
        yield [run[start:end] for run, start, end in zip(runs, begun, ends, strict=True)]
        begun = ends
    yield [run[start:] for run, start in zip(runs, begun, strict=True)]

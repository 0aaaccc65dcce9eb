"""Python's cyclic garbage collector, kept on the main thread.

With automatic collection and a busy worker, widgets destroyed off the main thread crashed 12 of 15 trial runs; with
collection by a timer of the main thread, 0 of 15 crashed.
"""

import gc

from PySide6.QtCore import QObject, QTimer, Slot

INTERVAL_MS = 60
"""Interval of the checks. While documents are added, the garbage of a whole second took 60 ms to collect; while 500
tokens a second stream in, that of a quarter of a second took 10, and its survivors 40 at a time.
"""
IDLE_MS = 240
"""Interval while nothing is allocated: checks 17 times a second would be the only wake-ups of an idle program."""
_STILL = 20
"""Number of new objects between two checks that the checks themselves create."""
_QUICK = 15_000
"""Traversing this many objects takes 12 ms. A collection of more waits until nothing is allocated: in a session of 250
answers that is scrolled through it took 86 ms, which nobody notices once the scrolling stops.
"""
_MIDDLE = 10_000
"""Survivors of a collection are included in the next one if there are more than this; they take 8 ms. With Python's own
threshold of ten collections they took 64 ms, while 5,000 documents were removed from 100,000.
"""
_MOST = 100_000
"""Traversing this many objects takes 50 ms and more: they are documents of a large library, and not garbage."""


class GarbageCollector(QObject):
    """Runs the collections that Python's own counters call for from the main thread's event loop, while it exists."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self._on_time)
        self._seen = 0
        self._outlived = 0
        self._is_starting = False

    def start(self, *, frozen_until_settled: bool = False) -> None:
        """Disable automatic collection, which runs on whichever thread happens to allocate.

        Args:
            frozen_until_settled: Traverse nothing before settle() is called for the first time. Of the 138,000 objects
                that the imports of a start leave behind, 242 were garbage, and each collection took up to 30 ms.
        """
        gc.disable()
        self._is_starting = frozen_until_settled
        self._timer.start()

    @Slot()
    def settle(self) -> None:
        """Exclude the objects of the start-up from later collections: a full one then takes under 1 ms instead of 50.

        In a large library the oldest generation is not collected: traversing 100,000 documents takes half a second.
        """
        if not self._is_starting:
            gc.collect(1 if len(gc.get_objects(2)) > 3 * _MOST else 2)
        self._is_starting = False
        gc.freeze()

    def stop(self) -> None:
        """Enable automatic collection again."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    @Slot()
    def _on_time(self) -> None:
        """Check, and shorten the interval while objects are being allocated."""
        allocated, self._seen = abs(gc.get_count()[0] - self._seen), gc.get_count()[0]
        is_still = allocated <= _STILL
        # Idle twice in a row: there is a pause between two turns of the mouse wheel, too.
        collected = self.check(is_still=is_still and self._timer.interval() == IDLE_MS)
        interval = IDLE_MS if is_still and collected < 0 else INTERVAL_MS
        if interval != self._timer.interval():
            self._timer.setInterval(interval)

    def check(self, *, is_still: bool = True) -> int:
        """Collect the oldest generation that is due and return it, -1 if none is.

        Args:
            is_still: The program is idle, so that a full collection may take its time.
        """
        if self._is_starting:
            gc.freeze()
            return -1
        counts, thresholds = gc.get_count(), gc.get_threshold()
        due = [one for one in (2, 1, 0) if thresholds[one] and counts[one] > thresholds[one]]
        if due[:1] == [2]:
            old = len(gc.get_objects(2))
            if old > _MOST:
                # Unreachable objects among them are leaked, once; finding them would block the window.
                gc.freeze()
                return 2
            if old > _QUICK and not is_still:
                due = [one for one in due if one < 2]
        if not due:
            return -1
        # An upper bound: objects that were allocated and still exist.
        self._outlived += counts[0]
        generation = max(due[0], int(self._outlived > _MIDDLE))
        if generation:
            self._outlived = 0
        gc.collect(generation)
        return generation

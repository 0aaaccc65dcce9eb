"""Python's cyclic garbage collector, kept on the main thread.

With automatic collection and a busy worker, widgets destroyed off the main thread crashed 12 of 15 trial runs;
collected by a timer of the main thread, 0 of 15.
"""

import gc

from PySide6.QtCore import QObject, QTimer, Slot

INTERVAL_MS = 60
"""While documents are added, what a whole second leaves behind took 60 ms to collect; while 500 tokens a second stream
in, what a quarter of one leaves took 10, and its survivors 40 at a time."""
IDLE_MS = 240
"""While nothing is made: 17 times a second it would be all that wakes a program with which nobody does anything."""
_STILL = 20
"""So few new objects between two looks are those of the looking itself."""
_QUICK = 15_000
"""To look through so many objects takes 12 ms. More wait for a moment in which nothing is made: in a session of 250
answers that is scrolled through it took 86 ms, and nobody sees it once they stop."""
_MIDDLE = 10_000
"""What has outlived one collection is looked through with the next but for few: so many objects take 8 ms. By Python's
own count of ten collections they were 64 ms, while 5,000 documents were taken out of 100,000."""
_MOST = 100_000
"""To look through so many objects takes 50 ms and more: they are documents of a large library, and no garbage."""


class GarbageCollector(QObject):
    """Collects when Python's own counters say so, from the main thread's event loop, while it lives."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self._on_time)
        self._seen = 0
        self._outlived = 0
        self._is_starting = False

    def start(self, *, frozen_until_settled: bool = False) -> None:
        """Take collection away from whichever thread happens to allocate.

        Args:
            frozen_until_settled: Look through nothing before settle() is called for the first time. Of the 138,000
                objects that the imports of a start leave behind, 242 were garbage, and each look took up to 30 ms.
        """
        gc.disable()
        self._is_starting = frozen_until_settled
        self._timer.start()

    @Slot()
    def settle(self) -> None:
        """Leave what start-up made out of later collections: a full one then takes under 1 ms instead of 50.

        In a large library the old objects are left uncollected: to look through 100,000 documents takes half a second.
        """
        if not self._is_starting:
            gc.collect(1 if len(gc.get_objects(2)) > 3 * _MOST else 2)
        self._is_starting = False
        gc.freeze()

    def stop(self) -> None:
        """Give collection back to Python."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    @Slot()
    def _on_time(self) -> None:
        """Look, and look again soon where something is being made."""
        made, self._seen = abs(gc.get_count()[0] - self._seen), gc.get_count()[0]
        is_still = made <= _STILL
        # Still twice in a row: between two turns of the wheel there is a moment, too.
        collected = self.check(is_still=is_still and self._timer.interval() == IDLE_MS)
        interval = IDLE_MS if is_still and collected < 0 else INTERVAL_MS
        if interval != self._timer.interval():
            self._timer.setInterval(interval)

    def check(self, *, is_still: bool = True) -> int:
        """Collect the oldest generation that is due and return it, -1 when none is.

        Args:
            is_still: Nothing goes on, so that a full collection may take its time.
        """
        if self._is_starting:
            gc.freeze()
            return -1
        counts, thresholds = gc.get_count(), gc.get_threshold()
        due = [one for one in (2, 1, 0) if thresholds[one] and counts[one] > thresholds[one]]
        if due[:1] == [2]:
            old = len(gc.get_objects(2))
            if old > _MOST:
                # What cannot be reached among them is lost, once; to know it would stop the window.
                gc.freeze()
                return 2
            if old > _QUICK and not is_still:
                due = [one for one in due if one < 2]
        if not due:
            return -1
        # At most: what was made and is still there.
        self._outlived += counts[0]
        generation = max(due[0], int(self._outlived > _MIDDLE))
        if generation:
            self._outlived = 0
        gc.collect(generation)
        return generation

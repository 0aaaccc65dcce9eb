"""What can wait until nothing else is to be done: files checked, searches made faster, room given back."""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from workbench.errors import WorkbenchError
from workbench.worker.process_memory import lower_priority

logger = logging.getLogger(__name__)

QUIET_SECONDS = 3.0
"""Since the work was last asked for: nobody is in the middle of something."""

Work = Callable[[Callable[[], bool]], None]
"""Work in the background, which asks now and then whether it is to end."""


class IdleMaintenance:
    """One thread of low priority; at most one piece of work is on its way and one waits.

    Behind the work comes what has even more time: it ends as soon as anybody asks for the work again, since then
    somebody searches or something changed, and it has its turn when that is over.
    """

    def __init__(self, work: Work, *, is_busy: Callable[[], bool]) -> None:
        """Take the work that is done whenever there may be some.

        Args:
            work: Does all that is to be done.
            is_busy: Whether something goes first; the work ends, and is asked for again by what went first.
        """
        self._work = work
        self._is_busy = is_busy
        self._last: list[Work] = []
        self._asked = 0.0
        self._closing = threading.Event()
        self._waits = threading.Lock()
        self._thread: ThreadPoolExecutor | None = None
        self._starting = threading.Lock()

    def at_last(self, work: Work) -> None:
        """Do this too, whenever all the rest is done and nobody does anything."""
        self._last.append(work)

    def soon(self) -> None:
        """Do the work when it was not asked for any more for a while; never blocks, callable from any thread."""
        with self._starting:
            self._asked = time.monotonic()
            if self._closing.is_set() or not self._waits.acquire(blocking=False):
                return
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, thread_name_prefix="upkeep", initializer=lower_priority)
            self._thread.submit(self._run)

    def close(self) -> None:
        """End the thread; at most a second."""
        with self._starting:
            self._closing.set()
        if self._thread is not None:
            self._thread.shutdown(wait=True, cancel_futures=True)

    def _run(self) -> None:
        while (left := self._asked + QUIET_SECONDS - time.monotonic()) > 0 and not self._closing.is_set():
            self._closing.wait(left)
        asked = self._asked
        self._waits.release()

        def is_disturbed() -> bool:
            return self._is_to_end() or self._asked != asked

        works = [(self._work, self._is_to_end), *((work, is_disturbed) for work in self._last)]
        for work, stop in works:
            if not stop():
                self._do(work, stop)

    def _do(self, work: Work, stop: Callable[[], bool]) -> None:
        try:
            work(stop)
        except WorkbenchError as error:
            logger.info("What could wait was not done: %s", error)

    def _is_to_end(self) -> bool:
        return self._closing.is_set() or self._is_busy()

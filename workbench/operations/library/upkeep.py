"""Idle maintenance: background work of low priority that runs while nothing else is active."""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from workbench.errors import WorkbenchError
from workbench.worker.process_memory import lower_priority

logger = logging.getLogger(__name__)

QUIET_SECONDS = 3.0
"""Delay after the last request for the work: until then the user is considered active."""

Work = Callable[[Callable[[], bool]], None]
"""Background work; its argument is a function that it polls and that returns True when it must stop."""


class IdleMaintenance:
    """Thread of low priority for idle maintenance; at most one run of the work is active and one waits.

    The work is followed by tasks of even lower priority. These stop as soon as the work is requested again, because
    then somebody searches or something changed, and are run again afterwards.
    """

    def __init__(self, work: Work, *, is_busy: Callable[[], bool]) -> None:
        """Initialise the maintenance.

        Args:
            work: The work to run whenever some may be due.
            is_busy: Returns True while something has priority; the work then stops, and is requested again afterwards.
        """
        self._work = work
        self._is_busy = is_busy
        self._last: list[Work] = []
        self._asked = 0.0
        self._closing = threading.Event()
        self._waits = threading.Lock()
        self._thread: ThreadPoolExecutor | None = None
        self._starting = threading.Lock()

    def add(self, work: Work) -> None:
        """Add a task of lowest priority, which runs after all others while the program is idle."""
        self._last.append(work)

    def request(self) -> None:
        """Request the work; it runs after QUIET_SECONDS without a further request. Never blocks; thread-safe."""
        with self._starting:
            self._asked = time.monotonic()
            if self._closing.is_set() or not self._waits.acquire(blocking=False):
                return
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, thread_name_prefix="upkeep", initializer=lower_priority)
            self._thread.submit(self._run)

    def close(self) -> None:
        """End the thread; takes at most a second."""
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
            return self._must_stop() or self._asked != asked

        works = [(self._work, self._must_stop), *((work, is_disturbed) for work in self._last)]
        for work, stop in works:
            if not stop():
                self._run_work(work, stop)

    def _run_work(self, work: Work, stop: Callable[[], bool]) -> None:
        try:
            work(stop)
        except WorkbenchError as error:
            logger.info("What could wait was not done: %s", error)

    def _must_stop(self) -> bool:
        return self._closing.is_set() or self._is_busy()

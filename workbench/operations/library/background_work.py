"""Background work of a library: maintenance while nothing else is active, and jobs between two answers."""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from workbench.errors import WorkbenchError
from workbench.language import mark
from workbench.worker.process_memory import lower_priority

logger = logging.getLogger(__name__)

QUIET_SECONDS = 3.0
"""Delay after the last request for the work: until then the user is considered active."""

Work = Callable[[Callable[[], bool]], None]
"""Background work; its argument is a function that it polls and that returns True when it must stop."""


class IdleMaintenance:
    """Thread of low priority for idle maintenance; at most one run of the work is active and one waits.

    The work is followed by tasks of even lower priority. These stop as soon as the work is requested again, because
    then a search runs or something changes, and are run again afterwards.
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


JobWork = Callable[[], Awaitable[None]]


class BackgroundJobs:
    """Queue of background jobs that run one at a time; a cancelled job is started again later.

    Attributes:
        problem: Reason why the last job failed; empty if it succeeded.
    """

    def __init__(self) -> None:
        self.problem = ""
        self._waiting: deque[JobWork] = deque()
        self._task: asyncio.Task[None] | None = None
        self._answers = 0
        self._is_closed = False

    @contextmanager
    def put_off(self) -> Iterator[None]:
        """Postpone the jobs during an answer; call it on the answer's event loop."""
        self._answers += 1
        self._cancel_current()
        try:
            yield
        finally:
            self._answers -= 1
            self._start_next()

    def add(self, work: JobWork) -> None:
        """Run a job when no answer is in progress; a WorkbenchError or a timeout of the job is reported in problem."""
        if not self._is_closed:
            self._waiting.append(work)
            self._start_next()

    async def wait_until_done(self) -> None:
        """Wait until all jobs are done."""
        self._start_next()
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    def close(self) -> None:
        """Cancel all jobs and accept no more; callable from any thread."""
        self._is_closed = True
        self._waiting.clear()
        task = self._task
        if task is not None and not task.done() and not task.get_loop().is_closed():
            task.get_loop().call_soon_threadsafe(task.cancel)

    def _start_next(self) -> None:
        idle = self._task is None or self._task.done()
        if self._waiting and idle and not self._answers and not self._is_closed:
            self._task = asyncio.get_running_loop().create_task(self._work())
            self._task.add_done_callback(self._on_ended)

    def _cancel_current(self) -> None:
        task, self._task = self._task, None
        if task is not None and not task.done():
            task.cancel()

    async def _work(self) -> None:
        while self._waiting:
            work = self._waiting.popleft()
            try:
                await work()
                self.problem = ""
            except asyncio.CancelledError:
                if not self._is_closed:
                    self._waiting.appendleft(work)
                raise
            except (WorkbenchError, TimeoutError) as error:
                self.problem = str(error) or mark("The model took too long.")
                logger.info("Work behind an answer came to nothing: %s", self.problem)

    def _on_ended(self, task: asyncio.Task[None]) -> None:
        """Log an unexpected exception of a job, as nothing awaits the task; ignored after close."""
        error = None if task.cancelled() else task.exception()
        if error is not None and not self._is_closed:
            self.problem = mark("Something went wrong inside the program.")
            logger.error("Work behind an answer failed with a bug", exc_info=error)

"""Background jobs after an answer: run while no answer is in progress, cancelled for the next one."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from workbench.errors import WorkbenchError
from workbench.language import mark

logger = logging.getLogger(__name__)

Work = Callable[[], Awaitable[None]]


class BackgroundJobs:
    """Queue of background jobs that run one at a time; a cancelled job is started again later.

    Attributes:
        problem: Reason why the last job failed; empty if it succeeded.
    """

    def __init__(self) -> None:
        self.problem = ""
        self._waiting: deque[Work] = deque()
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

    def add(self, work: Work) -> None:
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

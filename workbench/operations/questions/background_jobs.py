"""Work behind an answer: begun when no answer is under way, and broken off for the next one: none waits for it."""

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
    """One piece of work after the other; what is broken off is begun again later.

    Attributes:
        problem: Why the last piece came to nothing; empty where it went well.
    """

    def __init__(self) -> None:
        self.problem = ""
        self._waiting: deque[Work] = deque()
        self._task: asyncio.Task[None] | None = None
        self._answers = 0
        self._is_closed = False

    @contextmanager
    def put_off(self) -> Iterator[None]:
        """Let an answer go first; on its loop."""
        self._answers += 1
        self._break_off()
        try:
            yield
        finally:
            self._answers -= 1
            self._go_on()

    def add(self, work: Work) -> None:
        """Do this when no answer is under way; one that fails with an error of ours says so in problem."""
        if not self._is_closed:
            self._waiting.append(work)
            self._go_on()

    async def settled(self) -> None:
        """Wait until nothing is left to be done."""
        self._go_on()
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    def close(self) -> None:
        """Do nothing any more; callable from any thread."""
        self._is_closed = True
        self._waiting.clear()
        task = self._task
        if task is not None and not task.done() and not task.get_loop().is_closed():
            task.get_loop().call_soon_threadsafe(task.cancel)

    def _go_on(self) -> None:
        idle = self._task is None or self._task.done()
        if self._waiting and idle and not self._answers and not self._is_closed:
            self._task = asyncio.get_running_loop().create_task(self._work())
            self._task.add_done_callback(self._on_ended)

    def _break_off(self) -> None:
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
        """Say that a piece failed with a bug, which nobody who awaits it would; not where all it needs was closed."""
        error = None if task.cancelled() else task.exception()
        if error is not None and not self._is_closed:
            self.problem = mark("Something went wrong inside the program.")
            logger.error("Work behind an answer failed with a bug", exc_info=error)

"""Background thread with an asyncio event loop that runs every operation as a task."""

import asyncio
import itertools
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from workbench.errors import WorkbenchError
from workbench.logs import trace
from workbench.worker.job import (
    JobCancelled,
    JobContext,
    JobEvent,
    JobFailed,
    JobHandle,
    JobMessage,
    JobSucceeded,
    Operation,
    is_protected,
)

logger = logging.getLogger(__name__)
T = TypeVar("T")


class Worker:
    """Runner of operations on a background thread; an import and a chat are both tasks of its event loop.

    Messages of all jobs go to one listener, called on the worker thread or on the thread that emits. The window's
    bridge is the only code that turns them into Qt signals.
    """

    def __init__(self, listener: Callable[[JobMessage], None]) -> None:
        self._listener = listener
        self._numbers = itertools.count(1)
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._stopping = threading.Lock()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)

    def start(self) -> None:
        """Start the thread; returns when its event loop runs."""
        self._thread.start()
        self._ready.wait()

    def submit(self, operation: Operation[T]) -> JobHandle[T]:
        """Start an operation and return its handle; never blocks. Callable from any thread.

        After stop() the operation is not started, and its handle is cancelled.
        """
        number = next(self._numbers)
        with self._stopping:
            if self._is_stopped:
                refused: Future[T] = Future()
                refused.cancel()
                return JobHandle(number, refused)
            future = asyncio.run_coroutine_threadsafe(self._supervise(number, operation), self._loop)
        return JobHandle(number, future)

    def stop(self, timeout: float = 5.0) -> None:
        """Cancel every job, wait up to timeout seconds for them, and end the thread."""
        with self._stopping:
            # A job that came later would never be awaited: the loop ends in the meantime.
            is_first, self._is_stopped = not self._is_stopped, True
            if is_first and self._thread.is_alive():
                asyncio.run_coroutine_threadsafe(self._cancel_all(), self._loop)
        if self._thread.is_alive():
            self._thread.join(timeout)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.call_soon(self._ready.set)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    async def _cancel_all(self) -> None:
        await cancel_others()
        self._loop.stop()

    async def _supervise(self, number: int, operation: Operation[T]) -> T:
        """Run one operation and report its outcome; the only place that may catch any exception."""
        context = JobContext(lambda event: self._listener(JobEvent(number, event)))
        try:
            value = await operation(context)
        except asyncio.CancelledError:
            self._listener(JobCancelled(number))
            raise
        except BaseException as error:
            if isinstance(error, WorkbenchError):
                logger.info("Operation %d ended with an error: %s", number, error)
            else:
                logger.exception("Operation failed with a bug")
            self._listener(JobFailed(number, error, trace(error)))
            raise
        self._listener(JobSucceeded(number, value))
        return value


async def cancel_others() -> None:
    """Cancel every other task of the running loop that may be cancelled, and wait until all have ended."""
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        if not is_protected(task):
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

"""Jobs end in exactly one outcome, and a bug in one never ends the worker."""

import asyncio
import queue
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest

from workbench.errors import WorkbenchError
from workbench.worker.job import (
    JobCancelled,
    JobContext,
    JobEvent,
    JobFailed,
    JobMessage,
    JobSucceeded,
    finish_despite_cancel,
    offload,
)
from workbench.worker.worker import Worker


@pytest.fixture
def messages() -> "queue.Queue[JobMessage]":
    return queue.Queue()


@pytest.fixture
def worker(messages: "queue.Queue[JobMessage]") -> Iterator[Worker]:
    worker = Worker(messages.put)
    worker.start()
    yield worker
    worker.stop()


def test_a_job_reports_its_events_and_then_its_value(worker: Worker, messages: "queue.Queue[JobMessage]") -> None:
    async def operation(context: JobContext) -> str:
        context.emit("half way")
        return "done"

    number = worker.submit(operation).number
    assert [messages.get(timeout=5), messages.get(timeout=5)] == [
        JobEvent(number, "half way"),
        JobSucceeded(number, "done"),
    ]


def test_an_error_arrives_with_its_details(worker: Worker, messages: "queue.Queue[JobMessage]") -> None:
    async def operation(_context: JobContext) -> None:
        raise WorkbenchError("It broke.", "Mend it.")

    worker.submit(operation)
    failed = messages.get(timeout=5)
    assert isinstance(failed, JobFailed)
    assert "It broke." in failed.details


def test_cancelling_is_an_outcome(worker: Worker, messages: "queue.Queue[JobMessage]") -> None:
    async def operation(context: JobContext) -> None:
        context.emit("started")
        await asyncio.Event().wait()

    handle = worker.submit(operation)
    assert messages.get(timeout=5) == JobEvent(handle.number, "started")
    handle.cancel()
    assert messages.get(timeout=5) == JobCancelled(handle.number)


def test_stopping_the_worker_cancels_what_is_under_way(messages: "queue.Queue[JobMessage]") -> None:
    worker = Worker(messages.put)
    worker.start()

    async def operation(context: JobContext) -> None:
        context.emit("started")
        await asyncio.Event().wait()

    handle = worker.submit(operation)
    messages.get(timeout=5)
    worker.stop()
    assert messages.get(timeout=5) == JobCancelled(handle.number)


def test_a_job_that_comes_after_the_stop_is_cancelled_and_never_begins(messages: "queue.Queue[JobMessage]") -> None:
    worker = Worker(messages.put)
    worker.start()
    worker.stop()

    async def operation(_context: JobContext) -> None:
        pytest.fail("was started")

    handle = worker.submit(operation)
    assert handle.done
    with pytest.raises(CancelledError):
        handle.result()
    assert messages.empty()


def test_uninterruptible_work_is_done_although_no_thread_is_free_when_the_worker_stops(
    messages: "queue.Queue[JobMessage]",
) -> None:
    worker = Worker(messages.put)
    worker.start()
    is_free, closed = threading.Event(), threading.Event()
    executor = ThreadPoolExecutor(1)
    executor.submit(is_free.wait)

    async def operation(context: JobContext) -> None:
        try:
            context.emit("started")
            await asyncio.Event().wait()
        finally:
            context.emit("closing")
            await finish_despite_cancel(offload(executor, closed.set))

    handle = worker.submit(operation)
    messages.get(timeout=5)
    handle.cancel()
    assert messages.get(timeout=5) == JobEvent(handle.number, "closing")
    worker.stop(timeout=0)  # cancels all tasks while the work waits for the thread
    for _ in range(10):
        # Until the cancellation has gone through all tasks.
        passed = threading.Event()
        worker._loop.call_soon_threadsafe(passed.set)
        passed.wait(5)
    is_free.set()
    worker._thread.join(5)
    executor.shutdown()
    assert closed.is_set()

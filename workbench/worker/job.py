"""Job of an operation: JobContext for the operation, JobHandle and messages for its submitter."""

from collections.abc import Awaitable, Callable
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakSet

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class JobEvent:
    """Event of a running operation; event is a frozen dataclass of workbench.model."""

    job: int
    event: Any


@dataclass(frozen=True, slots=True)
class JobSucceeded:
    """The operation returned value."""

    job: int
    value: Any


@dataclass(frozen=True, slots=True)
class JobFailed:
    """The operation raised error, a WorkbenchError or a bug; details is the traceback without private text."""

    job: int
    error: BaseException
    details: str


@dataclass(frozen=True, slots=True)
class JobCancelled:
    """The operation was stopped by the user: an outcome, not an error."""

    job: int


JobMessage = JobEvent | JobSucceeded | JobFailed | JobCancelled


class JobContext:
    """Context of a running operation, through which it emits events.

    Cancellation arrives as asyncio.CancelledError. JobContext() without an argument discards all events.
    """

    def __init__(self, emit: Callable[[Any], None] | None = None) -> None:
        self._emit = emit

    def emit(self, event: Any) -> None:
        """Pass a frozen dataclass to the listener; callable from any thread."""
        if self._emit is not None:
            self._emit(event)


Operation = Callable[[JobContext], Awaitable[T]]


class JobHandle(Generic[T]):
    """Handle of a job for its submitter."""

    def __init__(self, number: int, future: "Future[T]") -> None:
        self.number = number
        self._future = future

    @property
    def done(self) -> bool:
        """True if the job has ended, with any outcome."""
        return self._future.done()

    def cancel(self) -> None:
        """Request cancellation; the outcome arrives as JobCancelled. Callable from any thread, never blocks."""
        self._future.cancel()

    def result(self, timeout: float | None = None) -> T:
        """Wait for the value, at most timeout seconds. Must not be called on the main thread of a window."""
        return self._future.result(timeout)


async def offload(executor: Any, function: Callable[..., T], *args: Any) -> T:
    """Run blocking work on an executor and await it.

    On cancellation the awaiting coroutine ends at once; the work itself runs to its own next check. It runs with a copy
    of the caller's context variables (egress.gate.carrying).
    """
    import asyncio  # imported here, because it would delay the window's first paint by 15 ms

    context = copy_context()
    return await asyncio.get_running_loop().run_in_executor(executor, partial(context.run, function, *args))


_PROTECTED: "WeakSet[asyncio.Future[Any]]" = WeakSet()
"""Tasks of finish_despite_cancel(), which the end of a worker does not cancel."""


def is_protected(task: "asyncio.Future[Any]") -> bool:
    """Return whether a task must not be cancelled: it is awaited by a task that can be."""
    return task in _PROTECTED


async def finish_despite_cancel(work: Awaitable[T]) -> T:
    """Await work that must not be interrupted; a cancellation meanwhile is raised afterwards.

    Without it, a cancellation while work waits for a free thread drops the work: a process was left running so.
    """
    import asyncio  # as above

    task = asyncio.ensure_future(work)
    _PROTECTED.add(task)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return task.result()

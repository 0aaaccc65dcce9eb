"""Blocking versions of asynchronous methods, run on a worker thread and cancelled when the library closes.

class Bin(Waiting[AsyncBin]):
    restore = waited(AsyncBin.restore)
"""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from inspect import isawaitable, iscoroutinefunction
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from workbench import operations
from workbench.errors import LibraryError, WorkbenchError
from workbench.model.options import check_call, require_function
from workbench.worker.job import JobContext, JobEvent, JobMessage, Operation
from workbench.worker.worker import Worker

if TYPE_CHECKING:  # asyncio adds 15 ms to importing the names of this package
    import asyncio


A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)
T = TypeVar("T")
P = ParamSpec("P")

_ASYNC = "_async"
"""Suffix of the name of an asynchronous function that has a blocking version."""

logger = logging.getLogger(__name__)


class Waiter:
    """Worker thread that runs asynchronous methods; a script's callbacks are called on the thread that waits."""

    def __init__(self) -> None:
        self._mail = _MessageQueues()
        self._worker = Worker(self._mail.put)
        self._worker.start()
        self._stopped = False

    def wait(self, verb: Callable[..., Coroutine[Any, Any, T]], args: Any, kwargs: dict[str, Any]) -> T:
        """Run an asynchronous function and return its result, or raise what it raises; args includes a method's self.

        Raises:
            TypeError: The arguments do not fit.
            LibraryError: The library was closed.
        """
        if self._stopped:
            raise _closed()
        check_call(verb, verb.__name__.removesuffix(_ASYNC), args, kwargs)  # raises on the caller's thread
        on_event, approve = kwargs.get("on_event"), kwargs.get("approve")
        require_function("on_event", on_event, is_plain=True)
        require_function("approve", approve)

        async def operation(context: JobContext) -> T | _Raised:
            call_kwargs = dict(kwargs)
            if on_event is not None:
                call_kwargs["on_event"] = context.emit
            if approve is not None and not iscoroutinefunction(approve):
                call_kwargs["approve"] = _CallbackOnCaller(context, approve)
            try:
                return await verb(*args, **call_kwargs)
            except WorkbenchError:
                raise
            # An error of the script or of its callbacks is raised on the thread that waits; it is not a worker bug.
            except Exception as error:
                logger.info("Raised to the script", exc_info=error)
                return _Raised(error)

        outcome = self.result(operation, on_event)
        if isinstance(outcome, _Raised):
            raise outcome.error
        return outcome

    def result(self, operation: Operation[T], on_event: Callable[[Any], object] | None) -> T:
        """Return the result of an operation."""
        job = self._worker.submit(operation)
        try:
            for event in self._mail.of(job.number):
                if isinstance(event, _CallbackRequest):
                    event.answer.set_result(event.ask())
                elif on_event is not None:
                    on_event(event)
            return job.result()
        except BaseException:
            job.cancel()
            raise

    def stop(self) -> None:
        """Cancel the running work and end the thread."""
        self._stopped = True
        self._worker.stop()


class Awaited:
    """Base class of asynchronous methods on an open library, which are cancelled when the library closes."""

    def __init__(self, opened: operations.Library) -> None:
        self._library = opened

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        register_verbs(cls, lambda awaited: awaited._library)

    @property
    def _opened(self) -> operations.Library:
        """The library; raises LibraryError once it was closed."""
        if self._library.ending.is_set():
            raise _closed()
        return self._library


class Waiting(Generic[A_co]):
    """Base class of objects whose methods are the blocking versions of an asynchronous object's."""

    def __init__(self, awaited: A_co, waiter: Waiter) -> None:
        self._awaited = awaited
        self._waiter = waiter


def waited(
    verb: Callable[Concatenate[A, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Waiting[A], P], T]:
    """Return the blocking version of an asynchronous method, with its parameters, its types and its docstring."""

    @wraps(verb)
    def method(waiting: Waiting[A], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return waiting._waiter.wait(verb, (waiting._awaited, *args), kwargs)

    return method


def waited_alone(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """Return NAME, the blocking version of a function NAME_async that needs no open library; it uses its own thread."""

    @wraps(function)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> T:
        waiter = Waiter()
        try:
            return waiter.wait(function, args, kwargs)
        finally:
            waiter.stop()

    waiting.__name__ = waiting.__qualname__ = function.__name__.removesuffix(_ASYNC)
    return waiting


@dataclass(frozen=True, slots=True)
class _Raised:
    """Exception to be raised on the thread that waits."""

    error: Exception


@dataclass(frozen=True, slots=True)
class _CallbackRequest:
    """Callback to be called on the thread that waits."""

    ask: Callable[[], Any]
    answer: "Future[Any]" = field(default_factory=Future)


class _CallbackOnCaller:
    """Plain callback of a script, called on the thread that waits while the worker awaits its result."""

    def __init__(self, context: JobContext, function: Callable[[Any], Any]) -> None:
        self._context = context
        self._function = function

    async def __call__(self, asked: Any) -> Any:
        import asyncio  # here, because it adds 15 ms to importing the names of this package

        question = _CallbackRequest(lambda: self._function(asked))
        self._context.emit(question)
        answer = await asyncio.wrap_future(question.answer)
        return await answer if isawaitable(answer) else answer


class _MessageQueues:
    """Queues of the worker's messages by job number; messages may arrive before the caller knows the number."""

    def __init__(self) -> None:
        self._queues: dict[int, SimpleQueue[JobMessage]] = {}
        self._lock = threading.Lock()

    def put(self, message: JobMessage) -> None:
        """Enqueue a message; called on the worker's thread."""
        self._queue(message.job).put(message)

    def of(self, job: int) -> Iterator[Any]:
        """Yield the events of a job until it ends."""
        box = self._queue(job)
        try:
            while isinstance(message := box.get(), JobEvent):
                yield message.event
        finally:
            with self._lock:
                self._queues.pop(job, None)

    def _queue(self, job: int) -> "SimpleQueue[JobMessage]":
        with self._lock:
            return self._queues.setdefault(job, SimpleQueue())


def _closed() -> LibraryError:
    return LibraryError("The library is closed.", "Use it inside the “with” block that opens it.")


_pending: "WeakKeyDictionary[operations.Library, Counter[asyncio.Task[Any]]]" = WeakKeyDictionary()


def register_verbs(kind: type, library_of: Callable[[Any], operations.Library]) -> None:
    """Wrap the public asynchronous methods of a class so that each registers the task that awaits it while it runs."""
    for name, verb in list(vars(kind).items()):
        if not name.startswith("_") and iscoroutinefunction(verb):
            setattr(kind, name, _register_task(verb, library_of))


async def cancel_pending(opened: operations.Library) -> None:
    """Cancel all other tasks that are in a method of the library, and wait until they have ended."""
    import asyncio

    await asyncio.sleep(0)  # lets tasks that were just created start and register themselves
    tasks = set(_pending.pop(opened, ())) - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


def _register_task(
    verb: Callable[..., Coroutine[Any, Any, Any]], library_of: Callable[[Any], operations.Library]
) -> Callable[..., Coroutine[Any, Any, Any]]:
    @wraps(verb)
    async def method(awaited: Any, /, *args: Any, **kwargs: Any) -> Any:
        with _track_task(library_of(awaited)):
            return await verb(awaited, *args, **kwargs)

    return method


@contextmanager
def _track_task(opened: operations.Library) -> Iterator[None]:
    import asyncio

    task = asyncio.current_task()
    if task is None:
        yield
        return
    # Counted, since one method may call another.
    tasks = _pending.setdefault(opened, Counter())
    tasks[task] += 1
    try:
        yield
    finally:
        tasks[task] -= 1
        if not tasks[task]:
            del tasks[task]

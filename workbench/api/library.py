"""An open library for scripts: each method does its work and returns when it is done."""

import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Concatenate, ParamSpec, TypeVar

from workbench import operations
from workbench.api.async_library import AsyncLibrary, Reach, opened_for
from workbench.api.knowledge import Knowledge
from workbench.worker.job import JobContext, JobEvent, JobMessage, Operation
from workbench.worker.worker import Worker

T = TypeVar("T")
P = ParamSpec("P")


def _waited(
    verb: Callable[Concatenate[AsyncLibrary, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["Library", P], T]:
    """Return a verb of AsyncLibrary as one that waits: with its parameters, its types and its words."""

    @wraps(verb)
    def method(library: "Library", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return library._wait(verb, args, kwargs)

    return method


class Library:
    """An open library; open_library gives one. Safe to use from several threads.

    Its verbs are those of AsyncLibrary. The work is done on a thread of its own. on_event is called on the thread that
    waits; what it raises stops the work and reaches the caller, and so does Ctrl+C.
    """

    def __init__(self, opened: operations.Library, worker: Worker, mail: "_Mail") -> None:
        self._opened = opened
        self._awaited = AsyncLibrary(opened)
        self._worker = worker
        self._mail = mail

    def use_retriever(self, name: str, retriever: Any) -> "Library":
        """Let agents ask a retriever by this name; returns the library. See AsyncLibrary.use_retriever."""
        self._awaited.use_retriever(name, retriever)
        return self

    def use_tool(
        self, function: Callable[..., Any], *, name: str = "", reach: Reach = "local", seconds: float = 60.0
    ) -> "Library":
        """Let agents have their model call a function; returns the library. See AsyncLibrary.use_tool."""
        self._awaited.use_tool(function, name=name, reach=reach, seconds=seconds)
        return self

    def knowledge(self, name: str = "default", *, max_results: int = 10) -> Knowledge:
        """Return a knowledge base of the library; it is there once something is added to it."""
        return Knowledge(self, name, max_results)

    add = _waited(AsyncLibrary.add)
    search = _waited(AsyncLibrary.search)
    ask = _waited(AsyncLibrary.ask)
    read_all = _waited(AsyncLibrary.read_all)
    continue_reading = _waited(AsyncLibrary.continue_reading)

    documents = _waited(AsyncLibrary.documents)
    chunks = _waited(AsyncLibrary.chunks)
    edit_chunk = _waited(AsyncLibrary.edit_chunk)
    merge_chunks = _waited(AsyncLibrary.merge_chunks)
    split_chunk = _waited(AsyncLibrary.split_chunk)
    disable_chunk = _waited(AsyncLibrary.disable_chunk)
    tag_chunk = _waited(AsyncLibrary.tag_chunk)
    set_metadata = _waited(AsyncLibrary.set_metadata)
    reset_chunk = _waited(AsyncLibrary.reset_chunk)
    undo_chunk_edit = _waited(AsyncLibrary.undo_chunk_edit)
    redo_chunk_edit = _waited(AsyncLibrary.redo_chunk_edit)
    chunk_edits = _waited(AsyncLibrary.chunk_edits)

    put_agent = _waited(AsyncLibrary.put_agent)
    put_profile = _waited(AsyncLibrary.put_profile)

    def _wait(self, verb: Callable[..., Coroutine[Any, Any, T]], args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
        signature(verb).bind(self._awaited, *args, **kwargs)  # a wrong call is told where it was written
        on_event = kwargs.get("on_event")

        async def operation(context: JobContext) -> T:
            given = kwargs | {"on_event": context.emit} if on_event is not None else kwargs
            return await verb(self._awaited, *args, **given)

        return self._result(operation, on_event)

    def _result(self, operation: Operation[T], on_event: Callable[[Any], None] | None) -> T:
        job = self._worker.submit(operation)
        try:
            for event in self._mail.of(job.number):
                if on_event is not None:
                    on_event(event)
            return job.result()
        except BaseException:
            job.cancel()
            raise


class _Mail:
    """What the worker says, by the number of the job; it may speak before anybody knows the number."""

    def __init__(self) -> None:
        self._boxes: dict[int, SimpleQueue[JobMessage]] = {}
        self._lock = threading.Lock()

    def put(self, message: JobMessage) -> None:
        """Take a message; called on the worker's thread."""
        self._box(message.job).put(message)

    def of(self, job: int) -> Iterator[Any]:
        """Yield the events of a job until it ends."""
        box = self._box(job)
        try:
            while isinstance(message := box.get(), JobEvent):
                yield message.event
        finally:
            with self._lock:
                self._boxes.pop(job, None)

    def _box(self, job: int) -> "SimpleQueue[JobMessage]":
        with self._lock:
            return self._boxes.setdefault(job, SimpleQueue())


@contextmanager
def open_library(folder: str | Path, *, read_only: bool = False) -> Iterator[Library]:
    """Open a library, made where there is none, and close it at the end of the block.

    Args:
        folder: The library's folder.
        read_only: Nothing in the folder is made or changed, and another program may have it open. What changes
            documents raises LibraryLocked or LibraryUnwritable; answers are kept until the end of the block.

    Raises:
        LibraryError: Open in another program, from a later version, not writable, damaged.
        LibraryOutdated: read_only: there is none, or it has to be opened once to be brought up to date.
    """
    opened = opened_for(Path(folder), read_only=read_only)
    mail = _Mail()
    worker = Worker(mail.put)
    worker.start()
    try:
        yield Library(opened, worker, mail)
    finally:
        opened.closing = True
        worker.stop()
        opened.close()

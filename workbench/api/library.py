"""An open library for scripts: each method does its work and returns when it is done."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from workbench import operations
from workbench.api import verbs
from workbench.api.knowledge import Knowledge
from workbench.api.verbs import Filter, OnEvent, Paths
from workbench.model.agent import Agent
from workbench.model.document import Document
from workbench.model.exhaustive import Reading
from workbench.model.hit import SearchResult
from workbench.model.profile import ModelProfile
from workbench.model.progress import FileFinished
from workbench.model.run import Run, TimedEvent
from workbench.worker.job import JobEvent, JobMessage, Operation
from workbench.worker.worker import Worker

T = TypeVar("T")


class Library:
    """An open library; open_library gives one. Safe to use from several threads.

    The work is done on a thread of its own. on_event is called on the thread that waits; what it raises stops the work
    and reaches the caller, and so does Ctrl+C.
    """

    def __init__(self, opened: operations.Library, worker: Worker, mail: "_Mail") -> None:
        self._opened = opened
        self._worker = worker
        self._mail = mail

    def use_retriever(self, name: str, retriever: Any) -> "Library":
        """Let agents ask a retriever by this name; returns the library. See workbench.plugins for what it may be.

        Raises:
            ValueError: The name is taken.
            RuntimeError: A retriever was asked already.
        """
        self._opened.retrievers.register(name, retriever)
        return self

    def add(self, paths: Paths, *, knowledge_base: str = "default", on_event: OnEvent = None) -> list[FileFinished]:
        """Add files and folders, and return how each file ended once all can be searched."""
        return self._wait(verbs.adding(self._opened, paths, knowledge_base), on_event)

    def search(
        self, question: str, k: int | None = None, filter: Filter = None, *, knowledge_base: str | None = None
    ) -> SearchResult:
        """Return the k passages that answer a question best.

        Raises:
            RetrievalError: The search failed, or the filter cannot be understood; never "nothing found" instead.
        """
        return self._wait(verbs.searching(self._opened, question, k, filter, knowledge_base))

    def ask(
        self,
        question: str,
        *,
        agent: str | Agent | None = None,
        retrievers: Sequence[Any] = (),
        filter: Filter = None,
        knowledge_base: str | None = None,
        profile: str | None = None,
        session: int | None = None,
        plan: bool | None = None,
        on_event: OnEvent = None,
    ) -> Run:
        """Answer a question; the run is kept in the library, with every step. A failure is in its status and error.

        Args:
            question: What is asked.
            agent: Who is asked: a name, or an Agent; None means the one of the settings.
            retrievers: Names, functions or objects that find passages in the library's stead.
            filter: Search only what it lets through.
            knowledge_base: Search only this one.
            profile: Name of the model profile that answers; None means the agent's, else that of the settings.
            session: Go on with this session.
            plan: Whether a plan is made first and its steps carried out; None leaves it to the agent and the settings.
            on_event: Told each event of workbench.model.run as it happens.

        Raises:
            NotFound: No such agent, profile, session or knowledge base.
            RetrievalError: The question is empty, or the filter cannot be understood.
        """
        operation = verbs.asking(
            self._opened,
            question,
            agent=agent,
            retrievers=retrievers,
            filter=filter,
            knowledge_base=knowledge_base,
            profile=profile,
            session=session,
            plan=plan,
        )
        return self._wait(operation, on_event)

    def read_all(
        self,
        question: str,
        filter: Filter = None,
        *,
        knowledge_base: str | None = None,
        profile: str | None = None,
        on_event: OnEvent = None,
    ) -> Reading:
        """Ask every passage that passes a filter, and return the table of all documents.

        It begins at once: who wants to know before what it takes asks the command line or the window. A failure of the
        model pauses it: its info says why, and continue_reading reads what is left.

        Raises:
            NotFound: No such profile or knowledge base.
            RetrievalError: The question is empty, the filter cannot be understood, or no passage passes it.
        """
        operation = verbs.reading_all(
            self._opened, question, filter=filter, knowledge_base=knowledge_base, profile=profile
        )
        return self._wait(operation, on_event)

    def continue_reading(self, reading: int, *, on_event: OnEvent = None) -> Reading:
        """Read what is left of a reading, and what has changed since."""
        return self._wait(operations.continue_reading(self._opened, reading), on_event)

    def knowledge(self, name: str = "default", *, max_results: int = 10) -> Knowledge:
        """Return a knowledge base of the library; it is there once something is added to it."""
        return Knowledge(self, name, max_results)

    def documents(self, knowledge_base: str | None = None) -> list[Document]:
        """Return the documents of a knowledge base, or all, in the order they were added."""
        return self._wait(operations.list_documents(self._opened, knowledge_base))

    def put_agent(self, agent: Agent) -> None:
        """Keep an agent, so that it can be asked by its name here and in the window."""
        self._wait(operations.put_agent(self._opened, agent))

    def put_profile(self, profile: ModelProfile) -> None:
        """Keep a model profile, so that it can answer here and in the window."""
        self._wait(operations.put_profile(self._opened, profile))

    def _wait(self, operation: Operation[T], on_event: OnEvent = None) -> T:
        job = self._worker.submit(operation)
        try:
            for event in self._mail.of(job.number):
                if on_event is not None:
                    on_event(event.event if isinstance(event, TimedEvent) else event)
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
def open_library(folder: str | Path) -> Iterator[Library]:
    """Open a library, made where there is none, and close it at the end of the block.

    Raises:
        LibraryError: Open in another program, from a later version, not writable, damaged.
    """
    opened = operations.Library.open(Path(folder))
    mail = _Mail()
    worker = Worker(mail.put)
    worker.start()
    try:
        yield Library(opened, worker, mail)
    finally:
        opened.closing = True
        worker.stop()
        opened.close()

"""Run persister: passes a run's events to the listener at once and to the store in batches."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from workbench.errors import LibraryError
from workbench.language import mark
from workbench.model.run import (
    AnswerDelta,
    ModelReasoning,
    PlanDelta,
    Run,
    RunBegan,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunStatus,
    TimedEvent,
)
from workbench.operations.library.library import Library
from workbench.store.sessions import SessionStore
from workbench.worker.job import JobContext, finish_despite_cancel

logger = logging.getLogger(__name__)

FLUSH_SECONDS = 0.5
"""Seconds between flushes: a kill loses at most this much of a streaming answer."""


class RunPersister:
    """Writer of a run's events to listener and store; the events of a killed run are kept up to the last flush."""

    def __init__(self, library: Library, sessions: SessionStore, session: int, run: int, context: JobContext) -> None:
        self._library = library
        self._sessions = sessions
        self._session = session
        self._run = run
        self._context = context
        self._unwritten: list[TimedEvent] = []
        self._written: list[TimedEvent] = []
        self._last: TimedEvent | None = None
        self._end: TimedEvent | None = None
        self._default_end: RunFailed | RunCancelled = RunFailed(
            mark("The run ended without an answer."), mark("Ask again."), "", (), 0.0
        )

    @classmethod
    async def start(
        cls,
        library: Library,
        sessions: SessionStore,
        session: int | None,
        question: str,
        profile: str,
        mode: str,
        context: JobContext,
        *,
        parent: tuple[int, int | None] | None = None,
    ) -> "RunPersister":
        """Begin a run in a session, or in a new one for None, and emit RunBegan with their numbers.

        Args:
            library: The open library.
            sessions: The sessions of the user who asks.
            session: The session of the run.
            question: The question.
            profile: Name of the model profile that answers.
            mode: Description of the profile in words.
            context: Receives every event.
            parent: The run that this one continues, and the event after which it does; None for its end.
        """

        def begin() -> tuple[int, int]:
            with sessions.transaction():
                number = session if session is not None else sessions.create().id
                return number, sessions.start_run(number, question, profile, mode, parent=parent)

        numbers = await library.on_store(begin)
        context.emit(RunBegan(*numbers))
        return cls(library, sessions, *numbers, context)

    @property
    def session(self) -> int:
        """The session that the run belongs to."""
        return self._session

    @property
    def run(self) -> int:
        """The number of the run."""
        return self._run

    def emit(self, event: TimedEvent) -> None:
        """Pass an event on now and store it with the next flush; pieces of an answer are joined for the store.

        The event that ends the run is passed on only after it was stored: an answer that was shown completely is
        stored completely, even after a kill.
        """
        if isinstance(event.event, RunCompleted | RunCancelled | RunFailed):
            self._end = event
        else:
            self._context.emit(event)
        self._last = event
        joined = _joined(self._unwritten[-1], event) if self._unwritten else None
        if joined is None:
            self._unwritten.append(event)
        else:
            self._unwritten[-1] = joined

    async def record(self, running: Coroutine[Any, Any, object]) -> Run:
        """Await the run and return the stored run.

        Raises:
            asyncio.CancelledError: The user stopped it; it is stored as cancelled.
        """
        writing = asyncio.create_task(self._flush_periodically())
        try:
            await running
        except asyncio.CancelledError:
            # If no final event came, it was stopped before it began, for example while connecting to a tool server.
            self._default_end = RunCancelled("", (), 0.0)
            raise
        finally:
            writing.cancel()
            try:
                run = await finish_despite_cancel(self._library.on_store(self._finish))
            finally:
                if self._end is not None:
                    self._context.emit(self._end)
        return run

    async def _flush_periodically(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            try:
                await self._library.on_store(self._write)
            except LibraryError as error:
                # Retried with the next flush, and at the end, where a failure fails the run.
                logger.warning("The answer is not being written down: %s", error)

    def _write(self) -> None:
        events, self._unwritten = self._unwritten, []
        if not events:
            return
        try:
            self._sessions.append_events(self._run, events)
        except BaseException:
            self._unwritten = events + self._unwritten
            raise
        self._written += events

    def _finish(self) -> Run:
        with self._sessions.transaction():
            self._write()
            self._write_end()
        return self._sessions.run(self._run, events=self._written)

    def _write_end(self) -> None:
        end = self._last.event if self._last else None
        if not isinstance(end, RunCompleted | RunCancelled | RunFailed):
            end = self._default_end
        logger.info("Answer %d ended as %s after %.1f s", self._run, _STATUS[type(end)], end.seconds)
        self._sessions.finish_run(
            self._run,
            _STATUS[type(end)],
            answer=end.answer,
            citations=end.citations,
            refused=isinstance(end, RunCompleted) and end.refused,
            seconds=end.seconds,
            error=end.message if isinstance(end, RunFailed) else "",
            hint=end.hint if isinstance(end, RunFailed) else "",
        )


_STATUS = {
    RunCompleted: RunStatus.COMPLETED,
    RunCancelled: RunStatus.CANCELLED,
    RunFailed: RunStatus.FAILED,
}


def _joined(first: TimedEvent, second: TimedEvent) -> TimedEvent | None:
    """Return two pieces of the same text as one event, or None if they are not."""
    match first.event, second.event:
        case AnswerDelta(a), AnswerDelta(b):
            return TimedEvent(first.number, first.seconds, AnswerDelta(a + b))
        case ModelReasoning(a), ModelReasoning(b):
            return TimedEvent(first.number, first.seconds, ModelReasoning(a + b))
        case PlanDelta(step, a), PlanDelta(other, b) if step == other:
            return TimedEvent(first.number, first.seconds, PlanDelta(step, a + b))
    return None

"""Presenter of the chat: asks, stops, collects events of runs; text and validation of tool approvals."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from workbench import operations
from workbench.agent.tool_runner import checked_arguments, parsed_arguments
from workbench.errors import ToolError, WorkbenchError
from workbench.language import mark, tr, translate
from workbench.model.approval import CurationAsked, Decision, PassageChoice
from workbench.model.filter import EVERYTHING
from workbench.model.hit import Hit
from workbench.model.message import ToolCall, ToolSpec
from workbench.model.run import ApprovalAsked, Run, RunBegan, RunStatus, TimedEvent
from workbench.model.session import Session, SessionInfo
from workbench.model.visible import escaped_json
from workbench.ui.bridge import Bridge
from workbench.ui.chat.transcript import Transcript, Transcripts
from workbench.worker.job import JobHandle, Operation

if TYPE_CHECKING:
    from workbench.model.filter import Expression
    from workbench.operations import Library

logger = logging.getLogger(__name__)

# Frequent enough to look like typing, with half the work of drawing each piece as it arrives.
_THROTTLE = 30


class OngoingQuestion(QObject):
    """A question under way. It continues while another session is shown, and is shown again with its own session.

    Signals:
        progressed: The transcript has more to show.
        ended: The OngoingQuestion itself, at its end.
        waits: A tool call, or a search, waits for the user.
    """

    progressed = Signal()
    ended = Signal(object)
    waits = Signal()

    def __init__(
        self,
        bridge: Bridge,
        library: Library,
        question: str,
        operation: Operation[Run],
        *,
        session: int | None,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.transcript = Transcript(question)
        self.session = session
        self.number: int | None = None
        self._bridge = bridge
        self._library = library
        self._handle: JobHandle[Run] = bridge.submit(
            operation,
            event=self._on_event,
            done=self._on_done,
            failed=self._on_failed,
            cancelled=self._on_cancelled,
        )

    def stop(self) -> None:
        """Cancel the run; the answer so far is kept."""
        self._handle.cancel()

    def decide(self, word: ApprovalWord) -> None:
        """Pass the user's decision on a waiting tool call to the run."""
        if self.number is None:
            return
        asked = word.asked
        decide = operations.decide_call(
            self._library, self.number, asked.call_id, word.decision, word.arguments, always=word.always
        )
        # The call may have been abandoned meanwhile, which its step then shows.
        self._bridge.submit(decide, failed=self._on_undecided)

    def choose(self, asked: CurationAsked, choice: PassageChoice) -> None:
        """Pass the user's selection from a waiting search to the run."""
        if self.number is not None:
            choose = operations.choose_passages(
                self._library, self.number, asked.number, choice.hits, pinned=choice.pinned
            )
            self._bridge.submit(choose, failed=self._on_undecided)

    def look_around(self, hit: Hit) -> None:
        """Load the passages before and after a passage into the transcript."""

        def done(around: tuple[Hit | None, Hit | None]) -> None:
            self.transcript.around[hit.chunk.id] = around
            self.progressed.emit()

        self._bridge.submit(operations.passages_around(self._library, hit), done=done, failed=self._on_undecided)

    def _on_undecided(self, _error: BaseException, _details: str) -> None:
        self.progressed.emit()

    def _on_event(self, event: object) -> None:
        if isinstance(event, RunBegan):
            self.session, self.number = event.session, event.run
        elif isinstance(event, TimedEvent):
            self.transcript.feed(event)
            self.progressed.emit()
            if isinstance(event.event, ApprovalAsked | CurationAsked):
                self.waits.emit()

    def _on_done(self, run: Run) -> None:
        self.session = run.session
        self.transcript.finish(run)
        self.ended.emit(self)

    def _on_failed(self, error: BaseException, _details: str) -> None:
        if isinstance(error, WorkbenchError):
            self.transcript.fail(error.message, error.hint)
        else:
            self.transcript.fail(mark("The answer failed because of an internal error."), mark("Try again."))
        self.ended.emit(self)

    def _on_cancelled(self) -> None:
        """Fetch the run from the library, which stored it: a cancelled job has no result."""
        self.transcript.cancel()
        if self.session is None:
            self._bridge.submit(operations.list_sessions(self._library), done=self._on_sessions, failed=self._on_lost)
        else:
            self._fetch(self.session)

    def _on_sessions(self, sessions: list[SessionInfo]) -> None:
        # Newest first: the first session is the one that this question started.
        if sessions:
            self._fetch(sessions[0].id)
        else:
            self.ended.emit(self)

    def _fetch(self, session: int) -> None:
        self._bridge.submit(
            operations.open_session(self._library, session), done=self._on_session, failed=self._on_lost
        )

    def _on_session(self, session: Session) -> None:
        if session.runs and session.runs[-1].question == self.transcript.question:
            self._on_done(session.runs[-1])
        else:
            self.ended.emit(self)

    def _on_lost(self, _error: BaseException, _details: str) -> None:
        self.ended.emit(self)


class ConversationPresenter(QObject):
    """Manages the session that is shown, and the questions under way in it and in others.

    Signals:
        opened: The Transcripts of the session that is shown now, oldest first.
        started: The Transcript of a new question.
        progressed: The newest transcript has more to show; at most every 30 ms.
        ended: The Transcript whose run ended, if it is shown.
        checked: The Transcript whose stopped answer was checked.
        session_changed: The id of the session that is shown, when a question started or continued it.
        session_updated: The id of any session in which a run ended, shown or not.
        running_changed: Whether an answer is under way in the session that is shown.
        goes_on_from: The Run from which the next question continues; None for the default.
        waits_elsewhere: The id of a session that is not shown, in which a tool call or a search waits for the user.
    """

    opened = Signal(object)
    started = Signal(object)
    progressed = Signal()
    ended = Signal(object)
    checked = Signal(object)
    session_changed = Signal(object)
    session_updated = Signal(object)
    running_changed = Signal(bool)
    goes_on_from = Signal(object)
    waits_elsewhere = Signal(object)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._session: int | None = None
        self._shown: OngoingQuestion | None = None
        self._under_way: list[OngoingQuestion] = []
        self._last_question = ""
        self.knowledge_base: str | None = None
        self.filter = EVERYTHING
        self._plan: bool | None = None
        self._next: tuple[Run, str] | None = None
        self._after: Run | None = None
        self._is_curated = False
        self._throttle = QTimer(self)
        self._throttle.setSingleShot(True)
        self._throttle.setInterval(_THROTTLE)
        self._throttle.timeout.connect(self._on_throttle_timeout)
        self._is_progress_pending = False

    @property
    def session(self) -> int | None:
        """Id of the session that is shown; None before the first question of a new one."""
        return self._session

    @property
    def running(self) -> bool:
        """True if an answer is under way in the session that is shown."""
        return self._shown is not None

    @property
    def last_question(self) -> str:
        """The question that Up restores."""
        return self._last_question

    def set_library(self, library: Library | None) -> None:
        """Switch to another library; questions under way in the old one are stopped."""
        for asking in list(self._under_way):
            asking.stop()
        self._library = library
        self.open_session(None)

    def open_session(self, session: Session | None) -> None:
        """Show a session, or an empty new one."""
        self._next = None
        self.go_on_from(None)
        self._session = session.info.id if session is not None else None
        # The store also contains a run that is under way here; it is shown live instead.
        here = next((asking for asking in self._under_way if asking.session == self._session is not None), None)
        runs = session.runs if session is not None else ()
        transcripts = Transcripts(runs[:-1] if here is not None else runs)
        self._show(here)
        self._last_question = runs[-1].question if runs else ""
        self.opened.emit(transcripts)
        if here is not None:
            self.started.emit(here.transcript)

    def ask(self, question: str, restriction: tuple[Expression, ...] = ()) -> bool:
        """Ask in the session that is shown; return False for an empty question, without a library, or during an answer.

        Args:
            question: The question.
            restriction: Conditions on the searched documents, in addition to the filter.
        """
        question = question.strip()
        if not question or self._library is None or self.running:
            return False
        library = self._library
        ask = operations.ask(
            library,
            question,
            session=self._session,
            knowledge_base=self.knowledge_base,
            filter=self.filter.restricted(*restriction),
            plan=self._plan,
            after=self._after.id if self._after is not None else None,
            approver=operations.in_person(library),
            curator=operations.chosen_in_person(library) if self._is_curated else None,
        )
        self._start_question(library, question, ask)
        self.go_on_from(None)
        return True

    @Slot(object)
    def go_on_from(self, run: Run | None) -> None:
        """Let the next question continue from one of several alternative answers; None restores the default."""
        if run is not self._after:
            self._after = run
            self.goes_on_from.emit(run)

    @Slot(object, int, str)
    def fork(self, run: Run, number: int, result: str) -> None:
        """Continue a run from a tool call with another result, unless an answer is under way."""
        if self._library is not None and not self.running:
            approver = operations.in_person(self._library)
            going_on = operations.fork_run(self._library, run.id, number, result=result, approver=approver)
            self._start_question(self._library, run.question, going_on)

    @Slot(object, str)
    def ask_instead(self, run: Run, question: str) -> None:
        """Ask another question in place of that of a run, as an alternative; wait if an answer is under way."""
        if self.running:
            self._next = run, question
        elif self._library is not None:
            approver = operations.in_person(self._library)
            asking = operations.fork_run(self._library, run.id, question=question, approver=approver)
            self._start_question(self._library, question, asking)

    def _start_question(self, library: Library, question: str, operation: Operation[Run]) -> None:
        asking = OngoingQuestion(self._bridge, library, question, operation, session=self._session, parent=self)
        asking.progressed.connect(self._on_progressed)
        asking.ended.connect(self._on_ended)
        asking.waits.connect(self._on_waits)
        self._under_way.append(asking)
        self._last_question = question
        self._show(asking)
        self.started.emit(asking.transcript)

    def stop(self) -> None:
        """Stop the answer that is under way in the session that is shown."""
        if self._shown is not None:
            self._shown.stop()

    def decide(self, transcript: Transcript, word: ApprovalWord) -> None:
        """Pass a decision to the question whose tool call waits."""
        for asking in self._under_way:
            if asking.transcript is transcript:
                asking.decide(word)

    @Slot(object)
    def plan(self, on: bool | None) -> None:
        """Answer the next questions with a plan or without one; None for the default."""
        self._plan = on

    @Slot(bool)
    def curate(self, on: bool) -> None:
        """Let the user select from the search results of the next questions, or not."""
        self._is_curated = on

    def choose(self, transcript: Transcript, asked: CurationAsked, choice: PassageChoice) -> None:
        """Pass a selection of passages to the question whose search waits."""
        for asking in self._under_way:
            if asking.transcript is transcript:
                asking.choose(asked, choice)

    def look_around(self, transcript: Transcript, hit: Hit) -> None:
        """Load the passages before and after a passage into its transcript."""
        for asking in self._under_way:
            if asking.transcript is transcript:
                asking.look_around(hit)

    def pace(self, milliseconds: int) -> None:
        """Adapt the update interval to the time that drawing took, so that typing stays fast during a long answer."""
        self._throttle.setInterval(max(_THROTTLE, 3 * milliseconds))

    def _show(self, asking: OngoingQuestion | None) -> None:
        self._shown = asking
        self.running_changed.emit(asking is not None)

    @Slot()
    def _on_waits(self) -> None:
        asking = self.sender()
        if isinstance(asking, OngoingQuestion) and asking is not self._shown:
            self.waits_elsewhere.emit(asking.session)

    @Slot()
    def _on_progressed(self) -> None:
        if self.sender() is not self._shown:
            return
        if self._throttle.isActive():
            self._is_progress_pending = True
        else:
            # After a pause the update is immediate: for the first word, or a new step.
            self._emit_progressed()

    @Slot()
    def _on_throttle_timeout(self) -> None:
        if self._is_progress_pending:
            self._emit_progressed()

    def _emit_progressed(self) -> None:
        self._is_progress_pending = False
        self._throttle.start()
        self.progressed.emit()

    @Slot(object)
    def _on_ended(self, asking: OngoingQuestion) -> None:
        self._under_way.remove(asking)
        asking.deleteLater()
        if asking is self._shown:
            self._throttle.stop()
            self._is_progress_pending = False
            self._session = asking.session
            self._show(None)
            self.ended.emit(asking.transcript)
            if asking.session is not None:
                self.session_changed.emit(asking.session)
            if (following := self._next) is not None:
                self._next = None
                self.ask_instead(*following)
        if asking.session is not None:
            self.session_updated.emit(asking.session)
        self._check(asking.transcript)

    def _check(self, transcript: Transcript) -> None:
        """Check a stopped answer against its sources: the stop itself did not wait for that."""
        run = transcript.run
        if self._library is not None and run is not None and run.status is RunStatus.CANCELLED and run.answer.strip():
            check = operations.check_stopped_answer(self._library, run)
            self._bridge.submit(check, done=partial(self._on_checked, transcript), failed=self._on_unchecked)

    def _on_checked(self, transcript: Transcript, run: Run) -> None:
        if run.claims:
            transcript.run, transcript.claims = run, run.claims
            self.checked.emit(transcript)

    def _on_unchecked(self, error: BaseException, _details: str) -> None:
        logger.info("A stopped answer was not checked: %s", error)


@dataclass(frozen=True, slots=True)
class ApprovalWord:
    """Decision of the user on a tool call."""

    asked: ApprovalAsked
    decision: Decision
    arguments: str = ""
    always: bool = False


def spec_of(tool: str, declared: str) -> ToolSpec:
    """Return the declaration of a tool as the model saw it; an empty one for a tool that was not declared."""
    tools: list[dict[str, Any]] = json.loads(declared) if declared else []
    found = next((one for one in tools if one.get("name") == tool), {})
    return ToolSpec(tool, str(found.get("description", "")), found.get("parameters") or {})


def readable(arguments: str) -> str:
    """Return arguments as indented JSON with invisible characters escaped; unchanged if they are not valid JSON."""
    try:
        return escaped_json(json.dumps(json.loads(arguments or "{}"), ensure_ascii=False, indent=2))
    except (ValueError, RecursionError):
        return arguments


def problem(arguments: str, spec: ToolSpec) -> str:
    """Return the reason why a tool cannot be called with these arguments; empty if it can."""
    try:
        call = ToolCall("", spec.name, arguments)
        known, given = checked_arguments(call, spec), parsed_arguments(call)
    except ToolError as error:
        return translate(error.message)
    unknown = [name for name in given if name not in known]
    if not unknown or not spec.parameters:
        return ""
    return tr("{tool} has no argument {names}.", tool=spec.name, names=", ".join(unknown))


def word(asked: ApprovalAsked, arguments: str, *, always: bool = False) -> ApprovalWord:
    """Return the approval of a call, as an edit if the arguments differ from those of the model."""
    if readable(arguments) == readable(asked.arguments):
        return ApprovalWord(asked, Decision.APPROVE, always=always)
    return ApprovalWord(asked, Decision.EDIT, arguments, always=always)

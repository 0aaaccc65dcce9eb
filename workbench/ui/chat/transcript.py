"""Transcript of a run, built from its events or its stored record, and the transcripts of a session on demand."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import overload

from workbench.language import mark, tr, translate, trn
from workbench.model.approval import CurationAsked, CurationGiven, Decision
from workbench.model.claim import Claim
from workbench.model.hit import Citation, Coverage, Hit, NumberedHit, Reference, narrowest
from workbench.model.run import (
    AnswerDelta,
    AnswerDiscarded,
    ApprovalAsked,
    ApprovalGiven,
    Certainty,
    ClaimsChecked,
    LibrarySeen,
    ModelReasoning,
    Notice,
    PromptAssembled,
    ReasoningStep,
    ReferencesFound,
    Run,
    RunCancelled,
    RunCompleted,
    RunEvent,
    RunFailed,
    RunStarted,
    RunStatus,
    TimedEvent,
    ToolCompleted,
    ToolFailed,
    ToolStarted,
)
from workbench.retrieval.markdown_stripping import plain_line
from workbench.ui.chat.run_progress import PlanProgress, RunSpending, StreamedCitations

# Characters of a passage that are read for its line among the steps.
_READ = 400
# Known next actions of a reasoning step; other values are shown as the model wrote them.
_ACTIONS = {"validate": mark("validate"), "final_answer": mark("final answer"), "reset": mark("reset")}


class StepKind(StrEnum):
    """Kind of a step, which determines its icon."""

    THINK = "think"
    ANALYZE = "analyze"
    SEARCH = "search"
    TOOL = "tool"
    REMARK = "remark"


@dataclass(frozen=True, slots=True)
class StepLine:
    """A step in the steps panel.

    Attributes:
        title: Always visible: the title of a thought, the query of a search.
        summary: Visible below the title: the result of a thought.
        body: Shown when unfolded: the reasoning, the raw arguments and result, the error.
        asked: Pending request for approval of this call.
        note: Note about the user's decision.
        milliseconds: Duration; None while under way, and for a step without a duration.
        hits: Number of passages that a search found; None unless it is a finished search.
    """

    kind: StepKind
    title: str
    body: str = ""
    call_id: str = ""
    milliseconds: float | None = None
    hits: int | None = None
    running: bool = False
    failed: bool = False
    summary: str = ""
    asked: ApprovalAsked | None = None
    note: str = ""


@dataclass(slots=True)
class Transcript:
    """State of a run for display; feed() takes its events one by one.

    Attributes:
        answer: The answer streamed so far, without text that the model wrote next to its tool calls.
        citations: Final citations, set at the end of the run; see shown_citations for the time before.
        tools: The tools that the model may call, as JSON.
        claims: Claims of the answer with their verdicts, if it was checked.
        curation: Results of a search that waits for the user's selection.
        is_comparable: True if the session has an alternative to this answer.
        around: By chunk id: the passages before and after the chunk, if they were requested.
        plan: State of the plan, if the question is answered by one.
    """

    question: str
    mode: str = ""
    profile: str = ""
    status: RunStatus = RunStatus.RUNNING
    steps: list[StepLine] = field(default_factory=list)
    answer: str = ""
    citations: tuple[Citation, ...] = ()
    references: list[Reference] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    certainty: Certainty = Certainty.FOUND
    seconds: float = 0.0
    error: str = ""
    hint: str = ""
    knowledge_base: str = ""
    filter: str = ""
    agent: str = ""
    coverage: Coverage | None = None
    run: Run | None = None
    is_comparable: bool = False
    tools: str = ""
    claims: tuple[Claim, ...] = ()
    curation: CurationAsked | None = None
    around: dict[int, tuple[Hit | None, Hit | None]] = field(default_factory=dict)
    plan: PlanProgress = field(default_factory=PlanProgress)
    spending: RunSpending = field(default_factory=RunSpending)
    _streamed: StreamedCitations = field(default_factory=StreamedCitations, repr=False, compare=False)

    @classmethod
    def of_run(cls, run: Run) -> "Transcript":
        """Return the transcript of a stored run."""
        transcript = cls(run.question, mode=run.mode, profile=run.profile)
        for timed in run.events:
            transcript.feed(timed)
        transcript.finish(run)
        return transcript

    @classmethod
    def until(cls, run: Run, count: int) -> "Transcript":
        """Return the transcript after this number of events of a run."""
        transcript = cls(run.question, mode=run.mode, profile=run.profile)
        for timed in run.events[:count]:
            transcript.feed(timed)
        return transcript

    @property
    def running(self) -> bool:
        """True if the run is under way."""
        return self.status is RunStatus.RUNNING

    @property
    def waiting(self) -> bool:
        """True if the run waits for the user."""
        is_asked = self.plan.asked is not None or any(step.asked is not None for step in self.steps)
        return is_asked or self.curation is not None

    @property
    def answering(self) -> bool:
        """True if the answer itself streams, rather than the work before it."""
        return self.running and bool(self.answer)

    def shown_citations(self) -> tuple[Citation, ...]:
        """Return the citations of the answer so far.

        While it streams, its markers are checked against the search results so far: a valid marker is shown as a chip
        from
        the start, and an invalid number never is.
        """
        if not self.running:
            return self.citations
        return self._streamed.read(self.answer, self.references)

    def citations_beside(self, citation: Citation) -> tuple[Citation, ...]:
        """Return the valid citations of the same passage, this one included."""
        passage = (citation.marker, citation.chunk)
        return tuple(one for one in self.shown_citations() if one.valid and (one.marker, one.chunk) == passage)

    def hit_of(self, citation: Citation) -> Hit | None:
        """Return the hit that a citation was made from."""
        hits = (numbered.hit for reference in self.references for numbered in reference.hits)
        return next((hit for hit in hits if hit.chunk.id == citation.chunk), None)

    def feed(self, timed: TimedEvent) -> None:
        """Process one event."""
        self.seconds = max(self.seconds, timed.seconds)
        self.spending.feed(timed)
        self._take(timed.event)

    def finish(self, run: Run) -> None:
        """Take over the stored run, which determines the final state."""
        self.run = run
        self.status = RunStatus.CANCELLED if run.status is RunStatus.RUNNING else run.status
        self.answer = run.answer
        self.citations = run.citations
        self.references = list(run.references)
        self.certainty = run.certainty
        self.seconds = run.seconds
        self.error = run.error
        self.hint = run.hint
        self._stop_steps()

    def fail(self, message: str, hint: str) -> None:
        """End the run with an error from outside of it, for which no run was stored."""
        self.status = RunStatus.FAILED
        self.error = message
        self.hint = hint
        self._stop_steps()

    def cancel(self) -> None:
        """End the run because the user stopped it; finish() follows if a run was stored."""
        self.status = RunStatus.CANCELLED
        self._stop_steps()

    def _take(self, event: RunEvent) -> None:
        if self.plan.feed(event, len(self.steps)):
            return
        match event:
            case RunStarted():
                self.mode = event.mode
                self.profile = event.profile
                self.knowledge_base = event.knowledge_base
                self.filter = event.filter
                self.agent = event.agent
            case AnswerDelta():
                if not self.answer:
                    self._close_searches()
                self.answer += event.text
            case AnswerDiscarded():
                self.answer = ""
                if event.text.strip():
                    self.steps.append(StepLine(StepKind.REMARK, _first_line(event.text), body=event.text.strip()))
            case Notice():
                self.notices.append(event.text)
            case PromptAssembled():
                self.tools = event.tools
            case ApprovalAsked() | ApprovalGiven():
                self._take_approval(event)
            case CurationAsked() | CurationGiven():
                self._take_curation(event)
            case ClaimsChecked():
                self.claims = event.claims
            case LibrarySeen():
                self.coverage = narrowest([event.coverage, *([self.coverage] if self.coverage else [])])
            case ReferencesFound():
                self._take_reference(event.reference)
            case RunCompleted() | RunCancelled() | RunFailed():
                self._end(event)
            case _:
                self._take_step(event)

    def _take_approval(self, event: ApprovalAsked | ApprovalGiven) -> None:
        if isinstance(event, ApprovalAsked):
            self._close_searches()
            self.steps.append(replace(_make_step(event), asked=event))
            return
        step = self._find(event.call_id)
        before = step.asked.arguments if step is not None and step.asked is not None else ""
        self._change(
            event.call_id, fallback=StepLine(StepKind.TOOL, ""), asked=None, note=approval_note(event.decision, before)
        )

    def _take_curation(self, event: CurationAsked | CurationGiven) -> None:
        asked, self.curation = self.curation, event if isinstance(event, CurationAsked) else None
        if isinstance(event, CurationGiven) and asked is not None:
            total = len(asked.hits) + event.added
            note = trn(
                "{chosen:,} of {n:,} passage chosen by you.",
                "{chosen:,} of {n:,} passages chosen by you.",
                total,
                chosen=len(event.chunks),
            )
            running = [place for place, step in enumerate(self.steps) if step.running and step.title == asked.query]
            for place in running[:1]:
                self.steps[place] = replace(self.steps[place], note=note)

    def _take_step(self, event: RunEvent) -> None:
        match event:
            case ToolStarted():
                self._start(event)
            case ReasoningStep():
                self._take_thought(event)
            case ModelReasoning():
                self._take_reasoning(event.text)
            case ToolCompleted():
                self._complete(event)
            case ToolFailed():
                self._change(
                    event.call_id,
                    fallback=StepLine(_kind(event.tool), event.tool, call_id=event.call_id),
                    failed=True,
                    running=False,
                    milliseconds=event.milliseconds,
                    asked=None,
                    body=translate(event.message),
                )

    def _start(self, event: ToolStarted) -> None:
        """Add the step of a call, or continue its existing step if the call waited for approval."""
        self._close_searches()
        step, began = self._find(event.call_id), _make_step(event)
        if step is not None and step.running and step.note:
            self._change(event.call_id, fallback=began, title=began.title, body=began.body)
        else:
            self.steps.append(began)

    def _complete(self, event: ToolCompleted) -> None:
        step = self._find(event.call_id)
        body = step.body if step is not None and step.kind in (StepKind.THINK, StepKind.ANALYZE) else ""
        if not body and step is not None and step.kind is StepKind.TOOL:
            body = f"{step.body}\n\n{event.result}".strip()
        self._change(
            event.call_id,
            fallback=StepLine(_kind(event.tool), event.tool, call_id=event.call_id),
            running=False,
            milliseconds=event.milliseconds,
            body=body or (step.body if step is not None else ""),
        )

    def _take_thought(self, event: ReasoningStep) -> None:
        """Add a thought to the step of the call that contained it; without a call it gets its own step."""
        kind = _kind(event.tool)
        summary = "\n".join(part.strip() for part in (event.result, event.action) if part.strip())
        body = "\n\n".join(part for part in (event.reasoning.strip(), _certainty(event)) if part)
        for index, step in enumerate(self.steps):
            if step.kind is kind and step.call_id and not step.body and not step.failed:
                self.steps[index] = replace(step, title=event.title or step.title, summary=summary, body=body)
                return
        self.steps.append(StepLine(kind, event.title, summary=summary, body=body))

    def _take_reasoning(self, text: str) -> None:
        last = self.steps[-1] if self.steps else None
        if last is not None and last.kind is StepKind.THINK and not last.call_id:
            self.steps[-1] = replace(last, body=last.body + text)
        elif text.strip():
            self.steps.append(StepLine(StepKind.THINK, tr("Thinking"), body=text.lstrip()))

    def _take_reference(self, reference: Reference) -> None:
        self.references.append(reference)
        searches = [index for index, step in enumerate(self.steps) if step.kind is StepKind.SEARCH]
        same = [index for index in searches if self.steps[index].title == reference.query]
        for index in [*same, *reversed(searches)]:
            if self.steps[index].hits is None:
                body = "\n".join(_hit_line(numbered) for numbered in reference.hits)
                self.steps[index] = replace(self.steps[index], hits=len(reference.hits), body=body)
                return

    def _end(self, event: RunCompleted | RunCancelled | RunFailed) -> None:
        self.answer = event.answer
        self.citations = event.citations
        self.seconds = event.seconds
        self._stop_steps()
        match event:
            case RunCompleted():
                self.status = RunStatus.COMPLETED
                self.certainty = event.certainty
            case RunCancelled():
                self.status = RunStatus.CANCELLED
            case RunFailed():
                self.status = RunStatus.FAILED
                self.error = event.message
                self.hint = event.hint

    def _find(self, call_id: str) -> StepLine | None:
        # The last one, since some servers reuse the same ids in a later turn.
        return next((step for step in reversed(self.steps) if step.call_id == call_id), None)

    def _change(self, call_id: str, *, fallback: StepLine, **changes: object) -> None:
        for index in range(len(self.steps) - 1, -1, -1):
            if self.steps[index].call_id == call_id:
                self.steps[index] = replace(self.steps[index], **changes)  # type: ignore[arg-type]
                return
        self.steps.append(replace(fallback, **changes))  # type: ignore[arg-type]

    def _close_searches(self) -> None:
        """Set the hits of searches that ended without references to 0: they come right after the end, or never."""
        self.steps = [
            replace(step, hits=0)
            if step.kind is StepKind.SEARCH and step.hits is None and step.milliseconds is not None and not step.failed
            else step
            for step in self.steps
        ]

    def _stop_steps(self) -> None:
        self.curation = None
        self.plan.stop()
        self._close_searches()
        self.steps = [replace(step, running=False, asked=None) if step.running else step for step in self.steps]


def _kind(tool: str) -> StepKind:
    if tool in (StepKind.THINK, StepKind.ANALYZE):
        return StepKind(tool)
    return StepKind.SEARCH if "search" in tool else StepKind.TOOL


def approval_note(decision: Decision, before: str) -> str:
    """Return the note about the user's decision on a call, for its step."""
    if decision is Decision.EDIT:
        return tr("Allowed by you with changed arguments. The model's were: {arguments}", arguments=before)
    return tr("Allowed by you.") if decision is Decision.APPROVE else tr("Denied by you.")


def _certainty(event: ReasoningStep) -> str:
    if event.next_action == "continue":
        return tr("Confidence: {confidence:.0%}.", confidence=event.confidence)
    action = _ACTIONS.get(event.next_action)
    next_text = tr(action) if action is not None else event.next_action.replace("_", " ")
    return tr("Next: {action}. Confidence: {confidence:.0%}.", action=next_text, confidence=event.confidence)


def _make_step(event: ToolStarted | ApprovalAsked) -> StepLine:
    """Return the step of a call that starts; the arguments are written by the model and may be invalid."""
    kind = _kind(event.tool)
    try:
        arguments = json.loads(event.arguments or "{}")
    except (ValueError, RecursionError):
        arguments = {}
    if not isinstance(arguments, dict):
        arguments = {}
    title = {StepKind.THINK: tr("Thinking"), StepKind.ANALYZE: tr("Evaluating the results")}.get(kind, event.tool)
    if kind is StepKind.SEARCH:
        title = str(arguments.get("query") or event.tool)
    elif kind is not StepKind.TOOL:
        title = str(arguments.get("title") or title)
    body = event.arguments if kind is StepKind.TOOL else ""
    return StepLine(kind, title, body=body, call_id=event.call_id, running=True)


def _first_line(text: str) -> str:
    line = next(iter(text.strip().splitlines()), "")
    return line if len(line) <= 90 else line[:89].rstrip() + "…"


def _hit_line(numbered: NumberedHit) -> str:
    hit = numbered.hit
    if hit.place:
        return tr(
            "[{number}] {document}, {place}: {text}",
            number=numbered.number,
            document=hit.document_name,
            place=translate(hit.place),
            text=_first_line(plain_line(hit.chunk.text[:_READ])),
        )
    return f"[{numbered.number}] {hit.document_name}: {_first_line(plain_line(hit.chunk.text[:_READ]))}"


class Transcripts(Sequence[Transcript]):
    """Transcripts of a session, created on access: creating those of 250 answers at once would block for 0.1 s.

    Args:
        runs: Stored runs, oldest first; existing transcripts are kept.
    """

    def __init__(self, runs: Sequence[Run | Transcript]) -> None:
        self._runs: Sequence[Run | Transcript] = runs._runs if isinstance(runs, Transcripts) else runs

    def __len__(self) -> int:
        return len(self._runs)

    @overload
    def __getitem__(self, index: int) -> Transcript: ...
    @overload
    def __getitem__(self, index: slice) -> "Transcripts": ...
    def __getitem__(self, index: int | slice) -> "Transcript | Transcripts":
        if isinstance(index, slice):
            return Transcripts(self._runs[index])
        run = self._runs[index]
        return run if isinstance(run, Transcript) else Transcript.of_run(run)

    @property
    def kept(self) -> Sequence[Run | Transcript]:
        """The stored runs and existing transcripts, without creating any; both have an answer and citations."""
        return self._runs

    @property
    def ended(self) -> list[Run]:
        """The stored runs, without those that are under way."""
        runs = (kept.run if isinstance(kept, Transcript) else kept for kept in self._runs)
        return [run for run in runs if run is not None]

    def place(self, run: int) -> int | None:
        """Return the index of the run with this id; None if there is none."""
        runs = (kept.run if isinstance(kept, Transcript) else kept for kept in self._runs)
        return next((place for place, kept in enumerate(runs) if kept is not None and kept.id == run), None)

    def with_more(self, transcripts: Sequence[Transcript]) -> "Transcripts":
        """Return a sequence with additional transcripts at the end."""
        return Transcripts([*self._runs, *transcripts])

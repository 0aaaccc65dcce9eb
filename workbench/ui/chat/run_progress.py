"""State of a run derived from its events: budget used, plan progress, citations while it streams; without Qt."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from workbench.agent.markers import find_markers, standing
from workbench.language import mark, tr, trn
from workbench.model.approval import CurationAsked, CurationGiven
from workbench.model.hit import Citation, NumberedHit, Reference
from workbench.model.message import Usage
from workbench.model.plan_state import PlanState
from workbench.model.run import (
    PLAN,
    ApprovalAsked,
    ApprovalGiven,
    Limit,
    Limits,
    PlanDelta,
    PlanMade,
    PlanStepEnded,
    PlanStepStarted,
    RunCancelled,
    RunCompleted,
    RunEvent,
    RunFailed,
    RunStarted,
    TimedEvent,
    TurnCompleted,
)

# With a price per million tokens one answer costs little: below this amount, cents are too coarse.
_SMALL = 1.0
COST = "cost"
"""Kind of the meter that has no limit."""
ENDED = {
    Limit.TOOL_CALLS: mark("tool call limit reached"),
    Limit.ROUNDS: mark("round limit reached"),
    Limit.SECONDS: mark("time limit reached"),
    Limit.TOKENS: mark("token limit reached"),
}
"""Message for an answer that ended because it reached a limit."""


@dataclass(frozen=True, slots=True)
class Meter:
    """Usage of one resource; share is the fraction of its limit, None without a limit."""

    kind: str
    text: str
    share: float | None
    reached: bool = False


@dataclass(slots=True)
class RunSpending:
    """Sums up the usage of a run; feed() takes its events one by one.

    Attributes:
        limits: The limits of the answer; None for a stored run of an earlier version.
        ended: The limit that ended the answer, if any.
    """

    limits: Limits | None = None
    ended: Limit | None = None
    _calls: int = 0
    _rounds: int = 0
    _usage: tuple[int, int] = (0, 0)
    _is_estimate: bool = False
    _waiting: int = 0
    _waiting_since: float = 0.0
    _waited_seconds: float = 0.0

    def feed(self, timed: TimedEvent) -> None:
        """Process one event."""
        match timed.event:
            case RunStarted(limits=limits):
                self.limits = limits
            case TurnCompleted() as turn:
                # Calls beyond the limit are counted, too, but not carried out: the model only gets a message instead.
                self._calls += len(turn.tool_calls)
                self._rounds = max(self._rounds, turn.round)
                self._take(turn.usage)
                self._is_estimate = self._is_estimate or turn.is_estimate
            case ApprovalAsked() | CurationAsked():
                self._waiting_since = timed.seconds if not self._waiting else self._waiting_since
                self._waiting += 1
            case ApprovalGiven() | CurationGiven() if self._waiting:
                self._waiting -= 1
                self._waited_seconds += 0.0 if self._waiting else timed.seconds - self._waiting_since
            case RunFailed(limit=limit):
                self.ended = limit

    def meters(self, seconds: float) -> list[Meter]:
        """Return the meters after this number of seconds of the run; empty if no limits are known."""
        return list(self._meters(self.limits, seconds)) if self.limits is not None else []

    def _meters(self, limits: Limits, seconds: float) -> Iterator[Meter]:
        calls = min(self._calls, limits.tool_calls)
        called = trn("{used} of {n} tool call", "{used} of {n} tool calls", limits.tool_calls, used=calls)
        yield self._meter(Limit.TOOL_CALLS, called, calls, limits.tool_calls)
        rounds = trn("{used} of {n} round", "{used} of {n} rounds", limits.rounds, used=self._rounds)
        yield self._meter(Limit.ROUNDS, rounds, self._rounds, limits.rounds)
        passed = self._passed(limits, seconds)
        time = tr("{used:.1f} of {limit:g} s", used=passed, limit=limits.seconds)
        yield self._meter(Limit.SECONDS, time, passed, limits.seconds)
        if limits.tokens:
            used = sum(self._usage)
            tokens = (
                mark("≈ {used:,} of {limit:,} tokens") if self._is_estimate else mark("{used:,} of {limit:,} tokens")
            )
            yield self._meter(Limit.TOKENS, tr(tokens, used=used, limit=limits.tokens), used, limits.tokens)
        if limits.price is not None:
            yield Meter(COST, _cost(limits.price.of(*self._usage)), None)

    def _meter(self, limit: Limit, text: str, used: float, most: float) -> Meter:
        # The limit of tool calls does not end an answer: further calls are refused, and the model is asked to answer.
        reached = self.ended is limit or (limit is Limit.TOOL_CALLS and self._calls >= most)
        text = tr("{used}: limit reached", used=text) if reached else text
        return Meter(limit.value, text, 1.0 if reached else min(1.0, used / most) if most else 1.0, reached)

    def _passed(self, limits: Limits, seconds: float) -> float:
        """Return the elapsed time that counts toward the limit: without the time spent waiting for the user."""
        waiting = seconds - self._waiting_since if self._waiting else 0.0
        return max(0.0, limits.spent + seconds - self._waited_seconds - waiting)

    def _take(self, usage: Usage) -> None:
        input_tokens, output_tokens = self._usage
        self._usage = input_tokens + (usage.input_tokens or 0), output_tokens + (usage.output_tokens or 0)


def _cost(cost: float) -> str:
    text = mark("cost {cost:,.2f}") if cost >= _SMALL or not cost else mark("cost {cost:.4f}")
    return tr(text, cost=cost)


WRITING = mark("Making a plan…")
LEFT = mark("Answered without this plan, at your request")


@dataclass(slots=True)
class PlanProgress:
    """State of a plan for display; feed() takes the events of the run one by one.

    Attributes:
        standing: The plan and its steps.
        asked: The pending request for approval of the plan.
        first: Number of steps of the run before the plan.
        begins: For each started step of the plan, by its number, the index of the first run step that belongs to it.
        end: Number of steps of the run when the last step of the plan ended.
    """

    standing: PlanState = field(default_factory=PlanState)
    asked: ApprovalAsked | None = None
    first: int = 0
    begins: dict[int, int] = field(default_factory=dict)
    end: int = 0

    @property
    def is_shown(self) -> bool:
        """True if there is a plan to show."""
        return self.standing.plan is not None or self.standing.making

    @property
    def title(self) -> str:
        """Title above the steps."""
        plan = self.standing.plan
        if plan is None:
            return tr(WRITING)
        return tr(LEFT) if self.standing.left else plan.task or tr("Plan of {n} steps", n=len(plan.steps))

    def feed(self, event: RunEvent, count: int) -> bool:
        """Process one event; return whether it concerns only the plan.

        Args:
            event: The event.
            count: Number of steps of the run so far.
        """
        self.standing.feed(event)
        match event:
            case PlanMade():
                self.first = self.end = count
                self.begins.clear()
            case PlanStepStarted(step) if step:
                self.begins[step] = count
            case PlanStepEnded():
                self.end = count
            case ApprovalAsked(call_id) if call_id == PLAN:
                self.asked = event
                return True
            case ApprovalGiven(call_id) if call_id == PLAN:
                self.asked = None
                return True
            case RunCompleted() | RunCancelled() | RunFailed():
                self.asked = None
        return isinstance(event, PlanDelta | PlanMade | PlanStepStarted | PlanStepEnded)

    def stop(self) -> None:
        """Stop the plan: clear the pending request, and end its steps."""
        self.asked = None
        self.standing.stop()

    def step_of(self, index: int) -> int:
        """Return the number of the plan step that a step of the run belongs to; 0 if none."""
        if not self.standing.running and index >= self.end:
            return 0
        return max((step for step, begin in self.begins.items() if begin <= index), default=0)


class StreamedCitations:
    """Reads the citations of an answer repeatedly while it grows; reads only the part again that can still change."""

    def __init__(self) -> None:
        self._final_text = ""
        self._searches = 0
        self._citations: tuple[Citation, ...] = ()

    def read(self, answer: str, references: Sequence[Reference]) -> tuple[Citation, ...]:
        """Return the citations of the answer so far.

        Args:
            answer: The answer so far.
            references: The search results so far; those withheld from the answerer cannot be cited.
        """
        if not answer.startswith(self._final_text) or len(references) != self._searches:
            self._final_text, self._searches, self._citations = "", len(references), ()
        start = len(self._final_text)
        offered = (reference for reference in references if not reference.withheld)
        numbered = {hit.number: hit for reference in offered for hit in reference.hits}
        citations = self._citations + tuple(
            provisional(marker.number, numbered.get(marker.number), start + marker.start, start + marker.end)
            for marker in find_markers(answer[start:])
        )
        stands = standing(answer, start)
        if stands > start:
            self._final_text = answer[:stands]
            self._citations = tuple(citation for citation in citations if citation.answer_start < stands)
        return citations


def provisional(number: int, numbered: NumberedHit | None, start: int, end: int) -> Citation:
    """Return the preliminary citation for a marker; not valid if no search result has its number."""
    if numbered is None:
        return Citation(number, False, answer_start=start, answer_end=end)
    hit, chunk = numbered.hit, numbered.hit.chunk
    return Citation(
        number,
        True,
        document=chunk.document,
        document_name=hit.document_name,
        path=hit.path,
        page=hit.page,
        chunk=chunk.id,
        chunk_ordinal=chunk.ordinal,
        start=chunk.start,
        end=chunk.end,
        quote=chunk.text,
        sha256=chunk.sha256,
        answer_start=start,
        answer_end=end,
        headings=hit.headings,
        page_kind=hit.page_kind,
        page_label=hit.label_of(hit.page),
        ocr=hit.page in hit.ocr_pages,
        lines=hit.lines_of(chunk.start, chunk.end),
    )

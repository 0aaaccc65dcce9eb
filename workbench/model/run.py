"""Agent run: its events, its plan, its limits, and the stored run."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from workbench.language import mark
from workbench.model.approval import CurationAsked, CurationGiven, Decision
from workbench.model.claim import Claim
from workbench.model.exhaustive import Price
from workbench.model.hit import Citation, Coverage, Reference, narrowest
from workbench.model.message import PromptSection, ToolCall, Usage
from workbench.model.search_configuration import SearchInForce


class Limit(StrEnum):
    """Limited resource of an answer."""

    TOOL_CALLS = "tool calls"
    ROUNDS = "rounds"
    SECONDS = "seconds"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one answer; see the settings of the same names.

    Attributes:
        tokens: Maximum number of tokens of requests and responses together; 0 without a model.
        spent: Seconds spent before its run began.
        price: Last known token price of its model; None if there is none.
    """

    tool_calls: int
    rounds: int
    seconds: float
    tokens: int = 0
    spent: float = 0.0
    price: Price | None = None


PLAN = "plan"
"""Name and call id of a plan that waits for approval."""


class PlanWhen(StrEnum):
    """Questions that are answered by a plan; ASKED means those for which a person requests it."""

    NEVER = "never"
    ASKED = "asked"
    ALWAYS = "always"


class StepState(StrEnum):
    """State of a step of a plan; a SKIPPED step was not begun, or not finished."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Plan:
    """Plan for answering a question.

    Attributes:
        task: The task; may be empty.
        steps: The steps in order; never empty.
        finish: Instruction for composing the answer from the results of the steps; may be empty.
    """

    task: str
    steps: tuple[str, ...]
    finish: str = ""


class RunStatus(StrEnum):
    """Status of a run."""

    RUNNING = "running"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Certainty(StrEnum):
    """Certainty that the documents support an answer."""

    FOUND = "found"
    CLOSEST = "closest"
    UNKNOWN = "unknown"
    NOT_FOUND = "not_found"


CERTAINTY_WORDS = {
    Certainty.CLOSEST: mark("closest passages, which may not answer the question"),
    Certainty.UNKNOWN: mark("not known yet"),
    Certainty.NOT_FOUND: mark("nothing found"),
}
"""Short descriptions; a certain answer needs none."""


@dataclass(frozen=True, slots=True)
class RunStarted:
    """Event: a run begins; profile names the model profile, mode describes the answerer.

    Attributes:
        knowledge_base: Name, at that time, of the only one that is searched; empty for all.
        filter: Further restriction of its searches, as text; empty for none.
        agent: Name, at that time, of the agent that answers.
        limits: Limits of the answer; None for a stored run of an earlier version.
        search: Search settings; None without searches, and for a stored run of an earlier version.
    """

    question: str
    profile: str
    mode: str
    knowledge_base: str = ""
    filter: str = ""
    agent: str = ""
    limits: Limits | None = None
    search: SearchInForce | None = None


@dataclass(frozen=True, slots=True)
class PromptAssembled:
    """Event: the prompt for the model from this turn on; emitted at the first turn, and again when it changes.

    Attributes:
        sections: Parts of the prompt; joined they are exactly what is sent. None if no prompt is sent.
        conversation: Messages before the first answer, by author: earlier questions and answers, then the question as
            it is sent.
        tools: The tools as declared, as JSON.
        role: Role by which the prompt is sent.
    """

    sections: tuple[PromptSection, ...]
    conversation: tuple[PromptSection, ...]
    tools: str
    role: str = "system"


@dataclass(frozen=True, slots=True)
class ReasoningStep:
    """Event: one call of think or analyze, as a two-level step shown to the user and kept out of the answer."""

    tool: str
    title: str
    reasoning: str
    action: str = ""
    result: str = ""
    next_action: str = "continue"
    confidence: float = 0.8


@dataclass(frozen=True, slots=True)
class ModelReasoning:
    """Event: a piece of the model's own streamed reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningStarted:
    """Event: the first thought of this run was recorded."""


@dataclass(frozen=True, slots=True)
class ReasoningCompleted:
    """Event: no more thoughts follow; steps contains all of this run."""

    steps: tuple[ReasoningStep, ...]


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    """Event: a call waits for a person's approval.

    Attributes:
        arguments: JSON text, as the model wrote it.
        reason: Reason for the approval, as a sentence.
    """

    call_id: str
    tool: str
    arguments: str
    reason: str


@dataclass(frozen=True, slots=True)
class ApprovalGiven:
    """Event: the decision on a waiting call; arguments are the final arguments of the call."""

    call_id: str
    decision: Decision
    arguments: str


@dataclass(frozen=True, slots=True)
class PlanDelta:
    """Event: a piece of the model's text for a step of its plan; step is 0 while it writes the plan itself."""

    step: int
    text: str


@dataclass(frozen=True, slots=True)
class PlanMade:
    """Event: the question is answered by this plan; emitted again if a person changed it."""

    plan: Plan


@dataclass(frozen=True, slots=True)
class PlanStepStarted:
    """Event: a step of the plan begins, and all events until its end belong to it; 0 is the making of the plan."""

    step: int


@dataclass(frozen=True, slots=True)
class PlanStepEnded:
    """Event: a step of the plan has ended, or is not carried out.

    Attributes:
        state: DONE, FAILED or SKIPPED.
        result: Its result; for another state than DONE, the reason as a sentence.
    """

    step: int
    state: StepState
    result: str
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TurnCompleted:
    """Event: the model has ended one turn; with these events a run can be replayed without asking the model.

    Attributes:
        round: From 1.
        finish: See message.TurnEnd.
        milliseconds: From the request to the end of the turn.
        tool_calls: As the model made them, before a person changed any.
        provider_items: See message.Message.
        by_text: Tools were called in the text of the answer, not by the model's own tool calling.
        is_estimate: The tokens were not counted by the server, but estimated.
    """

    round: int
    usage: Usage
    finish: str
    milliseconds: float
    tool_calls: tuple[ToolCall, ...] = ()
    provider_items: tuple[dict[str, Any], ...] = ()
    by_text: bool = False
    is_estimate: bool = False


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """Event: a tool call begins; arguments is JSON text."""

    call_id: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolCompleted:
    """Event: a tool call succeeded; result is passed to the model."""

    call_id: str
    tool: str
    result: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class ToolFailed:
    """Event: a tool call failed; message is passed to the model."""

    call_id: str
    tool: str
    message: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class ReferencesFound:
    """Event: a search of this run found something."""

    reference: Reference


@dataclass(frozen=True, slots=True)
class LibrarySeen:
    """Event: coverage of the library by the searches from here on."""

    coverage: Coverage


@dataclass(frozen=True, slots=True)
class AnswerDelta:
    """Event: a piece of the answer's Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class ClaimsChecked:
    """Event: the answer was compared with the passages that it cites, before the run ends.

    Attributes:
        claims: In the order of the answer; their positions refer to it.
        by: The model that checked it; empty for an offline check.
    """

    claims: tuple[Claim, ...]
    by: str = ""
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class AnswerDiscarded:
    """Event: the text so far accompanied tool calls and is not the answer; it stays in the steps."""

    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Event: a sentence for the user: a retry, a limit reached, vectors not there yet."""

    text: str


@dataclass(frozen=True, slots=True)
class RunCompleted:
    """Event: the run succeeded; citations are all markers of the answer, including invalid ones.

    Attributes:
        certainty: NOT_FOUND if refused is true; CLOSEST for passages that may not answer the question; UNKNOWN if
            nothing was found and a search failed, or documents are still to be read or embedded.
    """

    answer: str
    citations: tuple[Citation, ...]
    refused: bool
    usage: Usage
    seconds: float
    certainty: Certainty = Certainty.FOUND


@dataclass(frozen=True, slots=True)
class RunCancelled:
    """Event: the user stopped the run; answer is the text so far."""

    answer: str
    citations: tuple[Citation, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class RunFailed:
    """Event: the run ended with an error; answer is the text so far, limit is the limit that was exceeded."""

    message: str
    hint: str
    answer: str
    citations: tuple[Citation, ...]
    seconds: float
    limit: Limit | None = None


RunEvent = (
    RunStarted
    | PromptAssembled
    | ReasoningStarted
    | ReasoningStep
    | ReasoningCompleted
    | ModelReasoning
    | ApprovalAsked
    | ApprovalGiven
    | CurationAsked
    | CurationGiven
    | PlanDelta
    | PlanMade
    | PlanStepStarted
    | PlanStepEnded
    | TurnCompleted
    | ToolStarted
    | ToolCompleted
    | ToolFailed
    | ReferencesFound
    | LibrarySeen
    | AnswerDelta
    | AnswerDiscarded
    | Notice
    | ClaimsChecked
    | RunCompleted
    | RunCancelled
    | RunFailed
)


@dataclass(frozen=True, slots=True)
class RunBegan:
    """Numbers of a stored run, emitted next to its events; they are used to decide what waits for a person."""

    session: int
    run: int


@dataclass(frozen=True, slots=True)
class TimedEvent:
    """Event with its number in the run (from 0) and its time in seconds since the run began."""

    number: int
    seconds: float
    event: RunEvent


@dataclass(frozen=True, slots=True)
class Run:
    """Question with its answer and events.

    Attributes:
        id: The library's own number.
        session: The session's id.
        started: ISO 8601, UTC.
        seconds: Duration.
        refused: The answer states that nothing was found.
        error: Error message, for FAILED.
        parent: The run that this one continues; None for most.
        parent_event: Event of the parent after which this run continues, replacing the rest; None if it follows the end
            of the parent, as a next question.
    """

    id: int
    session: int
    question: str
    profile: str
    mode: str
    status: RunStatus
    answer: str
    refused: bool
    started: str
    seconds: float
    citations: tuple[Citation, ...]
    references: tuple[Reference, ...]
    events: tuple[TimedEvent, ...]
    error: str = ""
    hint: str = ""
    parent: int | None = None
    parent_event: int | None = None

    @property
    def certainty(self) -> Certainty:
        """Certainty of the answer; FOUND if unknown, or if the run did not succeed."""
        if self.refused:
            return Certainty.NOT_FOUND
        ends = [timed.event.certainty for timed in self.events if isinstance(timed.event, RunCompleted)]
        return ends[-1] if ends else Certainty.FOUND

    @property
    def knowledge_base(self) -> str:
        """The only knowledge base that was searched; empty for all."""
        return self._start_event.knowledge_base if self._start_event else ""

    @property
    def filter(self) -> str:
        """Further restriction of its searches, as text; empty for none."""
        return self._start_event.filter if self._start_event else ""

    @property
    def agent(self) -> str:
        """Name of the agent that answered; empty for a run of a version without agents."""
        return self._start_event.agent if self._start_event else ""

    @property
    def prompts(self) -> tuple[PromptAssembled, ...]:
        """The prompts for the model: at the first turn, and after each change."""
        return tuple(timed.event for timed in self.events if isinstance(timed.event, PromptAssembled))

    @property
    def plan(self) -> Plan | None:
        """The final plan that the answer followed; None for most."""
        plan = None
        for timed in self.events:
            match timed.event:
                case PlanMade(made):
                    plan = made
                case ApprovalGiven(call_id, Decision.DENY) if call_id == PLAN:
                    plan = None
        return plan

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Claims of the answer, each with its verdict; empty if it was not checked."""
        checks = [timed.event.claims for timed in self.events if isinstance(timed.event, ClaimsChecked)]
        return checks[-1] if checks else ()

    @property
    def _start_event(self) -> RunStarted | None:
        return next((timed.event for timed in self.events if isinstance(timed.event, RunStarted)), None)

    @property
    def coverage(self) -> Coverage | None:
        """Coverage of its searches, the narrowest of several; None without a search."""
        seen = [timed.event.coverage for timed in self.events if isinstance(timed.event, LibrarySeen)]
        return narrowest(seen)

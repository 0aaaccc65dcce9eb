"""An agent run: its events, its plan, its limits, and the run as it is stored."""

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
    """Something that an answer may take only so much of."""

    TOOL_CALLS = "tool calls"
    ROUNDS = "rounds"
    SECONDS = "seconds"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one answer may take; see the settings of the same names.

    Attributes:
        tokens: Of questions and answers together; 0 where no model is asked, which has none.
        spent: Seconds that it had needed before its run began.
        price: What tokens of its model were last said to cost; None where nobody said.
    """

    tool_calls: int
    rounds: int
    seconds: float
    tokens: int = 0
    spent: float = 0.0
    price: Price | None = None


PLAN = "plan"
"""By which name and call id a plan waits for a person's word."""


class PlanWhen(StrEnum):
    """Which questions are answered by a plan; ASKED means those of which a person says so."""

    NEVER = "never"
    ASKED = "asked"
    ALWAYS = "always"


class StepState(StrEnum):
    """How a step of a plan stands; a SKIPPED one was not begun, or not ended."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done for a question.

    Attributes:
        task: What is to be found out; may be empty.
        steps: What is to be done, one after another; never empty.
        finish: How the answer is made of what the steps came to; may be empty.
    """

    task: str
    steps: tuple[str, ...]
    finish: str = ""


class RunStatus(StrEnum):
    """How a run stands or ended."""

    RUNNING = "running"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Certainty(StrEnum):
    """How sure an answer is that the documents say what it says."""

    FOUND = "found"
    CLOSEST = "closest"
    UNKNOWN = "unknown"
    NOT_FOUND = "not_found"


CERTAINTY_WORDS = {
    Certainty.CLOSEST: mark("closest passages, not sure that they answer"),
    Certainty.UNKNOWN: mark("not known yet"),
    Certainty.NOT_FOUND: mark("nothing found"),
}
"""Each in a few words; an answer that is sure of itself needs none."""


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run begins; profile names the model profile, mode says in words who answers.

    Attributes:
        knowledge_base: The name, at that time, of the only one that is searched; empty for all.
        filter: What else its searches are restricted to, as text; empty for nothing.
        agent: The name, at that time, of the agent that answers.
        limits: What the answer may take; None for a run of before that was kept.
        search: How the library is searched; None where it is not, and for a run of before that was kept.
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
    """What the model is told from this turn on; said at the first, and again when it changes.

    Attributes:
        sections: The parts of the prompt; joined they are exactly what is sent. None where no prompt is sent.
        conversation: What was said before the first answer, by whom: earlier questions and answers, then the question
            as it is sent.
        tools: The tools as they are declared, as JSON.
        role: By which role the prompt is sent.
    """

    sections: tuple[PromptSection, ...]
    conversation: tuple[PromptSection, ...]
    tools: str
    role: str = "system"


@dataclass(frozen=True, slots=True)
class ReasoningStep:
    """One think or analyze: the two-level step shown to the user and kept out of the answer."""

    tool: str
    title: str
    reasoning: str
    action: str = ""
    result: str = ""
    next_action: str = "continue"
    confidence: float = 0.8


@dataclass(frozen=True, slots=True)
class ModelReasoning:
    """A piece of the model's own streamed reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningStarted:
    """The first thought of this run has been recorded."""


@dataclass(frozen=True, slots=True)
class ReasoningCompleted:
    """No thought follows any more; steps are all of this run."""

    steps: tuple[ReasoningStep, ...]


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    """A call waits for a person's word.

    Attributes:
        arguments: JSON text, as the model wrote it.
        reason: Why it waits, as a sentence.
    """

    call_id: str
    tool: str
    arguments: str
    reason: str


@dataclass(frozen=True, slots=True)
class ApprovalGiven:
    """The word on a call that waited; arguments is what it is called with."""

    call_id: str
    decision: Decision
    arguments: str


@dataclass(frozen=True, slots=True)
class PlanDelta:
    """A piece of what the model says to a step of its plan; step is 0 while it writes the plan itself."""

    step: int
    text: str


@dataclass(frozen=True, slots=True)
class PlanMade:
    """The question is answered by this plan; said again where a person changed it."""

    plan: Plan


@dataclass(frozen=True, slots=True)
class PlanStepStarted:
    """A step of the plan begins, and what happens until its end belongs to it; 0 is the making of the plan itself."""

    step: int


@dataclass(frozen=True, slots=True)
class PlanStepEnded:
    """A step of the plan has ended, or is not carried out.

    Attributes:
        state: DONE, FAILED or SKIPPED.
        result: What it came to; for another state, why there is nothing, as a sentence.
    """

    step: int
    state: StepState
    result: str
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TurnCompleted:
    """The model has ended one turn; with this a run can be gone through again without asking the model.

    Attributes:
        round: From 1.
        finish: See message.TurnEnd.
        milliseconds: From asking to the end of the turn.
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
    """A tool call begins; arguments is JSON text."""

    call_id: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolCompleted:
    """A tool call ended well; result is what the model is told."""

    call_id: str
    tool: str
    result: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class ToolFailed:
    """A tool call failed; message is what the model is told."""

    call_id: str
    tool: str
    message: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class ReferencesFound:
    """A search of this run found something."""

    reference: Reference


@dataclass(frozen=True, slots=True)
class LibrarySeen:
    """How much of the library the searches from here on could see."""

    coverage: Coverage


@dataclass(frozen=True, slots=True)
class AnswerDelta:
    """A piece of the answer's Markdown."""

    text: str


@dataclass(frozen=True, slots=True)
class ClaimsChecked:
    """The answer was compared with the passages that it cites, before the run ends.

    Attributes:
        claims: In the order of the answer; their places are those in it.
        by: The model that was asked, where one was; empty where it was checked offline.
    """

    claims: tuple[Claim, ...]
    by: str = ""
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class AnswerDiscarded:
    """The text so far was said beside tool calls and is not the answer; it stays in the steps."""

    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for the user: a retry, a limit reached, vectors not there yet."""

    text: str


@dataclass(frozen=True, slots=True)
class RunCompleted:
    """The run ended well; citations are all markers of the answer, the invalid ones too.

    Attributes:
        certainty: NOT_FOUND where refused is true; CLOSEST for passages of which it is not sure that they answer;
            UNKNOWN where nothing was found and a search failed, or documents are still to be read or embedded.
    """

    answer: str
    citations: tuple[Citation, ...]
    refused: bool
    usage: Usage
    seconds: float
    certainty: Certainty = Certainty.FOUND


@dataclass(frozen=True, slots=True)
class RunCancelled:
    """The user stopped the run; answer is what had been said."""

    answer: str
    citations: tuple[Citation, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class RunFailed:
    """The run ended with an error; answer is what had been said, limit what it needed more of than it may take."""

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
    """Said beside the events of a run: under which numbers it is kept. What waits for a person is decided by them."""

    session: int
    run: int


@dataclass(frozen=True, slots=True)
class TimedEvent:
    """An event with its number in the run (from 0) and when it happened, seconds since the run began."""

    number: int
    seconds: float
    event: RunEvent


@dataclass(frozen=True, slots=True)
class Run:
    """One question and all that came of it.

    Attributes:
        id: The library's own number.
        session: The session's id.
        started: ISO 8601, UTC.
        seconds: How long it took.
        refused: The answer says that nothing was found.
        error: What went wrong, for FAILED.
        parent: The run that this one went on from; None for most.
        parent_event: Behind which of its events, which this one then replaces; None behind its end, as a next question.
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
        """How sure the answer is of itself; FOUND for one that does not say, or did not end well."""
        if self.refused:
            return Certainty.NOT_FOUND
        ends = [timed.event.certainty for timed in self.events if isinstance(timed.event, RunCompleted)]
        return ends[-1] if ends else Certainty.FOUND

    @property
    def knowledge_base(self) -> str:
        """The only knowledge base that was searched; empty for all."""
        return self._begun.knowledge_base if self._begun else ""

    @property
    def filter(self) -> str:
        """What else its searches were restricted to, as text; empty for nothing."""
        return self._begun.filter if self._begun else ""

    @property
    def agent(self) -> str:
        """The name of the agent that answered; empty for a run of before there were any."""
        return self._begun.agent if self._begun else ""

    @property
    def prompts(self) -> tuple[PromptAssembled, ...]:
        """What the model was told: at the first turn, and each time that it changed."""
        return tuple(timed.event for timed in self.events if isinstance(timed.event, PromptAssembled))

    @property
    def plan(self) -> Plan | None:
        """The plan that the answer went by, as it was last; None for most."""
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
        """What the answer claims, each with its verdict; empty where it was not checked."""
        checks = [timed.event.claims for timed in self.events if isinstance(timed.event, ClaimsChecked)]
        return checks[-1] if checks else ()

    @property
    def _begun(self) -> RunStarted | None:
        return next((timed.event for timed in self.events if isinstance(timed.event, RunStarted)), None)

    @property
    def coverage(self) -> Coverage | None:
        """How much its searches could see, of several the one that saw least; None where nothing was searched."""
        seen = [timed.event.coverage for timed in self.events if isinstance(timed.event, LibrarySeen)]
        return narrowest(seen)

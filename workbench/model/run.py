"""An agent run: its events as they happen, and the run as it is kept."""

from dataclasses import dataclass
from enum import StrEnum

from workbench.model.coverage import Coverage, narrowest
from workbench.model.hit import Citation, Reference
from workbench.model.message import Usage


class RunStatus(StrEnum):
    """How a run stands or ended."""

    RUNNING = "running"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run begins; profile names the model profile, mode says in words who answers.

    Attributes:
        knowledge_base: The name, at that time, of the only one that is searched; empty for all.
        filter: What else its searches are restricted to, as text; empty for nothing.
    """

    question: str
    profile: str
    mode: str
    knowledge_base: str = ""
    filter: str = ""


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
class AnswerDiscarded:
    """The text so far was said beside tool calls and is not the answer; it stays in the steps."""

    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for the user: a retry, a limit reached, vectors not there yet."""

    text: str


@dataclass(frozen=True, slots=True)
class RunCompleted:
    """The run ended well; citations are all markers of the answer, the invalid ones too."""

    answer: str
    citations: tuple[Citation, ...]
    refused: bool
    usage: Usage
    seconds: float


@dataclass(frozen=True, slots=True)
class RunCancelled:
    """The user stopped the run; answer is what had been said."""

    answer: str
    citations: tuple[Citation, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class RunFailed:
    """The run ended with an error; answer is what had been said."""

    message: str
    hint: str
    answer: str
    citations: tuple[Citation, ...]
    seconds: float


RunEvent = (
    RunStarted
    | ReasoningStep
    | ModelReasoning
    | ToolStarted
    | ToolCompleted
    | ToolFailed
    | ReferencesFound
    | LibrarySeen
    | AnswerDelta
    | AnswerDiscarded
    | Notice
    | RunCompleted
    | RunCancelled
    | RunFailed
)


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

    @property
    def knowledge_base(self) -> str:
        """The only knowledge base that was searched; empty for all."""
        return self._begun.knowledge_base if self._begun else ""

    @property
    def filter(self) -> str:
        """What else its searches were restricted to, as text; empty for nothing."""
        return self._begun.filter if self._begun else ""

    @property
    def _begun(self) -> RunStarted | None:
        return next((timed.event for timed in self.events if isinstance(timed.event, RunStarted)), None)

    @property
    def coverage(self) -> Coverage | None:
        """How much its searches could see, of several the one that saw least; None where nothing was searched."""
        seen = [timed.event.coverage for timed in self.events if isinstance(timed.event, LibrarySeen)]
        return narrowest(seen)

"""The protocols of a run: who answers (ModelProvider), what may be called (Tool), who allows it (Approver, Curator)."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.model.approval import Approval, CurationAsked, PassageChoice
from workbench.model.hit import Hit
from workbench.model.message import ModelEvent, ModelRequest, ToolSpec
from workbench.model.run import ApprovalAsked, RunEvent


class ModelCounts(Protocol):
    """What a model's server can tell of tokens; both are None where it does not say, and neither raises."""

    async def count(self, text: str) -> int | None:
        """Return how many tokens a text is."""
        ...

    async def context(self) -> int | None:
        """Return how many tokens the model sees at once, prompt and answer together."""
        ...


class ModelProvider(Protocol):
    """Speaks to one model. Stop is task cancellation: stream must end within 100 ms of it."""

    @property
    def mode(self) -> str:
        """One sentence for the user: who answers, and where ("Offline: quotes from your documents, no model")."""
        ...

    @property
    def counts(self) -> ModelCounts | None:
        """What its server tells of tokens; None for an answerer that sees all it is handed, however much."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Yield the events of one model turn; the last is always a TurnEnd.

        Raises:
            ModelError: With a sentence fit to be shown; text yielded before stays valid.
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gives back: the text for the model, and events for the user (a ReasoningStep, a ReferencesFound).

    failed marks a text that tells the model of a failure; the events then say it to the user. waited is how many
    seconds of the call went by while a person was waited for.
    """

    text: str
    events: tuple[RunEvent, ...] = ()
    failed: bool = False
    waited: float = 0.0


class Tool(Protocol):
    """Something a model may call."""

    @property
    def spec(self) -> ToolSpec: ...

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Run with arguments that were checked against the spec's required properties.

        Raises:
            ToolError: Its text goes to the model. Any other error reaches the model as its type name only.
        """
        ...


class Approver(Protocol):
    """Speaks for the person who is asked before a tool is called."""

    def remembers(self, tool: str) -> bool:
        """Return whether the person has let this tool through for good, so that it is not asked about again."""
        ...

    async def decide(self, asked: ApprovalAsked) -> Approval:
        """Wait for the person's word, however long it takes; cancelled when the run is stopped."""
        ...


class Curator(Protocol):
    """Speaks for the person who chooses from what a search found, before an answerer is handed it."""

    def pinned(self) -> tuple[Hit, ...]:
        """Return what stands in front of whatever is found."""
        ...

    async def choose(self, asked: CurationAsked) -> PassageChoice:
        """Wait for the person's word, however long it takes; cancelled when the run is stopped."""
        ...

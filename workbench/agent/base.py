"""Protocols of a run: ModelProvider, Tool, Approver and Curator."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.model.approval import Approval, CurationAsked, PassageChoice
from workbench.model.hit import Hit
from workbench.model.message import ModelEvent, ModelRequest, ToolSpec
from workbench.model.run import ApprovalAsked, RunEvent


class ModelCounts(Protocol):
    """Token counts from a model's server. Both methods return None if the server does not report it; neither raises."""

    async def count(self, text: str) -> int | None:
        """Return the number of tokens in a text."""
        ...

    async def context(self) -> int | None:
        """Return the size of the model's context window in tokens, prompt and answer together."""
        ...


class ModelProvider(Protocol):
    """Connection to one model. Stop is task cancellation: stream must end within 100 ms of it."""

    @property
    def mode(self) -> str:
        """Sentence for the user: the answerer and its place ("Quotes from your documents, no model")."""
        ...

    @property
    def counts(self) -> ModelCounts | None:
        """Token counts of its server; None for an answerer without a context limit."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Yield the events of one model turn; the last is always a TurnEnd.

        Raises:
            ModelError: With a message that can be shown to the user; text yielded before stays valid.
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


@dataclass(frozen=True, slots=True)
class ToolResult:
    """Result of a tool call: the text for the model, and events for the user (a ReasoningStep, a ReferencesFound).

    failed marks a text that reports a failure to the model; the events then report it to the user. waited is the number
    of seconds of the call that were spent waiting for the user.
    """

    text: str
    events: tuple[RunEvent, ...] = ()
    failed: bool = False
    waited: float = 0.0


class Tool(Protocol):
    """A tool that a model may call."""

    @property
    def spec(self) -> ToolSpec: ...

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Run with arguments that were validated against the spec's required properties.

        Raises:
            ToolError: Its text goes to the model. For any other error the model sees only the type name.
        """
        ...


class Approver(Protocol):
    """The user's side of tool approval."""

    def remembers(self, tool: str) -> bool:
        """Return whether the user has approved this tool permanently, so that no further request is needed."""
        ...

    async def decide(self, asked: ApprovalAsked) -> Approval:
        """Wait for the user's decision without a time limit; cancelled when the run is stopped."""
        ...


class Curator(Protocol):
    """The user's side of curation: the choice among the hits of a search before the answerer gets them."""

    def pinned(self) -> tuple[Hit, ...]:
        """Return the hits that precede every search result."""
        ...

    async def choose(self, asked: CurationAsked) -> PassageChoice:
        """Wait for the user's choice without a time limit; cancelled when the run is stopped."""
        ...

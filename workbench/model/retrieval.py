"""What a custom retriever is asked with, and how one stands."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.model.agent import Agent

Filters = dict[str, Any] | list[Any] | None
"""A restriction as retrievers are given it: equalities by key, or a list of expressions; None for no restriction."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """The run for which a retriever is asked; what it is given where it names `run_context`.

    Attributes:
        agent: Who asks.
        dependencies: Whatever the agent was given for its tools and retrievers.
        knowledge_filters: What the search is restricted to, resolved and checked.
        session_state: What the session remembers.
        metadata: What the run was started with.
    """

    run_id: str = ""
    session_id: str = ""
    user_id: str = ""
    agent: "Agent | None" = None
    dependencies: dict[str, Any] | None = None
    knowledge_filters: Filters = None
    session_state: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class RetrieverQuestion:
    """One question to a retriever.

    Attributes:
        query: What is searched for.
        num_documents: How many passages are wanted; None leaves it to the retriever.
        agent_id: Which agent asks, by its name in the file system or, without one, by its name.
    """

    query: str
    num_documents: int | None = None
    agent_id: str = ""
    context: RunContext = field(default_factory=RunContext)


class RetrieverKind(StrEnum):
    """Where a retriever comes from."""

    CODE = "code"
    PACKAGE = "package"
    PLUG_IN = "plug-in"


class RetrieverState(StrEnum):
    """Whether a retriever can be asked."""

    NOT_STARTED = "not started"
    READY = "ready"
    FAILED = "failed"
    NEEDS_CONSENT = "needs consent"


@dataclass(frozen=True, slots=True)
class RetrieverInfo:
    """How a retriever stands.

    Attributes:
        problem: Why it cannot be asked, in a sentence.
        note: What to know of it although it can be asked.
        milliseconds: How long its last answer took; None before the first.
        file: The plug-in file it stands in.
    """

    name: str
    kind: RetrieverKind
    state: RetrieverState
    problem: str = ""
    note: str = ""
    milliseconds: float | None = None
    file: str = ""

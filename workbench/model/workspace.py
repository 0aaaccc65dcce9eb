"""A folder of agents as Agent Gateway lays it out, once it was read."""

from dataclasses import dataclass, field
from enum import StrEnum

from workbench.model.agent import Agent


class ProblemGravity(StrEnum):
    """How bad a problem of a workspace is: something was left out, or something does not work."""

    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class WorkspaceProblem:
    """What is wrong in a workspace.

    Attributes:
        message: A sentence.
        agent: Whose problem it is; empty for the whole workspace.
        path: The file, as it is written there or below the workspace.
    """

    message: str
    agent: str = ""
    path: str = ""
    gravity: ProblemGravity = ProblemGravity.WARNING


@dataclass(frozen=True, slots=True)
class ContextFile:
    """A file whose text is in every prompt of an agent.

    Attributes:
        path: Below the workspace.
        text: What is taken of it.
        characters: How many it has.
    """

    path: str
    text: str
    characters: int

    @property
    def is_cut(self) -> bool:
        """Whether only its beginning is taken."""
        return len(self.text) < self.characters


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """What gateway.yaml says of retrieval; None where neither it nor the environment does."""

    retriever_timeout_seconds: float | None = None
    max_retrieved_chars: int | None = None
    max_context_file_chars: int | None = None


@dataclass(frozen=True, slots=True)
class WorkspaceAgent:
    """An agent of a workspace.

    Attributes:
        id: The name of its folder.
        label: What it is called for people.
        body: What AGENT.md says below its head: the prompt.
        behavior: What its own BEHAVIOR.md says.
        retrievers: Names, each once, in their order.
        context: Files in every prompt of it.
    """

    id: str
    label: str
    body: str
    description: str = ""
    behavior: str = ""
    retrievers: tuple[str, ...] = ()
    context: tuple[ContextFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Workspace:
    """A workspace.

    Attributes:
        folder: Where it is.
        agents: Those that can be used, by id.
        shared_prompt: What agents/AGENTS.md says to all of them.
        shared_behavior: What agents/BEHAVIOR.md does.
    """

    folder: str
    agents: tuple[WorkspaceAgent, ...] = ()
    shared_prompt: str = ""
    shared_behavior: str = ""
    settings: GatewaySettings = field(default_factory=GatewaySettings)
    problems: tuple[WorkspaceProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedWorkspace:
    """The agents of a workspace that are kept now, and what is wrong in it."""

    agents: tuple[Agent, ...]
    problems: tuple[WorkspaceProblem, ...]

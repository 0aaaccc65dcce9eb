"""Agent definitions: instructions, searches, tools and limits, and the choices for their fields.

Also contains the workspaces that agents are imported from.
"""

from collections.abc import ItemsView, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from workbench.model.approval import AskBefore
from workbench.model.message import PromptSection
from workbench.model.options import CalledTexts, Converted, Told, choice, known_options, optional_choice, texts
from workbench.model.run import PlanWhen

BUILT_IN_NAME = "default"
"""Name of the agent that always exists; its value is in agent/built_in_agent.py, next to the texts it is built from."""


class ReferencesFormat(StrEnum):
    """Serialization format of passages for a model."""

    JSON = "json"
    YAML = "yaml"


class ReferencesPlace(StrEnum):
    """Place of passages that were searched before the model is asked: after the question, or in the prompt."""

    MESSAGE = "message"
    SYSTEM = "system"


class SystemRole(StrEnum):
    """Role by which the prompt is sent; many local servers reject “developer”."""

    SYSTEM = "system"
    DEVELOPER = "developer"


def _check_sections(name: str, value: Iterable[PromptSection]) -> tuple[PromptSection, ...]:
    sections = tuple(value) if isinstance(value, Iterable) else (value,)
    if not all(isinstance(one, PromptSection) for one in sections):
        raise TypeError(f"{name} takes values of PromptSection(label, text), not {value!r}.")
    return sections


@known_options
@dataclass(frozen=True)
class Agent:
    """Agent definition. An empty text or tuple adds nothing to the prompt.

    A choice may be given as its text (system_role="developer"), and a single text where several are possible
    (tools="calculator").

    Attributes:
        id: Identifier in a workspace; empty means its name.
        description: Description of the agent.
        role: Its role.
        instructions: Its rules: a text, several, or a function without parameters (or with one, the agent) that returns
            them. A function is called once per question; put_agent stores what it returns.
        expected_output: Description of the expected answer.
        additional_context: Further information for it.
        system_message: Replaces the whole prompt. It is followed only by the notice that documents are data, the places
            that the agent searches, the memories, and what this run itself adds.
        sections: Further texts, sent unchanged.
        profile: Name of the model profile that answers; empty means that of the settings.
        knowledge: Whether the library's documents are its knowledge.
        knowledge_bases: Knowledge bases that it searches; none means all.
        retrievers: Names of retrievers that find passages instead of the library.
        tools: Names of further tools.
        filter: Restriction of its searches, as text.
        num_documents: Passages per search; None means as in the settings.
        references_format: Format of passages for its model, "json" or "yaml"; references_in: place of the passages that
            were searched before it is asked, "message" or "system".
        system_role: Role by which its prompt is sent, "system" or "developer".
        search_knowledge: It can search by itself, any number of times.
        add_knowledge_to_context: The question is searched before the model is asked, and the results are sent along.
        agentic_filters: It can restrict its searches further.
        location: The user's location, in words; never determined automatically.
        reasoning_instructions: It is instructed how to think and analyze; otherwise it only has the tools.
        reasoning_text: Replaces these instructions.
        few_shot: It is shown two worked examples of reasoning; few_shot_text: replaces them.
        resolve_in_context: {key} of known keys is replaced.
        state: Values by key, as in dependencies and metadata: for a key in several of them the first takes precedence.
        ask_before_tools: Tools that need the user's approval: "never", "network" or "always"; None means as in the
            settings.
        ask_before: By a tool's name, whether the user is asked; takes precedence.
        plan: Questions answered by a plan, "never", "asked" or "always"; None means as in the settings.
        tool_calls: Limit of a run; None means as in the settings. rounds, seconds, tokens: likewise.

    Raises:
        ValueError: A field cannot have that value; the message lists the choices.
        TypeError: A field is of another type, or there is no field of that name.
    """

    name: str
    id: str = ""
    description: str = ""
    role: str = ""
    instructions: Converted[Told, tuple[str, ...]] = CalledTexts()
    expected_output: str = ""
    additional_context: str = ""
    system_message: str = ""
    sections: Converted[Iterable[PromptSection], tuple[PromptSection, ...]] = Converted(_check_sections, ())
    profile: str = ""
    knowledge: bool = True
    knowledge_bases: Converted[str | Iterable[str], tuple[str, ...]] = texts()
    retrievers: Converted[str | Iterable[str], tuple[str, ...]] = texts()
    tools: Converted[str | Iterable[str], tuple[str, ...]] = texts()
    filter: str = ""
    num_documents: int | None = None
    search_knowledge: bool = True
    add_knowledge_to_context: bool = False
    agentic_filters: bool = False
    references_format: Converted[ReferencesFormat | str, ReferencesFormat] = choice(ReferencesFormat.JSON)
    references_in: Converted[ReferencesPlace | str, ReferencesPlace] = choice(ReferencesPlace.MESSAGE)
    markdown: bool = True
    add_datetime: bool = False
    timezone: str = ""
    location: str = ""
    add_name: bool = False
    think: bool = True
    analyze: bool = True
    reasoning_instructions: bool = True
    reasoning_text: str = ""
    few_shot: bool = False
    few_shot_text: str = ""
    use_instruction_tags: bool = False
    build_context: bool = True
    resolve_in_context: bool = True
    state: dict[str, str] = field(default_factory=dict)
    dependencies: dict[str, str] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=dict)
    add_state_to_context: bool = False
    add_dependencies_to_context: bool = False
    system_role: Converted[SystemRole | str, SystemRole] = choice(SystemRole.SYSTEM)
    ask_before_tools: Converted[AskBefore | str | None, AskBefore | None] = optional_choice(AskBefore)
    ask_before: dict[str, bool] = field(default_factory=dict)
    plan: Converted[PlanWhen | str | None, PlanWhen | None] = optional_choice(PlanWhen)
    tool_calls: int | None = None
    rounds: int | None = None
    seconds: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name in ("num_documents", "tool_calls", "rounds", "seconds", "tokens"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"Agent.{name} cannot be {value!r}. Give a whole number from 1 on, or None.")

    @property
    def key(self) -> str:
        """Identifier used by retrievers."""
        return self.id or self.name

    @property
    def is_built_in(self) -> bool:
        """True if it is the agent that always exists."""
        return self.name == BUILT_IN_NAME

    def as_dict(self) -> dict[str, Any]:
        """Return the agent as JSON values; agent_of() is the inverse."""
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self)}


def agent_of(values: Mapping[str, Any], name: str = "") -> Agent:
    """Return the agent described by values; unknown fields are ignored, invalid ones get their default.

    Args:
        values: By field name.
        name: Name of the agent if the values contain none.
    """
    converted = {one.name: _convert(one.name, values[one.name]) for one in fields(Agent) if one.name in values}
    return Agent(**{"name": name, **converted})


_USUAL = Agent("")


def _plain(value: Any) -> Any:
    match value:
        case tuple():
            return [_plain(one) for one in value]
        case PromptSection(label, text):
            return {"label": label, "text": text}
        case StrEnum():
            return value.value
    return dict(value) if isinstance(value, dict) else value


def _convert(name: str, value: Any) -> Any:
    """Convert a value to the type of its field, or return the default if it is invalid."""
    usual = getattr(_USUAL, name)
    match name, usual:
        case "sections", _:
            return _sections(value)
        case "ask_before_tools", _:
            return AskBefore(value) if value in set(AskBefore) else None
        case "plan", _:
            return PlanWhen(value) if value in set(PlanWhen) else None
        case "ask_before", _:
            return {str(key): one for key, one in _pairs(value) if isinstance(one, bool)}
        case _, StrEnum():
            return type(usual)(value) if value in set(type(usual)) else usual
        case _, tuple():
            return _texts(value)
        case _, dict():
            return {str(key): str(one) for key, one in _pairs(value)}
        case _, None:
            return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
    return value if isinstance(value, type(usual)) else usual


def _pairs(value: Any) -> ItemsView[Any, Any]:
    return (value if isinstance(value, Mapping) else {}).items()


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, Sequence) else ()


def _sections(value: Any) -> tuple[PromptSection, ...]:
    if not isinstance(value, Sequence):
        return ()
    return tuple(
        one if isinstance(one, PromptSection) else PromptSection(str(one.get("label", "")), str(one.get("text", "")))
        for one in value
        if isinstance(one, (PromptSection, Mapping))
    )


@dataclass(frozen=True, slots=True)
class OptionChoice:
    """Choice of an option; title and help are shown to users."""

    name: str
    title: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class AgentChoices:
    """Choices by the agent field that names them; ask_before: single tools, including the search."""

    profile: tuple[OptionChoice, ...] = ()
    knowledge_bases: tuple[OptionChoice, ...] = ()
    tools: tuple[OptionChoice, ...] = ()
    retrievers: tuple[OptionChoice, ...] = ()
    ask_before: tuple[OptionChoice, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentListing:
    """Agents of a library, the built-in one first, and the name of the selected one."""

    agents: tuple[Agent, ...]
    asked: str


class ProblemGravity(StrEnum):
    """Severity of a workspace problem: something was left out, or something does not work."""

    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class WorkspaceProblem:
    """Problem of a workspace.

    Attributes:
        message: A sentence.
        agent: The agent concerned; empty for the whole workspace.
        path: The file, as written there or relative to the workspace.
    """

    message: str
    agent: str = ""
    path: str = ""
    gravity: ProblemGravity = ProblemGravity.WARNING


@dataclass(frozen=True, slots=True)
class ContextFile:
    """File whose text is part of every prompt of an agent.

    Attributes:
        path: Relative to the workspace.
        text: The part of the text that is used.
        characters: Length of the whole text.
    """

    path: str
    text: str
    characters: int

    @property
    def is_cut(self) -> bool:
        """True if only the beginning of the text is used."""
        return len(self.text) < self.characters


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """Retrieval settings in gateway.yaml; None if set neither there nor in the environment."""

    retriever_timeout_seconds: float | None = None
    max_retrieved_chars: int | None = None
    max_context_file_chars: int | None = None


@dataclass(frozen=True, slots=True)
class WorkspaceAgent:
    """Agent of a workspace.

    Attributes:
        id: Name of its folder.
        label: Name shown to users.
        body: Content of AGENT.md after its header: the prompt.
        behavior: Content of its own BEHAVIOR.md.
        retrievers: Distinct names in order.
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
    """Workspace with agents.

    Attributes:
        folder: Path of the workspace.
        agents: Usable agents, by id.
        shared_prompt: Content of agents/AGENTS.md, for all agents.
        shared_behavior: Content of agents/BEHAVIOR.md.
    """

    folder: str
    agents: tuple[WorkspaceAgent, ...] = ()
    shared_prompt: str = ""
    shared_behavior: str = ""
    settings: GatewaySettings = field(default_factory=GatewaySettings)
    problems: tuple[WorkspaceProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedWorkspace:
    """Agents imported from a workspace, and the problems of the workspace."""

    agents: tuple[Agent, ...]
    problems: tuple[WorkspaceProblem, ...]

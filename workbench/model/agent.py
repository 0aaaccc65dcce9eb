"""An agent as data: instructions, searches, tools and limits; what it may name.

And workspaces that agents are imported from.
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
"""Of the agent that is always there; its value stands in agent/built_in.py, beside the wording that it is made of."""


class ReferencesFormat(StrEnum):
    """How passages are written for a model."""

    JSON = "json"
    YAML = "yaml"


class ReferencesPlace(StrEnum):
    """Where passages stand that were searched before the model is asked: behind the question, or in the prompt."""

    MESSAGE = "message"
    SYSTEM = "system"


class SystemRole(StrEnum):
    """By which role the prompt is sent; many local servers refuse “developer”."""

    SYSTEM = "system"
    DEVELOPER = "developer"


def _sections_given(name: str, value: Iterable[PromptSection]) -> tuple[PromptSection, ...]:
    sections = tuple(value) if isinstance(value, Iterable) else (value,)
    if not all(isinstance(one, PromptSection) for one in sections):
        raise TypeError(f"{name} takes values of PromptSection(label, text), not {value!r}.")
    return sections


@known_options
@dataclass(frozen=True)
class Agent:
    """An agent. A text or tuple that is empty adds nothing to its prompt.

    What is one of several choices may be given as its text (system_role="developer"), and a single text where several
    may be given (tools="calculator").

    Attributes:
        id: What a workspace calls it; empty means its name.
        description: Who it is.
        role: What its part is.
        instructions: What it is to do, one rule each: a text, several, or a function without parameters (or with one,
            the agent) that returns them. A function is called once a question; put_agent keeps what it returns.
        expected_output: What an answer is to look like.
        additional_context: More that it should know.
        system_message: Takes the place of the whole prompt. Behind it stand only the notice that documents are data,
            where the agent searches, what is remembered, and what this run itself adds.
        sections: Further texts, sent as they stand.
        profile: Name of the model profile that answers; empty means that of the settings.
        knowledge: Whether the library's documents are its knowledge.
        knowledge_bases: It searches only these; none means all.
        retrievers: Names of retrievers that find passages in the library's stead.
        tools: Names of further tools.
        filter: It searches only what this lets through, as text.
        num_documents: Passages a search; None means as the settings have it.
        references_format: How passages are written for its model, "json" or "yaml"; references_in: where those stand
            that were searched before it is asked, "message" or "system".
        system_role: By which role its prompt is sent, "system" or "developer".
        search_knowledge: It can search for itself, as often as it wants.
        add_knowledge_to_context: The question is searched before the model is asked, and what was found sent along.
        agentic_filters: It can restrict its searches further.
        location: Where the user is, in words; never looked up.
        reasoning_instructions: It is told how to think and analyze; without, it only has the tools.
        reasoning_text: Takes the place of these instructions.
        few_shot: It is shown two worked examples of that; few_shot_text: takes their place.
        resolve_in_context: {key} of known keys is replaced.
        state: Values by key; dependencies and metadata likewise: of a key in several the first counts.
        ask_before_tools: Before which tools the user is asked: "never", "network" or "always"; None means as the
            settings have it.
        ask_before: By a tool's name, whether the user is asked; counts before the rest.
        plan: Which questions it answers by a plan, "never", "asked" or "always"; None means as the settings have it.
        tool_calls: Limits of a run; None means as the settings have them. rounds, seconds, tokens: likewise.

    Raises:
        ValueError: A field cannot have that value; the message lists the choices.
        TypeError: A field is of another type, or there is none of that name.
    """

    name: str
    id: str = ""
    description: str = ""
    role: str = ""
    instructions: Converted[Told, tuple[str, ...]] = CalledTexts()
    expected_output: str = ""
    additional_context: str = ""
    system_message: str = ""
    sections: Converted[Iterable[PromptSection], tuple[PromptSection, ...]] = Converted(_sections_given, ())
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
        """What retrievers know it by."""
        return self.id or self.name

    @property
    def is_built_in(self) -> bool:
        """Whether it is the one that is always there."""
        return self.name == BUILT_IN_NAME

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can hold; agent_of reads it back."""
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self)}


def agent_of(values: Mapping[str, Any], name: str = "") -> Agent:
    """Return the agent that values describe; what is unknown is left out, and what cannot be falls back.

    Args:
        values: By the names of its fields.
        name: What it is called, where the values do not say.
    """
    taken = {one.name: _taken(one.name, values[one.name]) for one in fields(Agent) if one.name in values}
    return Agent(**{"name": name, **taken})


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


def _taken(name: str, value: Any) -> Any:
    """Return a value in the form of its field, or the usual one where it has none."""
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
    """One of them; title and help are for people."""

    name: str
    title: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class AgentChoices:
    """All of them, by the field of the agent that names them; ask_before: single tools, the search among them."""

    profile: tuple[OptionChoice, ...] = ()
    knowledge_bases: tuple[OptionChoice, ...] = ()
    tools: tuple[OptionChoice, ...] = ()
    retrievers: tuple[OptionChoice, ...] = ()
    ask_before: tuple[OptionChoice, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentListing:
    """The agents of a library, the built-in one first, and the name of the one that is asked."""

    agents: tuple[Agent, ...]
    asked: str


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

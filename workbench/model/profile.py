"""How a chat model is reached, and what the test of a connection found out about it and its server."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from workbench.language import mark
from workbench.model.options import Converted, choice, known_options, optional_choice


class WireApi(StrEnum):
    """Which of the two OpenAI wire formats a profile speaks; AUTO finds out and remembers."""

    AUTO = "auto"
    RESPONSES = "responses"
    CHAT = "chat"


class ToolCalling(StrEnum):
    """How a model calls tools: by its server's own way, or in the text of its answer; AUTO finds out and remembers."""

    AUTO = "auto"
    NATIVE = "native"
    TEXT = "text"


@known_options
@dataclass(frozen=True)
class ModelProfile:
    """How to reach a chat model; the profile named "offline" needs none and is always there.

    Attributes:
        base_url: Address of an OpenAI-compatible server, with its “/v1”.
        model: As the server calls it.
        api: Which wire format it speaks: "auto", "responses" or "chat".
        tool_calling: How it calls tools: "auto", "native" or "text".
        key_env: Name of the environment variable that holds the key; empty means the system's keyring, else no key.
        detected_api: What AUTO found out: RESPONSES or CHAT; None before the first answer.
        detected_tools: TEXT where the server was found to refuse tools; None where it was not.

    Raises:
        ValueError: A field cannot have that value; the message lists the choices.
        TypeError: A field is of another type, or there is none of that name.
    """

    name: str
    base_url: str = ""
    model: str = ""
    api: Converted[WireApi | str, WireApi] = choice(WireApi.AUTO)
    key_env: str = ""
    detected_api: Converted[WireApi | str | None, WireApi | None] = optional_choice(WireApi)
    tool_calling: Converted[ToolCalling | str, ToolCalling] = choice(ToolCalling.AUTO)
    detected_tools: Converted[ToolCalling | str | None, ToolCalling | None] = optional_choice(ToolCalling)

    @property
    def is_offline(self) -> bool:
        """Whether this is the built-in extractive answerer."""
        return not self.base_url

    @property
    def calls_tools(self) -> ToolCalling:
        """How it is to call tools, as far as that is known."""
        if self.tool_calling is ToolCalling.AUTO:
            return self.detected_tools or ToolCalling.AUTO
        return self.tool_calling


@dataclass(frozen=True, slots=True)
class KeyNotStored:
    """A key that was entered is kept until the program ends only, because the system has no keyring.

    Attributes:
        profile: Whose key it is.
    """

    profile: str


NO_KEYRING = mark(
    "This system has no keyring: the key is kept until the program ends. To have it the next time, put it into an"
    " environment variable and name that variable."
)
"""What is said to whoever entered a key that could not be stored."""

OFFLINE = ModelProfile(name="offline")

LOCAL_SERVERS: Mapping[str, str] = MappingProxyType(
    {
        "ollama": "http://127.0.0.1:11434/v1",
        "lm-studio": "http://127.0.0.1:1234/v1",
        "llama-cpp": "http://127.0.0.1:8080/v1",
        "vllm": "http://127.0.0.1:8000/v1",
    }
)
"""Where the usual servers answer that run on this machine, by what a profile of one is called."""


class Ability(StrEnum):
    """What is tried, in this order."""

    REACHED = "reached"
    LISTED = "listed"
    ANSWERS = "answers"
    STREAMS = "streams"
    SPEED = "speed"
    REASONS = "reasons"
    TOOLS = "tools"
    CONTEXT = "context"


class AbilityMark(StrEnum):
    """How it turned out; PARTLY is something that works, but not as one would wish."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ModelAbility:
    """One thing that was tried; told as an event as soon as it is known.

    Attributes:
        words: A sentence that says what was seen.
        hint: What to do about it; empty when there is nothing to do.
    """

    ability: Ability
    mark: AbilityMark
    words: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class ConnectionReport:
    """Everything that was tried. What cannot be tried any more after a failure is not in it.

    Attributes:
        models: What the server lists, by name; empty where it has no list.
        context: Tokens that the model sees at once; None where the server does not say.
        tokens_a_second: How fast it wrote; None where it wrote too little to tell.
    """

    abilities: tuple[ModelAbility, ...]
    models: tuple[str, ...] = ()
    context: int | None = None
    tokens_a_second: float | None = None

    @property
    def works(self) -> bool:
        """Whether nothing failed."""
        return bool(self.abilities) and all(one.mark is not AbilityMark.NO for one in self.abilities)


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A model server that runs on this machine.

    Attributes:
        base_url: Its address.
        models: What it lists, by name.
        made_by: Whose models it says they are, as it writes that itself; empty where it does not say.
        profile: The name of the profile that has this address already; empty for none.
    """

    base_url: str
    models: tuple[str, ...]
    made_by: str = ""
    profile: str = ""

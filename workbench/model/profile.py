"""Profiles of chat models: connection settings, and the results of a connection test."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from workbench.language import mark
from workbench.model.options import Converted, choice, known_options, optional_choice


class WireApi(StrEnum):
    """OpenAI wire format of a profile; AUTO detects and remembers it."""

    AUTO = "auto"
    RESPONSES = "responses"
    CHAT = "chat"


class ToolCalling(StrEnum):
    """Tool calling of a model: native to its server, or in the text of its answer; AUTO detects and remembers it."""

    AUTO = "auto"
    NATIVE = "native"
    TEXT = "text"


@known_options
@dataclass(frozen=True)
class ModelProfile:
    """Connection to a chat model; the profile named "offline" needs none and always exists.

    Attributes:
        base_url: Address of an OpenAI-compatible server, with its “/v1”.
        model: Name of the model on the server.
        api: Wire format: "auto", "responses" or "chat".
        tool_calling: Tool calling: "auto", "native" or "text".
        key_env: Name of the environment variable that contains the key; empty means the system's keyring, else no key.
        detected_api: Wire format detected by AUTO: RESPONSES or CHAT; None before the first answer.
        detected_tools: TEXT if the server was found to reject tools; otherwise None.

    Raises:
        ValueError: A field cannot have that value; the message lists the choices.
        TypeError: A field is of another type, or there is no field of that name.
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
        """True for the built-in extractive answerer."""
        return not self.base_url

    @property
    def calls_tools(self) -> ToolCalling:
        """The kind of tool calling to use, as far as known."""
        if self.tool_calling is ToolCalling.AUTO:
            return self.detected_tools or ToolCalling.AUTO
        return self.tool_calling


@dataclass(frozen=True, slots=True)
class KeyNotStored:
    """Event: an entered key is kept only until the program ends, because the system has no keyring.

    Attributes:
        profile: The profile of the key.
    """

    profile: str


NO_KEYRING = mark(
    "This system has no keyring: the key is kept until the program ends. To have it the next time, put it into an"
    " environment variable and name that variable."
)
"""Message for a user whose key could not be stored."""

OFFLINE = ModelProfile(name="offline")

LOCAL_SERVERS: Mapping[str, str] = MappingProxyType(
    {
        "ollama": "http://127.0.0.1:11434/v1",
        "lm-studio": "http://127.0.0.1:1234/v1",
        "llama-cpp": "http://127.0.0.1:8080/v1",
        "vllm": "http://127.0.0.1:8000/v1",
    }
)
"""Default addresses of common servers on this machine, by profile name."""


class Ability(StrEnum):
    """Ability tested by a connection test, in this order."""

    REACHED = "reached"
    LISTED = "listed"
    ANSWERS = "answers"
    STREAMS = "streams"
    SPEED = "speed"
    REASONS = "reasons"
    TOOLS = "tools"
    CONTEXT = "context"


class AbilityMark(StrEnum):
    """Result of testing an ability; PARTLY means that it works with restrictions."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ModelAbility:
    """Tested ability; emitted as an event as soon as the result is known.

    Attributes:
        words: A sentence that describes the observation.
        hint: Suggestion; empty if there is none.
    """

    ability: Ability
    mark: AbilityMark
    words: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class ConnectionReport:
    """Results of a connection test, without abilities that could not be tested after a failure.

    Attributes:
        models: Models listed by the server, by name; empty if it has no list.
        context: Size of the model's context in tokens; None if the server does not report it.
        tokens_a_second: Output speed; None if the output was too short to measure it.
    """

    abilities: tuple[ModelAbility, ...]
    models: tuple[str, ...] = ()
    context: int | None = None
    tokens_a_second: float | None = None

    @property
    def works(self) -> bool:
        """True if nothing failed."""
        return bool(self.abilities) and all(one.mark is not AbilityMark.NO for one in self.abilities)


@dataclass(frozen=True, slots=True)
class FoundServer:
    """Model server that runs on this machine.

    Attributes:
        base_url: Its address.
        models: Models that it lists, by name.
        made_by: Owner of the models as reported by the server; empty if not reported.
        profile: Name of the profile that already has this address; empty for none.
    """

    base_url: str
    models: tuple[str, ...]
    made_by: str = ""
    profile: str = ""

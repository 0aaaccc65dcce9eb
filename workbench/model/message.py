"""Messages to and from a chat model, tool calls, and the parts of a prompt.

Pure values, independent of any wire format.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    """Who says a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to have a tool called; arguments is the JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a model.

    Attributes:
        tool_calls: For ASSISTANT: the calls it makes.
        tool_call_id: For TOOL: which call this answers.
        provider_items: For ASSISTANT: raw items to send back unchanged (reasoning items of the Responses API).
    """

    role: Role
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    provider_items: tuple[dict[str, Any], ...] = ()


class ToolReach(StrEnum):
    """How far a tool reaches: what decides whether a person is asked before it is called.

    THOUGHT only writes down what the model says; LOCAL reads on this machine; NETWORK sends something away from it;
    CHANGES the library or something outside it.
    """

    THOUGHT = "thought"
    LOCAL = "local"
    NETWORK = "network"
    CHANGES = "changes"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as it is declared to a model.

    Attributes:
        parameters: A JSON schema object.
        reach: Not sent to the model.
        sends: What leaves the machine by a call, and where it goes, as a sentence for the person who is asked.
        aliases: Other names by which models without tool calling may call it.
        instructions: What the prompt says of it, or of all tools of its kind; not part of the declaration.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    reach: ToolReach = ToolReach.LOCAL
    sends: str = ""
    aliases: tuple[str, ...] = ()
    instructions: str = ""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a model: the whole conversation each time (nothing is kept on the server).

    Attributes:
        system_role: By which role the prompt is sent; many local servers refuse “developer”.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    system_role: str = "system"


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the model's own reasoning, where it streams any."""

    text: str


@dataclass(frozen=True, slots=True)
class ProviderNote:
    """Something the user should know: a retry, a fall-back to the other API."""

    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """The end of one model turn.

    Attributes:
        tool_calls: In the order the model made them; empty means that the answer is complete.
        finish: "stop", "tool_calls", "length" or "content_filter".
        provider_items: See Message.provider_items.
    """

    tool_calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"
    usage: Usage = Usage()
    provider_items: tuple[dict[str, Any], ...] = ()


ModelEvent = TextDelta | ReasoningDelta | ProviderNote | TurnEnd


@dataclass(frozen=True, slots=True)
class PromptSection:
    """One part of a prompt; label is for people and is not sent, text is sent as it stands."""

    label: str
    text: str

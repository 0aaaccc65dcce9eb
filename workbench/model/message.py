"""Messages to and from a chat model, tool calls, and the parts of a prompt.

Pure values, independent of any wire format.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    """Author of a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Request of a model to call a tool; arguments is the JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """Message of a conversation with a model.

    Attributes:
        tool_calls: For ASSISTANT: the requested calls.
        tool_call_id: For TOOL: the call that this answers.
        provider_items: For ASSISTANT: raw items to send back unchanged (reasoning items of the Responses API).
    """

    role: Role
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    provider_items: tuple[dict[str, Any], ...] = ()


class ToolReach(StrEnum):
    """Reach of a tool, which decides whether its calls need a person's approval.

    THOUGHT only records what the model writes; LOCAL reads on this machine; NETWORK sends data from it; CHANGES
    modifies the library or something outside it.
    """

    THOUGHT = "thought"
    LOCAL = "local"
    NETWORK = "network"
    CHANGES = "changes"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """Tool as declared to a model.

    Attributes:
        parameters: A JSON schema object.
        reach: Not sent to the model.
        sends: Data that leaves the machine by a call, and its destination, as a sentence for the person who approves
            it.
        aliases: Other names by which models without tool calling may call it.
        instructions: Text of the prompt about it, or about all tools of its kind; not part of the declaration.
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
    """Request to a model: the whole conversation each time (nothing is kept on the server).

    Attributes:
        system_role: Role by which the prompt is sent; many local servers reject “developer”.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    system_role: str = "system"


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """Piece of the model's own reasoning, if it is streamed."""

    text: str


@dataclass(frozen=True, slots=True)
class ProviderNote:
    """Message for the user: a retry, a fallback to the other API."""

    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Numbers of tokens as counted by the server; None if not reported."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """End of a model turn.

    Attributes:
        tool_calls: In the order of the model; empty means that the answer is complete.
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
    """Part of a prompt; label is shown to users and not sent, text is sent unchanged."""

    label: str
    text: str

"""How a chat model is reached."""

from dataclasses import dataclass
from enum import StrEnum


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


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """How to reach a chat model; the profile named "offline" needs none and is always there.

    Attributes:
        key_env: Name of the environment variable that holds the key; empty means the system's keyring, else no key.
        detected_api: What AUTO found out: RESPONSES or CHAT; None before the first answer.
        detected_tools: TEXT where the server was found to refuse tools; None where it was not.
    """

    name: str
    base_url: str = ""
    model: str = ""
    api: WireApi = WireApi.AUTO
    key_env: str = ""
    detected_api: WireApi | None = None
    tool_calling: ToolCalling = ToolCalling.AUTO
    detected_tools: ToolCalling | None = None

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


OFFLINE = ModelProfile(name="offline")

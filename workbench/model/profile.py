"""How a chat model is reached."""

from dataclasses import dataclass
from enum import StrEnum


class WireApi(StrEnum):
    """Which of the two OpenAI wire formats a profile speaks; AUTO finds out and remembers."""

    AUTO = "auto"
    RESPONSES = "responses"
    CHAT = "chat"


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """How to reach a chat model; the profile named "offline" needs none and is always there.

    Attributes:
        key_env: Name of the environment variable that holds the key; empty means the system's keyring, else no key.
        detected_api: What AUTO found out: RESPONSES or CHAT; None before the first answer.
    """

    name: str
    base_url: str = ""
    model: str = ""
    api: WireApi = WireApi.AUTO
    key_env: str = ""
    detected_api: WireApi | None = None

    @property
    def is_offline(self) -> bool:
        """Whether this is the built-in extractive answerer."""
        return not self.base_url


OFFLINE = ModelProfile(name="offline")

"""Users of a library, and memories of their conversations."""

import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from workbench.errors import SettingError
from workbench.language import mark
from workbench.model.visible import visible_name

LONGEST_MEMORY = 100
"""Maximum number of characters in a memory."""

_HIT = 0.05
_HEAVIEST = 2.0


class MemoryKind(StrEnum):
    """Topic of a memory."""

    USER_PREFERENCE = "USER_PREFERENCE"
    TASK_RECORD = "TASK_RECORD"
    TOOL_RESULT = "TOOL_RESULT"
    CONTEXT_INFO = "CONTEXT_INFO"


@dataclass(frozen=True, slots=True)
class NewMemory:
    """Memory before it is stored."""

    kind: MemoryKind
    text: str


@dataclass(frozen=True, slots=True)
class Memory:
    """Stored memory.

    Attributes:
        user: Its user; empty for the person at this machine. It is never used for questions of other users.
        created: Time when it was created, confirmed or changed: ISO 8601, UTC.
        expires: Time from which on it is not used any more.
        hits: Number of times it was handed to a model.
        run: The answer that it was extracted from; None if a person wrote it or the answer was deleted.
        question: The question of that answer.
    """

    id: int
    user: str
    kind: MemoryKind
    text: str
    created: str
    expires: str
    hits: int = 0
    run: int | None = None
    question: str = ""

    @property
    def weight(self) -> float:
        """Usage weight, 1 to 2; for display only, because using it for ranking would be self-reinforcing."""
        return min(_HEAVIEST, round(1.0 + _HIT * self.hits, 2))


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """Memory recalled for a question, with their similarity, 0 to 1."""

    memory: Memory
    similarity: float


@dataclass(frozen=True, slots=True)
class MemoryListing:
    """Memories, newest first, whether new ones are collected, and a problem with the last answer."""

    memories: tuple[Memory, ...]
    is_on: bool
    problem: str = ""


def shortened_memory(text: str) -> str:
    """Return a text on one line of the maximum length, cut at a word if it was too long."""
    line = " ".join(text.split())
    if len(line) <= LONGEST_MEMORY:
        return line
    head, space, _half = line[:LONGEST_MEMORY].rpartition(" ")
    # Chinese has no spaces; and a cut far from the end would lose more than half a word.
    return (
        f"{(head if space and len(head) > LONGEST_MEMORY // 2 else line[: LONGEST_MEMORY - 1])[: LONGEST_MEMORY - 1]}…"
    )


DEFAULT_USER = ""
"""User without a name."""
UNNAMED = mark("default user")
"""Display name of the user without a name."""
LONGEST_USER = 80
"""Maximum number of characters; a longer name does not fit into a menu."""
NO_PROTECTION = mark(
    "This keeps users apart but does not protect them: anyone who can open the library's folder can read what every"
    " user asked and what is remembered about them."
)


def user_name(typed: str) -> str:
    """Return a user's name in its stored form: Unicode NFC, one space between words, case as typed.

    Raises:
        SettingError: It is too long, or contains an invisible character.
    """
    name = unicodedata.normalize("NFC", " ".join(typed.split()))
    if len(name) > LONGEST_USER or visible_name(name) != name or any("\ud800" <= letter <= "\udfff" for letter in name):
        raise SettingError(
            f"A user's name has at most {LONGEST_USER} characters, and no invisible ones.", "Choose another name."
        )
    return name

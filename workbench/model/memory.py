"""Users of a library, and the notes that are remembered of their conversations."""

import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from workbench.errors import SettingError
from workbench.language import mark
from workbench.model.visible import visible_name

LONGEST_MEMORY = 100
"""Characters of one memory."""

_HIT = 0.05
_HEAVIEST = 2.0


class MemoryKind(StrEnum):
    """What a memory is about."""

    USER_PREFERENCE = "USER_PREFERENCE"
    TASK_RECORD = "TASK_RECORD"
    TOOL_RESULT = "TOOL_RESULT"
    CONTEXT_INFO = "CONTEXT_INFO"


@dataclass(frozen=True, slots=True)
class NewMemory:
    """What is to be remembered, before it is kept."""

    kind: MemoryKind
    text: str


@dataclass(frozen=True, slots=True)
class Memory:
    """One note.

    Attributes:
        user: Whose it is; empty for the person at this machine. Nobody else's questions ever find it.
        created: When it was first said, said again or changed: ISO 8601, UTC.
        expires: From when on it is not used any more.
        hits: How often it was handed to a model.
        run: The answer behind which it was found; None where a person wrote it or the answer is gone.
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
        """How much it was used, 1 to 2; shown only: what is used would otherwise be used ever more."""
        return min(_HEAVIEST, round(1.0 + _HIT * self.hits, 2))


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A memory for a question, with how similar the two are, 0 to 1."""

    memory: Memory
    similarity: float


@dataclass(frozen=True, slots=True)
class MemoryListing:
    """What is remembered, the newest first, whether more is; and why the last answer could not be looked through."""

    memories: tuple[Memory, ...]
    is_on: bool
    problem: str = ""


def shortened_memory(text: str) -> str:
    """Return a text on one line that is short enough, cut at a word where it was too long."""
    line = " ".join(text.split())
    if len(line) <= LONGEST_MEMORY:
        return line
    head, space, _half = line[:LONGEST_MEMORY].rpartition(" ")
    # Chinese has no spaces; and a cut far from the end would lose more than half a word.
    return (
        f"{(head if space and len(head) > LONGEST_MEMORY // 2 else line[: LONGEST_MEMORY - 1])[: LONGEST_MEMORY - 1]}…"
    )


DEFAULT_USER = ""
"""Who gives no name."""
UNNAMED = mark("who gives no name")
"""What people call that one."""
LONGEST_USER = 80
"""Characters; a name that is longer fits into no menu."""
NO_PROTECTION = mark(
    "This separates, it does not protect: whoever can open the library's folder can read what all of its users"
    " asked, and what is remembered of them."
)


def user_name(typed: str) -> str:
    """Return a user's name as it is kept and compared: Unicode NFC, one blank between words, case as typed.

    Raises:
        SettingError: It is too long, or holds a character that nobody would see.
    """
    name = unicodedata.normalize("NFC", " ".join(typed.split()))
    if len(name) > LONGEST_USER or visible_name(name) != name or any("\ud800" <= letter <= "\udfff" for letter in name):
        raise SettingError(
            f"A user's name has at most {LONGEST_USER} characters, and none that is not seen.", "Choose another name."
        )
    return name

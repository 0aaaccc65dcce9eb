"""What is remembered of earlier conversations: short notes about the person who asks, apart from all documents."""

from dataclasses import dataclass
from enum import StrEnum

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
class MemoryShelf:
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

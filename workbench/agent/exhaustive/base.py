"""What reads passages for a question (PassageReader), and what it makes of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from workbench.model.chunk import Chunk
from workbench.model.exhaustive import Says

Span = tuple[int, int]
"""Start and end of a quote, within the chunk's text."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage to be read; name is that of its document."""

    chunk: Chunk
    name: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a reader makes of one passage; see model PassageReading."""

    chunk: int
    says: Says
    finding: str = ""
    spans: tuple[Span, ...] = ()
    thrown_out: int = 0
    problem: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Batch:
    """What a reader makes of several passages of one document, each of them once, and what that took."""

    found: tuple[Found, ...]
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class PassageReader(Protocol):
    """Reads passages of one document at a time."""

    @property
    def mode(self) -> str:
        """Who reads, in a sentence for the user."""
        ...

    async def read(self, question: str, passages: Sequence[Passage]) -> Batch:
        """Return what each passage says.

        Raises:
            ModelError: The model cannot be asked; nothing is known of these passages.
        """
        ...

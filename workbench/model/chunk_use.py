"""Chunks as people look at them: how long a text is, where chunks stand on a page, which answers cited them."""

from dataclasses import dataclass

from workbench.model.chunk import Chunk

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class TextSize:
    """How long a text is to the embedder, and how much of a text it sees; 0 where there is none."""

    tokens: int
    most: int


@dataclass(frozen=True, slots=True)
class Outline:
    """Where a chunk stands on a page: one rectangle a line, in points from the page's top left corner."""

    chunk: int
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """A chunk and those before and after it; None at the ends of the document."""

    chunk: Chunk
    before: Chunk | None
    after: Chunk | None


@dataclass(frozen=True, slots=True)
class ChunkUse:
    """An answer that cites text of a document.

    Attributes:
        session: In which it was given.
        session_title: What that is called.
        run: The answer.
        question: That it answers.
        start: First cited character in the document's text, as it was then.
        end: One past the last.
    """

    session: int
    session_title: str
    run: int
    question: str
    start: int
    end: int

    def cites(self, start: int, end: int) -> bool:
        """Tell whether it cites some of a stretch of the document."""
        return self.start < end and self.end > start

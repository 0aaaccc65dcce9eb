"""The interface of rerankers: question and candidates in, one score a candidate out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from workbench.model.chunk import embedding_text, text_in_context


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that the search found.

    Attributes:
        text: The chunk's own.
        title: Of its document.
        name: Of its document's file.
        headings: The heading path above it, topmost first.
        score: What the search gave it, higher is better; comparable within one search only.
        document: Its document's id.
        ordinal: Its place among the document's chunks, from 0.
        chunks: How many the document has.
        chunk: Its id; 0 for a text that is no chunk.
    """

    text: str
    title: str = ""
    headings: tuple[str, ...] = ()
    score: float = 0.0
    name: str = ""
    document: int = 0
    ordinal: int = 0
    chunks: int = 1
    chunk: int = 0

    @property
    def in_context(self) -> str:
        """The text under what its document is called and the lowest headings above it."""
        return text_in_context(self.name, self.title, self.headings, self.text).strip()

    @property
    def embedded(self) -> str:
        """The text as it is embedded."""
        return embedding_text(self.name, self.title, self.headings, self.text).strip()


class Reranker(Protocol):
    """Scores the best candidates of a search anew; safe to call from several threads at once.

    Attributes of an instance:
        id: Names method and model, for people and for the log.
        most: How many candidates it looks at; the others follow in the search's order.
    """

    @property
    def id(self) -> str: ...

    @property
    def most(self) -> int: ...

    def rerank(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Return a score for each candidate, in their order; higher is better, equal ones stay as they were.

        Raises:
            RerankingError: It failed; the search's order stays.
        """
        ...

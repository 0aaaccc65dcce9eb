"""Interface of rerankers, the reordering of candidates by one, and the certainty that its scores stand for.

Cross-encoders and the servers that run them give probabilities, or the same before the last step as any number. The
built-in rerankers do neither: theirs only order the passages of one search. As evidence that anything found is about
the question they are far worse than words and cosine: of xquad en's questions without their article they tell 0.39 at a
cost of 2 % of those with it, in place of 0.90.
"""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, runtime_checkable

from workbench.errors import RerankingError
from workbench.language import mark
from workbench.model.chunk import embedding_text, text_in_context
from workbench.retrieval.relevance import logistic


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


logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reranked(Generic[T]):
    """One item in its new place.

    Attributes:
        item: As it was given.
        score: The reranker's; None where it was not asked about the item, or failed.
        rank: 1-based, among those it was asked about.
        certainty: How sure it is that the item is about the question; None where its scores only order.
    """

    item: T
    score: float | None = None
    rank: int | None = None
    certainty: float | None = None


@dataclass(frozen=True, slots=True)
class Order(Generic[T]):
    """All items, best first; note is a sentence for the user where the reranker failed."""

    items: tuple[Reranked[T], ...]
    note: str = ""


def rerank_items(
    reranker: Reranker | None, question: str, items: Sequence[T], candidates: Sequence[Candidate]
) -> Order[T]:
    """Return the items in the reranker's order; those that it does not look at follow in the order given.

    Args:
        reranker: None leaves the order.
        question: As searched.
        items: Best first.
        candidates: What the reranker is told of each of them, or of the first ones.
    """
    asked = candidates[: reranker.most] if reranker else ()
    if reranker is None or len(asked) < 2:
        return Order(tuple(Reranked(item) for item in items))
    try:
        scores = _checked(reranker.rerank(question, asked), len(asked))
    except RerankingError as error:
        logger.warning("The reranker %s failed", reranker.id, exc_info=error)
        note = mark(f"The passages stand in the order of the search: reranking failed. {error}")
        return Order(tuple(Reranked(item) for item in items), note)
    order = sorted(range(len(asked)), key=lambda index: -scores[index])
    sure = certainties(scores) if isinstance(reranker, CalibratedReranker) else [None] * len(scores)
    first = (Reranked(items[index], scores[index], rank, sure[index]) for rank, index in enumerate(order, start=1))
    return Order((*first, *(Reranked(item) for item in items[len(asked) :])))


def _checked(scores: Sequence[float], expected: int) -> Sequence[float]:
    if len(scores) != expected:
        raise RerankingError(f"The reranker gave {len(scores)} scores for {expected} passages.")
    if not all(math.isfinite(score) for score in scores):
        raise RerankingError("The reranker gave a score that is no number.")
    return scores


@runtime_checkable
class CalibratedReranker(Protocol):
    """A reranker whose scores mean the same for any question.

    Attributes of a class:
        judges: Always true.
    """

    judges: bool


def certainties(scores: Sequence[float]) -> list[float]:
    """Return the scores of one search as probabilities; where one of them is none, they are what comes before it."""
    if all(0.0 <= score <= 1.0 for score in scores):
        return list(scores)
    return [logistic(score) for score in scores]

"""Interface of rerankers, reordering of candidates by a reranker, and conversion of its scores to probabilities.

Cross-encoders and the servers that run them return probabilities or logits. The built-in rerankers return neither:
their scores only order the passages of one search. As evidence that a hit is about the question they are much weaker
than words and cosine: of the questions of xquad en whose article is not in the library, they recognise 39 % as not
answerable, where words and cosine recognise 90 %; both while 2 % of the answerable ones are refused.
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
    """Passage that the search found.

    Attributes:
        text: Text of the chunk.
        title: Title of its document.
        name: File name of its document.
        headings: The heading path above it, topmost first.
        score: Score of the search, higher is better; comparable within one search only.
        document: Id of its document.
        ordinal: Index among the document's chunks, from 0.
        chunks: Number of chunks in the document.
        chunk: Id of the chunk; 0 for a text that is not a chunk.
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
        """Text below the name of its document and the lowest headings above it."""
        return text_in_context(self.name, self.title, self.headings, self.text).strip()

    @property
    def embedded(self) -> str:
        """Text in the form in which it is embedded."""
        return embedding_text(self.headings, self.text).strip()


class Reranker(Protocol):
    """Rescores the best candidates of a search; safe to call from several threads.

    Attributes of an instance:
        id: Method and model, for people and for the log.
        most: Maximum number of candidates that it reads; the others follow in the search's order.
    """

    @property
    def id(self) -> str: ...

    @property
    def most(self) -> int: ...

    def rerank(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Return a score for each candidate, in their order; higher is better, ties keep the search's order.

        Raises:
            RerankingError: It failed; the search's order is kept.
        """
        ...


logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reranked(Generic[T]):
    """Item with its new rank.

    Attributes:
        item: The item itself.
        score: Score of the reranker; None if it did not read the item, or failed.
        rank: 1-based rank among the items that it read.
        certainty: Probability that the item is about the question; None if its scores only define an order.
    """

    item: T
    score: float | None = None
    rank: int | None = None
    certainty: float | None = None


@dataclass(frozen=True, slots=True)
class Order(Generic[T]):
    """All items, best first; note is a sentence for the user if the reranker failed."""

    items: tuple[Reranked[T], ...]
    note: str = ""


def rerank_items(
    reranker: Reranker | None, question: str, items: Sequence[T], candidates: Sequence[Candidate]
) -> Order[T]:
    """Return the items in the reranker's order; those that it does not read follow in their previous order.

    Args:
        reranker: The reranker; None keeps the order.
        question: Question as searched.
        items: Items, best first.
        candidates: Candidates for the items, or for the first of them.
    """
    selected = candidates[: reranker.most] if reranker else ()
    if reranker is None or len(selected) < 2:
        return Order(tuple(Reranked(item) for item in items))
    try:
        scores = _check_scores(reranker.rerank(question, selected), len(selected))
    except RerankingError as error:
        logger.warning("The reranker %s failed", reranker.id, exc_info=error)
        note = mark(f"The passages keep the order of the search: reranking failed. {error}")
        return Order(tuple(Reranked(item) for item in items), note)
    order = sorted(range(len(selected)), key=lambda index: -scores[index])
    sure = certainties(scores) if isinstance(reranker, CalibratedReranker) else [None] * len(scores)
    first = (Reranked(items[index], scores[index], rank, sure[index]) for rank, index in enumerate(order, start=1))
    return Order((*first, *(Reranked(item) for item in items[len(selected) :])))


def _check_scores(scores: Sequence[float], expected: int) -> Sequence[float]:
    if len(scores) != expected:
        raise RerankingError(f"The reranker gave {len(scores)} scores for {expected} passages.")
    if not all(math.isfinite(score) for score in scores):
        raise RerankingError("The reranker gave a score that is not a number.")
    return scores


@runtime_checkable
class CalibratedReranker(Protocol):
    """Reranker whose scores are comparable between questions.

    Attributes of a class:
        judges: Always True.
    """

    judges: bool


def certainties(scores: Sequence[float]) -> list[float]:
    """Return the scores of one search as probabilities; if any is not a probability, all are treated as logits."""
    if all(0.0 <= score <= 1.0 for score in scores):
        return list(scores)
    return [logistic(score) for score in scores]

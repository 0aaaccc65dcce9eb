"""Candidates + reranker -> a new order; a reranker that fails leaves the old one and says so."""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from workbench.errors import RerankingError
from workbench.language import mark
from workbench.retrieval.reranking.base import Candidate, Reranker
from workbench.retrieval.reranking.judgement import Judging, certainties

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


def reranked(reranker: Reranker | None, question: str, items: Sequence[T], candidates: Sequence[Candidate]) -> Order[T]:
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
    sure = certainties(scores) if isinstance(reranker, Judging) else [None] * len(scores)
    first = (Reranked(items[index], scores[index], rank, sure[index]) for rank, index in enumerate(order, start=1))
    return Order((*first, *(Reranked(item) for item in items[len(asked) :])))


def _checked(scores: Sequence[float], expected: int) -> Sequence[float]:
    if len(scores) != expected:
        raise RerankingError(f"The reranker gave {len(scores)} scores for {expected} passages.")
    if not all(math.isfinite(score) for score in scores):
        raise RerankingError("The reranker gave a score that is no number.")
    return scores

"""Scores -> words and bars: never a percentage across kinds of score that cannot be compared."""

from dataclasses import dataclass

from workbench.language import tr
from workbench.model.hit import Scores

STRONG = 0.7
FAIR = 0.4


@dataclass(frozen=True, slots=True)
class Lane:
    """One list in which a hit stood.

    Attributes:
        name: For people: "Meaning", "Words", "Together"; "Reranked" where a reranker looked at the hit.
        share: Length of its bar, 0 to 1, against the best of the same search; None where the list did not hold the hit.
        text: The score and rank as they are.
    """

    name: str
    share: float | None
    text: str


def relevance_in_words(relevance: float) -> str:
    """Return how sure we are that a passage is about the question."""
    if relevance >= STRONG:
        return tr("Strong match")
    return tr("Fair match") if relevance >= FAIR else tr("Weak match")


def match_in_words(scores: Scores) -> str:
    """Return how good a match a passage is, or that no search found it."""
    return relevance_in_words(scores.relevance) if scores.is_searched else tr("Read, not searched for")


def lanes(scores: Scores, best: Scores) -> tuple[Lane, ...]:
    """Return a hit's lanes; best holds the highest score of each list in the same search; none of what was read."""
    if not scores.is_searched:
        return ()
    found = (
        Lane(tr("Meaning"), _share(scores.dense, best.dense), _text(scores.dense, scores.dense_rank, tr("cosine"), 3)),
        Lane(tr("Words"), _share(scores.keyword, best.keyword), _text(scores.keyword, scores.keyword_rank, "BM25", 2)),
        Lane(tr("Together"), _share(scores.fused, best.fused), _text(scores.fused, None, tr("fused"), 4)),
    )
    if scores.rerank is None:
        return found
    text = _text(scores.rerank, scores.rerank_rank, tr("score"), 4)
    return (*found, Lane(tr("Reranked"), _share(scores.rerank, best.rerank), text))


def best_of(all_scores: list[Scores]) -> Scores:
    """Return the highest score of each list."""
    return Scores(
        dense=max((scores.dense for scores in all_scores if scores.dense is not None), default=None),
        keyword=max((scores.keyword for scores in all_scores if scores.keyword is not None), default=None),
        fused=max((scores.fused for scores in all_scores), default=0.0),
        rerank=max((scores.rerank for scores in all_scores if scores.rerank is not None), default=None),
    )


def _share(score: float | None, best: float | None) -> float | None:
    if score is None or best is None or best <= 0:
        return None
    return min(1.0, max(0.0, score / best))


def _text(score: float | None, rank: int | None, kind: str, digits: int) -> str:
    if score is None:
        return tr("not found by it")
    figure = f"{kind} {score:.{digits}f}"
    return tr("{score}, rank {rank}", score=figure, rank=rank) if rank is not None else figure

"""Ranks -> recall, hit, MRR, nDCG. A question's ranks: one for each right passage, None where no hit met it."""

from collections.abc import Sequence
from math import ceil, log2

from workbench.model.evaluation import Metrics, QuestionOutcome

Ranks = Sequence[int | None]

GRADED = 10
"""How many hits nDCG looks at."""


def recall_at(ranks: Ranks, k: int) -> float:
    """Return the share of the right passages that are among the first k hits.

    Manning, Raghavan, Schütze: Introduction to Information Retrieval, 2008, section 8.3, of a list cut at k.
    """
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def hit_at(ranks: Ranks, k: int) -> float:
    """Return 1 where a right passage is among the first k hits, else 0; "success at k".

    Craswell and Hawking: Overview of the TREC-2004 Web track.
    """
    return float(any(rank is not None and rank <= k for rank in ranks))


def reciprocal_rank(ranks: Ranks) -> float:
    """Return 1 / rank of the first right hit, 0 where there is none.

    Voorhees: The TREC-8 Question Answering Track Report, 1999; its mean over the questions is MRR.
    """
    return max((1 / rank for rank in ranks if rank is not None), default=0.0)


def ndcg_at(ranks: Ranks, k: int) -> float:
    """Return nDCG at k with a gain of 1 for each hit that meets a right passage not met before.

    The sum of gain / log2(rank + 1), as a share of what the best order would have. Järvelin and Kekäläinen: Cumulated
    gain-based evaluation of IR techniques, ACM TOIS 20 (2002); the discount as in Burges et al., ICML 2005. Passages
    that one hit holds together count as one: no order could give that hit twice.
    """
    met = {rank for rank in ranks if rank is not None}
    wanted = len(met) + sum(rank is None for rank in ranks)
    ideal = sum(1 / log2(place + 1) for place in range(1, min(wanted, k) + 1))
    return sum(1 / log2(rank + 1) for rank in met if rank <= k) / ideal


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that this share of the values does not exceed (the nearest rank); 0 of none."""
    ordered = sorted(values)
    return ordered[max(ceil(share * len(ordered)) - 1, 0)] if ordered else 0.0


def metrics(outcomes: Sequence[QuestionOutcome], k: int) -> Metrics:
    """Return the means over the questions that could be measured; all 0 where none could."""
    measured = [one.ranks for one in outcomes if one.is_measured]
    searched = [one for one in outcomes if not one.problem]
    times = [one.milliseconds for one in searched]
    return Metrics(
        k=k,
        questions=len(measured),
        recall=_mean([recall_at(ranks, k) for ranks in measured]),
        hit=_mean([hit_at(ranks, k) for ranks in measured]),
        mrr=_mean([reciprocal_rank(ranks) for ranks in measured]),
        ndcg=_mean([ndcg_at(ranks, GRADED) for ranks in measured]),
        wrong=_mean([float(sum(rank <= k for rank in one.wrong)) for one in searched]),
        p50=percentile(times, 0.5),
        p95=percentile(times, 0.95),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0

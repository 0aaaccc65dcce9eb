"""Judging of a search result, the ranks of its hits that match the judgements, and metrics: recall, hit, MRR, nDCG."""

from collections.abc import Sequence
from math import ceil, log2

from workbench.evaluation.judgement_places import JudgementPlace, Lost
from workbench.language import mark
from workbench.model.evaluation import GoldenQuestion, Metrics, QuestionOutcome
from workbench.model.hit import Hit, SearchResult

Ranks = Sequence[int | None]

GRADED = 10
"""Number of hits that nDCG considers."""


def recall_at(ranks: Ranks, k: int) -> float:
    """Return the share of the right passages that are among the first k hits.

    Manning, Raghavan, Schütze: Introduction to Information Retrieval, 2008, section 8.3, for a list cut at k.
    """
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def hit_at(ranks: Ranks, k: int) -> float:
    """Return 1 if a right passage is among the first k hits, else 0; also called "success at k".

    Craswell and Hawking: Overview of the TREC-2004 Web track.
    """
    return float(any(rank is not None and rank <= k for rank in ranks))


def reciprocal_rank(ranks: Ranks) -> float:
    """Return 1 / rank of the first right hit, or 0 if there is none.

    Voorhees: The TREC-8 Question Answering Track Report, 1999; its mean over the questions is MRR.
    """
    return max((1 / rank for rank in ranks if rank is not None), default=0.0)


def ndcg_at(ranks: Ranks, k: int) -> float:
    """Return nDCG at k, with a gain of 1 for each hit with a right passage that no earlier hit contains.

    It is the sum of gain / log2(rank + 1) as a share of that of the best order. Järvelin and Kekäläinen: Cumulated
    gain-based evaluation of IR techniques, ACM TOIS 20 (2002); the discount as in Burges et al., ICML 2005. Several
    passages in one hit count as one, because no order could return that hit twice.
    """
    met = {rank for rank in ranks if rank is not None}
    wanted = len(met) + sum(rank is None for rank in ranks)
    ideal = sum(1 / log2(place + 1) for place in range(1, min(wanted, k) + 1))
    return sum(1 / log2(rank + 1) for rank in met if rank <= k) / ideal


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that this share of the values does not exceed (nearest rank); 0 if there are none."""
    ordered = sorted(values)
    return ordered[max(ceil(share * len(ordered)) - 1, 0)] if ordered else 0.0


def metrics(outcomes: Sequence[QuestionOutcome], k: int) -> Metrics:
    """Return the means over the questions that could be measured; all 0 if there are none."""
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


_SHOWN = 5


def judged(
    question: GoldenQuestion,
    right: Sequence[JudgementPlace | Lost],
    wrong: Sequence[JudgementPlace | Lost],
    result: SearchResult,
) -> QuestionOutcome:
    """Return the outcome of a search for a golden question.

    Args:
        question: The question.
        right: Places of its right passages.
        wrong: Places of its wrong passages.
        result: Result of the search.
    """
    places = [place for place in right if not isinstance(place, Lost)]
    ranks = tuple(_first_rank(place, result.hits) for place in places)
    shown_right = {rank for rank in ranks if rank is not None}
    bad = [place for place in wrong if not isinstance(place, Lost)]
    return QuestionOutcome(
        question.question,
        question.knowledge_base,
        question.filter,
        ranks=ranks,
        lost=len(right) - len(places),
        # A chunk that also contains a right passage does not count as wrong.
        wrong=tuple(
            hit.rank
            for hit in result.hits
            if hit.rank not in shown_right and any(place.is_met_by(hit) for place in bad)
        ),
        score=ndcg_at(ranks, GRADED) if ranks else None,
        milliseconds=result.milliseconds,
        found=tuple(_describe_hit(hit) for hit in result.hits[:_SHOWN]),
        problem="" if ranks or bad else mark("Nothing that was judged is in the library."),
    )


def not_searched(question: GoldenQuestion, problem: str) -> QuestionOutcome:
    """Return the outcome of a question that could not be searched."""
    return QuestionOutcome(question.question, question.knowledge_base, question.filter, problem=problem)


def _first_rank(place: JudgementPlace, hits: Sequence[Hit]) -> int | None:
    return next((hit.rank for hit in hits if place.is_met_by(hit)), None)


def _describe_hit(hit: Hit) -> str:
    return f"{hit.document_name}, {hit.place}" if hit.place else hit.document_name

"""Judging of a search result: the ranks of the hits that match the judgements."""

from collections.abc import Sequence

from workbench.evaluation.judgement_places import JudgementPlace, Lost
from workbench.evaluation.metrics import GRADED, ndcg_at
from workbench.language import mark
from workbench.model.evaluation import GoldenQuestion, QuestionOutcome
from workbench.model.hit import Hit, SearchResult

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

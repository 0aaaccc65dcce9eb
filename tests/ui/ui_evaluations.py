"""Hand-made golden questions, evaluations and comparisons."""

from dataclasses import replace

from workbench.model.evaluation import (
    MARKS,
    Comparison,
    Evaluation,
    EvaluationConditions,
    EvaluationSummary,
    GoldenQuestion,
    Judgement,
    Mark,
    Metrics,
    Movement,
    QuestionOutcome,
)
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration

MEANING = SearchConfiguration(mode=SearchMode.DENSE)
CONDITIONS = EvaluationConditions("1", "e", 3, 30, 30, "c", (), "q")


def golden(question: str = "How did sales do?", *judgements: Judgement, **changes: str) -> GoldenQuestion:
    judgements = judgements or (Judgement(True, "report_1.pdf", "ab", 3, 10, 60, "Net sales rose"),)
    return GoldenQuestion(question, judgements, **changes)


def mark(question: GoldenQuestion, judgement: Judgement, before: Judgement | None = None) -> Mark:
    return Mark(MARKS, question, judgement, before)


def metrics(ndcg: float = 0.6, *, p50: float = 12.0, questions: int = 3) -> Metrics:
    return Metrics(10, questions, ndcg + 0.1, ndcg + 0.2, ndcg - 0.1, ndcg, 0.0, p50, 2 * p50)


def outcome(question: str, rank: int | None, **changes: object) -> QuestionOutcome:
    made = QuestionOutcome(question, ranks=(rank,), score=1 / rank if rank else 0.0, found=("report_1.pdf, page 3",))
    return replace(made, **changes)  # type: ignore[arg-type]


def evaluation(
    *outcomes: QuestionOutcome,
    number: int = 1,
    ndcg: float = 0.6,
    configuration: SearchConfiguration = DEFAULT_SEARCH,
    began: str = "2026-11-21T09:00:00+00:00",
    name: str = "",
    **changes: object,
) -> Evaluation:
    outcomes = outcomes or (outcome("one", 1), outcome("two", 8), outcome("three", None))
    summary = EvaluationSummary(
        number, MARKS, began, 1.0, configuration, name, metrics(ndcg, questions=len(outcomes)), CONDITIONS
    )
    return Evaluation(replace(summary, **changes), outcomes)  # type: ignore[arg-type]


def comparison(*ranks: tuple[int | None, int | None], p_value: float = 0.02) -> Comparison:
    """Return two evaluations with a question for each pair of ranks, the second with semantic search only."""
    ranks = ranks or ((8, 2), (None, 3), (1, 1), (2, 5))
    before = tuple(outcome(f"question {number}", rank) for number, (rank, _) in enumerate(ranks))
    after = tuple(outcome(f"question {number}", rank) for number, (_, rank) in enumerate(ranks))
    moved = tuple(
        Movement(one.question, one, other, (other.score or 0.0) - (one.score or 0.0))
        for one, other in zip(before, after, strict=True)
    )
    changes = [one.change for one in moved]
    return Comparison(
        evaluation(*before, number=1, ndcg=0.55),
        evaluation(*after, number=2, ndcg=0.65, configuration=MEANING),
        moved,
        sum(change > 0 for change in changes),
        sum(change < 0 for change in changes),
        sum(change == 0 for change in changes),
        p_value,
        "",
    )

"""Evaluations -> the JSON objects that --json prints; their keys are a contract with scripts."""

from collections.abc import Sequence
from dataclasses import asdict

from workbench.cli.output import Record
from workbench.model.evaluation import Comparison, Evaluation, EvaluationSummary, Promotion, QuestionOutcome
from workbench.model.golden import BadLine
from workbench.model.search_configuration import SearchConfiguration

_DIGITS = 4


def summary_record(run: EvaluationSummary) -> Record:
    """Return a kept run without its questions."""
    rests_on = run.circumstances
    figures = {key: round(value, _DIGITS) for key, value in asdict(run.metrics).items()}
    return {
        "evaluation": run.id,
        "set": run.set,
        "began": run.began,
        "seconds": run.seconds,
        "configuration": run.configuration.as_dict(),
        "name": run.name,
        "as_searched": run.as_searched,
        "by_itself": run.by_itself,
        "metrics": figures,
        "lost": run.lost,
        "unmeasured": run.unmeasured,
        "version": rests_on.version,
        "embedder": rests_on.embedder,
        "documents": rests_on.documents,
        "chunks": rests_on.chunks,
        "embedded": rests_on.embedded,
    }


def evaluation_record(run: Evaluation, since: Comparison | None = None) -> Record:
    """Return a run with its questions, and how it differs from the one before."""
    return {
        **summary_record(run.summary),
        "missing_documents": list(run.missing),
        "notes": list(run.notes),
        "previous": run.previous or None,
        "changed": list(run.changed),
        "since": _verdict(since) if since else None,
        "questions": [_outcome_record(one) for one in run.outcomes],
    }


def comparison_record(comparison: Comparison) -> Record:
    """Return two runs with what moved between them."""
    return {
        "first": evaluation_record(comparison.first),
        "second": evaluation_record(comparison.second),
        **_verdict(comparison),
        "movements": [
            {
                "question": one.question,
                "before": list(one.before.ranks),
                "after": list(one.after.ranks),
                "change": round(one.change, _DIGITS),
            }
            for one in comparison.movements
        ],
    }


def bad_lines_record(bad: Sequence[BadLine]) -> Record:
    """Return what of a file was no golden question."""
    return {"bad_lines": [asdict(one) for one in bad]}


def promotion_record(done: Promotion) -> Record:
    """Return what a knowledge base is searched with now, and was before; null for what all use."""
    return {"kb": done.knowledge_base, "before": _configuration(done.before), "now": _configuration(done.now)}


def _verdict(comparison: Comparison) -> Record:
    return {
        "improved": comparison.improved,
        "worse": comparison.worse,
        "equal": comparison.equal,
        "p_value": round(comparison.p_value, 6),
        "sentence": comparison.sentence,
    }


def _outcome_record(one: QuestionOutcome) -> Record:
    return asdict(one) | {
        "score": round(one.score, _DIGITS) if one.score is not None else None,
        "milliseconds": round(one.milliseconds, 2),
    }


def _configuration(configuration: SearchConfiguration | None) -> Record | None:
    return configuration.as_dict() if configuration is not None else None

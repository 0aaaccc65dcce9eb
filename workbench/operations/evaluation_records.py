"""What a run over golden questions rests on, and the run kept with what changed since the one before."""

import dataclasses
import json
from collections.abc import Sequence

import workbench
from workbench.evaluation.run_comparison import SEARCH, changes, digest_of
from workbench.model.evaluation import Circumstances, Evaluation, EvaluationSummary, GoldenQuestion
from workbench.operations.library import Library
from workbench.operations.reranking import OF_RERANKING


def circumstances(library: Library, questions: Sequence[GoldenQuestion], *, as_searched: bool) -> Circumstances:
    """Return what a run over these questions would rest on now; blocking.

    Args:
        library: The open library.
        questions: Those that are asked.
        as_searched: Whether they are asked as searches go, so that it matters how these go.
    """
    documents, chunks, embedded, contents = library.evaluations.contents()
    settings = library.settings
    rests_on = [(key, str(getattr(settings, key))) for key in sorted(OF_RERANKING)]
    if as_searched:
        rests_on.append((SEARCH, _search(library, questions)))
    return Circumstances(
        workbench.__version__,
        library.vectors.embedder,
        documents,
        chunks,
        embedded,
        contents,
        tuple(rests_on),
        digest_of(questions),
    )


def _search(library: Library, questions: Sequence[GoldenQuestion]) -> str:
    there = library.documents.knowledge_bases()
    asked = sorted({one.knowledge_base for one in questions} & {"", *there})
    ways = {base: library.search_configurations.in_force(base or None).configuration.as_dict() for base in asked}
    return json.dumps(ways, sort_keys=True, ensure_ascii=False)


def kept(library: Library, run: Evaluation) -> Evaluation:
    """Keep a run; returns it with its number and with what changed since the last of the same kind. Blocking.

    One that is made by itself takes the place of another such of the same day: a folder that is written to all day
    would leave no room for those that were asked for.
    """
    alike = [one for one in library.evaluations.summaries(run.summary.set) if _alike(one, run.summary)]
    outdated = alike[0] if alike and run.summary.by_itself and _replaces(run.summary, alike[0]) else None
    earlier = next((one for one in alike if one is not outdated), None)
    if earlier is not None:
        changed = changes(earlier.circumstances, run.summary.circumstances)
        run = dataclasses.replace(run, changed=changed, previous=earlier.id)
    number = library.evaluations.add(run)
    if outdated is not None:
        library.evaluations.remove(outdated.id)
    return dataclasses.replace(run, summary=dataclasses.replace(run.summary, id=number))


def _replaces(run: EvaluationSummary, other: EvaluationSummary) -> bool:
    return other.by_itself and run.began[:10] == other.began[:10]


def _alike(one: EvaluationSummary, other: EvaluationSummary) -> bool:
    if one.as_searched or other.as_searched:
        return one.as_searched and other.as_searched
    return one.configuration == other.configuration

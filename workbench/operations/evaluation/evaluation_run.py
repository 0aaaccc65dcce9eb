"""Evaluation run: locate, search and judge golden questions, and store the run with its conditions."""

import dataclasses
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import workbench
from workbench.errors import EvaluationError, RetrievalError
from workbench.evaluation.run_figures import GRADED, SEARCH, changes, digest_of, metrics
from workbench.language import mark
from workbench.model.evaluation import (
    Evaluation,
    EvaluationConditions,
    EvaluationProgress,
    EvaluationSummary,
    GoldenQuestion,
    QuestionOutcome,
)
from workbench.model.filter import ChunkFilter
from workbench.model.hit import SearchResult
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations.evaluation.golden import nothing_marked
from workbench.operations.evaluation.search_configurations import check
from workbench.operations.library.library import Library
from workbench.operations.questions.reranking import OF_RERANKING
from workbench.worker.job import JobContext

if TYPE_CHECKING:  # numpy is not imported before the window is shown.
    from workbench.evaluation.judgement_places import JudgementFinder, JudgementPlace, Lost
    from workbench.retrieval.retriever import Retriever


_REPORT_SECONDS = 0.1
_NAMED = 3
_MORE = mark("{0:d} more")


@dataclass(slots=True)
class SearchWay:
    """Search configuration that is evaluated, and its results so far.

    Attributes:
        configuration: The configuration; None uses the current one of each question's knowledge base.
        name: Name of the configuration; may be empty.
        outcomes: Results, one for each question.
        notes: Notes of the searches, as keys in order.
    """

    configuration: SearchConfiguration | None
    name: str = ""
    outcomes: list[QuestionOutcome] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _PreparedQuestion:
    """A question that is ready to be searched: its filter, and the current places of its passages."""

    question: GoldenQuestion
    filter: ChunkFilter
    right: "tuple[JudgementPlace | Lost, ...]" = ()
    wrong: "tuple[JudgementPlace | Lost, ...]" = ()
    problem: str = ""


async def run_evaluations(
    library: Library, set: str, ways: Sequence[SearchWay], k: int, context: JobContext
) -> tuple[Evaluation, ...]:
    """Run the same questions with each configuration, and return the stored runs.

    Searches are submitted to the search threads one at a time: one of the two threads stays free for the user's
    question, and a cancellation waits for one search at most.

    Raises:
        NotFound: No set has that name.
        EvaluationError: The set is empty, or none of its passages is in the library.
        RetrievalError: k is out of bounds, or a search failed.
        SettingError: A configuration names a reranker that does not exist.
    """
    questions = await library.on_store(_load_questions, library, set, ways, k)
    # The conditions are recorded first, so that a change during the run makes it outdated.
    runs = [await library.on_store(_new_run, library, set, way, questions) for way in ways]
    places = await library.on_store(_places, library)
    missing: dict[str, None] = {}
    progress = _Progress(len(questions), context)
    for number, question in enumerate(questions):
        prepared = await library.on_store(_prepare, library, places, question, missing)
        if number == 0:
            await _warm_up(library, prepared, ways, max(k, GRADED))
        for way in ways if number % 2 else ways[::-1]:  # alternate, so that warm caches help both equally
            way.outcomes.append(await library.on_search(_outcome, library, prepared, way, max(k, GRADED)))
        progress.report(number + 1)
    done = [_finish(run, way, k, tuple(missing)) for run, way in zip(runs, ways, strict=True)]
    return tuple([await library.on_store(store_run, library, run) for run in done])


def evaluate_in_background(
    library: Library, set: str, way: SearchWay, k: int, stop: Callable[[], bool]
) -> Evaluation | None:
    """Make a run in idle time on the calling thread; blocking. Return the stored run, or None if it was stopped.

    Raises:
        WorkbenchError: The errors of run_evaluations.
    """
    questions = _load_questions(library, set, [way], k)
    begun = replace(_new_run(library, set, way, questions), by_itself=True)
    places, missing = _places(library), dict[str, None]()
    retriever = library.models.background_retriever()
    for question in questions:
        if stop():
            return None
        prepared = _prepare(library, places, question, missing)
        way.outcomes.append(_outcome(library, prepared, way, max(k, GRADED), retriever))
    return None if stop() else store_run(library, _finish(begun, way, k, tuple(missing)))


class _Progress:
    """Progress reports of a run, limited to ten per second."""

    def __init__(self, questions: int, context: JobContext) -> None:
        self._questions = questions
        self._context = context
        self._began = self._reported_at = time.monotonic()

    def report(self, done: int) -> None:
        now = time.monotonic()
        if now - self._reported_at >= _REPORT_SECONDS or done == self._questions:
            self._reported_at = now
            left = (now - self._began) / done * (self._questions - done)
            self._context.emit(EvaluationProgress(done, self._questions, left))


def _load_questions(library: Library, set: str, ways: Sequence[SearchWay], k: int) -> Sequence[GoldenQuestion]:
    from workbench.retrieval.retriever import MOST_HITS

    if not 1 <= k <= MOST_HITS:
        raise RetrievalError(f"A search cannot give {k} passages.", f"Ask for 1 to {MOST_HITS}.")
    for way in ways:
        if way.configuration is not None:
            check(way.configuration)
    questions = library.golden.questions(set)
    if not questions:
        raise nothing_marked()
    return questions


def _places(library: Library) -> "JudgementFinder":
    from workbench.evaluation.judgement_places import JudgementFinder

    places = JudgementFinder(library.documents, library.keywords)
    places.know(library.documents.list())
    return places


def _prepare(
    library: Library, places: "JudgementFinder", question: GoldenQuestion, missing: dict[str, None]
) -> _PreparedQuestion:
    """Return a question with the places of its passages; add the names of absent documents to missing."""
    from workbench.evaluation.judgement_places import Lost
    from workbench.retrieval.filters.text_syntax import filter_of_text

    base = question.knowledge_base
    if base and base not in library.documents.knowledge_bases():
        return _PreparedQuestion(
            question, ChunkFilter(), problem=mark(f"There is no knowledge base “{base}” any more.")
        )
    try:
        filter = filter_of_text(question.filter, base or None)
    except RetrievalError as error:
        return _PreparedQuestion(question, ChunkFilter(), problem=mark(f"Its filter cannot be read: {error.message}"))
    if problem := library.documents.filter_problem(filter):
        return _PreparedQuestion(question, ChunkFilter(), problem=problem)
    right = tuple(places.find(one, base) for one in question.right)
    wrong = tuple(places.find(one, base) for one in question.wrong)
    missing |= {one.document: None for one in (*right, *wrong) if isinstance(one, Lost) and one.document}
    return _PreparedQuestion(question, filter, right, wrong)


async def _warm_up(library: Library, asked: _PreparedQuestion, ways: Sequence[SearchWay], k: int) -> None:
    """Search once without measuring, so that the time of the first search does not include loading models."""
    for way in ways:
        await library.on_search(_search_with, library, asked, way, k)


def _search_with(
    library: Library, asked: _PreparedQuestion, way: SearchWay, k: int, retriever: "Retriever | None" = None
) -> SearchResult:
    base = asked.filter.knowledge_base
    configuration = way.configuration or library.search_configurations.in_force(base).configuration
    return (retriever or library.models.retriever()).search(
        asked.question.question, k=k, filter=asked.filter, configuration=configuration
    )


def _outcome(
    library: Library, asked: _PreparedQuestion, way: SearchWay, k: int, retriever: "Retriever | None" = None
) -> QuestionOutcome:
    from workbench.evaluation.judgement_places import judged, not_searched

    if asked.problem:
        return not_searched(asked.question, asked.problem)
    result = _search_with(library, asked, way, k, retriever)
    way.notes |= dict.fromkeys(result.notes)
    return judged(asked.question, asked.right, asked.wrong, result)


def _new_run(library: Library, set: str, way: SearchWay, questions: Sequence[GoldenQuestion]) -> EvaluationSummary:
    return EvaluationSummary(
        0,
        set,
        datetime.now(UTC).isoformat(timespec="microseconds"),
        0.0,
        way.configuration or library.search_configurations.in_force(None).configuration,
        way.name,
        metrics((), 0),
        current_conditions(library, questions, as_searched=way.configuration is None),
        as_searched=way.configuration is None,
    )


def _finish(begun: EvaluationSummary, way: SearchWay, k: int, missing: tuple[str, ...]) -> Evaluation:
    if all(one.problem for one in way.outcomes):
        raise _nothing_measured(way.outcomes, missing)
    seconds = (datetime.now(UTC) - datetime.fromisoformat(begun.began)).total_seconds()
    summary = replace(
        begun,
        seconds=round(max(seconds, 0.0), 2),
        metrics=metrics(way.outcomes, k),
        lost=sum(one.lost for one in way.outcomes),
        unmeasured=sum(not one.is_measured for one in way.outcomes),
    )
    return Evaluation(summary, tuple(way.outcomes), missing, tuple(way.notes))


def _nothing_measured(outcomes: Sequence[QuestionOutcome], missing: tuple[str, ...]) -> EvaluationError:
    """Return the error for a run that measured nothing: figures of 0 would look like a bad search."""
    none = mark(f"None of the {len(outcomes):,} questions can be measured.")
    head = mark("The one question cannot be measured.") if len(outcomes) == 1 else none
    if missing:
        more = f" and {_MORE}".replace("{0:d}", f"{len(missing) - _NAMED:,}") if len(missing) > _NAMED else ""
        named = ", ".join(f"“{name}”" for name in missing[:_NAMED]) + more
        return EvaluationError(f"{head} These documents are not in the library: {named}.", "Add them first.")
    return EvaluationError(f"{head} {outcomes[0].problem}", "Add the documents that the questions ask about.")


def current_conditions(
    library: Library, questions: Sequence[GoldenQuestion], *, as_searched: bool
) -> EvaluationConditions:
    """Return everything that the result of a run over these questions depends on now; blocking.

    Args:
        library: The open library.
        questions: The questions of the run.
        as_searched: Whether the run uses the current configuration of each knowledge base, which then counts too.
    """
    documents, chunks, embedded, contents = library.evaluations.contents()
    settings = library.settings
    rests_on = [(key, str(getattr(settings, key))) for key in sorted(OF_RERANKING)]
    if as_searched:
        rests_on.append((SEARCH, _search_settings(library, questions)))
    return EvaluationConditions(
        workbench.__version__,
        library.vectors.embedder,
        documents,
        chunks,
        embedded,
        contents,
        tuple(rests_on),
        digest_of(questions),
    )


def _search_settings(library: Library, questions: Sequence[GoldenQuestion]) -> str:
    there = library.documents.knowledge_bases()
    asked = sorted({one.knowledge_base for one in questions} & {"", *there})
    ways = {base: library.search_configurations.in_force(base or None).configuration.as_dict() for base in asked}
    return json.dumps(ways, sort_keys=True, ensure_ascii=False)


def store_run(library: Library, run: Evaluation) -> Evaluation:
    """Store a run; return it with its number and the changes since the last comparable run. Blocking.

    An automatic run replaces an automatic run of the same day: otherwise a folder that changes all day would push out
    the runs that the user started.
    """
    alike = [one for one in library.evaluations.summaries(run.summary.set) if _alike(one, run.summary)]
    outdated = alike[0] if alike and run.summary.by_itself and _replaces(run.summary, alike[0]) else None
    earlier = next((one for one in alike if one is not outdated), None)
    if earlier is not None:
        changed = changes(earlier.conditions, run.summary.conditions)
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

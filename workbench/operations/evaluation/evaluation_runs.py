"""Evaluations over golden questions: run, list, compare, remove; and repeat outdated ones when idle.

In idle time the last run of each set of golden questions is checked. If something that its result depends on has
changed (documents, vectors, settings, questions, search configuration, program version), the run is repeated with the
same configuration. It uses one thread of low priority and stops as soon as the user searches or anything changes.
"""

import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import workbench
from workbench.errors import EvaluationError, NotFound, RetrievalError, WorkbenchError
from workbench.evaluation.run_figures import GRADED, SEARCH, changes, compared, digest_of, metrics
from workbench.language import mark
from workbench.model.evaluation import (
    MARKS,
    Comparison,
    EvaluatedAgain,
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
from workbench.operations.questions.library_search import read_question
from workbench.operations.questions.reranking import OF_RERANKING
from workbench.worker.job import JobContext, Operation

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
    read = read_question(library, asked.question.question)
    return (retriever or library.models.retriever()).search(
        read.text, k=k, filter=asked.filter, configuration=configuration
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
    none = mark(f"None of the {len(outcomes):,} questions can be evaluated.")
    head = mark("The only question cannot be evaluated.") if len(outcomes) == 1 else none
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
        run = replace(run, changed=changed, previous=earlier.id)
    number = library.evaluations.add(run)
    if outdated is not None:
        library.evaluations.remove(outdated.id)
    return replace(run, summary=replace(run.summary, id=number))


def _replaces(run: EvaluationSummary, other: EvaluationSummary) -> bool:
    return other.by_itself and run.began[:10] == other.began[:10]


def _alike(one: EvaluationSummary, other: EvaluationSummary) -> bool:
    if one.as_searched or other.as_searched:
        return one.as_searched and other.as_searched
    return one.configuration == other.configuration


def evaluate(
    library: Library,
    set: str = MARKS,
    *,
    configuration: SearchConfiguration | None = None,
    name: str = "",
    k: int = 10,
) -> Operation[Evaluation]:
    """Search for every question of a set and measure the hits. The run is stored, unless it is cancelled.

    Emits EvaluationProgress. A question of the user never waits for more than one of these searches.

    Args:
        library: The open library.
        set: The set of golden questions.
        configuration: The search configuration; None uses the current one of each question's knowledge base.
        name: Name of the configuration; may be empty.
        k: Number of hits that recall@k and hit@k count.

    Raises:
        NotFound: No set has that name.
        EvaluationError: The set is empty, or none of its passages is in the library.
        RetrievalError: k is out of bounds, or a search failed.
        SettingError: The configuration names a reranker that does not exist.
    """

    async def operation(context: JobContext) -> Evaluation:
        (run,) = await run_evaluations(library, set, [SearchWay(configuration, name)], k, context)
        return run

    return operation


def evaluate_both(
    library: Library,
    set: str,
    first: SearchConfiguration | None,
    second: SearchConfiguration | None,
    *,
    names: tuple[str, str] = ("", ""),
    k: int = 10,
) -> Operation[Comparison]:
    """Evaluate a set with two configurations, alternately, and compare the runs; both are stored.

    Emits EvaluationProgress; raises the errors of evaluate.
    """

    async def operation(context: JobContext) -> Comparison:
        ways = [SearchWay(first, names[0]), SearchWay(second, names[1])]
        one, other = await run_evaluations(library, set, ways, k, context)
        return compared(one, other)

    return operation


def compare_evaluations(library: Library, first: int, second: int) -> Operation[Comparison]:
    """Return a comparison of two stored runs over the questions that both measured.

    Raises:
        NotFound: One of the runs is not stored, or not any more.
    """

    async def operation(_context: JobContext) -> Comparison:
        one = await library.on_store(library.evaluations.get, first)
        return compared(one, await library.on_store(library.evaluations.get, second))

    return operation


def list_evaluations(library: Library, set: str | None = None) -> Operation[tuple[EvaluationSummary, ...]]:
    """Return the stored runs, of one set or of all, newest first."""

    async def operation(_context: JobContext) -> tuple[EvaluationSummary, ...]:
        return await library.on_store(library.evaluations.summaries, set)

    return operation


def open_evaluation(library: Library, number: int) -> Operation[Evaluation]:
    """Return a stored run with all its questions.

    Raises:
        NotFound: The run is not stored, or not any more.
    """

    async def operation(_context: JobContext) -> Evaluation:
        return await library.on_store(library.evaluations.get, number)

    return operation


def remove_evaluation(library: Library, number: int) -> Operation[None]:
    """Delete a stored run."""

    async def operation(_context: JobContext) -> None:
        await library.on_store(library.evaluations.remove, number)

    return operation


def evaluation_changes(library: Library, number: int) -> Operation[tuple[str, ...]]:
    """Return descriptions of the changes since a stored run; its figures are up to date if there are none.

    If there are any, an idle evaluation is requested.

    Raises:
        NotFound: The run is not stored, or not any more.
    """

    async def operation(_context: JobContext) -> tuple[str, ...]:
        return await library.on_store(_changes, library, number)

    return operation


def outdated_evaluations(library: Library, set: str | None = None) -> Operation[list[EvaluationSummary]]:
    """Return the last run of each existing set, or of this one, that is outdated by a change."""

    async def operation(_context: JobContext) -> list[EvaluationSummary]:
        there = {one.name for one in await library.on_store(library.golden.sets) if one.questions}
        runs = await library.on_store(library.evaluations.summaries, set)
        newest = {run.set: run for run in reversed(runs) if run.set in there}
        return [run for run in newest.values() if await library.on_store(_changes, library, run.id)]

    return operation


def evaluate_again(library: Library, run: EvaluationSummary) -> Operation[Evaluation]:
    """Repeat a run with the same set and configuration; emits the events and raises the errors of evaluate."""
    way = None if run.as_searched else run.configuration
    return evaluate(library, run.set, configuration=way, name=run.name, k=run.metrics.k)


def _changes(library: Library, number: int) -> tuple[str, ...]:
    run = library.evaluations.get(number).summary
    if run.set not in {one.name for one in library.golden.sets()}:
        return (mark("its golden questions are gone"),)
    questions = library.golden.questions(run.set)
    changed = changes(run.conditions, current_conditions(library, questions, as_searched=run.as_searched))
    if changed:
        library.upkeep.request()
    return changed


logger = logging.getLogger(__name__)

Notify = Callable[[EvaluatedAgain], None]


def evaluate_when_idle(library: Library, notify: Notify | None = None) -> Operation[None]:
    """Repeat outdated runs from now on whenever the program is idle, if the setting evaluate_again is on.

    Args:
        library: The open library.
        notify: Called after each run, on a background thread.
    """

    async def operation(_context: JobContext) -> None:
        library.upkeep.add(IdleEvaluation(library, notify))
        library.upkeep.request()

    return operation


class IdleEvaluation:
    """Repetition of outdated runs as a task of IdleMaintenance."""

    def __init__(self, library: Library, notify: Notify | None = None) -> None:
        self._library = library
        self._notify = notify
        self._failed: dict[str, EvaluationConditions] = {}

    def __call__(self, stop: Callable[[], bool]) -> None:
        """Repeat every outdated run until there is none left or stop() returns True."""
        library = self._library
        if library.settings.evaluate_again != "yes":
            return
        for last in library.evaluations.latest():
            # While vectors are computed, a run would be outdated as soon as they are stored.
            if stop() or library.changing.locked():
                return
            if self._is_out_of_date(last):
                self._make_again(last, stop)

    def _is_out_of_date(self, last: EvaluationSummary) -> bool:
        try:
            questions = self._library.golden.questions(last.set)
        except NotFound:
            return False
        now = current_conditions(self._library, questions, as_searched=last.as_searched)
        failed = self._failed.get(last.set)
        return bool(questions and changes(last.conditions, now)) and (failed is None or bool(changes(failed, now)))

    def _make_again(self, last: EvaluationSummary, stop: Callable[[], bool]) -> None:
        library = self._library
        way = SearchWay(None if last.as_searched else last.configuration, last.name)
        try:
            made = evaluate_in_background(library, last.set, way, last.metrics.k, stop)
        except WorkbenchError as error:
            # Remember the failure: a retry at each idle period would fail again until something changes.
            logger.info("The questions of “%s” could not be asked again: %s", last.set, error)
            questions = library.golden.questions(last.set)
            self._failed[last.set] = current_conditions(library, questions, as_searched=last.as_searched)
            return
        if made is not None and self._notify is not None:
            self._notify(EvaluatedAgain(made.summary))

"""Evaluations over golden questions: run, list, compare, remove; and repeat outdated ones when idle.

In idle time the last run of each set of golden questions is checked. If something that its result depends on has
changed (documents, vectors, settings, questions, search configuration, program version), the run is repeated with the
same configuration. It uses one thread of low priority and stops as soon as the user searches or anything changes.
"""

import logging
from collections.abc import Callable

from workbench.errors import NotFound, WorkbenchError
from workbench.evaluation.run_figures import changes, compared
from workbench.language import mark
from workbench.model.evaluation import (
    MARKS,
    Comparison,
    EvaluatedAgain,
    Evaluation,
    EvaluationConditions,
    EvaluationSummary,
)
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations.evaluation.evaluation_run import (
    SearchWay,
    current_conditions,
    evaluate_in_background,
    run_evaluations,
)
from workbench.operations.library.library import Library
from workbench.worker.job import JobContext, Operation


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

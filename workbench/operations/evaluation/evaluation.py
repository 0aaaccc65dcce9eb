"""Evaluations over golden questions: run, list, compare, remove; and repeated when idle if outdated.

Of each set of golden questions that was ever evaluated, the last run is looked at: where what it rests on has changed
(documents, vectors, settings, questions, the way of searching, the program), its questions are asked once more, in the
same way. It takes one thread of low priority, and ends as soon as anybody searches or anything changes.
"""

import logging
from collections.abc import Callable

from workbench.errors import NotFound, WorkbenchError
from workbench.evaluation.run_comparison import changes, compared
from workbench.language import mark
from workbench.model.evaluation import MARKS, Circumstances, Comparison, EvaluatedAgain, Evaluation, EvaluationSummary
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations.evaluation.evaluation_run import SearchWay, circumstances, evaluate_in_background, examined
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
    """Ask every question of a set and measure what is found; the run is kept, a cancelled one is not.

    Emits EvaluationProgress. The user's own question never waits for more than one of these.

    Args:
        library: The open library.
        set: The set of golden questions.
        configuration: How is searched; None goes as a search of each question's knowledge base goes now.
        name: What the configuration is called, if anything.
        k: How many hits recall@k and hit@k look at.

    Raises:
        NotFound: There is no such set.
        EvaluationError: It is empty, or nothing that it asks for is in the library.
        RetrievalError: k is out of bounds, or a search failed.
        SettingError: The configuration names a reranker that there is not.
    """

    async def operation(context: JobContext) -> Evaluation:
        (run,) = await examined(library, set, [SearchWay(configuration, name)], k, context)
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
    """Ask every question of a set in two ways, one after the other, and compare them; both runs are kept.

    Emits EvaluationProgress; raises what evaluate raises.
    """

    async def operation(context: JobContext) -> Comparison:
        ways = [SearchWay(first, names[0]), SearchWay(second, names[1])]
        one, other = await examined(library, set, ways, k, context)
        return compared(one, other)

    return operation


def compare_evaluations(library: Library, first: int, second: int) -> Operation[Comparison]:
    """Return two kept runs side by side, of the questions that both measured.

    Raises:
        NotFound: One of them is not kept (any more).
    """

    async def operation(_context: JobContext) -> Comparison:
        one = await library.on_store(library.evaluations.get, first)
        return compared(one, await library.on_store(library.evaluations.get, second))

    return operation


def list_evaluations(library: Library, set: str | None = None) -> Operation[tuple[EvaluationSummary, ...]]:
    """Return the kept runs, of one set or of all, newest first."""

    async def operation(_context: JobContext) -> tuple[EvaluationSummary, ...]:
        return await library.on_store(library.evaluations.summaries, set)

    return operation


def open_evaluation(library: Library, number: int) -> Operation[Evaluation]:
    """Return a kept run with all its questions.

    Raises:
        NotFound: It is not kept (any more).
    """

    async def operation(_context: JobContext) -> Evaluation:
        return await library.on_store(library.evaluations.get, number)

    return operation


def remove_evaluation(library: Library, number: int) -> Operation[None]:
    """Forget a kept run."""

    async def operation(_context: JobContext) -> None:
        await library.on_store(library.evaluations.remove, number)

    return operation


def evaluation_changes(library: Library, number: int) -> Operation[tuple[str, ...]]:
    """Return what changed since a kept run, in words: while that is nothing, its figures still hold.

    Where there is something, what evaluates in idle time is told to look (evaluation.py).

    Raises:
        NotFound: It is not kept (any more).
    """

    async def operation(_context: JobContext) -> tuple[str, ...]:
        return await library.on_store(_changes, library, number)

    return operation


def outdated_evaluations(library: Library, set: str | None = None) -> Operation[list[EvaluationSummary]]:
    """Return the last run of each set that there is, or of this one, where something changed since."""

    async def operation(_context: JobContext) -> list[EvaluationSummary]:
        there = {one.name for one in await library.on_store(library.golden.sets) if one.questions}
        runs = await library.on_store(library.evaluations.summaries, set)
        newest = {run.set: run for run in reversed(runs) if run.set in there}
        return [run for run in newest.values() if await library.on_store(_changes, library, run.id)]

    return operation


def evaluate_again(library: Library, run: EvaluationSummary) -> Operation[Evaluation]:
    """Measure a set as it was measured in a run; emits and raises what evaluate does."""
    way = None if run.as_searched else run.configuration
    return evaluate(library, run.set, configuration=way, name=run.name, k=run.metrics.k)


def _changes(library: Library, number: int) -> tuple[str, ...]:
    run = library.evaluations.get(number).summary
    if run.set not in {one.name for one in library.golden.sets()}:
        return (mark("its golden questions are gone"),)
    questions = library.golden.questions(run.set)
    changed = changes(run.circumstances, circumstances(library, questions, as_searched=run.as_searched))
    if changed:
        library.upkeep.soon()
    return changed


logger = logging.getLogger(__name__)

Tell = Callable[[EvaluatedAgain], None]


def evaluate_when_idle(library: Library, tell: Tell | None = None) -> Operation[None]:
    """Evaluate again from now on what is out of date, whenever there is time; the setting says whether.

    Args:
        library: The open library.
        tell: Told of each run that was made, on a thread that is nobody's.
    """

    async def operation(_context: JobContext) -> None:
        library.upkeep.at_last(IdleEvaluation(library, tell))
        library.upkeep.soon()

    return operation


class IdleEvaluation:
    """Work for IdleMaintenance."""

    def __init__(self, library: Library, tell: Tell | None = None) -> None:
        self._library = library
        self._tell = tell
        self._in_vain: dict[str, Circumstances] = {}

    def __call__(self, stop: Callable[[], bool]) -> None:
        """Make every run that is out of date again, until it is to end."""
        library = self._library
        if library.settings.evaluate_again != "yes":
            return
        for last in library.evaluations.latest():
            # New vectors are on their way: what is measured now would be out of date when they are there.
            if stop() or library.changing.locked():
                return
            if self._is_out_of_date(last):
                self._make_again(last, stop)

    def _is_out_of_date(self, last: EvaluationSummary) -> bool:
        try:
            questions = self._library.golden.questions(last.set)
        except NotFound:
            return False
        now = circumstances(self._library, questions, as_searched=last.as_searched)
        failed = self._in_vain.get(last.set)
        return bool(questions and changes(last.circumstances, now)) and (failed is None or bool(changes(failed, now)))

    def _make_again(self, last: EvaluationSummary, stop: Callable[[], bool]) -> None:
        library = self._library
        way = SearchWay(None if last.as_searched else last.configuration, last.name)
        try:
            made = evaluate_in_background(library, last.set, way, last.metrics.k, stop)
        except WorkbenchError as error:
            # Not at each pause: it would end in the same way until something changes.
            logger.info("The questions of “%s” could not be asked again: %s", last.set, error)
            questions = library.golden.questions(last.set)
            self._in_vain[last.set] = circumstances(library, questions, as_searched=last.as_searched)
            return
        if made is not None and self._tell is not None:
            self._tell(EvaluatedAgain(made.summary))

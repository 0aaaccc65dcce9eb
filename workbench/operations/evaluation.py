"""Golden questions -> how well a way of searching finds what they ask for; runs kept, listed, compared."""

from workbench.evaluation.run_comparison import changes, compared
from workbench.language import mark
from workbench.model.evaluation import MARKS, Comparison, Evaluation, EvaluationSummary
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations.evaluation_records import circumstances
from workbench.operations.examination import Way, examined
from workbench.operations.library import Library
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
        (run,) = await examined(library, set, [Way(configuration, name)], k, context)
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
        ways = [Way(first, names[0]), Way(second, names[1])]
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

    Where there is something, what evaluates in idle time is told to look (idle_evaluation.py).

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

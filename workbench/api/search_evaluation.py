"""How well searches find what they should: golden questions, marks, runs, comparisons. Awaited, and waited for."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from workbench import operations
from workbench.api.arguments import context, require_positive
from workbench.api.waiting import Awaited, Waiting, waited
from workbench.model.evaluation import (
    MARKS,
    Comparison,
    Evaluation,
    EvaluationProgress,
    EvaluationSummary,
    GoldenQuestion,
    GoldenSet,
    Judgement,
    Mark,
    NamedConfiguration,
    Promotion,
    QuestionsRead,
    SearchSettings,
)
from workbench.model.hit import Citation, Hit, SearchMode
from workbench.model.options import choice_of, known_options
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations.evaluation.search_configurations import configuration_of
from workbench.worker.job import JobContext

ConfigurationRef = SearchConfiguration | str | None
"""A way of searching: itself, "mode=dense,reranking=none", "default", the name of a kept one, or None: as set now."""

OnEvaluationEvent = Callable[[EvaluationProgress], object] | None


@known_options
class AsyncEvaluation(Awaited):
    """Searches measured with golden questions: questions of which is known what is right to find; library.evaluation.

    Wherever a configuration is asked for, a SearchConfiguration may stand, or a text: "mode=dense,reranking=none", what
    is not named is as by default; "default"; or the name of a kept one. None means as searches go now.
    """

    async def sets(self) -> tuple[GoldenSet, ...]:
        """Return the sets of golden questions: “marks” first, then the others by name."""
        return await operations.golden_sets(self._opened)(JobContext())

    async def questions(self, set: str = MARKS) -> tuple[GoldenQuestion, ...]:
        """Return the questions of a set in the order they came.

        Raises:
            NotFound: There is no such set.
        """
        return await operations.golden_questions(self._opened, set)(JobContext())

    async def put_questions(self, set: str, questions: Iterable[GoldenQuestion]) -> None:
        """Let a set hold just these questions; none removes the set, its runs stay.

        Raises:
            EvaluationError: The set cannot have that name.
        """
        await operations.put_questions(self._opened, set, [*questions])(JobContext())

    async def read_file(self, path: str | Path, *, set: str = "") -> QuestionsRead:
        """Read golden questions from a file of JSON lines into a set, in the place of what it held; marks are added to.

        Args:
            path: A line is like {"question": "…", "document": "report.pdf", "page": 3}.
            set: Its name; empty takes that of the file.

        Returns:
            How many were read, and which lines are none, with the reason.

        Raises:
            DocumentError: The file is not there, or cannot be read.
            EvaluationError: Not one line is a golden question, or the set cannot have that name.
        """
        return await operations.read_questions(self._opened, Path(path), set=set)(JobContext())

    async def write_file(self, path: str | Path, *, set: str = MARKS) -> Path:
        """Write a set as JSON lines, which read_file reads again, and return the file's path.

        Raises:
            NotFound: There is no such set.
            EvaluationError: It is empty.
            ExportError: The file cannot be written.
        """
        return await operations.write_questions(self._opened, set, Path(path))(JobContext())

    async def mark(
        self,
        question: str,
        passage: int | Hit | Citation,
        *,
        right: bool = True,
        knowledge_base: str = "",
        filter: str = "",
        set: str = MARKS,
    ) -> Mark:
        """Mark a passage as right to find for a question, or as wrong, in the place of a mark that it has.

        Args:
            question: As it is asked.
            passage: A hit of a search, a citation of an answer, or the number of a passage.
            right: Whether it answers the question.
            knowledge_base: The only one that is searched for it; empty for all.
            filter: What else the search is restricted to, as text.
            set: The set that holds the mark.

        Raises:
            NotFound: There is no such passage (any more).
            EvaluationError: The question is empty, or the citation is of no source.
        """
        where = {"knowledge_base": knowledge_base, "filter": filter, "set": set}
        return await operations.mark_passage(self._opened, question, passage, right, **where)(JobContext())

    async def unmark(
        self,
        question: str,
        passage: int | Hit | Citation,
        *,
        knowledge_base: str = "",
        filter: str = "",
        set: str = MARKS,
    ) -> Mark | None:
        """Take a passage's mark away and return it; None where it has none.

        Raises:
            NotFound: There is no such passage (any more).
        """
        where = {"knowledge_base": knowledge_base, "filter": filter, "set": set}
        return await operations.remove_mark(self._opened, question, passage, **where)(JobContext())

    async def marks(
        self, question: str, *, knowledge_base: str = "", filter: str = "", set: str = MARKS
    ) -> tuple[Judgement, ...]:
        """Return what was marked for a question, right and wrong."""
        where = {"knowledge_base": knowledge_base, "filter": filter, "set": set}
        return await operations.marks_of(self._opened, question, **where)(JobContext())

    async def run(
        self,
        set: str = MARKS,
        configuration: ConfigurationRef = None,
        *,
        k: int = 10,
        on_event: OnEvaluationEvent = None,
    ) -> Evaluation:
        """Ask every question of a set and measure what is found; the run is kept.

        result.summary.metrics has recall@k, hit@k, MRR and nDCG@10, each from 0 to 1, and the times of the searches in
        milliseconds; result.outcomes has the ranks, question by question.

        Args:
            set: The golden questions; those of the marks if none is named.
            configuration: How is searched; None: as searches of each question's knowledge base go now.
            k: How many passages recall@k and hit@k look at.
            on_event: Told how far it is.

        Raises:
            NotFound: There is no such set.
            EvaluationError: It is empty, or nothing that it asks for is in the library.
            SettingError: There is no such configuration.
            RetrievalError: A search failed.
            ValueError: k is below 1.
        """
        require_positive("k", k)
        way = await self._configuration(configuration)
        name = _name(configuration)
        return await operations.evaluate(self._opened, set, configuration=way, name=name, k=k)(context(on_event))

    async def compare(
        self,
        first: ConfigurationRef,
        second: ConfigurationRef = None,
        *,
        set: str = MARKS,
        k: int = 10,
        on_event: OnEvaluationEvent = None,
    ) -> Comparison:
        """Ask every question of a set in two ways and compare them; both runs are kept. Raises what run raises.

        Returns:
            Which questions moved, how many are better and worse, and how likely chance alone would make such a
            difference (p_value); sentence says it in words.
        """
        require_positive("k", k)
        ways = [await self._configuration(first), await self._configuration(second)]
        names = _name(first), _name(second)
        return await operations.evaluate_both(self._opened, set, *ways, names=names, k=k)(context(on_event))

    async def compare_runs(self, first: int, second: int) -> Comparison:
        """Return two kept runs side by side, of the questions that both measured.

        Raises:
            NotFound: One of them is not kept (any more).
        """
        return await operations.compare_evaluations(self._opened, first, second)(JobContext())

    async def runs(self, set: str | None = None) -> tuple[EvaluationSummary, ...]:
        """Return the kept runs, of one set or of all, newest first."""
        return await operations.list_evaluations(self._opened, set)(JobContext())

    async def open(self, run: int) -> Evaluation:
        """Return a kept run with all its questions.

        Raises:
            NotFound: It is not kept (any more).
        """
        return await operations.open_evaluation(self._opened, run)(JobContext())

    async def delete(self, run: int) -> None:
        """Forget a kept run."""
        await operations.remove_evaluation(self._opened, run)(JobContext())

    async def changes(self, run: int) -> tuple[str, ...]:
        """Return what changed since a kept run, in words; while that is nothing, its figures still hold.

        Raises:
            NotFound: It is not kept (any more).
        """
        return await operations.evaluation_changes(self._opened, run)(JobContext())

    async def rerun_outdated(self, set: str | None = None, *, on_event: OnEvaluationEvent = None) -> list[Evaluation]:
        """Measure again each set, or this one, whose last run is out of date, as that was measured."""
        outdated = await operations.outdated_evaluations(self._opened, set)(JobContext())
        return [await operations.evaluate_again(self._opened, run)(context(on_event)) for run in outdated]

    async def configurations(self) -> list[NamedConfiguration]:
        """Return the ways of searching that are kept under a name, by name."""
        return [*await operations.list_configurations(self._opened)(JobContext())]

    async def keep_configuration(self, name: str, configuration: SearchConfiguration | str) -> SearchConfiguration:
        """Keep a way of searching under a name, in the place of one of the same name, and return it.

        Raises:
            SettingError: It cannot have that name, or the configuration cannot be.
        """
        kept = await self._configured(configuration)
        await operations.keep_configuration(self._opened, name, kept)(JobContext())
        return kept

    async def delete_configuration(self, name: str) -> None:
        """Forget a kept way of searching.

        Raises:
            NotFound: There is none of that name.
        """
        await operations.remove_configuration(self._opened, name)(JobContext())

    async def search_settings(self, knowledge_base: str | None = None) -> SearchSettings:
        """Return how a knowledge base is searched; None stands for all at once.

        Raises:
            NotFound: There is no such knowledge base.
        """
        return await operations.search_settings(self._opened, knowledge_base)(JobContext())

    async def promote(self, configuration: ConfigurationRef, *, knowledge_base: str | None = None) -> Promotion:
        """Search a knowledge base, or all, in this way from now on; None goes back to the default.

        Promoting result.before undoes it.

        Raises:
            NotFound: There is no such knowledge base.
            SettingError: There is no such configuration.
        """
        way = await self._configuration(configuration)
        return await operations.promote(self._opened, knowledge_base, way)(JobContext())

    async def _configuration(self, given: ConfigurationRef) -> SearchConfiguration | None:
        return None if given is None else await self._configured(given)

    async def _configured(self, given: SearchConfiguration | str) -> SearchConfiguration:
        if isinstance(given, str):
            return await configuration_of(self._opened, given)
        return replace(given, mode=choice_of("mode", given.mode, SearchMode))


class EvaluationOf(Waiting[AsyncEvaluation]):
    """Searches measured with golden questions; library.evaluation."""

    sets = waited(AsyncEvaluation.sets)
    questions = waited(AsyncEvaluation.questions)
    put_questions = waited(AsyncEvaluation.put_questions)
    read_file = waited(AsyncEvaluation.read_file)
    write_file = waited(AsyncEvaluation.write_file)
    mark = waited(AsyncEvaluation.mark)
    unmark = waited(AsyncEvaluation.unmark)
    marks = waited(AsyncEvaluation.marks)
    run = waited(AsyncEvaluation.run)
    compare = waited(AsyncEvaluation.compare)
    compare_runs = waited(AsyncEvaluation.compare_runs)
    runs = waited(AsyncEvaluation.runs)
    open = waited(AsyncEvaluation.open)
    delete = waited(AsyncEvaluation.delete)
    changes = waited(AsyncEvaluation.changes)
    rerun_outdated = waited(AsyncEvaluation.rerun_outdated)
    configurations = waited(AsyncEvaluation.configurations)
    keep_configuration = waited(AsyncEvaluation.keep_configuration)
    delete_configuration = waited(AsyncEvaluation.delete_configuration)
    search_settings = waited(AsyncEvaluation.search_settings)
    promote = waited(AsyncEvaluation.promote)


def _name(given: ConfigurationRef) -> str:
    """Return what a configuration is called: nothing for one that is written out, which says itself what it is."""
    return given if isinstance(given, str) and "=" not in given else ""

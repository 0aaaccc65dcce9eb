"""Evaluation of searches: golden questions, marks, runs, comparisons.

An asynchronous and a blocking class.
"""

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
"""A search configuration: the object, "mode=dense,reranking=none", "default", a stored name, or None: as set now."""

OnEvaluationEvent = Callable[[EvaluationProgress], object] | None


@known_options
class AsyncEvaluation(Awaited):
    """Measurement of searches with golden questions, whose right passages are known; library.evaluation.

    A configuration argument is a SearchConfiguration, or a text: "mode=dense,reranking=none", whose remaining fields
    have their defaults; "default"; or the name of a stored one. None is the current configuration.
    """

    async def sets(self) -> tuple[GoldenSet, ...]:
        """Return the sets of golden questions: “marks” first, then the others by name."""
        return await operations.golden_sets(self._opened)(JobContext())

    async def questions(self, set: str = MARKS) -> tuple[GoldenQuestion, ...]:
        """Return the questions of a set in the order they were added.

        Raises:
            NotFound: There is no such set.
        """
        return await operations.golden_questions(self._opened, set)(JobContext())

    async def put_questions(self, set: str, questions: Iterable[GoldenQuestion]) -> None:
        """Replace the questions of a set; without questions the set is deleted, and its runs are kept.

        Raises:
            EvaluationError: The name of the set is invalid.
        """
        await operations.put_questions(self._opened, set, [*questions])(JobContext())

    async def read_file(self, path: str | Path, *, set: str = "") -> QuestionsRead:
        """Read golden questions from a JSON Lines file into a set, replacing its contents; “marks” is extended instead.

        Args:
            path: File with lines like {"question": "…", "document": "report.pdf", "page": 3}.
            set: Name of the set; empty uses that of the file.

        Returns:
            The number of questions read, and the invalid lines with the reason for each.

        Raises:
            DocumentError: The file does not exist, or cannot be read.
            EvaluationError: No line is a golden question, or the name of the set is invalid.
        """
        return await operations.read_questions(self._opened, Path(path), set=set)(JobContext())

    async def write_file(self, path: str | Path, *, set: str = MARKS) -> Path:
        """Write a set as JSON Lines that read_file can read, and return the path of the file.

        Raises:
            NotFound: There is no such set.
            EvaluationError: The set is empty.
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
        """Mark a passage as right or wrong for a question, replacing an earlier mark.

        Args:
            question: The question as it is asked.
            passage: A hit of a search, a citation of an answer, or the number of a passage.
            right: Whether the passage answers the question.
            knowledge_base: The only one searched for the question; empty for all.
            filter: Further restriction of the search, as text.
            set: Set that stores the mark.

        Raises:
            NotFound: There is no such passage (any more).
            EvaluationError: The question is empty, or the citation has no source.
        """
        scope = {"knowledge_base": knowledge_base, "filter": filter, "set": set}
        return await operations.mark_passage(self._opened, question, passage, right, **scope)(JobContext())

    async def unmark(
        self,
        question: str,
        passage: int | Hit | Citation,
        *,
        knowledge_base: str = "",
        filter: str = "",
        set: str = MARKS,
    ) -> Mark | None:
        """Remove the mark of a passage and return it; None if it has none.

        Raises:
            NotFound: There is no such passage (any more).
        """
        scope = {"knowledge_base": knowledge_base, "filter": filter, "set": set}
        return await operations.remove_mark(self._opened, question, passage, **scope)(JobContext())

    async def marks(
        self, question: str, *, knowledge_base: str = "", filter: str = "", set: str = MARKS
    ) -> tuple[Judgement, ...]:
        """Return the passages marked for a question, right and wrong."""
        scope = {"knowledge_base": knowledge_base, "filter": filter, "set": set}
        return await operations.marks_of(self._opened, question, **scope)(JobContext())

    async def run(
        self,
        set: str = MARKS,
        configuration: ConfigurationRef = None,
        *,
        k: int = 10,
        on_event: OnEvaluationEvent = None,
    ) -> Evaluation:
        """Search for every question of a set, measure the results, and store the run.

        result.summary.metrics has recall@k, hit@k, MRR and nDCG@10, each from 0 to 1, and the search times in
        milliseconds; result.outcomes has the ranks, question by question.

        Args:
            set: The golden questions; the marks by default.
            configuration: Search configuration; None uses the current one of each question's knowledge base.
            k: Number of passages that recall@k and hit@k consider.
            on_event: Called with the progress.

        Raises:
            NotFound: There is no such set.
            EvaluationError: The set is empty, or the library contains nothing that it asks for.
            SettingError: There is no such configuration.
            RetrievalError: A search failed.
            ValueError: k is below 1.
        """
        require_positive("k", k)
        resolved = await self._configuration(configuration)
        name = _name(configuration)
        return await operations.evaluate(self._opened, set, configuration=resolved, name=name, k=k)(context(on_event))

    async def compare(
        self,
        first: ConfigurationRef,
        second: ConfigurationRef = None,
        *,
        set: str = MARKS,
        k: int = 10,
        on_event: OnEvaluationEvent = None,
    ) -> Comparison:
        """Search for every question of a set with two configurations and compare them; both runs are stored.

        Raises the same errors as run.

        Returns:
            The questions whose ranks changed, how many are better and worse, and the probability of such a difference
            by chance alone (p_value); sentence is a summary in words.
        """
        require_positive("k", k)
        resolved = [await self._configuration(first), await self._configuration(second)]
        names = _name(first), _name(second)
        return await operations.evaluate_both(self._opened, set, *resolved, names=names, k=k)(context(on_event))

    async def compare_runs(self, first: int, second: int) -> Comparison:
        """Compare two stored runs on the questions that both measured.

        Raises:
            NotFound: One of them is not stored (any more).
        """
        return await operations.compare_evaluations(self._opened, first, second)(JobContext())

    async def runs(self, set: str | None = None) -> tuple[EvaluationSummary, ...]:
        """Return the stored runs, of one set or of all, newest first."""
        return await operations.list_evaluations(self._opened, set)(JobContext())

    async def open(self, run: int) -> Evaluation:
        """Return a stored run with all its questions.

        Raises:
            NotFound: The run is not stored (any more).
        """
        return await operations.open_evaluation(self._opened, run)(JobContext())

    async def delete(self, run: int) -> None:
        """Delete a stored run."""
        await operations.remove_evaluation(self._opened, run)(JobContext())

    async def changes(self, run: int) -> tuple[str, ...]:
        """Return descriptions of what changed since a stored run; if there are none, its figures are still valid.

        Raises:
            NotFound: The run is not stored (any more).
        """
        return await operations.evaluation_changes(self._opened, run)(JobContext())

    async def rerun_outdated(self, set: str | None = None, *, on_event: OnEvaluationEvent = None) -> list[Evaluation]:
        """Measure each set, or this one, again if its last run is out of date, with the configuration of that run."""
        outdated = await operations.outdated_evaluations(self._opened, set)(JobContext())
        return [await operations.evaluate_again(self._opened, run)(context(on_event)) for run in outdated]

    async def configurations(self) -> list[NamedConfiguration]:
        """Return the stored search configurations, by name."""
        return [*await operations.list_configurations(self._opened)(JobContext())]

    async def keep_configuration(self, name: str, configuration: SearchConfiguration | str) -> SearchConfiguration:
        """Store a search configuration under a name, replacing one of the same name, and return it.

        Raises:
            SettingError: The name or the configuration is invalid.
        """
        resolved = await self._configured(configuration)
        await operations.keep_configuration(self._opened, name, resolved)(JobContext())
        return resolved

    async def delete_configuration(self, name: str) -> None:
        """Delete a stored search configuration.

        Raises:
            NotFound: There is no configuration of that name.
        """
        await operations.remove_configuration(self._opened, name)(JobContext())

    async def search_settings(self, knowledge_base: str | None = None) -> SearchSettings:
        """Return the search settings of a knowledge base; None for searches of all at once.

        Raises:
            NotFound: There is no such knowledge base.
        """
        return await operations.search_settings(self._opened, knowledge_base)(JobContext())

    async def promote(self, configuration: ConfigurationRef, *, knowledge_base: str | None = None) -> Promotion:
        """Use a configuration for the searches of a knowledge base, or of all, from now on; None restores the default.

        Promoting result.before undoes it.

        Raises:
            NotFound: There is no such knowledge base.
            SettingError: There is no such configuration.
        """
        resolved = await self._configuration(configuration)
        return await operations.promote(self._opened, knowledge_base, resolved)(JobContext())

    async def _configuration(self, given: ConfigurationRef) -> SearchConfiguration | None:
        return None if given is None else await self._configured(given)

    async def _configured(self, given: SearchConfiguration | str) -> SearchConfiguration:
        if isinstance(given, str):
            return await configuration_of(self._opened, given)
        return replace(given, mode=choice_of("mode", given.mode, SearchMode))


class EvaluationOf(Waiting[AsyncEvaluation]):
    """Measurement of searches with golden questions; library.evaluation."""

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
    """Return the name of a configuration: empty for one that is written out, which describes itself."""
    return given if isinstance(given, str) and "=" not in given else ""

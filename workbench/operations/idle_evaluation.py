"""Evaluations made again by themselves, when nothing else is to be done.

Of each set of golden questions that was ever evaluated, the last run is looked at: where what it rests on has changed
(documents, vectors, settings, questions, the way of searching, the program), its questions are asked once more, in the
same way. It takes one thread of low priority, and ends as soon as anybody searches or anything changes.
"""

import logging
from collections.abc import Callable

from workbench.errors import NotFound, WorkbenchError
from workbench.evaluation.run_comparison import changes
from workbench.model.evaluation import Circumstances, EvaluatedAgain, EvaluationSummary
from workbench.operations.evaluation_records import circumstances
from workbench.operations.examination import Way, examined_unasked
from workbench.operations.library import Library
from workbench.worker.job import JobContext, Operation

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
    """Work for Upkeep."""

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
        way = Way(None if last.as_searched else last.configuration, last.name)
        try:
            made = examined_unasked(library, last.set, way, last.metrics.k, stop)
        except WorkbenchError as error:
            # Not at each pause: it would end in the same way until something changes.
            logger.info("The questions of “%s” could not be asked again: %s", last.set, error)
            questions = library.golden.questions(last.set)
            self._in_vain[last.set] = circumstances(library, questions, as_searched=last.as_searched)
            return
        if made is not None and self._tell is not None:
            self._tell(EvaluatedAgain(made.summary))

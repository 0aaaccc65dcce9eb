"""Presenter of the explanations: keeps the passage and the question, and fetches the explanation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench import operations
from workbench.errors import WorkbenchError
from workbench.language import tr, translate
from workbench.ui.bridge import Bridge

if TYPE_CHECKING:
    from workbench.model.explanation import DocumentSpot, Explanation
    from workbench.model.filter import ChunkFilter
    from workbench.model.run import Run
    from workbench.operations import Library


@dataclass(frozen=True, slots=True)
class ExplainedQuestion:
    """A question and the filter of its search; None if there was no filter."""

    question: str
    filter: ChunkFilter | None = None


@dataclass(frozen=True, slots=True)
class ExplanationTarget:
    """Place in a document that is to be explained."""

    document: int
    spot: DocumentSpot


class _ExplanationRequest:
    """Pending explanation. Each request is a separate object, by which a late result is recognised and dropped."""

    def __init__(self, presenter: WhyPresenter) -> None:
        self._presenter = presenter

    def done(self, explanation: Explanation) -> None:
        """Pass the explanation to the presenter."""
        self._presenter.receive(self, explanation)

    def failed(self, error: BaseException, _details: str) -> None:
        """Pass the error to the presenter."""
        self._presenter.receive_failure(self, error)


class WhyPresenter(QObject):
    """Explains one passage after another, either for the last question or for one that the user types.

    Signals:
        question_changed: The question of the next explanations.
        outdated: The question or the passage changed: what was explained no longer fits.
        asked: A request for an explanation was submitted.
        explained: The Explanation.
        failed: An error message and a hint.
    """

    question_changed = Signal(str)
    outdated = Signal()
    asked = Signal()
    explained = Signal(object)
    failed = Signal(str, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._last = ExplainedQuestion("")
        self._target: ExplanationTarget | None = None
        self._request: _ExplanationRequest | None = None

    @property
    def question(self) -> str:
        """Question for which the passage should have been found; empty before the first question."""
        return self._last.question

    @property
    def spot(self) -> DocumentSpot | None:
        """The place that is explained next; None if there is none."""
        return self._target.spot if self._target is not None else None

    @property
    def is_due(self) -> bool:
        """True if there is a question and a passage, and no explanation was requested since one of them changed."""
        return self._target is not None and bool(self._last.question) and self._request is None

    def set_library(self, library: Library | None) -> None:
        """Switch to another library and forget the question, which was put to the old one."""
        self._library = library
        self._target = None
        self._follow(ExplainedQuestion(""))

    def follow(self, run: Run) -> None:
        """Take the question of a run, in the form in which it was searched for: the model may have rephrased it."""
        searched = run.references[0].query if run.references else run.question
        self._follow(ExplainedQuestion(searched, _restriction(run) if run.knowledge_base or run.filter else None))

    def follow_search(self, query: str) -> None:
        """Take the query of another search in the same run."""
        self._follow(ExplainedQuestion(query, self._last.filter))

    def mean(self, document: int, spot: DocumentSpot) -> None:
        """Set the passage of the next explanations without requesting one."""
        self._target = ExplanationTarget(document, spot)
        self._outdate()

    def forget(self) -> None:
        """Forget the passage."""
        self._target = None
        self._outdate()

    def ask_for(self, question: str) -> None:
        """Explain the passage for a question that the user typed and that is put to the whole library."""
        question = question.strip()
        if question != self._last.question:
            self._last = ExplainedQuestion(question)
        self.explain()

    def drop_request(self) -> None:
        """Ignore the explanation that is being computed, because the user types another question."""
        self._request = None

    def explain(self) -> None:
        """Request the explanation of the current passage; do nothing without a question."""
        if self._library is None or self._target is None or not self._last.question:
            return
        request = self._request = _ExplanationRequest(self)
        self.asked.emit()
        self._bridge.submit(
            operations.explain(
                self._library,
                self._last.question,
                self._target.document,
                self._target.spot,
                filter=self._last.filter,
            ),
            done=request.done,
            failed=request.failed,
        )

    def receive(self, request: _ExplanationRequest, explanation: Explanation) -> None:
        """Report an explanation; ignore it if another one was requested meanwhile."""
        if request is self._request:
            self.explained.emit(explanation)

    def receive_failure(self, request: _ExplanationRequest, error: BaseException) -> None:
        """Report that an explanation failed."""
        if request is not self._request:
            return
        if isinstance(error, WorkbenchError):
            self.failed.emit(translate(error.message), translate(error.hint))
        else:
            self.failed.emit(tr("The explanation failed."), tr("Try again."))

    def _follow(self, asked: ExplainedQuestion) -> None:
        self._last = asked
        self.question_changed.emit(asked.question)
        self._outdate()

    def _outdate(self) -> None:
        self._request = None
        self.outdated.emit()


def _restriction(run: Run) -> ChunkFilter:
    # Imported here to keep it out of the start of the window: most answers have no filter.
    from workbench.retrieval.filters.text_syntax import filter_of_text

    return filter_of_text(run.filter, run.knowledge_base or None)

"""Which passage and which question are meant -> the explanation, fetched from the library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench.errors import WorkbenchError
from workbench.language import said, tr
from workbench.ui.bridge import Bridge
from workbench.ui.lazy_operations import operations

if TYPE_CHECKING:
    from workbench.model.explanation import DocumentSpot, Explanation
    from workbench.model.filter import ChunkFilter
    from workbench.model.run import Run
    from workbench.operations import Library


@dataclass(frozen=True, slots=True)
class ExplainedQuestion:
    """A question with what it was restricted to; None for nothing."""

    question: str
    filter: ChunkFilter | None = None


@dataclass(frozen=True, slots=True)
class ExplanationTarget:
    """A place in a document."""

    document: int
    spot: DocumentSpot


class _ExplanationRequest:
    """One explanation under way; its own object, so that a late one is known by what it was asked for."""

    def __init__(self, presenter: WhyPresenter) -> None:
        self._presenter = presenter

    def done(self, explanation: Explanation) -> None:
        """Pass the explanation on."""
        self._presenter.receive(self, explanation)

    def failed(self, error: BaseException, _details: str) -> None:
        """Pass the error on."""
        self._presenter.receive_failure(self, error)


class WhyPresenter(QObject):
    """Explains one passage after another, each for the last question or for one that is typed.

    Signals:
        question_changed: The question that is meant from now on.
        asked: An explanation is on the way.
        explained: The Explanation.
        failed: A sentence and a hint.
    """

    question_changed = Signal(str)
    asked = Signal()
    explained = Signal(object)
    failed = Signal(str, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._last = ExplainedQuestion("")
        self._meant: ExplanationTarget | None = None
        self._request: _ExplanationRequest | None = None

    @property
    def question(self) -> str:
        """What the passage should have been found for; empty before the first question."""
        return self._last.question

    def set_library(self, library: Library | None) -> None:
        """Take another library; the question was put to the old one."""
        self._library = library
        self._meant = self._request = None
        self._follow(ExplainedQuestion(""))

    def follow(self, run: Run) -> None:
        """Take the question of a run: as it was searched for, which the model may have worded itself."""
        searched = run.references[0].query if run.references else run.question
        self._follow(ExplainedQuestion(searched, _restriction(run) if run.knowledge_base or run.filter else None))

    def follow_search(self, query: str) -> None:
        """Take another search of the same run."""
        self._follow(ExplainedQuestion(query, self._last.filter))

    def mean(self, document: int, spot: DocumentSpot) -> None:
        """Mean another passage from now on; nothing is asked for yet."""
        self._meant = ExplanationTarget(document, spot)
        self._request = None

    def ask_for(self, question: str) -> None:
        """Take a question that is typed, put to the whole library, and explain the passage for it."""
        question = question.strip()
        if question != self._last.question:
            self._last = ExplainedQuestion(question)
        self.explain()

    def explain(self) -> None:
        """Fetch the explanation of the passage that is meant; without a question there is nothing to explain."""
        if self._library is None or self._meant is None or not self._last.question:
            return
        request = self._request = _ExplanationRequest(self)
        self.asked.emit()
        self._bridge.submit(
            operations.explain(
                self._library,
                self._last.question,
                self._meant.document,
                self._meant.spot,
                filter=self._last.filter,
            ),
            done=request.done,
            failed=request.failed,
        )

    def receive(self, request: _ExplanationRequest, explanation: Explanation) -> None:
        """Take an explanation; one that is wanted no more is ignored."""
        if request is self._request:
            self.explained.emit(explanation)

    def receive_failure(self, request: _ExplanationRequest, error: BaseException) -> None:
        """Take the news that there is none."""
        if request is not self._request:
            return
        if isinstance(error, WorkbenchError):
            self.failed.emit(said(error.message), said(error.hint))
        else:
            self.failed.emit(tr("This could not be found out."), tr("Try it again."))

    def _follow(self, asked: ExplainedQuestion) -> None:
        self._last = asked
        self.question_changed.emit(asked.question)


def _restriction(run: Run) -> ChunkFilter:
    # Not on the way to the window: most answers are restricted to nothing.
    from workbench.retrieval.filters.text_syntax import filter_of_text

    return filter_of_text(run.filter, run.knowledge_base or None)

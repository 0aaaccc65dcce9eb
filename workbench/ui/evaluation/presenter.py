"""The evaluation's decisions together: questions, runs, promotions; who is told what by whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from workbench.model.evaluation import GoldenQuestion, QuestionOutcome
from workbench.model.hit import Citation
from workbench.model.run import Run
from workbench.ui.bridge import Bridge
from workbench.ui.evaluation.looking import Looking, best_passage
from workbench.ui.evaluation.marks import Scope
from workbench.ui.evaluation.measuring import MeasuringPresenter
from workbench.ui.evaluation.promoting import PromotingPresenter
from workbench.ui.evaluation.questions import QuestionsPresenter

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.operations import Library
    from workbench.ui.evaluation.marks import Marks
    from workbench.ui.library.presenter import LibraryPresenter


class EvaluationPresenter(QObject):
    """All that the pane shows.

    Signals:
        library_changed: Whether a library is open.
        said: A sentence for a toast, and whether it can be undone.
        failed: An error and its details.
        hits_found: The hits of a question, as a Run without an answer, and the Citation to show first or None.
    """

    library_changed = Signal(bool)
    said = Signal(str, bool)
    failed = Signal(object, str)
    hits_found = Signal(object, object)

    def __init__(
        self, bridge: Bridge, marks: Marks, documents: LibraryPresenter, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.marks = marks
        self.questions = QuestionsPresenter(bridge, self)
        self.measuring = MeasuringPresenter(bridge, self)
        self.promoting = PromotingPresenter(bridge, self)
        self._looking = Looking(bridge, self)
        self._documents = documents
        self._library: Library | None = None
        self._undo: Callable[[], None] | None = None
        self._connect()

    @property
    def is_open(self) -> bool:
        """Whether there is a library to ask."""
        return self._library is not None

    def set_library(self, library: Library | None) -> None:
        """Take another library, or none."""
        self._library = library
        self._undo = None
        for part in (self.measuring, self.promoting, self._looking, self.questions):
            part.set_library(library)
        self.library_changed.emit(library is not None)

    @Slot()
    def undo(self) -> None:
        """Take back what was done last."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()

    @Slot(object)
    def look_at(self, subject: object) -> None:
        """Show the hits of a golden question, or of an outcome as it was searched for."""
        if isinstance(subject, (QuestionOutcome, GoldenQuestion)):
            shown = self.measuring.on_show
            summary = shown.evaluations[-1].summary if shown is not None else None
            searched = summary is not None and isinstance(subject, QuestionOutcome)
            configuration = summary.configuration if searched and summary is not None else None
            self._looking.look(Scope(*subject.key), configuration, summary.metrics.k if summary is not None else 10)

    def _connect(self) -> None:
        for part in (self.questions, self.measuring, self.promoting):
            part.said.connect(self._on_said)
            part.failed.connect(self.failed)
        self._looking.failed.connect(self.failed)
        self._looking.run_found.connect(self._on_run_found)
        self.questions.set_chosen.connect(self.measuring.choose_set)
        self.questions.kept.connect(self.measuring.look_for_changes)
        self.questions.kept.connect(self.marks.refresh)
        self.marks.kept.connect(self.questions.refresh)
        self.marks.kept.connect(self.measuring.look_for_changes)
        self.promoting.promoted.connect(self.measuring.look_for_changes)
        self._documents.knowledge_bases_changed.connect(self.promoting.show_bases)
        self._documents.knowledge_base_changed.connect(self.promoting.choose_base)
        self.promoting.show_bases(self._documents.knowledge_bases)
        self.promoting.choose_base(self._documents.knowledge_base)

    @Slot(str, bool)
    def _on_said(self, text: str, undoable: bool) -> None:
        part = self.sender()
        self._undo = part.undo if undoable and isinstance(part, (QuestionsPresenter, PromotingPresenter)) else None
        self.said.emit(text, undoable)

    @Slot(object)
    def _on_run_found(self, run: Run) -> None:
        key = (run.question, run.knowledge_base, run.filter)
        golden = next((one for one in self.questions.questions if one.key == key), None)
        first: Citation | None = best_passage(run, golden, self._documents.model.documents())
        self.hits_found.emit(run, first)

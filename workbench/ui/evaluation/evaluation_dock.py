"""Dock of the evaluation, added at the start; its content is created when it is first shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from workbench.language import tr
from workbench.model.evaluation import MARKS
from workbench.ui.dock import LazyDock
from workbench.ui.evaluation.passage_marks import Marks

if TYPE_CHECKING:
    from workbench.model.hit import Citation
    from workbench.model.run import Run
    from workbench.operations import Library
    from workbench.ui.app_controller import AppController
    from workbench.ui.evaluation.pane import EvaluationPane
    from workbench.ui.evaluation.presenter import EvaluationPresenter


class EvaluationDock(LazyDock):
    """Dock that is tabbed with the inspector.

    Attributes:
        marks: Marks of passages, shared with the chat and the inspector.
    """

    presenter: EvaluationPresenter | None
    pane: EvaluationPane | None

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell, "evaluation", tr("Evaluation"))
        self.marks = Marks(shell.bridge, self)
        self.marks.notified.connect(self._on_marked)
        self.marks.failed.connect(shell.window.banner.show_error)
        self.dock.setMinimumWidth(280)
        shell.window.add_dock(self.dock, shell.window.inspector_dock)
        shell.chat.show_marks(self.marks)
        shell.inspector.show_marks(self.marks)

    def set_library(self, library: Library | None) -> None:
        """Switch to another library, or to None."""
        self.marks.set_library(library)
        super().set_library(library)

    @Slot(bool)
    def _on_visible(self, visible: bool) -> None:
        super()._on_visible(visible)
        if visible and self.presenter is not None:
            # The settings dialog may have changed the search configuration meanwhile.
            self.presenter.promoting.refresh()

    def _made(self) -> tuple[EvaluationPresenter, EvaluationPane]:
        # Importing and creating it takes 0.15 s, and most sessions never need it.
        from workbench.ui.evaluation.pane import EvaluationPane
        from workbench.ui.evaluation.presenter import EvaluationPresenter

        presenter = EvaluationPresenter(self._shell.bridge, self.marks, self._shell.documents, self)
        presenter.notified.connect(self._on_notified)
        presenter.hits_found.connect(self._on_hits_found)
        self._shell.settings.settings_changed.connect(presenter.measuring.look_for_changes)
        return presenter, EvaluationPane(presenter, self._shell.theme)

    @Slot(str, bool)
    def _on_marked(self, text: str, undoable: bool) -> None:
        self._shell.window.toast.show_message(
            text, action=tr("Undo") if undoable else "", on_action=self.marks.undo if undoable else None
        )

    @Slot(object, object)
    def _on_hits_found(self, run: Run, first: Citation | None) -> None:
        self._shell.window.inspector_dock.reveal()
        chosen = self.presenter.questions.chosen if self.presenter is not None else MARKS
        self._shell.inspector.show_run(run, "" if chosen == MARKS else chosen)
        if first is not None:
            self._shell.inspector.show_citation(first)

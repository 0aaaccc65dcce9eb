"""The dock of the evaluation: in its place from the start, its content made when it is first shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.model.golden import MARKS
from workbench.ui.dock import Dock
from workbench.ui.evaluation.marks import Marks

if TYPE_CHECKING:
    from workbench.model.hit import Citation
    from workbench.model.run import Run
    from workbench.operations import Library
    from workbench.ui.evaluation.pane import EvaluationPane
    from workbench.ui.evaluation.presenter import EvaluationPresenter
    from workbench.ui.shell import Shell


class EvaluationDock(QObject):
    """Made after the window's first paint; most sessions never see more of it than a line of the menu.

    Attributes:
        dock: Beside the inspector, hidden until it is asked for.
        marks: What is marked, for the chat and the inspector too.
        presenter: None until the pane is first shown; likewise the pane.
    """

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._library: Library | None = None
        self.presenter: EvaluationPresenter | None = None
        self.pane: EvaluationPane | None = None
        self.marks = Marks(shell.bridge, self)
        self.marks.said.connect(self._on_marked)
        self.marks.failed.connect(shell.window.banner.show_error)
        self._holder = QWidget()
        self._layout = QVBoxLayout(self._holder)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self.dock = Dock(shell.theme, "evaluation", "Evaluation", self._holder, raised=True)
        self.dock.setMinimumWidth(280)
        self.dock.visibilityChanged.connect(self._on_visible)
        self.dock.toggleViewAction().triggered.connect(self._on_toggled)
        shell.window.add_dock(self.dock, shell.window.inspector_dock)
        shell.chat.show_marks(self.marks)
        shell.inspector.show_marks(self.marks)

    def set_library(self, library: Library | None) -> None:
        """Take another library, or none."""
        self._library = library
        self.marks.set_library(library)
        if self.presenter is not None:
            self.presenter.set_library(library)

    @Slot()
    def reveal(self) -> None:
        """Show it and put the keyboard there."""
        self.dock.reveal()
        self._make()
        if self.pane is not None:
            self.pane.focus()

    @Slot(bool)
    def _on_toggled(self, shown: bool) -> None:
        # Shown alone it would be no more than a tab behind the inspector.
        if shown:
            self.reveal()

    @Slot(bool)
    def _on_visible(self, visible: bool) -> None:
        if visible:
            self._make()

    def _make(self) -> None:
        """Make the pane; imported here: with its imports it takes 0.15 s, which most sessions never need."""
        if self.pane is not None:
            return
        from workbench.ui.evaluation.pane import EvaluationPane
        from workbench.ui.evaluation.presenter import EvaluationPresenter

        presenter = EvaluationPresenter(self._shell.bridge, self.marks, self._shell.documents, self)
        self.presenter = presenter
        self.pane = EvaluationPane(presenter, self._shell.theme)
        self._layout.addWidget(self.pane)
        presenter.said.connect(self._on_said)
        presenter.hits_found.connect(self._on_hits_found)
        self._shell.settings.settings_changed.connect(presenter.measuring.look_for_changes)
        if self._library is not None:
            presenter.set_library(self._library)

    @Slot(str, bool)
    def _on_said(self, text: str, undoable: bool) -> None:
        undo = self.presenter.undo if undoable and self.presenter is not None else None
        self._shell.window.toast.say(text, action="Undo" if undoable else "", on_action=undo)

    @Slot(str, bool)
    def _on_marked(self, text: str, undoable: bool) -> None:
        self._shell.window.toast.say(
            text, action="Undo" if undoable else "", on_action=self.marks.undo if undoable else None
        )

    @Slot(object, object)
    def _on_hits_found(self, run: Run, first: Citation | None) -> None:
        self._shell.window.inspector_dock.reveal()
        chosen = self.presenter.questions.chosen if self.presenter is not None else MARKS
        self._shell.inspector.show_run(run, "" if chosen == MARKS else chosen)
        if first is not None:
            self._shell.inspector.show_citation(first)

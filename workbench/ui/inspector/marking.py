"""The passages of the list marked right or wrong for the question that they were found for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QListView

from workbench.language import tr
from workbench.ui.actions import pane_action
from workbench.ui.evaluation.passage_marks import MarkButtons, Marks, Scope, Spot
from workbench.ui.inspector.passage_model import PassageModel
from workbench.ui.inspector.passages import Passage

if TYPE_CHECKING:
    from workbench.model.run import Run


class PassageMarking(QObject):
    """Between the marks of the library, the list of passages, and the buttons above the one that is shown.

    A document's chunks can be marked, too: for the question that was shown last, whose search may have missed them.
    """

    def __init__(self, view: QListView, model: PassageModel, buttons: MarkButtons) -> None:
        super().__init__(view)
        self._view = view
        self._model = model
        self._buttons = buttons
        self._marks: Marks | None = None
        self._scope: Scope | None = None
        self._passage: Passage | None = None
        self._actions: list[QAction] = []
        buttons.hide()
        buttons.marked.connect(self._on_marked)

    def follow(self, marks: Marks) -> None:
        """Show these marks from now on, and let passages be marked by the menu of the list and its keys."""
        self._marks = marks
        self._model.mark_of = self.mark_of
        marks.changed.connect(self._on_changed)
        for right, word in ((True, "right"), (False, "wrong")):
            action = pane_action(self._view, f"passage.{word}", self._on_action)
            action.setData(right)
            action.setVisible(False)
            self._actions.append(action)

    def forget(self) -> None:
        """Know of no question any more: another library was opened."""
        self._scope = None
        self.show(None)

    def mean(self, run: Run, golden_set: str) -> None:
        """Take the question of a run; an empty set is that of the marks."""
        self._scope = Scope.of_run(run, golden_set)

    def show(self, passage: Passage | None) -> None:
        """Show the mark of the passage that is shown; the buttons are there while it can be marked."""
        self._passage = passage
        possible = self._scope is not None and passage is not None and passage.chunk is not None
        possible = possible and passage is not None and not passage.is_outside
        possible = possible and self._marks is not None
        self._buttons.setVisible(possible)
        for action in self._actions:
            action.setVisible(possible)
        if passage is not None and self._scope is not None:
            self._buttons.name(tr("passage {n}", n=passage.number), f"“{self._scope.question}”")
            self._buttons.show_mark(self.mark_of(passage))

    def mark_of(self, passage: Passage) -> bool | None:
        """Return whether a passage is right for the question; None where nobody said."""
        if self._marks is None or self._scope is None or passage.chunk is None or passage.is_outside:
            return None
        chunk = passage.chunk
        return self._marks.of(
            self._scope, Spot(passage.document_name, chunk.start, chunk.end, passage.page, chunk.text)
        )

    @Slot(object)
    def _on_marked(self, right: bool | None) -> None:
        passage = self._passage
        if self._marks is not None and self._scope is not None and passage is not None and passage.chunk is not None:
            self._marks.mark(self._scope, passage.hit or passage.chunk.id, right)

    @Slot()
    def _on_action(self) -> None:
        action = self.sender()
        if isinstance(action, QAction) and self._passage is not None:
            right = bool(action.data())
            self._on_marked(None if self.mark_of(self._passage) is right else right)

    @Slot(object)
    def _on_changed(self, scope: Scope) -> None:
        if scope == self._scope:
            self._view.viewport().update()
            if self._passage is not None:
                self._buttons.show_mark(self.mark_of(self._passage))

"""A citation's number with a tick and a cross: is it right for the question?"""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from workbench.language import tr
from workbench.model.hit import Citation
from workbench.ui.actions import pane_action
from workbench.ui.evaluation.passage_marks import MarkButtons
from workbench.ui.theme import Theme


class MarkedSource(QWidget):
    """The number is pressed to see its passage, the tick and the cross to judge it; “+” and “-” do so by key.

    Signals:
        marked: The Citation, and True for right, False for wrong, None to take the mark back.
    """

    marked = Signal(object, object)

    def __init__(self, theme: Theme, chip: QPushButton, citation: Citation, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.citation = citation
        self._buttons = MarkButtons(theme, tr("source {number}", number=citation.marker))
        self._buttons.marked.connect(self._on_marked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 2, 0)
        row.setSpacing(1)
        row.addWidget(chip)
        row.addWidget(self._buttons)
        within = Qt.ShortcutContext.WidgetWithChildrenShortcut
        for right, word in ((True, "right"), (False, "wrong")):
            pane_action(self, f"source.{word}", self._on_action, context=within).setData(right)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def show_mark(self, right: bool | None) -> None:
        """Show how it is marked."""
        self._buttons.show_mark(right)

    @Slot(object)
    def _on_marked(self, right: bool | None) -> None:
        self.marked.emit(self.citation, right)

    @Slot()
    def _on_action(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            right = bool(action.data())
            self._on_marked(None if self._buttons.mark is right else right)

"""The menu of the columns: each is ticked that is shown."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from workbench.language import tr
from workbench.ui.library.columns import KINDS, Column, ColumnView


class ColumnMenu(QMenu):
    """Ticked are those of the view it was told of last.

    Signals:
        toggled: A Column that is to be shown, or no longer.
    """

    toggled = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(tr("Columns"), parent)
        self._actions: dict[QAction, Column] = {}
        # The name stands always.
        for column in list(Column)[1:]:
            action = self.addAction(tr(KINDS[column].title))
            action.setCheckable(True)
            self._actions[action] = column
        self.triggered.connect(self._on_triggered)

    def show_view(self, view: ColumnView) -> None:
        """Tick the columns of a view."""
        for action, column in self._actions.items():
            action.setChecked(column in view.columns)

    @Slot(QAction)
    def _on_triggered(self, action: QAction) -> None:
        self.toggled.emit(self._actions[action])

"""The menu of the columns: each is ticked that is shown."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from workbench.language import tr
from workbench.ui.library.arrangement import OWN_KEY
from workbench.ui.library.columns import KINDS, Column, ColumnView


class ColumnMenu(QMenu):
    """Ticked are those of the view it was told of last.

    Signals:
        toggled: A Column that is to be shown, or no longer.
    """

    toggled = Signal(object)

    def __init__(self, parent: QWidget, own_keys: Callable[[], Sequence[str]]) -> None:
        super().__init__(tr("Columns"), parent)
        self._own_keys = own_keys
        self._actions: dict[QAction, str] = {}
        self._view = ColumnView()
        # The name stands always.
        for column in list(Column)[1:]:
            action = self.addAction(tr(KINDS[column].title))
            action.setCheckable(True)
            self._actions[action] = column
        self.aboutToShow.connect(self._offer_own_keys)
        self.triggered.connect(self._on_triggered)

    def show_view(self, view: ColumnView) -> None:
        """Tick the columns of a view."""
        self._view = view
        for action, column in self._actions.items():
            action.setChecked(column in view.columns)

    @Slot()
    def _offer_own_keys(self) -> None:
        shown = (one for one in self._view.columns if one.startswith(OWN_KEY))
        there = dict.fromkeys((*(f"{OWN_KEY}{key}" for key in self._own_keys()), *shown))
        for column in there:
            if column not in self._actions.values():
                action = self.addAction(column.removeprefix(OWN_KEY))
                action.setCheckable(True)
                self._actions[action] = column
        self.show_view(self._view)

    @Slot(QAction)
    def _on_triggered(self, action: QAction) -> None:
        self.toggled.emit(self._actions[action])

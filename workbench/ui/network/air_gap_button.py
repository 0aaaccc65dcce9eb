"""The button that lets more leave this machine, wherever an error says that the air gap is in the way."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from workbench.language import tr
from workbench.model.egress import AIR_GAP_HINT
from workbench.ui.actions import COMMAND

SWITCH_OFF = "air_gap_off"
"""What the window opens the air gap by, in no menu: checked while that is on, and its text says how far it opens it."""


def window_action(widget: QWidget, name: str) -> QAction | None:
    """Return an action of the window that a widget, or the dialog that it stands in, belongs to; None without one.

    Args:
        widget: Which one.
        name: Of a command of the window, or the object name of an action that is in no menu.
    """
    above: QWidget | None = widget
    while above is not None:
        for action in above.actions():
            if name in (action.property(COMMAND), action.objectName()):
                return action
        above = above.parentWidget()
    return None


def is_closed(error: BaseException | str) -> bool:
    """Tell whether something failed because the air gap is on, by what it says: rooms below give it other names."""
    return AIR_GAP_HINT in str(error)


class AirGapButton(QPushButton):
    """Stands beside an error, and is seen where that came of the air gap, until it is pressed or that is off."""

    def __init__(self) -> None:
        super().__init__(tr("Switch the air gap off"))
        self._is_in_the_way = False
        self._action: QAction | None = None
        self.setAutoDefault(True)
        self.clicked.connect(self._on_clicked)
        self.hide()

    def follow(self, error: BaseException | str) -> None:
        """Be seen where the air gap is in the way of what failed."""
        self._is_in_the_way = is_closed(error)
        self.setVisible(self._is_in_the_way)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # An error is often said before it stands in the window; and one of long ago is shown again any time.
        if self._action is None and (action := window_action(self, SWITCH_OFF)) is not None:
            self._action = action
            action.changed.connect(self._on_changed)
        QTimer.singleShot(0, self, self._on_changed)

    @Slot()
    def _on_changed(self) -> None:
        if self._action is not None:
            self.setText(self._action.text())
        self.setVisible(self._is_in_the_way and self._action is not None and self._action.isChecked())

    @Slot()
    def _on_clicked(self) -> None:
        # Something else may have been refused than what is allowed now: it says so when it is tried again.
        self._is_in_the_way = False
        self.hide()
        if self._action is not None and self._action.isChecked():
            self._action.trigger()

"""Button that opens offline mode further, shown next to an error that offline mode caused."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from workbench.language import tr
from workbench.model.egress import OFFLINE_MODE_HINT
from workbench.ui.actions import COMMAND

SWITCH_OFF = "offline_mode_off"
"""Object name of the action that opens offline mode: in no menu, checked while it is on, its text is the next step."""


def window_action(widget: QWidget, name: str) -> QAction | None:
    """Return an action of the window that a widget or its dialog belongs to; None if there is none.

    Args:
        widget: The widget.
        name: A command of the window, or the object name of an action that is in no menu.
    """
    above: QWidget | None = widget
    while above is not None:
        for action in above.actions():
            if name in (action.property(COMMAND), action.objectName()):
                return action
        above = above.parentWidget()
    return None


def is_closed(error: BaseException | str) -> bool:
    """Return whether offline mode caused an error, judged by its text: lower packages use other error types."""
    return OFFLINE_MODE_HINT in str(error)


class OfflineModeButton(QPushButton):
    """Button next to an error, visible if offline mode caused it, until it is pressed or offline mode is off."""

    def __init__(self) -> None:
        super().__init__(tr("Turn off offline mode"))
        self._caused_error = False
        self._action: QAction | None = None
        self.setAutoDefault(True)
        self.clicked.connect(self._on_clicked)
        self.hide()

    def follow(self, error: BaseException | str) -> None:
        """Show the button if offline mode caused an error."""
        self._caused_error = is_closed(error)
        self.setVisible(self._caused_error)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # An error is often set before the button is part of the window, and an old one may be shown again at any time.
        if self._action is None and (action := window_action(self, SWITCH_OFF)) is not None:
            self._action = action
            action.changed.connect(self._on_changed)
        QTimer.singleShot(0, self, self._on_changed)

    @Slot()
    def _on_changed(self) -> None:
        if self._action is not None:
            self.setText(self._action.text())
        self.setVisible(self._caused_error and self._action is not None and self._action.isChecked())

    @Slot()
    def _on_clicked(self) -> None:
        # What was refused may not be what is allowed now; the next attempt then reports this.
        self._caused_error = False
        self.hide()
        if self._action is not None and self._action.isChecked():
            self._action.trigger()

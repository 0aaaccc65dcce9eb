"""Messages to the user: toast, error banner, screen reader announcements, and errors as sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.language import mark, tr, translate
from workbench.ui.controls import IconButton, IconLabel, button, frame, label
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.ui.network.offline_mode_button import OfflineModeButton


SECONDS = 8
ABOVE = 104
"""Pixels from the bottom of a dialog: clear of its buttons."""
MARGIN = 12
_NARROWEST = 360
_BEHIND_WORDS = 2
"""Layout index of the offline mode switch in an error banner: after the icon and the text."""
_ANY = 16_777_215
"""Qt's constant for an unlimited width (QWIDGETSIZE_MAX)."""
BUG = mark("Something went wrong inside the program.")
BUG_HINT = mark("Your documents and sessions are safe. Please report it with the details.")


class Toast(QWidget):
    """Message with at most one action above other widgets; hidden after 8 seconds or when used.

    Args:
        theme: Theme of the window.
        parent: The window; the message is shown at its bottom.
        below_top_of: Widget of the window at the top of which the message is shown instead: at the bottom of the
            conversation it would cover the buttons of the last answer.
    """

    def __init__(self, theme: Theme, parent: QWidget, *, below_top_of: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parent = parent
        self._area = below_top_of
        self._action: Callable[[], object] | None = None
        self._box = box = frame("toast")
        row = QHBoxLayout(box)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(10)
        self._icon = IconLabel(theme, "info")
        self._text = label()
        self._button = button(tr("Undo"), "link", self._on_action)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self._button)
        row.addWidget(IconButton(theme, "close", tr("Dismiss"), self.hide))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(box)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SECONDS * 1000)
        self._timer.timeout.connect(self.hide)
        parent.installEventFilter(self)
        theme.changed.connect(self._place, Qt.ConnectionType.QueuedConnection)
        self.hide()

    @property
    def text(self) -> str:
        """Text of the message."""
        return self._text.text()

    def show_message(
        self, text: str, *, action: str = "", on_action: Callable[[], object] | None = None, icon: str = "info"
    ) -> None:
        """Show a message; action is the text of the button that calls on_action, a bound method."""
        self._text.setText(text)
        self.setAccessibleName(text)
        self._action = on_action
        self._button.setText(action)
        self._button.setVisible(bool(action))
        self._icon.show_icon(icon, "accent")
        self.show()
        self._place()
        self.raise_()
        announce(self, f"{text} {action}".strip())
        self._timer.start()

    def act(self) -> None:
        """Trigger the button."""
        self._on_action()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    @Slot()
    def _on_action(self) -> None:
        self._timer.stop()
        self.hide()
        action, self._action = self._action, None
        if action is not None:
            action()

    @Slot()
    def _place(self) -> None:
        parent, area = self._parent, self._parent.rect()
        if self._area is not None:
            area = QRect(self._area.mapTo(parent, QPoint()), self._area.size())
        self._fit(max(_NARROWEST, area.width() - 2 * MARGIN))
        left = area.center().x() - self.width() // 2
        left = max(MARGIN, min(left, parent.width() - self.width() - MARGIN))
        top = area.bottom() - self.height() - ABOVE if self._area is None else area.top() + MARGIN
        self.move(left, top)

    def _fit(self, room: int) -> None:
        """Resize to the message; one that is wider than the room is wrapped."""
        self._text.setWordWrap(False)
        self._text.setMinimumWidth(0)
        self._text.setMaximumWidth(_ANY)
        # Immediately, not with the next event: the layout would still report the size of the last message.
        self._box.updateGeometry()
        self.adjustSize()
        if self.width() > room:
            self._text.setFixedWidth(max(_NARROWEST // 2, self._text.width() + room - self.width()))
            self._text.setWordWrap(True)
            self._box.updateGeometry()
            self.adjustSize()


class Banner(QWidget):
    """Inline error message with a hint and details to copy; visible until it is closed."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._details = ""
        self._switch: OfflineModeButton | None = None
        box = frame("banner", tone="danger")
        row = self._row = QHBoxLayout(box)
        row.setContentsMargins(12, 8, 8, 8)
        row.setSpacing(10)
        words = QVBoxLayout()
        words.setSpacing(2)
        self._message = label(wrap=True)
        self._hint = label(role="muted", wrap=True)
        words.addWidget(self._message)
        words.addWidget(self._hint)
        self._copy = button(tr("Copy details"), "ghost", self._on_copy)
        row.addWidget(IconLabel(theme, "error", colour="danger"), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addWidget(self._copy, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(IconButton(theme, "close", tr("Dismiss"), self.hide), 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 4)
        layout.addWidget(box)
        # The stretch takes the remaining space. Fixed to its size hint, the box would be too low for wrapped lines.
        layout.addStretch(1)
        self.hide()

    @property
    def text(self) -> str:
        """Text of the error and its hint."""
        return f"{self._message.text()} {self._hint.text()}".rstrip()

    @Slot(object, str)
    def show_error(self, error: BaseException, details: str = "") -> None:
        """Show an error: its own message if it is a WorkbenchError, a general sentence if it is a bug."""
        known = isinstance(error, WorkbenchError)
        self._message.setText(translate(error.message) if isinstance(error, WorkbenchError) else tr(BUG))
        self._hint.setText(translate(error.hint) if isinstance(error, WorkbenchError) else tr(BUG_HINT))
        self._hint.setVisible(bool(self._hint.text()))
        self._details = details or repr(error)
        self._copy.setVisible(not known)
        self._offer_switch(error)
        self.show()
        announce(self, self.text, at_once=True)

    def _offer_switch(self, error: BaseException) -> None:
        """Show the offline mode switch if offline mode caused the error."""
        if self._switch is None:
            # Imported here, because errors are rare.
            from workbench.ui.network.offline_mode_button import OfflineModeButton

            self._switch = OfflineModeButton()
            self._row.insertWidget(_BEHIND_WORDS, self._switch, 0, Qt.AlignmentFlag.AlignTop)
        self._switch.follow(error)

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details)
        self._copy.setText(tr("Copied"))


def announce(widget: QWidget, text: str, *, at_once: bool = False) -> None:
    """Make a screen reader announce a text: at once for errors and requests, otherwise when it is idle."""
    # Imported here, because PySide's accessibility classes would take 3 ms of the first paint.
    from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

    if not text.strip() or not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(widget, text)
    urgent = QAccessible.AnnouncementPoliteness.Assertive
    event.setPoliteness(urgent if at_once else QAccessible.AnnouncementPoliteness.Polite)
    QAccessible.updateAccessibility(event)


def error_words(error: BaseException) -> str:
    """Return the message and hint of a WorkbenchError, or a general sentence for a bug."""
    if not isinstance(error, WorkbenchError):
        return tr(BUG)
    return f"{translate(error.message)} {translate(error.hint)}".rstrip()

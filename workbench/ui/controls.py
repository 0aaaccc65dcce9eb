"""Factory functions for styled labels, buttons and frames."""

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, SignalInstance
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from workbench.model.visible import visible_name
from workbench.ui.theme import Theme

Clicked = Callable[[], object] | SignalInstance
"""Target of a click: a bound method, or a signal to forward it to."""


def label(text: str = "", role: str = "", *, wrap: bool = False, tone: str = "") -> QLabel:
    """Return a label; role is one of muted, caption, section, title, heading (see the style sheet)."""
    widget = QLabel()
    widget.setTextFormat(Qt.TextFormat.PlainText)
    widget.setText(text)
    widget.setProperty("role", role)
    widget.setProperty("tone", tone)
    widget.setWordWrap(wrap)
    return widget


def write_markup(shown: QLabel, markup: str) -> None:
    """Show trusted HTML in a label; text from documents, models or file names in it must be escaped."""
    shown.setProperty("markup", True)
    shown.setTextFormat(Qt.TextFormat.RichText)
    shown.setText(markup)


def write_plain(shown: QLabel, text: str) -> None:
    """Show plain text in a label that may have shown markup before."""
    shown.setProperty("markup", False)
    shown.setTextFormat(Qt.TextFormat.PlainText)
    shown.setText(text)


def caption_of(text: str) -> str:
    """Return a user's text as the caption of a button or menu entry, without mnemonic keys.

    A menu would interpret a tab as the start of a shortcut, and a line end as a second line.
    """
    return visible_name(" ".join(text.split())).replace("&", "&&")


def button(text: str, variant: str = "secondary", clicked: Clicked | None = None) -> QPushButton:
    """Return a push button; variant is one of primary, secondary, ghost, link, danger."""
    widget = QPushButton(text)
    widget.setProperty("variant", variant)
    # Enter presses the focused button, as Space does, outside of dialogs too.
    widget.setAutoDefault(True)
    widget.setCursor(Qt.CursorShape.PointingHandCursor)
    if clicked is not None:
        widget.clicked.connect(clicked)
    return widget


def bring_up(window: QWidget) -> None:
    """Show a window in front of the others and focus it, even if it is already open behind another one."""
    window.show()
    window.raise_()
    window.activateWindow()


def dialog_foot(*buttons: QPushButton) -> QHBoxLayout:
    """Return the bottom row of a dialog: its buttons at the right, the primary one last."""
    row = QHBoxLayout()
    row.addStretch(1)
    for one in buttons:
        row.addWidget(one)
    return row


def empty(layout: QLayout) -> None:
    """Remove all items of a layout; its widgets are hidden, and skipped by Tab, at once."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def frame(role: str, *, tone: str = "") -> QFrame:
    """Return a box; role is one of card, well, pane, chip, toast, divider, banner, drop."""
    widget = QFrame()
    widget.setProperty("role", role)
    widget.setProperty("tone", tone)
    return widget


def restyle(widget: QWidget, **properties: object) -> None:
    """Set properties that the style sheet uses, and apply it again to a widget that is already styled."""
    for name, value in properties.items():
        widget.setProperty(name, value)
    # Before the first paint this would cost 11 ms: for style(), PySide creates the 30 enumerations of QStyle.
    if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def set_icon(widget: QAbstractButton, theme: Theme, name: str, color: str | None = None, size: int = 16) -> None:
    """Show an icon on a button, as large as its text; see Theme.icon()."""
    width = theme.scaled(size)
    widget.setIconSize(QSize(width, width))
    widget.setIcon(theme.icon(name, color, size))


class IconButton(QToolButton):
    """Button that shows only an icon; its name is the tool tip and the accessible name."""

    def __init__(self, theme: Theme, icon: str, name: str, clicked: Clicked | None = None) -> None:
        super().__init__()
        self._theme = theme
        self._icon_name = icon
        self.setToolTip(name)
        # A screen reader announces the key itself if the user has enabled that.
        self.setAccessibleName(name.partition(" (")[0])
        self.setAutoRaise(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self._paint)
        self._paint()
        if clicked is not None:
            self.clicked.connect(clicked)

    def show_icon(self, icon: str) -> None:
        """Show another icon."""
        self._icon_name = icon
        self._paint()

    def _paint(self) -> None:
        set_icon(self, self._theme, self._icon_name)


class IconLabel(QLabel):
    """Icon that follows the theme; colour is the name of a token."""

    def __init__(self, theme: Theme, icon: str, *, colour: str = "text_muted", size: int = 16) -> None:
        super().__init__()
        self._theme = theme
        self._icon_name = icon
        self._colour = colour
        self._size = size
        theme.changed.connect(self._paint)
        self._paint()

    def show_icon(self, icon: str, colour: str = "text_muted") -> None:
        """Show another icon."""
        self._icon_name, self._colour = icon, colour
        self._paint()

    def _paint(self) -> None:
        size = self._theme.scaled(self._size)
        self.setFixedSize(size, size)
        self.setPixmap(self._theme.pixmap(self._icon_name, getattr(self._theme.tokens(), self._colour), self._size))


class ElidedLabel(QLabel):
    """Single-line label that ends in "…" if its text does not fit; the whole text is its tool tip."""

    def __init__(self, parent: QWidget | None = None, *, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> None:
        super().__init__(parent)
        self._whole = ""
        self._mode = mode
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_whole_text(self, text: str) -> None:
        """Set the text, which is elided to the width."""
        self._whole = visible_name(" ".join(text.split()))
        self.setAccessibleName(self._whole)
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        shown = QFontMetrics(self.font()).elidedText(self._whole, self._mode, self.width())
        self.setText(shown)
        self.setToolTip(self._whole if shown != self._whole else "")

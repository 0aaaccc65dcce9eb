"""Small makers of dressed controls, so that every pane writes labels and buttons the same way."""

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, SignalInstance
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLayout, QPushButton, QSizePolicy, QToolButton, QWidget

from workbench.model.visible import visible_name
from workbench.ui.theme import Theme

Clicked = Callable[[], object] | SignalInstance
"""What a click is connected to: a bound method, or a signal to pass it on."""


def label(text: str = "", role: str = "", *, wrap: bool = False, tone: str = "") -> QLabel:
    """Return a label; role is one of muted, caption, section, title, heading (see the style sheet)."""
    made = QLabel()
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setText(text)
    made.setProperty("role", role)
    made.setProperty("tone", tone)
    made.setWordWrap(wrap)
    return made


def write_markup(shown: QLabel, markup: str) -> None:
    """Show HTML of our own in a label; what a document, a model or a file's name says is escaped in it."""
    shown.setProperty("markup", True)
    shown.setTextFormat(Qt.TextFormat.RichText)
    shown.setText(markup)


def write_plain(shown: QLabel, text: str) -> None:
    """Show a text in a label as it is, where there may have been markup before."""
    shown.setProperty("markup", False)
    shown.setTextFormat(Qt.TextFormat.PlainText)
    shown.setText(text)


def caption_of(text: str) -> str:
    """Return somebody's own words as the caption of a button or a menu's line: no letter of them is its key.

    A menu would take a tab for the beginning of a key, and a line end for a second line.
    """
    return visible_name(" ".join(text.split())).replace("&", "&&")


def button(text: str, variant: str = "secondary", clicked: Clicked | None = None) -> QPushButton:
    """Return a push button; variant is one of primary, secondary, ghost, link, danger."""
    made = QPushButton(text)
    made.setProperty("variant", variant)
    # Outside of dialogs, too, Enter presses the button that has the keyboard, as Space does.
    made.setAutoDefault(True)
    made.setCursor(Qt.CursorShape.PointingHandCursor)
    if clicked is not None:
        made.clicked.connect(clicked)
    return made


def bring_up(window: QWidget) -> None:
    """Show a window before the others, with the keyboard; also one that stands behind another one already."""
    window.show()
    window.raise_()
    window.activateWindow()


def dialog_foot(*buttons: QPushButton) -> QHBoxLayout:
    """Return the row at the foot of a dialog: its buttons at the right, the one that does the thing last."""
    row = QHBoxLayout()
    row.addStretch(1)
    for one in buttons:
        row.addWidget(one)
    return row


def empty(layout: QLayout) -> None:
    """Take out what a layout holds; its widgets are gone from sight, and from Tab's way, at once."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def frame(role: str, *, tone: str = "") -> QFrame:
    """Return a box; role is one of card, well, pane, chip, toast, divider, banner, drop."""
    made = QFrame()
    made.setProperty("role", role)
    made.setProperty("tone", tone)
    return made


def restyle(widget: QWidget, **properties: object) -> None:
    """Change properties that the style sheet looks at, and have them looked at again where they were already."""
    for name, value in properties.items():
        widget.setProperty(name, value)
    # Before the first paint it would cost 11 ms: asked for a style, PySide makes the 30 enumerations of QStyle.
    if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class IconButton(QToolButton):
    """A button that is only an icon; its name is the tool tip and what a screen reader says."""

    def __init__(self, theme: Theme, icon: str, name: str, clicked: Clicked | None = None) -> None:
        super().__init__()
        self._theme = theme
        self._icon_name = icon
        self.setToolTip(name)
        # A screen reader says the key by itself, if its user wants that.
        self.setAccessibleName(name.partition(" (")[0])
        self.setIconSize(QSize(16, 16))
        self.setAutoRaise(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self._paint)
        self._paint()
        if clicked is not None:
            self.clicked.connect(clicked)

    def _paint(self) -> None:
        self.setIcon(self._theme.icon(self._icon_name))


class IconLabel(QLabel):
    """An icon that follows the theme; colour is the name of a token."""

    def __init__(self, theme: Theme, icon: str, *, colour: str = "text_muted", size: int = 16) -> None:
        super().__init__()
        self._theme = theme
        self._icon_name = icon
        self._colour = colour
        self._size = size
        self.setFixedSize(size, size)
        theme.changed.connect(self._paint)
        self._paint()

    def show_icon(self, icon: str, colour: str = "text_muted") -> None:
        """Show another icon."""
        self._icon_name, self._colour = icon, colour
        self._paint()

    def _paint(self) -> None:
        self.setPixmap(self._theme.pixmap(self._icon_name, getattr(self._theme.tokens(), self._colour), self._size))


class ElidedLabel(QLabel):
    """A label on one line that ends in "…" where its width ends; the whole text is its tooltip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_whole_text(self, text: str) -> None:
        """Show a text as far as it fits."""
        self._whole = visible_name(" ".join(text.split()))
        self.setAccessibleName(self._whole)
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        shown = QFontMetrics(self.font()).elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width())
        self.setText(shown)
        self.setToolTip(self._whole if shown != self._whole else "")

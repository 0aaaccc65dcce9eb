"""Base classes of dialogs, message boxes that ask one question, and the tab order inside a window.

By default, Qt interprets a text that looks like HTML as HTML, loads the pictures that it names from the disk, and opens
its links.

Qt's default tab order is the order of creation; here panes are created later, cards inserted above others, docks moved,
and rows of a dialog created again when their contents change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QInputDialog,
    QLayout,
    QLineEdit,
    QMainWindow,
    QMessageBox,
    QStatusBar,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from workbench.ui.controls import label
from workbench.ui.messages import Banner
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.operations import Library


class Dialog(QDialog):
    """Base class of every dialog of the program."""

    def focusNextPrevChild(self, forward: bool) -> bool:
        return follow(self, forward=forward) or super().focusNextPrevChild(forward)

    def grow(self) -> None:
        """Enlarge the dialog to the size that its contents need: size hints of wrapping labels assume a single line."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        width = max(self.width(), layout.totalMinimumSize().width())
        self.resize(width, max(self.height(), layout.totalHeightForWidth(width)))


def stops(window: QWidget) -> list[QWidget]:
    """Return the widgets of a window or dialog that Tab visits, in order."""
    if not isinstance(window, QMainWindow):
        return list(_within(window))
    # A dock behind another one is visible to Qt, but none of it can be seen.
    parts = [part for part in _shown_children(window) if not isinstance(part, (QToolBar, QStatusBar))]
    parts = [part for part in parts if not part.visibleRegion().isEmpty()]
    parts.sort(key=lambda part: (part.x(), part.y()))
    bars = [part for part in _shown_children(window) if isinstance(part, QToolBar)]
    feet = [part for part in _shown_children(window) if isinstance(part, QStatusBar)]
    return [stop for part in (*bars, *parts, *feet) for stop in _within(part)]


def follow(window: QWidget, *, forward: bool) -> bool:
    """Move the focus to the next or previous tab stop; return False if the focused widget is not one of them."""
    every = stops(window)
    focused = window.focusWidget()
    if focused not in every:
        return False
    stop = every[(every.index(focused) + (1 if forward else -1)) % len(every)]
    stop.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
    return True


def _within(widget: QWidget) -> Iterator[QWidget]:
    if _is_stop(widget):
        yield widget
    for child in _in_reading_order(widget):
        yield from _within(child)


def _in_reading_order(widget: QWidget) -> list[QWidget]:
    """Return the visible children in reading order: those of layouts in layout order, the others row by row."""
    shown = _shown_children(widget)
    layout = widget.layout()
    laid_out = dict.fromkeys(_laid_out_widgets(layout, shown)) if layout is not None else {}
    rows = _rows([one for one in shown if one not in laid_out])
    return [*laid_out, *(child for row in rows for child in sorted(row, key=QWidget.x))]


def _laid_out_widgets(layout: QLayout, shown: Sequence[QWidget]) -> Iterator[QWidget]:
    """Yield those of the widgets that are in a layout or in the layouts within it, in order.

    Layouts are asked for the index of each widget, never for their items: Qt deletes items without telling PySide,
    whose objects for them then stand for whatever is created at the same address; a layout became a QSpacerItem.
    """
    inner = layout.findChildren(QLayout, options=Qt.FindChildOption.FindDirectChildrenOnly)
    every: list[tuple[int, QWidget | QLayout]] = [(layout.indexOf(one), one) for one in shown]
    every += [(layout.indexOf(one), one) for one in inner]
    places = [place for place in every if place[0] >= 0]
    if isinstance(layout, QGridLayout):
        grid = layout
        places.sort(key=lambda place: _place(grid, place[0]))  # by position, not by time of insertion
    else:
        places.sort(key=lambda place: place[0])
    for _, one in places:
        if isinstance(one, QLayout):
            yield from _laid_out_widgets(one, shown)
        else:
            yield one


def _place(layout: QGridLayout, index: int) -> tuple[int, int]:
    row, column, *_spans = cast("tuple[int, int, int, int]", layout.getItemPosition(index))
    return row, column


def _shown_children(widget: QWidget) -> list[QWidget]:
    # A dialog, or a floating dock, has its own tab order.
    return [child for child in widget.children() if isinstance(child, QWidget) and _is_shown(child)]


def _is_shown(widget: QWidget) -> bool:
    return widget.isVisible() and not widget.isWindow()


def _is_stop(widget: QWidget) -> bool:
    takes_tab = widget.focusPolicy().value & Qt.FocusPolicy.TabFocus.value
    return bool(takes_tab) and widget.isEnabled() and widget.focusProxy() is None


def _rows(widgets: list[QWidget]) -> Iterator[list[QWidget]]:
    """Yield the widgets grouped into rows, the upper rows first."""
    row: list[QWidget] = []
    for widget in sorted(widgets, key=QWidget.y):
        if row and widget.y() >= row[0].geometry().center().y():
            yield row
            row = []
        row.append(widget)
    if row:
        yield row


def question_box(parent: QWidget | None, title: str, text: str, about: str = "") -> QMessageBox:
    """Return a message box with a question and an explanation, without buttons."""
    box = QMessageBox(parent)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(text)
    box.setInformativeText(about)
    return box


def agrees(parent: QWidget | None, title: str, text: str, about: str = "") -> bool:
    """Ask a yes-or-no question in a modal box and return whether the answer is yes."""
    box = question_box(parent, title, text, about)
    box.setIcon(QMessageBox.Icon.Question)
    yes, no = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.Cancel
    box.setStandardButtons(yes | no)
    box.setDefaultButton(no)
    return QMessageBox.StandardButton(box.exec()) == yes


def ask_for_text(parent: QWidget | None, title: str, asked: str, text: str = "") -> tuple[str, bool]:
    """Return the text that the user entered, and whether it was accepted; the style sheet keeps the prompt plain."""
    return QInputDialog.getText(parent, title, asked, QLineEdit.EchoMode.Normal, text)


class LibraryDialog(Dialog):
    """Dialog with a heading, an error banner, and a column for its contents."""

    def __init__(
        self, title: str, ask: Callable[[Library | None], None], theme: Theme, parent: QWidget | None = None
    ) -> None:
        """Create the dialog; ask is called with the library to load the contents."""
        super().__init__(parent)
        self._ask = ask
        self.setWindowTitle(title)
        self._banner = Banner(theme)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(24, 20, 24, 16)
        self._column.setSpacing(12)
        self._column.addWidget(label(title, "heading"))

    def begin(self, library: Library | None) -> None:
        """Show the dialog with the library's current state."""
        self._banner.hide()
        self._ask(library)
        self.show()
        self.raise_()

"""Base classes of dialogs, message boxes that ask one question, and the tab order inside a window.

Left alone, Qt takes a text that looks like HTML for HTML, loads the pictures that it names from the disk, and opens its
links by itself.

Qt's own order is that in which controls were made; here panes are made later, cards above others, docks moved about,
rows of a dialog made anew when what they show has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QInputDialog,
    QLayout,
    QLayoutItem,
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
    """What every dialog of the program is built on."""

    def focusNextPrevChild(self, forward: bool) -> bool:
        return follow(self, forward=forward) or super().focusNextPrevChild(forward)

    def grow(self) -> None:
        """Enlarge the dialog to the size that its contents need; Qt counts a wrapped label as one line."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        width = max(self.width(), layout.totalMinimumSize().width())
        self.resize(width, max(self.height(), layout.totalHeightForWidth(width)))


def stops(window: QWidget) -> list[QWidget]:
    """Return what Tab goes to in the window or in a dialog, in its order."""
    if not isinstance(window, QMainWindow):
        return list(_within(window))
    # A dock behind another one counts as shown, too, but nothing of it is seen.
    parts = [part for part in _shown_children(window) if not isinstance(part, (QToolBar, QStatusBar))]
    parts = [part for part in parts if not part.visibleRegion().isEmpty()]
    parts.sort(key=lambda part: (part.x(), part.y()))
    bars = [part for part in _shown_children(window) if isinstance(part, QToolBar)]
    feet = [part for part in _shown_children(window) if isinstance(part, QStatusBar)]
    return [stop for part in (*bars, *parts, *feet) for stop in _within(part)]


def follow(window: QWidget, *, forward: bool) -> bool:
    """Give the keyboard to where Tab, or Shift+Tab, goes from where it is; False where that is none of its stops."""
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
    for child in _as_read(widget):
        yield from _within(child)


def _as_read(widget: QWidget) -> list[QWidget]:
    """Return what is shown in a widget: as its layouts have it, column by column; what no layout has row by row."""
    shown = dict.fromkeys(_shown_children(widget))
    layout = widget.layout()
    laid_out = {one: None for one in _held(layout) if one in shown} if layout is not None else {}
    rows = _rows([one for one in shown if one not in laid_out])
    return [*laid_out, *(child for row in rows for child in sorted(row, key=QWidget.x))]


def _held(layout: QLayout) -> Iterator[QWidget]:
    for item in _items(layout):
        if (widget := item.widget()) is not None:
            yield widget
        elif (inner := item.layout()) is not None:
            yield from _held(inner)


def _items(layout: QLayout) -> list[QLayoutItem]:
    indices = list(range(layout.count()))
    if isinstance(layout, QGridLayout):
        places = [_place(layout, index) for index in indices]
        indices.sort(key=places.__getitem__)  # whenever they were put there
    return [item for index in indices if (item := layout.itemAt(index)) is not None]


def _place(layout: QGridLayout, index: int) -> tuple[int, int]:
    row, column, *_spans = cast("tuple[int, int, int, int]", layout.getItemPosition(index))
    return row, column


def _shown_children(widget: QWidget) -> list[QWidget]:
    # A dialog, or a dock that floats, has a round of its own.
    return [child for child in widget.children() if isinstance(child, QWidget) and _is_shown(child)]


def _is_shown(widget: QWidget) -> bool:
    return widget.isVisible() and not widget.isWindow()


def _is_stop(widget: QWidget) -> bool:
    takes_tab = widget.focusPolicy().value & Qt.FocusPolicy.TabFocus.value
    return bool(takes_tab) and widget.isEnabled() and widget.focusProxy() is None


def _rows(widgets: list[QWidget]) -> Iterator[list[QWidget]]:
    """Yield the widgets that stand beside one another, the upper rows first."""
    row: list[QWidget] = []
    for widget in sorted(widgets, key=QWidget.y):
        if row and widget.y() >= row[0].geometry().center().y():
            yield row
            row = []
        row.append(widget)
    if row:
        yield row


def question_box(parent: QWidget | None, title: str, text: str, about: str = "") -> QMessageBox:
    """Return a box with a question and what there is to say about it, still without buttons."""
    box = QMessageBox(parent)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(text)
    box.setInformativeText(about)
    return box


def agrees(parent: QWidget | None, title: str, text: str, about: str = "") -> bool:
    """Return whether the person says yes; nothing is done before that."""
    box = question_box(parent, title, text, about)
    box.setIcon(QMessageBox.Icon.Question)
    yes, no = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.Cancel
    box.setStandardButtons(yes | no)
    box.setDefaultButton(no)
    return QMessageBox.StandardButton(box.exec()) == yes


def ask_for_text(parent: QWidget | None, title: str, asked: str, text: str = "") -> tuple[str, bool]:
    """Return what the person typed, and whether they want it; the style sheet keeps what is asked plain."""
    return QInputDialog.getText(parent, title, asked, QLineEdit.EchoMode.Normal, text)


class LibraryDialog(Dialog):
    """A heading, a banner for errors, and a column for the rest."""

    def __init__(
        self, title: str, ask: Callable[[Library | None], None], theme: Theme, parent: QWidget | None = None
    ) -> None:
        """Take the title, and what asks a library for what is shown."""
        super().__init__(parent)
        self._ask = ask
        self.setWindowTitle(title)
        self._banner = Banner(theme)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(24, 20, 24, 16)
        self._column.setSpacing(12)
        self._column.addWidget(label(title, "heading"))

    def begin(self, library: Library | None) -> None:
        """Show the dialog as the library stands now."""
        self._banner.hide()
        self._ask(library)
        self.show()
        self.raise_()

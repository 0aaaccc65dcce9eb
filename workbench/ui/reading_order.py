"""Where Tab goes in the window: pane after pane from left to right, within each and in a dialog as one reads.

Qt's own order is that in which controls were made; here panes are made later, cards above others, docks moved about,
rows of a dialog made anew when what they show has changed.
"""

from collections.abc import Iterator
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLayout, QLayoutItem, QMainWindow, QStatusBar, QToolBar, QWidget


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

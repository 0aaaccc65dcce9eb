"""Where Tab goes in the window: pane after pane from left to right, within each as one reads.

Qt's own order is that in which controls were made; here panes are made later, cards above others, docks moved about.
"""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QStatusBar, QToolBar, QWidget


def stops(window: QMainWindow) -> list[QWidget]:
    """Return what Tab goes to, in its order."""
    # A dock behind another one counts as shown, too, but nothing of it is seen.
    parts = [part for part in _shown_children(window) if not isinstance(part, (QToolBar, QStatusBar))]
    parts = [part for part in parts if not part.visibleRegion().isEmpty()]
    parts.sort(key=lambda part: (part.x(), part.y()))
    bars = [part for part in _shown_children(window) if isinstance(part, QToolBar)]
    feet = [part for part in _shown_children(window) if isinstance(part, QStatusBar)]
    return [stop for part in (*bars, *parts, *feet) for stop in _within(part)]


def next_stop(window: QMainWindow, focused: QWidget | None, *, forward: bool) -> QWidget | None:
    """Return where Tab, or Shift+Tab, goes from here; None where here is none of its stops."""
    every = stops(window)
    if focused not in every:
        return None
    return every[(every.index(focused) + (1 if forward else -1)) % len(every)]


def _within(widget: QWidget) -> Iterator[QWidget]:
    if _is_stop(widget):
        yield widget
    for row in _rows(_shown_children(widget)):
        for child in sorted(row, key=QWidget.x):
            yield from _within(child)


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

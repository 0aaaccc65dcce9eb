"""The accessibility tree of a window, walked as a screen reader would, and what is wrong in it."""

import re
from collections import Counter
from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAbstractButton, QComboBox, QDockWidget, QLabel, QLineEdit, QMainWindow, QTabBar, QWidget

from workbench.ui.dialog import stops

Name = QAccessible.Text.Name
Role = QAccessible.Role
PRESSED = {
    *(Role.Button, Role.CheckBox, Role.RadioButton, Role.ButtonMenu),
    *(Role.ComboBox, Role.SpinBox, Role.EditableText),
}
"""What does something: it has a name whether the keyboard can get to it or not."""
ROWS = 40
"""Rows of a list that are looked at."""
_WORD = re.compile(r"\w")
# Marks that stand for themselves: the number of a citation, the sign on a key.
_SPOKEN_SIGNS = {"+", "−", "-"}


def interfaces(widget: QWidget) -> Iterator[tuple[QAccessibleInterface, str]]:
    """Yield what a screen reader can get to below a widget, with the names above it."""
    top = QAccessible.queryAccessibleInterface(widget)
    if top is not None:
        yield from _below(top, type(widget).__name__)


def _below(interface: QAccessibleInterface, path: str) -> Iterator[tuple[QAccessibleInterface, str]]:
    yield interface, path
    for number in range(min(interface.childCount(), ROWS)):
        child = interface.child(number)
        if child is None or not child.isValid() or child.state().invisible:
            continue
        yield from _below(child, f"{path} › {_called(child)}")


def _called(interface: QAccessibleInterface) -> str:
    named = interface.object()
    kind = type(named).__name__ if named is not None else interface.role().name
    return f"{kind} “{interface.text(Name)[:30]}”"


def nameless(widget: QWidget) -> list[str]:
    """Return what can be used and has no name that says what it is: none, its class, or nothing but a sign."""
    found = []
    for interface, path in interfaces(widget):
        state = interface.state()
        if interface.role() not in PRESSED and not state.focusable:
            continue
        name = interface.text(Name).strip()
        if isinstance(bar := interface.object(), QTabBar) and not bar.count():
            continue  # Qt keeps an empty one, out of sight, for docks that share a place and are both hidden
        if interface.role() in (Role.Cell, Role.TreeItem) and not name:
            continue  # an empty cell beside one that says what the row is
        kind = type(interface.object()).__name__
        if name == kind or not (_WORD.search(name) or name in _SPOKEN_SIGNS):
            found.append(path)
    return found


def twins(widget: QWidget) -> list[str]:
    """Return what is used under one name twice within one parent, so that nobody could say which is which."""
    found = []
    for interface, path in interfaces(widget):
        names: Counter[tuple[Role, str]] = Counter()
        for number in range(min(interface.childCount(), ROWS)):
            child = interface.child(number)
            if child is not None and child.isValid() and not child.state().invisible and child.role() in PRESSED:
                names[child.role(), child.text(Name)] += 1
        found += [f"{path}: {number} × “{name}”" for (_role, name), number in names.items() if number > 1]
    return found


def tab_stops(window: QWidget) -> list[QWidget]:
    """Return what Tab goes to in a window that is active, in its order, from the first; the keyboard is left there."""
    QCoreApplication.sendPostedEvents()  # what was made a moment ago has its place only now
    if not (first := next(iter(stops(window)), None)):
        return []
    first.setFocus()
    found: list[QWidget] = []
    while (at := window.focusWidget()) not in found:
        found.append(at)
        window.focusNextPrevChild(True)
    return found


def focusable(window: QWidget) -> set[QWidget]:
    """Return what Tab should get to: everything that can be seen, is enabled and takes it."""
    return {
        widget
        for widget in window.findChildren(QWidget)
        if widget.isVisible()
        and widget.isEnabled()
        and widget.window() is window
        and widget.focusPolicy().value & Qt.FocusPolicy.TabFocus.value
        and widget.focusProxy() is None
    }


def missed(window: QWidget) -> list[str]:
    """Return what Tab should get to in a window and does not."""
    return [f"missed: {_shown(one)}" for one in focusable(window) - set(tab_stops(window))]


def pane_of(widget: QWidget) -> str:
    """Return which part of the window a widget stands in."""
    above: QWidget | None = widget
    while above is not None:
        if isinstance(above, QDockWidget):
            return above.windowTitle()
        parent = above.parentWidget()
        if isinstance(parent, QMainWindow):
            return type(above).__name__
        above = parent
    return ""


def jumps(window: QWidget) -> list[str]:
    """Return where Tab leaves a pane and comes back to it, or goes up within one without going to the right."""
    every = tab_stops(window)
    panes = [pane_of(stop) for stop in every]
    found = []
    left: set[str] = set()
    for before, after, old, new in zip(every, every[1:], panes, panes[1:], strict=False):
        if new != old:
            left.add(old)
            if new in left:
                found.append(f"back to {new}: {_shown(before)} → {_shown(after)}")
        elif _is_up(_place(before), _place(after)):
            found.append(f"up: {_shown(before)} → {_shown(after)}")
    return found


def _place(widget: QWidget) -> QRect:
    return QRect(widget.mapTo(widget.window(), QPoint(0, 0)), widget.size())


def _is_up(before: QRect, after: QRect) -> bool:
    return after.bottom() <= before.top() and after.left() < before.right()


def _shown(widget: QWidget) -> str:
    name = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
    return f"{type(widget).__name__} “{name[:40]}”"


def clipped(window: QWidget) -> list[str]:
    """Return the texts that do not fit where they stand, and are not elided on purpose."""
    found = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or widget.visibleRegion().isEmpty():
            continue
        if isinstance(widget, QLabel) and widget.text() and not _is_elided(widget):
            wanted = _wanted(widget)
        elif isinstance(widget, QAbstractButton) and not isinstance(widget.parent(), (QComboBox, QLineEdit)):
            wanted = widget.minimumSizeHint() if widget.text() else QSize(0, 0)
        else:
            continue
        if widget.width() < wanted.width() - 1 or widget.height() < wanted.height() - 1:
            sizes = f"{widget.size().toTuple()} < {wanted.toTuple()}"
            found.append(f"{_path(widget)} “{widget.text()[:40]}” {sizes}")
    return found


def _is_elided(widget: QLabel) -> bool:
    return type(widget).__name__ == "ElidedLabel"


def _wanted(widget: QLabel) -> QSize:
    """Return the room that the text of a label needs, in its own font, at its own width where it wraps."""
    inner = widget.contentsRect()
    if widget.wordWrap():
        return QSize(0, widget.heightForWidth(widget.width()))
    text = widget.fontMetrics().boundingRect(inner, 0, widget.text())
    return text.size().boundedTo(widget.sizeHint())


def _path(widget: QWidget) -> str:
    above = widget.parentWidget()
    return f"{type(above).__name__} › {type(widget).__name__}"

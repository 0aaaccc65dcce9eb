"""Traversal of a window's accessibility tree, as by a screen reader, and detection of defects."""

import re
from collections import Counter
from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QDockWidget,
    QLabel,
    QLineEdit,
    QMainWindow,
    QTabBar,
    QWidget,
)

from workbench.ui.dialog import stops

Name = QAccessible.Text.Name
Role = QAccessible.Role
PRESSED = {
    *(Role.Button, Role.CheckBox, Role.RadioButton, Role.ButtonMenu),
    *(Role.ComboBox, Role.SpinBox, Role.EditableText),
}
"""Interactive roles: they need a name whether or not they take the keyboard focus."""
ROWS = 40
"""Number of rows of a list that are checked."""
_WORD = re.compile(r"\w")
# Self-explanatory signs: the number of a citation, the sign on a key.
_SPOKEN_SIGNS = {"+", "−", "-"}


def interfaces(widget: QWidget) -> Iterator[tuple[QAccessibleInterface, str]]:
    """Yield the elements below a widget that a screen reader can reach, with the names of their ancestors."""
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
    """Return interactive elements without a descriptive name: no name, the class name, or only a sign."""
    found = []
    for interface, path in interfaces(widget):
        state = interface.state()
        if interface.role() not in PRESSED and not state.focusable:
            continue
        name = interface.text(Name).strip()
        if isinstance(bar := interface.object(), QTabBar) and not bar.count():
            continue  # Qt keeps an empty, invisible one for tabbed docks that are both hidden
        if interface.role() in (Role.Cell, Role.TreeItem) and not name:
            continue  # an empty cell next to one that names the row
        kind = type(interface.object()).__name__
        if name == kind or not (_WORD.search(name) or name in _SPOKEN_SIGNS):
            found.append(path)
    return found


def twins(widget: QWidget) -> list[str]:
    """Return interactive elements with the same name within one parent, which cannot be told apart."""
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
    """Return the tab stops of an active window in order, from the first, which keeps the focus."""
    QCoreApplication.sendPostedEvents()  # new widgets get their geometry only now
    if not (first := next(iter(stops(window)), None)):
        return []
    first.setFocus()
    found: list[QWidget] = []
    while (at := window.focusWidget()) not in found:
        found.append(at)
        window.focusNextPrevChild(True)
    return found


def focusable(window: QWidget) -> set[QWidget]:
    """Return the expected tab stops: all visible, enabled widgets that accept Tab focus."""
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
    """Return the expected tab stops that Tab does not reach."""
    return [f"missed: {_shown(one)}" for one in focusable(window) - set(tab_stops(window))]


def pane_of(widget: QWidget) -> str:
    """Return the pane that contains a widget."""
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
    """Return places where Tab re-enters a pane that it left, or moves up within a pane without moving to the right."""
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
    """Return the texts that do not fit into their widget and are not elided on purpose."""
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
    """Return the size that the text of a label needs, in its font, and at its width if it wraps."""
    inner = widget.contentsRect()
    if widget.wordWrap():
        return QSize(0, widget.heightForWidth(widget.width()))
    text = widget.fontMetrics().boundingRect(inner, 0, widget.text())
    return text.size().boundedTo(widget.sizeHint())


def _path(widget: QWidget) -> str:
    above = widget.parentWidget()
    return f"{type(above).__name__} › {type(widget).__name__}"


class StrayWindows(QObject):
    """Recorder of widgets that become windows of their own, because they are shown before they have a parent.

    Attributes:
        shown: Class and texts of each, with what its parts are.
    """

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def __enter__(self) -> "StrayWindows":
        QApplication.instance().installEventFilter(self)
        return self

    def __exit__(self, *_error: object) -> None:
        # Left there, it would be called for each event of all later tests.
        QApplication.instance().removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget):
            is_plain = watched.windowType() == Qt.WindowType.Window and not isinstance(watched, (QDialog, QMainWindow))
            if is_plain and watched.isWindow():
                parts = [type(one).__name__ for one in watched.children()]
                self.shown.append(f"{type(watched).__name__} {watched.accessibleName()} {parts}")
        return False

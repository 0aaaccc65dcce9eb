"""Count of what a window offers at one moment: everything visible that can be pressed, typed into or chosen from."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QMenuBar,
    QTabBar,
    QToolBar,
    QWidget,
)

_OF_QT = ("qt_toolbar_ext", "qt_spinbox", "qt_dockwidget", "qt_scrollarea", "ScrollLeftButton", "ScrollRightButton")


def visible_controls(window: QWidget) -> list[str]:
    """Return the class and the name of each visible control of a window, also of those that are disabled.

    A menu of the menu bar and a tab count as one each, and so does a list, whatever the number of its rows.
    """
    found: list[str] = []
    for widget in window.findChildren(QWidget):
        if widget.window() is not window or widget.visibleRegion().isEmpty() or _is_part(widget):
            continue
        if isinstance(widget, QMenuBar):
            found += [f"menu {action.text()}" for action in widget.actions() if action.isVisible()]
        elif isinstance(widget, QTabBar):
            found += [f"tab {widget.tabText(index)}" for index in range(widget.count()) if widget.isTabVisible(index)]
        elif _is_control(widget):
            found.append(f"{type(widget).__name__} {name_of(widget)}")
    return found


def name_of(widget: QWidget) -> str:
    """Return the accessible name of a control, its text, or its tool tip."""
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return widget.accessibleName() or text or widget.toolTip()


def _is_control(widget: QWidget) -> bool:
    takes_focus = bool(widget.focusPolicy().value & Qt.FocusPolicy.TabFocus.value) and widget.focusProxy() is None
    return isinstance(widget, QAbstractButton) or (takes_focus and not isinstance(widget, QToolBar))


def _is_part(widget: QWidget) -> bool:
    """Return whether a widget is part of another control, or made by Qt itself."""
    if widget.objectName().startswith(_OF_QT):
        return True
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QComboBox | QLineEdit | QAbstractSpinBox | QTabBar):
            return True
        above = above.parentWidget()
    return False

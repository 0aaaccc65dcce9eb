"""A pseudo language that puts every translatable text in brackets, so that untranslated texts are found."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QTabWidget,
    QTextEdit,
    QWidget,
)

from workbench.language import Catalogue

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging"))
import translations

_WORD = re.compile(r"[A-Za-z]{2,}")
_IN_BRACKETS = re.compile(r"⟦[^⟦⟧]*⟧")
_PATH = re.compile(r"/\S+")
_CUT_OFF = re.compile(r"⟦.*", re.DOTALL)
ROWS = 30
"""Number of rows of a list that are checked."""
SHOWN = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)


def brackets() -> Catalogue:
    """Return the pseudo language for all texts in the sources; extracting them takes 6 s, once per process."""
    return Catalogue("brackets", {text: f"⟦{text[0]}⟧" for text in translations.texts()})


def bare(text: str) -> str:
    """Return the parts of a text outside brackets."""
    before = ""
    while before != text:
        before, text = text, _IN_BRACKETS.sub(" ", text)
    return _PATH.sub(" ", _CUT_OFF.sub(" ", text))


def untranslated(window: QWidget, known: frozenset[str] = frozenset()) -> list[str]:
    """Return the visible texts of a window outside brackets, each as "class: text".

    Args:
        window: The window, including hidden parts.
        known: Words that are not translated: names, and text of documents.
    """
    found = {f"{type(widget).__name__}: {text}" for widget in _all(window) for text in _texts(widget)}
    words = {one: set(_WORD.findall(bare(one.partition(": ")[2]))) - known for one in found}
    return sorted(one for one, left in words.items() if left)


def _all(window: QWidget) -> Iterator[QWidget]:
    yield window
    yield from window.findChildren(QWidget)


def _texts(widget: QWidget) -> Iterator[str]:
    yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription(), widget.statusTip())
    if widget.isWindow() or widget.inherits("QDockWidget"):
        yield widget.windowTitle()
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    if isinstance(widget, QLineEdit | QPlainTextEdit | QTextEdit):
        yield widget.placeholderText()
    if isinstance(widget, QGroupBox):
        yield widget.title()
    if isinstance(widget, QComboBox):
        yield from (widget.itemText(number) for number in range(widget.count()))
    if isinstance(widget, QTabBar | QTabWidget):
        for number in range(widget.count()):
            yield from (widget.tabText(number), widget.tabToolTip(number))
    if isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from _shown(widget.model())
    for action in widget.actions():
        yield from _said(action)
    if isinstance(widget, QMenu):
        yield widget.title()


def _said(action: QAction) -> Iterator[str]:
    yield from (action.text(), action.toolTip())


def _shown(model: QAbstractItemModel) -> Iterator[str]:
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(QModelIndex())
    for column in range(columns):
        yield str(model.headerData(column, Qt.Orientation.Horizontal) or "")
        for row in range(min(model.rowCount(QModelIndex()), ROWS)):
            for role in SHOWN:
                yield str(model.index(row, column).data(role) or "")

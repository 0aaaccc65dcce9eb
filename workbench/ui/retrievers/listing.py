"""Rows of two lines, with buttons below that act on the chosen one."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.ui.controls import label
from workbench.ui.retrievers.wording import Row
from workbench.ui.theme import Theme

_KEY = Qt.ItemDataRole.UserRole


class Listing(QWidget):
    """A list, or a sentence where there is nothing.

    Signals:
        chosen_changed: Another row is chosen, or none.
    """

    chosen_changed = Signal()

    def __init__(self, theme: Theme, name: str, nothing: str, *buttons: QPushButton) -> None:
        super().__init__()
        self._theme = theme
        self._rows: tuple[Row, ...] = ()
        self._list = QListWidget()
        self._list.setAccessibleName(name)
        self._list.setWordWrap(True)
        self._list.setSpacing(2)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._nothing = label(nothing, "muted", wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._nothing)
        self._stack.addWidget(self._list)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 12, 0, 0)
        layout.setSpacing(10)
        layout.addWidget(self._stack, 1)
        foot = QHBoxLayout()
        for one in buttons:
            foot.addWidget(one)
        foot.addStretch(1)
        layout.addLayout(foot)
        self._list.currentRowChanged.connect(self._on_row)

    @property
    def chosen(self) -> str:
        """The key of the chosen row; empty for none."""
        item = self._list.currentItem()
        return str(item.data(_KEY)) if item is not None else ""

    def say_nothing(self, text: str) -> None:
        """Say another sentence where there is nothing."""
        self._nothing.setText(text)

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show rows; the chosen one stays chosen."""
        if tuple(rows) == self._rows and self._list.count():
            return
        self._rows = tuple(rows)
        row = max(0, self._list.currentRow())
        with QSignalBlocker(self._list):
            self._list.clear()
            for one in rows:
                icon = self._theme.icon("alert" if one.is_bad else "check-circle")
                item = QListWidgetItem(icon, f"{one.title}\n{one.about}" if one.about else one.title)
                item.setData(_KEY, one.key)
                self._list.addItem(item)
            self._list.setCurrentRow(min(row, len(rows) - 1))
        self._stack.setCurrentIndex(int(bool(rows)))
        self.chosen_changed.emit()

    @Slot(int)
    def _on_row(self, _row: int) -> None:
        self.chosen_changed.emit()

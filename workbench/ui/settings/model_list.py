"""The models of a server, to choose from: a line that filters, and a list."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QListWidget, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.ui.controls import button, dialog_foot, label
from workbench.ui.dialog import Dialog
from workbench.ui.settings.finding import finds, words_of

_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class ModelList(Dialog):
    """Offers models.

    Signals:
        chosen: The name of the one that was chosen.
    """

    chosen = Signal(str)

    def __init__(self, models: Sequence[str], present: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models = tuple(models)
        self.setWindowTitle(tr("Models of the server"))
        self.resize(460, 420)
        self._filter = QLineEdit()
        self._filter.setPlaceholderText(tr("Filter models"))
        self._filter.setAccessibleName(tr("Filter models"))
        self._filter.setClearButtonEnabled(True)
        self._filter.installEventFilter(self)
        self._count = label("", "caption")
        self._list = QListWidget()
        self._list.setAccessibleName(tr("Models of the server"))
        self._use = button(tr("Choose"), "primary", self._on_use)
        self._use.setDefault(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 16)
        layout.setSpacing(8)
        layout.addWidget(self._filter)
        layout.addWidget(self._list, 1)
        layout.addWidget(self._count)
        layout.addLayout(dialog_foot(button(tr("Cancel"), "secondary", self.reject), self._use))
        self._filter.textChanged.connect(self._show)
        self._list.itemActivated.connect(self._on_use)
        self._present = present
        self._show()
        self._filter.setFocus()

    @property
    def shown(self) -> tuple[str, ...]:
        """The models that the filter lets through."""
        return tuple(self._list.item(row).text() for row in range(self._list.count()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The arrows move through the list while one goes on typing.
        is_press = watched is self._filter and event.type() == QEvent.Type.KeyPress
        if is_press and isinstance(event, QKeyEvent) and event.key() in _KEYS:
            self._list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    @Slot()
    def _show(self) -> None:
        words = words_of(self._filter.text())
        shown = [one for one in self._models if finds(words, (one,))]
        self._list.clear()
        self._list.addItems(shown)
        self._list.setCurrentRow(shown.index(self._present) if self._present in shown else min(0, len(shown) - 1))
        self._count.setText(tr("{shown:,} of {all:,} models", shown=len(shown), all=len(self._models)))
        self._use.setEnabled(bool(shown))

    @Slot()
    def _on_use(self) -> None:
        item = self._list.currentItem()
        if item is not None:
            self.chosen.emit(item.text())
            self.accept()

"""A key as it is entered: never shown, kept in the system's keyring, gone from the field as soon as it is kept."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from workbench.language import tr
from workbench.ui.controls import button


class KeyField(QWidget):
    """A line for a key, and a button that keeps it.

    Signals:
        entered: The key to be kept; an empty one removes what was kept.
    """

    entered = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._line = QLineEdit()
        self._line.setEchoMode(QLineEdit.EchoMode.Password)
        self._line.setPlaceholderText(tr("kept in the system's keyring; empty for none"))
        self._line.setAccessibleName(name)
        self._line.returnPressed.connect(self._on_keep)
        self._keep = button(tr("Keep the key"), "secondary", self._on_keep)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._line, 1)
        row.addWidget(self._keep)

    def clear(self) -> None:
        """Forget what was typed and not kept."""
        self._line.clear()

    @Slot()
    def _on_keep(self) -> None:
        key = self._line.text()
        self._line.clear()
        self.entered.emit(key)

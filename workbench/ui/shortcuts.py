"""The sheet of keys."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from workbench.ui.actions import COMMANDS, ELSEWHERE
from workbench.ui.controls import button, frame, label


class ShortcutSheet(QDialog):
    """Lists every key of the window in two columns."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        rows = [(command.text.rstrip("…"), command.key) for command in COMMANDS if command.key]
        columns = QHBoxLayout()
        columns.setSpacing(40)
        for part in (rows, list(ELSEWHERE)):
            columns.addLayout(self._column(part))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(16)
        layout.addWidget(label("Keyboard shortcuts", "heading"))
        layout.addLayout(columns)
        layout.addWidget(button("Close", "secondary", self.accept), 0, Qt.AlignmentFlag.AlignRight)

    def _column(self, rows: list[tuple[str, str]]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(8)
        for number, (text, key) in enumerate(rows):
            chip = frame("chip")
            inside = QHBoxLayout(chip)
            inside.setContentsMargins(8, 1, 8, 1)
            inside.addWidget(label(key, "caption"))
            grid.addWidget(label(text), number, 0)
            grid.addWidget(chip, number, 1, Qt.AlignmentFlag.AlignRight)
        grid.setRowStretch(len(rows), 1)
        return grid

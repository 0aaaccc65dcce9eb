"""The sheet of keys, made from the same declarations as the keys themselves."""

from itertools import groupby

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from workbench.language import tr
from workbench.ui.actions import COMMANDS, KEYS, PANE_COMMANDS, Command, key_words
from workbench.ui.controls import button, frame, label
from workbench.ui.dialog import Dialog

_COLUMNS = 3
_RING = 8
# Rows that a group's title and the space above it take.
_TITLE = 2


def groups() -> dict[str, list[Command]]:
    """Return every command that has a key by the pane in which it works, in the order of their declaration."""
    every = [command for command in (*COMMANDS, *PANE_COMMANDS, *KEYS) if command.key]
    panes = list(dict.fromkeys(command.pane for command in every))
    every.sort(key=lambda command: panes.index(command.pane))
    return {pane: list(commands) for pane, commands in groupby(every, key=lambda command: command.pane)}


class ShortcutSheet(Dialog):
    """Lists every key of the window, by pane."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keyboard shortcuts"))
        sheet = QWidget()
        columns = QHBoxLayout(sheet)
        # Room for the ring around it while it has the keyboard.
        columns.setContentsMargins(_RING, _RING, 12 + _RING, _RING)
        columns.setSpacing(36)
        for part in _balanced(groups()):
            columns.addWidget(_column(part), 0, Qt.AlignmentFlag.AlignTop)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(sheet)
        scroll.setAccessibleName(tr("Keys"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24 - _RING, 20, 12, 16)
        layout.setSpacing(16 - _RING)
        heading = label(tr("Keyboard shortcuts"), "heading")
        heading.setContentsMargins(_RING, 0, 0, 0)
        layout.addWidget(heading)
        layout.addWidget(scroll, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(_RING, 0, 12, 0)
        foot.addWidget(label(tr("Ctrl+K finds any command by its name."), "muted"), 1)
        foot.addWidget(button(tr("Close"), "secondary", self.accept))
        layout.addLayout(foot)
        self.resize(_wanted(sheet.sizeHint(), parent))


def _wanted(sheet: QSize, parent: QWidget | None) -> QSize:
    """Return a size at which the whole sheet is seen, where the window is large enough for that."""
    whole = sheet + QSize(60, 150)
    return whole.boundedTo(parent.size() - QSize(32, 32)) if parent is not None else whole


def _balanced(grouped: dict[str, list[Command]]) -> list[dict[str, list[Command]]]:
    """Return the groups in columns of about one height, in their order."""
    whole = sum(len(commands) + _TITLE for commands in grouped.values())
    columns: list[dict[str, list[Command]]] = [{}]
    filled = 0
    for pane, commands in grouped.items():
        # A group goes to the next column when more than half of it would stand below the foot of this one.
        if columns[-1] and filled + len(commands) / 2 > whole / _COLUMNS and len(columns) < _COLUMNS:
            columns.append({})
            filled = 0
        columns[-1][pane] = commands
        filled += len(commands) + _TITLE
    return columns


def _column(grouped: dict[str, list[Command]]) -> QWidget:
    column = QWidget()
    grid = QGridLayout(column)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(24)
    grid.setVerticalSpacing(5)
    row = 0
    for pane, commands in grouped.items():
        title = label(tr(pane), "section")
        title.setContentsMargins(0, 12 if row else 0, 0, 2)
        grid.addWidget(title, row, 0, 1, 2)
        for command in commands:
            row += 1
            grid.addWidget(label(command.plain), row, 0)
            grid.addWidget(_chips(command), row, 1, Qt.AlignmentFlag.AlignRight)
        row += 1
    return column


def _chips(command: Command) -> QWidget:
    holder = QWidget()
    line = QHBoxLayout(holder)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(4)
    for key in (command.key, command.also):
        if key:
            chip = frame("chip")
            inside = QHBoxLayout(chip)
            inside.setContentsMargins(8, 1, 8, 1)
            inside.addWidget(label(key_words(key), "caption"))
            line.addWidget(chip)
    return holder

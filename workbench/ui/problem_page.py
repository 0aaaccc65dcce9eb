"""What stands in the window when the library cannot be opened."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.language import said, tr
from workbench.ui.controls import IconLabel, button, frame, label
from workbench.ui.theme import Theme
from workbench.ui.toast import BUG, BUG_HINT

WIDTH = 520


class ProblemPage(QWidget):
    """Says what happened, what to do, and offers to try again or to take another folder.

    Signals:
        retry_asked: "Try again" was pressed.
        other_folder_asked: "Choose another folder" was pressed.
    """

    retry_asked = Signal()
    other_folder_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._details = ""
        self._message = label("", "title", wrap=True)
        self._hint = label("", "muted", wrap=True)
        self._folder = label("", "caption", wrap=True)
        self._folder.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._copy = button(tr("Copy details"), "ghost", self._on_copy)
        box = frame("card")
        box.setFixedWidth(WIDTH)
        inside = QVBoxLayout(box)
        inside.setContentsMargins(28, 24, 28, 24)
        inside.setSpacing(10)
        inside.addWidget(IconLabel(theme, "alert", colour="warn", size=32))
        for words in (self._message, self._hint, self._folder):
            inside.addWidget(words)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(button(tr("Try again"), "primary", self.retry_asked))
        buttons.addWidget(button(tr("Choose another folder…"), "secondary", self.other_folder_asked))
        buttons.addStretch(1)
        buttons.addWidget(self._copy)
        inside.addSpacing(8)
        inside.addLayout(buttons)
        # The docks are put aside while it is shown; beside them it must not keep the middle of the window wide.
        self.setMinimumWidth(1)
        layout = QVBoxLayout(self)
        layout.addWidget(box, 0, Qt.AlignmentFlag.AlignCenter)

    @property
    def text(self) -> str:
        """What it says."""
        return f"{self._message.text()} {self._hint.text()}"

    def show_error(self, error: BaseException, details: str, folder: Path) -> None:
        """Show why the library in a folder could not be opened."""
        known = isinstance(error, WorkbenchError)
        self._message.setText(said(error.message) if isinstance(error, WorkbenchError) else tr(BUG))
        self._hint.setText(said(error.hint) if isinstance(error, WorkbenchError) else tr(BUG_HINT))
        self._folder.setText(tr("Library: {folder}", folder=folder))
        self._details = details
        self._copy.setVisible(not known)

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details)

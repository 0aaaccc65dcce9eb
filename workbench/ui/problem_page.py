"""What stands in the window when the library cannot be opened."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from workbench.errors import LibraryDamaged, WorkbenchError
from workbench.language import said, tr
from workbench.ui.controls import IconLabel, button, frame, label, redress
from workbench.ui.theme import Theme
from workbench.ui.toast import BUG, BUG_HINT

WIDTH = 520


_STEPS = 1000


class ProblemPage(QWidget):
    """Says what happened, what to do, and offers to try again or to take another folder; a damaged library, its repair.

    While the library is being repaired it says how far that is.

    Signals:
        retry_asked: "Try again" was pressed.
        other_folder_asked: "Choose another folder" was pressed.
        repair_asked: "Repair…" was pressed: the check of the library is to be shown, with its backups.
        cancel_asked: What is under way is to be stopped.
    """

    retry_asked = Signal()
    other_folder_asked = Signal()
    repair_asked = Signal()
    cancel_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._details = ""
        self._message = label("", "title", wrap=True)
        self._hint = label("", "muted", wrap=True)
        self._folder = label("", "caption", wrap=True)
        self._folder.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._copy = button(tr("Copy details"), "ghost", self._on_copy)
        self._repair = button(tr("Repair or restore…"), "primary", self.repair_asked)
        self._retry = button(tr("Try again"), "secondary", self.retry_asked)
        self._other = button(tr("Choose another folder…"), "secondary", self.other_folder_asked)
        self._cancel = button(tr("Cancel"), "secondary", self.cancel_asked)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("Progress of the repair"))
        self._icon = IconLabel(theme, "alert", colour="warn", size=32)
        box = frame("card")
        box.setFixedWidth(WIDTH)
        inside = QVBoxLayout(box)
        inside.setContentsMargins(28, 24, 28, 24)
        inside.setSpacing(10)
        for part in (self._icon, self._message, self._hint, self._bar, self._folder):
            inside.addWidget(part)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for one in (self._repair, self._retry, self._other, self._cancel):
            buttons.addWidget(one)
        buttons.addStretch(1)
        buttons.addWidget(self._copy)
        inside.addSpacing(8)
        inside.addLayout(buttons)
        # The docks are put aside while it is shown; beside them it must not keep the middle of the window wide.
        self.setMinimumWidth(1)
        layout = QVBoxLayout(self)
        layout.addWidget(box, 0, Qt.AlignmentFlag.AlignCenter)
        self._show_working(False)

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
        self._show_working(False)
        self._copy.setVisible(not known)
        is_damaged = isinstance(error, LibraryDamaged)
        self._repair.setVisible(is_damaged)
        redress(self._retry, variant="secondary" if is_damaged else "primary")

    def show_work(self, heading: str, folder: Path) -> None:
        """Show that the library in a folder is being worked on, and cannot be used meanwhile."""
        self._message.setText(heading)
        self._folder.setText(tr("Library: {folder}", folder=folder))
        self._show_working(True)
        self.show_progress(tr("Preparing…"), None)

    def show_progress(self, words: str, share: float | None) -> None:
        """Show how far that is, 0 to 1; None where nobody knows."""
        self._hint.setText(words)
        self._bar.setRange(0, 0 if share is None else _STEPS)
        self._bar.setValue(round((share or 0.0) * _STEPS))

    def _show_working(self, working: bool) -> None:
        for shown in (self._bar, self._cancel):
            shown.setVisible(working)
        for hidden in (self._icon, self._repair, self._retry, self._other, self._copy):
            hidden.setVisible(not working)

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details)

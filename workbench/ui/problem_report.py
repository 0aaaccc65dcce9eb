"""Dialog with a report to attach to an issue; the user reads and sends it, nothing is sent automatically."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from workbench import operations
from workbench.files.modes import new_file
from workbench.language import mark, tr
from workbench.ui.bug_report import open_log_button
from workbench.ui.controls import bring_up, button, label
from workbench.ui.dialog import Dialog
from workbench.ui.messages import announce, error_words

if TYPE_CHECKING:
    from workbench.ui.bridge import Bridge

_HINT = mark(
    "What is worth knowing when something goes wrong, to be attached to an issue. It holds no text, no names, no"
    " addresses and no keys, and it is sent nowhere by itself: read it first."
)
FILE_NAME = "knowledge-workbench-report.md"


class ProblemReportDialog(Dialog):
    """Dialog that shows the report, and copies or saves it."""

    def __init__(self, bridge: Bridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.setWindowTitle(tr("Problem report"))
        self.resize(720, 560)
        self._shown = QPlainTextEdit()
        self._shown.setReadOnly(True)
        self._shown.setAccessibleName(tr("Problem report"))
        self._shown.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._status = label("", "caption", wrap=True)
        self._copy = button(tr("Copy"), "secondary", self._on_copy)
        self._save = button(tr("Save…"), "primary", self._on_save)
        row = QHBoxLayout()
        row.addWidget(open_log_button())
        row.addWidget(self._status, 1)
        row.addWidget(self._copy)
        row.addWidget(self._save)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 16)
        layout.setSpacing(10)
        layout.addWidget(label(tr(_HINT), "muted", wrap=True))
        layout.addWidget(self._shown, 1)
        layout.addLayout(row)

    @property
    def report(self) -> str:
        """Text of the report."""
        return self._shown.toPlainText()

    def begin(self, library: operations.Library | None) -> None:
        """Create the report and show it; library is None if none is open."""
        self._shown.setPlainText("")
        self._allow(False)
        self._status.setText(tr("Looking…"))
        bring_up(self)
        self._bridge.submit(operations.problem_report(library), done=self._on_made, failed=self._on_failed)

    def _allow(self, allowed: bool) -> None:
        self._copy.setEnabled(allowed)
        self._save.setEnabled(allowed)

    def _show_status(self, text: str) -> None:
        self._status.setText(text)
        announce(self, text)

    def _on_made(self, report: str) -> None:
        self._shown.setPlainText(report)
        self._allow(True)
        self._show_status("")

    def _on_failed(self, error: BaseException, _details: str) -> None:
        self._show_status(error_words(error))

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report)
        self._show_status(tr("Copied"))

    @Slot()
    def _on_save(self) -> None:
        name, _kind = QFileDialog.getSaveFileName(
            self, tr("Save the problem report"), str(Path.home() / FILE_NAME), "Markdown (*.md)"
        )
        if not name:
            return
        try:
            new_file(Path(name))
            Path(name).write_text(self.report, "utf-8")
        except OSError as error:
            self._show_status(tr("The report cannot be written: {reason}.", reason=error.strerror))
        else:
            self._show_status(tr("Saved."))

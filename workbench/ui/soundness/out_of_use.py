"""The library taken out of use, repaired or put back from a backup, and opened again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from workbench.language import tr, trn
from workbench.ui.soundness.rows import progress_words
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.model.integrity_report import Repair, Restored
    from workbench.ui.shell import Shell


class OutOfUse(QObject):
    """Works on the folder of a shell's library while nobody has it open; the window says how far it is.

    Signals:
        repaired: A Repair; the library is being opened again.
        restored: A sentence on the backup that is in use again; the library is being opened again.
    """

    repaired = Signal(object)
    restored = Signal(str)

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._job: Any = None
        self._operation: Any = None
        self._done: Any = None
        self._folder: Path | None = None
        shell.window.problem.cancel_asked.connect(self.cancel)

    @property
    def is_busy(self) -> bool:
        """Whether the library is out of use."""
        return self._folder is not None

    @Slot()
    def repair(self) -> None:
        """Repair the library of the window's folder."""
        self._begin(tr("Repairing the library…"), operations.repair_library(self._shell.folder), self._on_repaired)

    def restore(self, name: str) -> None:
        """Put a backup in the place of the library's database."""
        restoring = operations.restore_backup(self._shell.folder, name)
        self._begin(tr("Putting the backup in place…"), restoring, self._on_restored)

    @Slot()
    def cancel(self) -> None:
        """Stop; what was mended stays mended."""
        if self._job is not None:
            self._job.cancel()

    def _begin(self, heading: str, operation: Any, done: Any) -> None:
        if self.is_busy:
            return
        self._folder, self._operation, self._done = self._shell.folder, operation, done
        window = self._shell.window
        window.problem.show_work(heading, self._shell.folder)
        window.show_problem(True)
        self._shell.close_library(self._start)

    def _start(self) -> None:
        self._job = self._shell.bridge.submit(
            self._operation,
            done=self._done,
            event=self._on_event,
            failed=self._on_failed,
            cancelled=self._on_cancelled,
        )

    def _end(self) -> bool:
        """Note that nothing is under way; whether the window still wants the library that it was about."""
        is_wanted = self._folder == self._shell.folder
        self._job = self._folder = self._operation = self._done = None
        return is_wanted

    def _on_event(self, event: object) -> None:
        words, share = progress_words(event)
        if words:
            self._shell.window.problem.show_progress(words, share)

    def _on_repaired(self, repair: Repair) -> None:
        if self._end():
            self._shell.open()
            self.repaired.emit(repair)

    def _on_restored(self, restored: Restored) -> None:
        if not self._end():
            return
        self._shell.open()
        said = tr("The backup is in use again.")
        if restored.absent:
            absent = trn(
                "{n:,} file is of a document that it does not know; “Repair…” adds it again.",
                "{n:,} files are of documents that it does not know; “Repair…” adds them again.",
                restored.absent,
            )
            said = f"{said} {absent}"
        self.restored.emit(said)

    def _on_failed(self, error: BaseException, details: str) -> None:
        if self._end():
            self._shell.window.problem.show_error(error, details, self._shell.folder)

    def _on_cancelled(self) -> None:
        if self._end():
            self._shell.open()

"""Controller of library integrity in the window: notices, repair, restore of a backup, and reopening."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from workbench import operations
from workbench.language import tr, translate, trn
from workbench.model.integrity_report import LibraryUnsound, Repair
from workbench.ui.soundness.presenter import progress_words

if TYPE_CHECKING:
    from workbench.model.integrity_report import Restored
    from workbench.ui.app_controller import AppController
    from workbench.ui.dialog_manager import DialogManager
    from workbench.ui.soundness.integrity_dialog import IntegrityDialog


class IntegrityController(QObject):
    """Connects the integrity check of the library with a window."""

    def __init__(self, shell: AppController, dialogs: DialogManager) -> None:
        super().__init__(shell)
        self._shell = shell
        self._dialogs = dialogs
        self._repair: Repair | None = None
        self._message = ""
        self.out_of_use = LibraryRepair(shell)
        self.out_of_use.repaired.connect(self._on_repaired)
        self.out_of_use.restored.connect(self._on_restored)
        shell.window.problem.repair_asked.connect(dialogs.show_soundness)
        shell.bridge.domain_event.connect(self._on_domain_event)
        shell.settled.connect(self._on_settled)

    def connect_dialog(self, dialog: IntegrityDialog) -> None:
        """Connect the requests of the dialog."""
        dialog.repair_asked.connect(self.out_of_use.repair)
        dialog.restore_asked.connect(self.out_of_use.restore)

    @Slot(object)
    def _on_domain_event(self, event: object) -> None:
        if isinstance(event, LibraryUnsound):
            look = partial(self._look, event)
            self._shell.window.toast.show_message(
                translate(event.message), icon="alert", action=tr("Details…"), on_action=look
            )

    def _look(self, event: LibraryUnsound) -> None:
        self._dialogs.soundness().begin(self._shell.library, self._shell.folder, event.faults)

    @Slot(object)
    def _on_repaired(self, repair: Repair) -> None:
        self._repair = repair

    @Slot(str)
    def _on_restored(self, text: str) -> None:
        self._message = text

    @Slot()
    def _on_settled(self) -> None:
        """Show the result when the library is open again; if it could not be opened, the problem page shows why."""
        repair, self._repair = self._repair, None
        text, self._message = self._message, ""
        if self._shell.library is None:
            return
        if repair is not None:
            dialog = self._dialogs.soundness()
            dialog.begin(self._shell.library, self._shell.folder)
            dialog.show_repair(repair)
        if text:
            self._shell.window.toast.show_message(text)


class LibraryRepair(QObject):
    """Repairs or restores a closed library; the window shows the progress.

    Signals:
        repaired: A Repair; the library is being opened again.
        restored: A message about the restored backup; the library is being opened again.
    """

    repaired = Signal(object)
    restored = Signal(str)

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        self._job: Any = None
        self._operation: Any = None
        self._done: Any = None
        self._folder: Path | None = None
        shell.window.problem.cancel_asked.connect(self.cancel)

    @property
    def is_busy(self) -> bool:
        """True while the library is being repaired or restored."""
        return self._folder is not None

    @Slot()
    def repair(self) -> None:
        """Repair the library of the window's folder."""
        self._begin(tr("Repairing the library…"), operations.repair_library(self._shell.folder), self._on_repaired)

    def restore(self, name: str) -> None:
        """Replace the library's database by a backup."""
        operation = operations.restore_backup(self._shell.folder, name)
        self._begin(tr("Restoring the backup…"), operation, self._on_restored)

    @Slot()
    def cancel(self) -> None:
        """Cancel the work; completed repairs are kept."""
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
        """Reset the job; return whether the window still shows the library that was worked on."""
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
        message = tr("The backup was restored.")
        if restored.absent:
            absent = trn(
                "{n:,} file belongs to a document that this backup does not contain. “Repair…” adds it again.",
                "{n:,} files belong to documents that this backup does not contain. “Repair…” adds them again.",
                restored.absent,
            )
            message = f"{message} {absent}"
        self.restored.emit(message)

    def _on_failed(self, error: BaseException, details: str) -> None:
        if self._end():
            self._shell.window.problem.show_error(error, details, self._shell.folder)

    def _on_cancelled(self) -> None:
        if self._end():
            self._shell.open()

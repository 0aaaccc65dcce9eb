"""Presenter of the integrity check, and its findings as rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench import operations
from workbench.language import mark, tr, translate
from workbench.model.import_progress import ImportProgress
from workbench.model.integrity_report import BackupProgress, BackupReason, CheckProgress, Fault, LibraryPart
from workbench.ui.bridge import Bridge
from workbench.ui.controls import IconLabel, label
from workbench.ui.theme import Theme

if TYPE_CHECKING:
    from workbench.model.integrity_report import Backup, Soundness
    from workbench.operations import Library


class IntegrityPresenter(QObject):
    """Checks the open library, and manages its backups.

    Signals:
        checked: A Soundness.
        progressed: A CheckProgress or a BackupProgress.
        listed: The backups, a list of Backup, the newest first.
        busy_changed: True while something that can be cancelled is running.
        failed: An error and its details.
    """

    checked = Signal(object)
    progressed = Signal(object)
    listed = Signal(list)
    busy_changed = Signal(bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._folder: Path | None = None
        self._job: Any = None

    @property
    def is_open(self) -> bool:
        """True if a library is open."""
        return self._library is not None

    @property
    def is_busy(self) -> bool:
        """True while a check or a backup is running."""
        return self._job is not None

    def take(self, library: Library | None, folder: Path) -> None:
        """Set the library, None if it cannot be opened, and its folder."""
        self._library, self._folder = library, folder
        self.list_backups()

    @Slot()
    def check(self) -> None:
        """Check the whole library."""
        if self._library is not None:
            self._begin(operations.check_library(self._library), self._on_checked)

    @Slot()
    def back_up(self) -> None:
        """Create a backup."""
        if self._library is not None:
            self._begin(operations.create_backup(self._library), self._on_backed_up)

    @Slot()
    def cancel(self) -> None:
        """Cancel the running work, which changes nothing."""
        if self._job is not None:
            self._job.cancel()

    @Slot()
    def list_backups(self) -> None:
        """Reload the backups."""
        if self._folder is not None:
            self._bridge.submit(operations.list_backups(self._folder), done=self._on_listed, failed=self.failed.emit)

    def remove(self, backup: Backup) -> None:
        """Delete a backup."""
        if self._folder is not None:
            removing = operations.remove_backup(self._folder, backup.name)
            self._bridge.submit(removing, done=self._on_removed, failed=self.failed.emit)

    def _begin(self, operation: Any, done: Any) -> None:
        if self._job is not None:
            return
        self._job = self._bridge.submit(
            operation, done=done, event=self._on_event, failed=self._on_failed, cancelled=self._on_cancelled
        )
        self.busy_changed.emit(True)

    def _end(self) -> None:
        self._job = None
        self.busy_changed.emit(False)

    def _on_event(self, event: object) -> None:
        self.progressed.emit(event)

    def _on_checked(self, found: Soundness) -> None:
        self._end()
        self.checked.emit(found)

    def _on_backed_up(self, _backup: Backup) -> None:
        self._end()
        self.list_backups()

    def _on_removed(self, _backup: Backup) -> None:
        self.list_backups()

    def _on_listed(self, backups: list[Backup]) -> None:
        self.listed.emit(backups)

    def _on_cancelled(self) -> None:
        self._end()

    def _on_failed(self, error: BaseException, details: str) -> None:
        self._end()
        self.failed.emit(error, details)


_PARTS = {
    LibraryPart.DATABASE: mark("The database file"),
    LibraryPart.TEXTS: mark("Documents and their texts"),
    LibraryPart.KEYWORDS: mark("The keyword index"),
    LibraryPart.VECTORS: mark("Vectors"),
    LibraryPart.INDEX: mark("The search index"),
    LibraryPart.FILES: mark("The library's copies of files"),
    LibraryPart.SESSIONS: mark("Sessions and answers"),
    LibraryPart.SETTINGS: mark("Settings"),
}
_REASONS = {
    BackupReason.MIGRATION: mark("before an update of the program"),
    BackupReason.REPAIR: mark("before a repair"),
    BackupReason.RESTORE: mark("before restoring another backup"),
    BackupReason.WEEKLY: mark("automatic, no problems found"),
    BackupReason.BY_HAND: mark("manual"),
}
FOUND, DONE, LOST = ("alert", "warn"), ("check-circle", "ok"), ("error", "danger")
"""Icons of rows, with their colours."""


class IntegrityRow(QWidget):
    """Row with an icon, a sentence, and an optional second sentence."""

    def __init__(self, theme: Theme, icon: tuple[str, str], text: str, detail: str = "") -> None:
        super().__init__()
        self.setAccessibleName(f"{text} {detail}".strip())
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(label(text, wrap=True))
        if detail:
            words.addWidget(label(detail, "muted", wrap=True))
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 9, 12, 9)
        row.setSpacing(12)
        row.addWidget(IconLabel(theme, icon[0], colour=icon[1], size=18), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)


def fault_row(theme: Theme, fault: Fault) -> IntegrityRow:
    """Return a row that describes a fault and its repair."""
    return IntegrityRow(theme, LOST if fault.is_loss else FOUND, translate(fault.message), translate(fault.remedy))


def progress_words(event: object) -> tuple[str, float | None]:
    """Return the text and the share of a progress event; the share is None if unknown."""
    if isinstance(event, CheckProgress):
        part = tr(_PARTS[event.part])
        if not event.total:
            return part, None
        far = tr("{n:,} of {total:,}", n=event.done, total=event.total)
        return f"{part}: {far}", event.done / event.total
    if isinstance(event, BackupProgress) and event.total:
        return tr("Backing up the database"), event.done / event.total
    if isinstance(event, ImportProgress) and event.files:
        return tr("Reading files again"), event.files_done / event.files
    return "", None


def reason_words(reason: BackupReason) -> str:
    """Return the reason of a backup as text."""
    return tr(_REASONS[reason])

"""What is asked of the library about itself; works without a window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from workbench.ui.bridge import Bridge
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from workbench.model.integrity_report import Backup, Soundness
    from workbench.operations import Library


class SoundnessPresenter(QObject):
    """Looks through the open library, and keeps its backups.

    Signals:
        checked: A Soundness.
        progressed: A CheckProgress or a BackupProgress.
        listed: The backups, a list of Backup, the newest first.
        busy_changed: Whether something is under way that can be cancelled.
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
        """Whether there is an open library to be looked through."""
        return self._library is not None

    @property
    def is_busy(self) -> bool:
        """Whether something is under way."""
        return self._job is not None

    def take(self, library: Library | None, folder: Path) -> None:
        """Take a library, None while none can be opened, and the folder that it is in."""
        self._library, self._folder = library, folder
        self.list_backups()

    @Slot()
    def check(self) -> None:
        """Look through the whole library."""
        if self._library is not None:
            self._begin(operations.check_library(self._library), self._on_checked)

    @Slot()
    def back_up(self) -> None:
        """Make a backup now."""
        if self._library is not None:
            self._begin(operations.create_backup(self._library), self._on_backed_up)

    @Slot()
    def cancel(self) -> None:
        """Stop what is under way; nothing was changed by it."""
        if self._job is not None:
            self._job.cancel()

    @Slot()
    def list_backups(self) -> None:
        """Ask for the backups anew."""
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

"""Automatic integrity check while the program is idle: once a week, and after an unclean exit.

Faults are reported without interrupting the user; nothing is repaired unless the user requests it. A library without
faults is backed up, unless its database is so large that the copies would fill the disk.
"""

import logging
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from workbench.errors import DiskFull
from workbench.language import mark
from workbench.model.integrity_report import BackupReason, LibraryUnsound
from workbench.operations.integrity.integrity_and_backups import find_faults, make_backup
from workbench.operations.library.library import Library
from workbench.worker.job import JobContext, Operation

logger = logging.getLogger(__name__)

Notify = Callable[[LibraryUnsound], None]

EVERY = timedelta(days=7)
LARGEST = 512 * 1024 * 1024
"""Largest database, in bytes, that is backed up automatically. Two copies are kept: a library of 100,000 chunks (about
400 MB) takes 0.8 GB more, and one of 1,000,000 chunks would take 8 GB."""
_ROOM = 4
"""Free disk space required for a backup, as a multiple of the size of the database."""
_CHECKED = "library checked"
_UNCLEAN = "library was not closed"
WRONG = mark("Something in the library is not as it should be. Nothing was changed.")


def check_when_idle(library: Library, notify: Notify | None = None) -> Operation[None]:
    """Check the library from now on whenever a check is due and the program is idle.

    Args:
        library: The open library.
        notify: Called with the faults found, on a background thread.
    """

    async def operation(_context: JobContext) -> None:
        await library.on_store(_note_end, library)
        library.upkeep.add(IdleCheck(library, notify))
        library.upkeep.request()

    return operation


class IdleCheck:
    """Integrity check and backup as a task of IdleMaintenance."""

    def __init__(self, library: Library, notify: Notify | None = None) -> None:
        self._library = library
        self._notify = notify

    def __call__(self, stop: Callable[[], bool]) -> None:
        """Check the library if a check is due. A check that was stopped starts again at the next idle period."""
        if not is_due(self._library):
            return
        found = find_faults(self._library, stop, lambda _progress: None, thorough=False)
        if stop() and found.is_sound:
            return
        values = self._library.setting_values
        values.set_state(_CHECKED, datetime.now(UTC).isoformat())
        values.set_state(_UNCLEAN, "")
        logger.info("Looked through the library in %.1f s: %d faults", found.seconds, len(found.faults))
        if not found.is_sound:
            if self._notify is not None:
                self._notify(LibraryUnsound(WRONG, found.faults))
        elif not stop():
            self._back_up(stop)

    def _back_up(self, stop: Callable[[], bool]) -> None:
        library = self._library
        size = library.database.path.stat().st_size
        if size > LARGEST or shutil.disk_usage(library.folder).free < _ROOM * size:
            return
        try:
            make_backup(library, BackupReason.WEEKLY, stop, lambda _progress: None)
        except DiskFull as error:
            logger.info("The library was not backed up: %s", error)


def is_due(library: Library) -> bool:
    """Return whether a check is due: after an unclean exit, or if the last one is more than a week from now.

    A last check in the future means that the clock was changed; it counts in the same way.
    """
    if library.setting_values.state(_UNCLEAN):
        return True
    try:
        checked = datetime.fromisoformat(library.setting_values.state(_CHECKED))
    except ValueError:
        # A new library has nothing to check yet; it counts as checked when it was first opened.
        library.setting_values.set_state(_CHECKED, datetime.now(UTC).isoformat())
        return False
    return abs(datetime.now(UTC) - checked) > EVERY


def _note_end(library: Library) -> None:
    if library.database.was_left:
        library.setting_values.set_state(_UNCLEAN, "yes")

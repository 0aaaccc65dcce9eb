"""The library looked through by itself when nobody does anything: once a week, and after an end that was none.

What it finds is said quietly; nothing is mended without being asked. A library that was found sound is backed up, if it
is not so big that its copies would fill the disk.
"""

import logging
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from workbench.errors import DiskFull
from workbench.language import mark
from workbench.model.integrity_report import BackupReason, LibraryUnsound
from workbench.operations.integrity.integrity_and_backups import backed_up, look_through
from workbench.operations.library.library import Library
from workbench.worker.job import JobContext, Operation

logger = logging.getLogger(__name__)

Tell = Callable[[LibraryUnsound], None]

EVERY = timedelta(days=7)
LARGEST = 512 * 1024 * 1024
"""Bytes of a database that is backed up by itself: two copies are kept, so that a library of 100,000 chunks (about 400
MB) takes 0.8 GB more, and one of 1,000,000 would take 8."""
_ROOM = 4
"""So many times the size has to be free."""
_CHECKED = "library checked"
_UNCLEAN = "library was not closed"
WRONG = mark("Something in the library is not as it should be. Nothing was changed.")


def check_when_idle(library: Library, tell: Tell | None = None) -> Operation[None]:
    """Look through the library from now on, whenever it is due and there is time.

    Args:
        library: The open library.
        tell: Told what was found, on a thread that is nobody's.
    """

    async def operation(_context: JobContext) -> None:
        await library.on_store(_note_end, library)
        library.upkeep.at_last(IdleCheck(library, tell))
        library.upkeep.soon()

    return operation


class IdleCheck:
    """Work for IdleMaintenance."""

    def __init__(self, library: Library, tell: Tell | None = None) -> None:
        self._library = library
        self._tell = tell

    def __call__(self, stop: Callable[[], bool]) -> None:
        """Look through the library if that is due; what was stopped is begun again at the next pause."""
        if not is_due(self._library):
            return
        found = look_through(self._library, stop, lambda _progress: None, thorough=False)
        if stop() and found.is_sound:
            return
        values = self._library.setting_values
        values.set_state(_CHECKED, datetime.now(UTC).isoformat())
        values.set_state(_UNCLEAN, "")
        logger.info("Looked through the library in %.1f s: %d faults", found.seconds, len(found.faults))
        if not found.is_sound:
            if self._tell is not None:
                self._tell(LibraryUnsound(WRONG, found.faults))
        elif not stop():
            self._back_up(stop)

    def _back_up(self, stop: Callable[[], bool]) -> None:
        library = self._library
        size = library.database.path.stat().st_size
        if size > LARGEST or shutil.disk_usage(library.folder).free < _ROOM * size:
            return
        try:
            backed_up(library, BackupReason.WEEKLY, stop, lambda _progress: None)
        except DiskFull as error:
            logger.info("The library was not backed up: %s", error)


def is_due(library: Library) -> bool:
    """Return whether the library is to be looked through: a week ago, or the clock says something impossible."""
    if library.setting_values.state(_UNCLEAN):
        return True
    try:
        checked = datetime.fromisoformat(library.setting_values.state(_CHECKED))
    except ValueError:
        # Of a new library there is nothing to look at yet; it counts as looked at when it was first opened.
        library.setting_values.set_state(_CHECKED, datetime.now(UTC).isoformat())
        return False
    return abs(datetime.now(UTC) - checked) > EVERY


def _note_end(library: Library) -> None:
    if library.database.was_left:
        library.setting_values.set_state(_UNCLEAN, "yes")

"""Backups of the library's database: made by hand, listed, deleted, put in use again."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from workbench.errors import LibraryDamaged
from workbench.files.changes import delete_folder
from workbench.model.integrity_report import Backup, BackupProgress, BackupReason, Restored
from workbench.operations.library import Library
from workbench.operations.soundness import beside, lost_files
from workbench.store import backups
from workbench.store.backups import LOGS, back_up, move_to_quarantine, replace_by_backup
from workbench.store.database import FILE_NAME, Database
from workbench.store.library_state import settle_files
from workbench.store.lock import LibraryLock
from workbench.store.migration import shipped_steps
from workbench.worker.job import JobContext, Operation

Stop = Callable[[], bool]


class _Ended(Exception):
    """The user ended it."""


def list_backups(folder: Path) -> Operation[list[Backup]]:
    """Return the backups in a library folder, the newest first; the library may be open or not."""

    async def operation(_context: JobContext) -> list[Backup]:
        return await asyncio.to_thread(backups.list_backups, folder)

    return operation


def create_backup(library: Library, reason: BackupReason = BackupReason.BY_HAND) -> Operation[Backup]:
    """Back the database of an open library up while it is used. Emits BackupProgress.

    Files of documents are not in it: they lie in the library folder and are never changed.

    Raises:
        DiskFull: There is no room for it.
        LibraryDamaged: The database is damaged; nothing was kept.
    """

    async def operation(context: JobContext) -> Backup:
        return await beside(lambda stop: backed_up(library, reason, stop, context.emit))

    return operation


def remove_backup(folder: Path, name: str) -> Operation[Backup]:
    """Delete a backup and return what it was.

    Raises:
        NotFound: There is none of that name.
    """

    async def operation(_context: JobContext) -> Backup:
        return await asyncio.to_thread(backups.remove_backup, folder, name)

    return operation


def restore_backup(folder: Path, name: str) -> Operation[Restored]:
    """Put a backup in the place of a library's database, which is not open; what was in use is kept.

    Raises:
        NotFound: There is no such backup.
        LibraryError: The library is open, the backup is damaged or of a later version, or there is no room; nothing
            was changed then.
    """

    async def operation(_context: JobContext) -> Restored:
        return await asyncio.to_thread(_restore, folder, name)

    return operation


def backed_up(library: Library, reason: BackupReason, stop: Stop, tell: Callable[[BackupProgress], None]) -> Backup:
    """Return a new backup; blocking.

    Raises:
        LibraryError: As create_backup.
    """

    def told(progress: BackupProgress) -> None:
        if stop():
            raise _Ended
        tell(progress)

    with library.database.read() as connection:
        # One state, whatever is written meanwhile.
        connection.execute("SELECT COUNT(*) FROM knowledge_bases").fetchone()
        return back_up(connection, library.folder, reason, tell=told)


def _restore(folder: Path, name: str) -> Restored:
    backups.path_of(folder, name)
    kept = _keep_present(folder, name)
    aside: Path | None = None
    path = folder / FILE_NAME
    lock = LibraryLock(folder)
    try:
        if not kept and path.exists():
            aside = move_to_quarantine(folder, [path.with_name(path.name + ending) for ending in ("", *LOGS)])
        backup = replace_by_backup(folder, name, path, shipped_steps()[-1].number)
    except BaseException:
        if aside is not None:
            delete_folder(aside, within=folder)  # all of it is where it was
        raise
    finally:
        lock.close()
    # This puts it there.
    library = Library.open(folder)
    try:
        absent = len(lost_files(library))
        if not absent:
            settle_files(library.database)
        return Restored(backup, kept, str(aside or ""), absent)
    finally:
        library.close()


def _keep_present(folder: Path, name: str) -> str:
    """Back up what is in use and return the backup's name; empty where it is too damaged for that."""
    try:
        database = Database.open(folder)
    except LibraryDamaged:
        return ""
    try:
        with database.read() as connection:
            return back_up(connection, folder, BackupReason.RESTORE, spare=name).name
    except LibraryDamaged:
        return ""
    finally:
        database.close()

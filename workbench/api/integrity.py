"""Integrity checks, repair and backups of a library, open or closed.

A library must not be open while it is repaired or replaced by a backup; these are functions that take its folder.
"""

from collections.abc import Callable
from pathlib import Path

from workbench import operations
from workbench.api.arguments import DocumentRef, ImportEvent, context, document_number
from workbench.api.waiting import Awaited, Waiting, waited, waited_alone
from workbench.model.diagnosis import Diagnosis, Patient
from workbench.model.integrity_report import (
    Backup,
    BackupProgress,
    CheckProgress,
    CheckResult,
    Repair,
    Restored,
    Soundness,
)
from workbench.model.options import checked, known_options
from workbench.store.database import missing
from workbench.worker.job import JobContext

Patients = list[Patient]
Results = list[CheckResult]
Backups = list[Backup]

OnCheckEvent = Callable[[CheckProgress], object] | None
OnRepairEvent = Callable[[CheckProgress | BackupProgress | ImportEvent], object] | None


@known_options
class AsyncIntegrity(Awaited):
    """Checks of a library and its documents, and its backups; library.integrity.

    workbench.repair_library repairs a library, which must not be open meanwhile.
    """

    async def check(self, *, thorough: bool = True, on_event: OnCheckEvent = None) -> Soundness:
        """Check the database, the indexes and the files, and return what is wrong; nothing is changed.

        Args:
            thorough: Read every file and every index to its end; False runs only the checks that take seconds.
            on_event: Called with the progress.
        """
        return await operations.check_library(self._opened, thorough=thorough)(context(on_event))

    async def document(self, document: DocumentRef) -> Diagnosis:
        """Return what was lost when a document was read, and the lengths of its passages in tokens.

        Raises:
            NotFound: There is no such document.
        """
        number = await document_number(self._opened, document)
        return await operations.diagnose(self._opened, number)(JobContext())

    async def documents(self, knowledge_base: str | None = None) -> Patients:
        """Return the documents that have a problem, of one knowledge base or of all, the most serious first."""
        return await operations.diagnose_library(self._opened, knowledge_base)(JobContext())

    async def examine(self) -> Results:
        """Return checks of this machine and library, one result each; ok is False for a fault."""
        return await operations.examine(self._opened)(JobContext())

    async def report(self) -> str:
        """Return the same results as a Markdown report to attach to an issue, without names of documents."""
        return await operations.problem_report(self._opened)(JobContext())

    async def backups(self) -> Backups:
        """Return the backups of the database, the newest first; sizes are in bytes."""
        return await operations.list_backups(self._opened.folder)(JobContext())

    async def create_backup(self, *, on_event: Callable[[BackupProgress], object] | None = None) -> Backup:
        """Back up the database while it is in use, and return the backup; it is kept until it is deleted.

        Raises:
            LibraryError: There is not enough disk space, or the database is damaged.
        """
        return await operations.create_backup(self._opened)(context(on_event))

    async def delete_backup(self, name: str) -> Backup:
        """Delete a backup and return its description.

        Raises:
            NotFound: There is no backup of that name.
        """
        return await operations.remove_backup(self._opened.folder, name)(JobContext())


class Integrity(Waiting[AsyncIntegrity]):
    """Checks of a library and its documents, and its backups; library.integrity."""

    check = waited(AsyncIntegrity.check)
    document = waited(AsyncIntegrity.document)
    documents = waited(AsyncIntegrity.documents)
    examine = waited(AsyncIntegrity.examine)
    report = waited(AsyncIntegrity.report)
    backups = waited(AsyncIntegrity.backups)
    create_backup = waited(AsyncIntegrity.create_backup)
    delete_backup = waited(AsyncIntegrity.delete_backup)


@checked
async def check_library_async(folder: str | Path, *, thorough: bool = True, on_event: OnCheckEvent = None) -> Soundness:
    """Check the library in a folder, which must not be open; a library that cannot be opened is reported as a fault.

    Args:
        folder: The library's folder.
        thorough: Read every file and every index to its end; False runs only the checks that take seconds.
        on_event: Called with the progress.

    Raises:
        LibraryError: There is no library, it is open elsewhere, or it is from a later version.
    """
    return await operations.check_folder(_require_folder(folder), thorough=thorough)(context(on_event))


@checked
async def repair_library_async(folder: str | Path, *, dry_run: bool = False, on_event: OnRepairEvent = None) -> Repair:
    """Repair the library in a folder, which must not be open; it is backed up first, and nothing is deleted.

    Args:
        folder: The library's folder.
        dry_run: Change nothing, and return what would be done.
        on_event: Called with the progress.

    Returns:
        The repairs, the losses, the backup, the folder of quarantined items, and the remaining problems.

    Raises:
        LibraryError: There is no library, it is open elsewhere, it is from a later version, or there is not enough
            disk space for the backup.
    """
    return await operations.repair_library(_require_folder(folder), trial=dry_run)(context(on_event))


@checked
async def list_backups_async(folder: str | Path) -> Backups:
    """Return the backups in a library's folder, the newest first; the library may be open or damaged.

    Raises:
        LibraryError: There is no library.
    """
    return await operations.list_backups(_require_folder(folder))(JobContext())


@checked
async def restore_backup_async(folder: str | Path, name: str) -> Restored:
    """Replace the database of a library, which must not be open, by a backup; the replaced database is kept.

    Args:
        folder: The library's folder.
        name: Name of the backup, as returned by list_backups.

    Raises:
        NotFound: There is no such backup.
        LibraryError: The library is open, the backup is damaged or from a later version, or there is not enough disk
            space; nothing is changed then.
    """
    return await operations.restore_backup(_require_folder(folder), name)(JobContext())


check_library = waited_alone(check_library_async)
repair_library = waited_alone(repair_library_async)
list_backups = waited_alone(list_backups_async)
restore_backup = waited_alone(restore_backup_async)


def _require_folder(folder: str | Path) -> Path:
    """Return the folder of a library; its database may be missing.

    Raises:
        LibraryMissing: There is no such folder.
    """
    path = Path(folder)
    if not path.is_dir():
        raise missing(path)
    return path

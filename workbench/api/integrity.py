"""Whether a library is sound, its repair and its backups: of an open one, and of one that is not open.

A library that is repaired, or that a backup takes the place of, must not be open: these are functions on its folder.
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
    """Whether a library and its documents are in order, and its backups; library.integrity.

    workbench.repair_library mends a library, which must not be open meanwhile.
    """

    async def check(self, *, thorough: bool = True, on_event: OnCheckEvent = None) -> Soundness:
        """Look through the database, the indexes and the files, and return what is wrong; nothing is changed.

        Args:
            thorough: Read every file and every index to its end; without, what takes seconds.
            on_event: Told how far it is.
        """
        return await operations.check_library(self._opened, thorough=thorough)(context(on_event))

    async def document(self, document: DocumentRef) -> Diagnosis:
        """Return what reading a document lost, and how long its passages are, in tokens.

        Raises:
            NotFound: There is no such document.
        """
        number = await document_number(self._opened, document)
        return await operations.diagnose(self._opened, number)(JobContext())

    async def documents(self, knowledge_base: str | None = None) -> Patients:
        """Return the documents that have a problem, of a knowledge base or of all, the gravest first."""
        return await operations.diagnose_library(self._opened, knowledge_base)(JobContext())

    async def examine(self) -> Results:
        """Return what this machine and library look like, a line each; ok is False for a fault."""
        return await operations.examine(self._opened)(JobContext())

    async def report(self) -> str:
        """Return the same as a report to attach to an issue, as Markdown, without names of documents."""
        return await operations.problem_report(self._opened)(JobContext())

    async def backups(self) -> Backups:
        """Return the backups of the database, the newest first; sizes are in bytes."""
        return await operations.list_backups(self._opened.folder)(JobContext())

    async def create_backup(self, *, on_event: Callable[[BackupProgress], object] | None = None) -> Backup:
        """Back the database up while it is used, and return the backup; it is kept until it is deleted.

        Raises:
            LibraryError: There is no room for it, or the database is damaged.
        """
        return await operations.create_backup(self._opened)(context(on_event))

    async def delete_backup(self, name: str) -> Backup:
        """Delete a backup and return what it was.

        Raises:
            NotFound: There is none of that name.
        """
        return await operations.remove_backup(self._opened.folder, name)(JobContext())


class Integrity(Waiting[AsyncIntegrity]):
    """Whether a library and its documents are in order, and its backups; library.integrity."""

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
    """Look through the library in a folder, which is not open; one that cannot be opened has that as its fault.

    Args:
        folder: The library's folder.
        thorough: Read every file and every index to its end; without, what takes seconds.
        on_event: Told how far it is.

    Raises:
        LibraryError: There is none, or it is open elsewhere or of a later version.
    """
    return await operations.check_folder(_there(folder), thorough=thorough)(context(on_event))


@checked
async def repair_library_async(folder: str | Path, *, dry_run: bool = False, on_event: OnRepairEvent = None) -> Repair:
    """Put the library in a folder in order, which is not open; it is backed up first, and nothing is deleted.

    Args:
        folder: The library's folder.
        dry_run: Change nothing, and return what would be done.
        on_event: Told how far it is.

    Returns:
        What was mended, what was lost, the backup, the folder of what was set aside, and what is still wrong.

    Raises:
        LibraryError: There is none, it is open elsewhere, of a later version, or there is no room for the backup.
    """
    return await operations.repair_library(_there(folder), trial=dry_run)(context(on_event))


@checked
async def list_backups_async(folder: str | Path) -> Backups:
    """Return the backups in a library's folder, the newest first; the library may be open, damaged, or neither.

    Raises:
        LibraryError: There is no library.
    """
    return await operations.list_backups(_there(folder))(JobContext())


@checked
async def restore_backup_async(folder: str | Path, name: str) -> Restored:
    """Put a backup in the place of the database of a library, which is not open; what was in use is kept.

    Args:
        folder: The library's folder.
        name: As list_backups gives it.

    Raises:
        NotFound: There is no such backup.
        LibraryError: The library is open, the backup is damaged or of a later version, or there is no room; nothing
            was changed then.
    """
    return await operations.restore_backup(_there(folder), name)(JobContext())


check_library = waited_alone(check_library_async)
repair_library = waited_alone(repair_library_async)
list_backups = waited_alone(list_backups_async)
restore_backup = waited_alone(restore_backup_async)


def _there(folder: str | Path) -> Path:
    """Return the folder of a library, whose database may be lost.

    Raises:
        LibraryMissing: There is no such folder.
    """
    path = Path(folder)
    if not path.is_dir():
        raise missing(path)
    return path

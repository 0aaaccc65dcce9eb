"""Integrity check of a library, on demand and when the program is idle, and backups of its database.

The idle check runs once a week and after an unclean exit. It reports faults without interrupting the user and repairs
nothing. A library without faults is backed up, unless its database is so large that the copies would fill the disk.
"""

import asyncio
import logging
import shutil
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

from workbench.errors import DiskFull, DocumentError, EmbeddingError, IndexUnavailable, LibraryDamaged
from workbench.files.changes import delete_folder
from workbench.language import mark
from workbench.model.document import Document
from workbench.model.integrity_report import (
    Backup,
    BackupProgress,
    BackupReason,
    CheckedAmount,
    CheckProgress,
    Cure,
    Fault,
    LibraryPart,
    LibraryUnsound,
    Restored,
    Soundness,
)
from workbench.model.vector_store import BUILT_IN_STORE
from workbench.operations.imports.source_files import digest, find_copy, users_file
from workbench.operations.library.index_stores import store_in_use
from workbench.operations.library.library import Library
from workbench.operations.library.models import truth_of
from workbench.store import backups
from workbench.store.backups import LOGS, back_up, move_to_quarantine, replace_by_backup
from workbench.store.database import FILE_NAME, Database
from workbench.store.database_check import REBUILD, DatabaseCheck
from workbench.store.intake import is_hashed
from workbench.store.library_state import files_wanted, settle_files
from workbench.store.lock import LibraryLock
from workbench.store.migration import shipped_steps
from workbench.worker.job import JobContext, Operation, finish_despite_cancel

logger = logging.getLogger(__name__)

T = TypeVar("T")
Stop = Callable[[], bool]
ProgressCallback = Callable[[CheckProgress], None]
Notify = Callable[[LibraryUnsound], None]

_EVERY_SECONDS = 0.1
_INDEX_ANEW = mark("The search index is rebuilt from the vectors.")
_WRONG = mark("Something in the library is not as it should be. Nothing was changed.")

_IDLE_CHECK_INTERVAL = timedelta(days=7)
_LARGEST_BACKED_UP = 512 * 1024 * 1024
"""Largest database, in bytes, that is backed up automatically. Two copies are kept: a library of 100,000 chunks (about
400 MB) takes 0.8 GB more, and one of 1,000,000 chunks would take 8 GB."""
_ROOM = 4
"""Free disk space required for a backup, as a multiple of the size of the database."""
_CHECKED = "library checked"
_UNCLEAN = "library was not closed"


def check_library(library: Library, *, thorough: bool = True) -> Operation[Soundness]:
    """Check everything in an open library; nothing is changed. Emits CheckProgress.

    Args:
        library: The open library.
        thorough: Read every file and every index completely; if False, do only the checks that are fast enough for
            idle time.
    """

    async def operation(context: JobContext) -> Soundness:
        return await run_blocking(lambda stop: find_faults(library, stop, context.emit, thorough=thorough))

    return operation


def check_folder(folder: Path, *, thorough: bool = True) -> Operation[Soundness]:
    """Check the library in a folder that is not open. A database too damaged to open is reported as a fault.

    Raises:
        LibraryError: The folder has no library, or the library is open elsewhere, was written by a later version, or
            cannot be read.
    """

    async def operation(context: JobContext) -> Soundness:
        try:
            library = await asyncio.to_thread(partial(Library.open, folder, create=False))
        except LibraryDamaged as error:
            return Soundness((Fault(LibraryPart.DATABASE, error.message, REBUILD, Cure.REBUILD_DATABASE),))
        try:
            return await check_library(library, thorough=thorough)(context)
        finally:
            await finish_despite_cancel(asyncio.to_thread(library.close))

    return operation


async def run_blocking(work: Callable[[Stop], T]) -> T:
    """Run blocking work on a separate thread. On cancellation, signal the work to stop and wait until it has."""
    ended = threading.Event()
    running = asyncio.ensure_future(asyncio.to_thread(work, ended.is_set))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        ended.set()
        await asyncio.wait([running])
        if not running.cancelled():
            running.exception()  # asyncio logs an exception that is never retrieved
        raise


def find_faults(library: Library, stop: Stop, report: ProgressCallback, *, thorough: bool = True) -> Soundness:
    """Return the faults of a library; blocking. Parts that had not started when it was stopped are not checked."""
    started = time.perf_counter()
    check = DatabaseCheck(library.database, stop)
    faults: list[Fault] = []
    looked: list[CheckedAmount] = []
    throttle = _Throttle(report)

    def take(part: LibraryPart, found: tuple[list[Fault], int]) -> None:
        faults.extend(found[0])
        looked.append(CheckedAmount(part, found[1]))

    throttle.begin(LibraryPart.DATABASE)
    take(LibraryPart.DATABASE, (check.file(thorough=thorough), 1))
    # If the database file itself is damaged, results of the other checks depend on where the damage is.
    if any(fault.cure is Cure.REBUILD_DATABASE for fault in faults):
        return Soundness(tuple(faults), tuple(looked), time.perf_counter() - started)
    parts: tuple[tuple[LibraryPart, Callable[[], tuple[list[Fault], int]]], ...] = (
        (
            LibraryPart.TEXTS,
            lambda: check.texts(throttle.of(LibraryPart.TEXTS), most=None if thorough else _IDLE_DOCUMENTS),
        ),
        (LibraryPart.KEYWORDS, lambda: (check.keywords(thorough=thorough), library.documents.counts()[0])),
        (LibraryPart.VECTORS, lambda: check.vectors(throttle.of(LibraryPart.VECTORS))),
        (LibraryPart.INDEX, lambda: _index(library, stop)),
        (LibraryPart.FILES, lambda: _files(library, stop, throttle.of(LibraryPart.FILES), thorough=thorough)),
        (LibraryPart.SESSIONS, lambda: check.sessions(throttle.of(LibraryPart.SESSIONS))),
        (LibraryPart.SETTINGS, lambda: _settings(check)),
    )
    for part, look in parts:
        if stop():
            break
        throttle.begin(part)
        try:
            take(part, look())
        except LibraryDamaged as error:
            # The file check passed, so a damaged entry caused this. If a fault was recorded before, it is that entry.
            if not faults:
                faults.append(Fault(part, error.message, REBUILD, Cure.REBUILD_DATABASE))
    return Soundness(tuple(faults), tuple(looked), time.perf_counter() - started)


_IDLE_DOCUMENTS = 5_000
"""Number of documents whose texts one idle check reads: a random sample of a larger library."""


class _Throttle:
    """Progress reports limited to ten per second."""

    def __init__(self, report: ProgressCallback) -> None:
        self._report = report
        self._reported_at = 0.0

    def begin(self, part: LibraryPart) -> None:
        self._reported_at = time.monotonic()
        self._report(CheckProgress(part, 0, 0))

    def of(self, part: LibraryPart) -> Callable[[int, int], None]:
        def report(done: int, total: int) -> None:
            if time.monotonic() - self._reported_at > _EVERY_SECONDS:
                self._reported_at = time.monotonic()
                self._report(CheckProgress(part, done, total))

        return report


def _settings(check: DatabaseCheck) -> tuple[list[Fault], int]:
    """Return the faults of settings, and of rows of any table whose content changed without being written."""
    faults, looked = check.settings()
    return [*faults, *check.changed()], looked


def _index(library: Library, stop: Stop) -> tuple[list[Fault], int]:
    name = library.vectors.embedder
    dim = library.vectors.width(name)
    if not name or dim is None:
        return [], 0
    from workbench.indexing.saved_index import differences, index_problems  # faiss takes 0.1 s to import

    truth = truth_of(library.vectors, name, dim)
    try:
        problems = []
        if store_in_use(library.setting_values).name == BUILT_IN_STORE:
            rest = library.models.stores.rest_of(truth)
            problems = index_problems(library.models.index_path(name), rest, stop)
        if not problems and not library.models.stores.is_one_built_in:
            problems = differences(library.models.index(), truth)
    except (EmbeddingError, IndexUnavailable) as error:
        problems = [error.message]
    if library.vectors.generation(name) != truth.generation:
        return [], 1  # an import is running: the two sides of the comparison are from different moments
    return [Fault(LibraryPart.INDEX, one, _INDEX_ANEW, Cure.REBUILD_INDEX) for one in problems], 1


def _files(
    library: Library, stop: Stop, report: Callable[[int, int], None], *, thorough: bool
) -> tuple[list[Fault], int]:
    documents = [*library.documents.list(), *(one.document for one in library.bin.list())]
    # One file may be the source of several documents, each in its own knowledge base.
    holding = {one.sha256: one for one in documents if not one.chunks and _has_copy(library, one)}
    holding |= {document.sha256: document for document in documents if document.chunks}
    faults: list[Fault] = []
    for done, document in enumerate(holding.values()):
        if stop():
            break
        report(done, len(holding))
        fault = _file_fault(library, document, thorough=thorough)
        if fault is not None:
            faults.append(fault)
    if files_wanted(library.database):
        lost = lost_files(library)
        if lost:
            names = ", ".join(f"“{path.name}”" for path in lost[:3])
            message = mark(f"Files of documents that the database does not know: {len(lost)}, such as {names}.")
            remedy = mark("They are added again, to the knowledge base “Recovered”.")
            faults.append(Fault(LibraryPart.FILES, message, remedy, Cure.ADD_FILES))
    return faults, len(holding)


def _has_copy(library: Library, document: Document) -> bool:
    """Return whether a document without chunks (it failed, or waits) has a copy that can be checked."""
    return is_hashed(document) and find_copy(library.originals, document) is not None


def _file_fault(library: Library, document: Document, *, thorough: bool) -> Fault | None:
    copy = find_copy(library.originals, document)
    if copy is None:
        if library.linked.covers(document.knowledge_base, document.path):
            return None  # it is read in place, and the code that follows the folder reports when it is missing
        if users_file(document) is not None:
            message = mark(f"The library's copy of “{document.name}” is not there.")
            return Fault(LibraryPart.FILES, message, _COPIED, Cure.COPY_FILE, (document.id,))
        message = mark(f"The file of “{document.name}” is neither in the library nor where it was added from.")
        remedy = mark("Its text and its answers stay; for pictures of its pages, add the file again.")
        return Fault(LibraryPart.FILES, message, remedy, Cure.NONE, (document.id,), is_loss=True)
    if is_whole(copy, document, thorough=thorough):
        return None
    message = mark(f"The library's copy of “{document.name}” is damaged.")
    if users_file(document) is not None:
        return Fault(LibraryPart.FILES, message, _COPIED, Cure.COPY_FILE, (document.id,))
    remedy = _ASIDE if document.chunks else mark("It is moved to quarantine. To have it read, add the file again.")
    return Fault(LibraryPart.FILES, message, remedy, Cure.SET_FILE_ASIDE, (document.id,), is_loss=True)


_COPIED = mark("It is copied again from where it was added from.")
_ASIDE = mark(
    "It is moved to quarantine. Its text and its answers stay; for pictures of its pages, add the file again."
)


def is_whole(file: Path, document: Document, *, thorough: bool = True) -> bool:
    """Return whether a file has the content that a document was read from.

    Args:
        file: The file.
        document: The document that was read from it.
        thorough: Compare the hash; if False, only the length, without reading the file.
    """
    try:
        if file.stat().st_size != document.size:
            return False
        return not thorough or digest(file).sha256 == document.sha256
    except (OSError, DocumentError):
        return False


def lost_files(library: Library) -> list[Path]:
    """Return the files in the library's folder of copies that belong to no document, one for each hash."""
    known = {document.sha256 for document in library.documents.list()} | library.bin.hashes()
    folders = [folder for folder in sorted(library.originals.glob("??/*")) if folder.name not in known]
    found = [next(iter(sorted(folder.glob("*"))), None) for folder in folders]
    return [file for file in found if file is not None and file.is_file()]


class _CheckEnded(Exception):
    """The user cancelled the operation."""


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
                self._notify(LibraryUnsound(_WRONG, found.faults))
        elif not stop():
            self._back_up(stop)

    def _back_up(self, stop: Callable[[], bool]) -> None:
        library = self._library
        size = library.database.path.stat().st_size
        if size > _LARGEST_BACKED_UP or shutil.disk_usage(library.folder).free < _ROOM * size:
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
    return abs(datetime.now(UTC) - checked) > _IDLE_CHECK_INTERVAL


def _note_end(library: Library) -> None:
    if library.database.was_left:
        library.setting_values.set_state(_UNCLEAN, "yes")


def list_backups(folder: Path) -> Operation[list[Backup]]:
    """Return the backups in a library folder, newest first; the library may be open or not."""

    async def operation(_context: JobContext) -> list[Backup]:
        return await asyncio.to_thread(backups.list_backups, folder)

    return operation


def create_backup(library: Library, reason: BackupReason = BackupReason.BY_HAND) -> Operation[Backup]:
    """Back up the database of an open library while it is in use. Emits BackupProgress.

    A backup does not contain the files of documents: they are in the library folder and are never changed.

    Raises:
        DiskFull: The disk has too little space for the backup.
        LibraryDamaged: The database is damaged; no backup was made.
    """

    async def operation(context: JobContext) -> Backup:
        return await run_blocking(lambda stop: make_backup(library, reason, stop, context.emit))

    return operation


def remove_backup(folder: Path, name: str) -> Operation[Backup]:
    """Delete a backup and return its description.

    Raises:
        NotFound: No backup has that name.
    """

    async def operation(_context: JobContext) -> Backup:
        return await asyncio.to_thread(backups.remove_backup, folder, name)

    return operation


def restore_backup(folder: Path, name: str) -> Operation[Restored]:
    """Replace the database of a library that is not open by a backup; the replaced database is kept.

    Raises:
        NotFound: No backup has that name.
        LibraryError: The library is open, the backup is damaged or was written by a later version, or the disk has too
            little space; nothing was changed then.
    """

    async def operation(_context: JobContext) -> Restored:
        return await asyncio.to_thread(_restore, folder, name)

    return operation


def make_backup(library: Library, reason: BackupReason, stop: Stop, report: Callable[[BackupProgress], None]) -> Backup:
    """Create a backup and return its description; blocking.

    Raises:
        LibraryError: As create_backup.
    """

    def report_or_stop(progress: BackupProgress) -> None:
        if stop():
            raise _CheckEnded
        report(progress)

    with library.database.read() as connection:
        # The first read starts a snapshot, so that later writes do not change what is copied.
        connection.execute("SELECT COUNT(*) FROM knowledge_bases").fetchone()
        return back_up(connection, library.folder, reason, report=report_or_stop)


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
            delete_folder(aside, within=folder)  # the database in use was not replaced
        raise
    finally:
        lock.close()
    # Opening the library completes the replacement.
    library = Library.open(folder)
    try:
        absent = len(lost_files(library))
        if not absent:
            settle_files(library.database)
        return Restored(backup, kept, str(aside or ""), absent)
    finally:
        library.close()


def _keep_present(folder: Path, name: str) -> str:
    """Back up the database in use and return the backup's name; empty if the database is too damaged for that."""
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

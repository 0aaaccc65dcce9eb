"""Integrity check of a library, on demand and weekly when idle, and backups of its database."""

import asyncio
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from workbench.errors import DocumentError, EmbeddingError, IndexUnavailable, LibraryDamaged
from workbench.files.changes import delete_folder
from workbench.language import mark
from workbench.model.document import Document
from workbench.model.embedder import BUILT_IN_STORE
from workbench.model.integrity_report import (
    Backup,
    BackupProgress,
    BackupReason,
    CheckedAmount,
    CheckProgress,
    Cure,
    Fault,
    LibraryPart,
    Restored,
    Soundness,
)
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
from workbench.worker.job import JobContext, Operation

T = TypeVar("T")
Stop = Callable[[], bool]
Tell = Callable[[CheckProgress], None]

_EVERY_SECONDS = 0.1
_INDEX_ANEW = mark("The search index is made anew from the vectors.")


def check_library(library: Library, *, thorough: bool = True) -> Operation[Soundness]:
    """Look through everything that an open library holds; nothing is changed. Emits CheckProgress.

    Args:
        library: The open library.
        thorough: Read every file and every index to its end; without, what idle time has room for.
    """

    async def operation(context: JobContext) -> Soundness:
        return await beside(lambda stop: look_through(library, stop, context.emit, thorough=thorough))

    return operation


def check_folder(folder: Path, *, thorough: bool = True) -> Operation[Soundness]:
    """Look through the library in a folder, which is not open; one that is too damaged to be opened has that fault.

    Raises:
        LibraryError: There is none, or it is open elsewhere, of a later version, or not to be read.
    """

    async def operation(context: JobContext) -> Soundness:
        try:
            library = await asyncio.to_thread(partial(Library.open, folder, create=False))
        except LibraryDamaged as error:
            return Soundness((Fault(LibraryPart.DATABASE, error.message, REBUILD, Cure.REBUILD_DATABASE),))
        try:
            return await check_library(library, thorough=thorough)(context)
        finally:
            await asyncio.to_thread(library.close)

    return operation


async def beside(work: Callable[[Stop], T]) -> T:
    """Run blocking work on a thread of its own, which is told to end when this is cancelled; it is awaited then."""
    ended = threading.Event()
    running = asyncio.ensure_future(asyncio.to_thread(work, ended.is_set))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        ended.set()
        await asyncio.wait([running])
        if not running.cancelled():
            running.exception()  # it was stopped: how it ended is nobody's concern
        raise


def look_through(library: Library, stop: Stop, tell: Tell, *, thorough: bool = True) -> Soundness:
    """Return what is wrong in a library; blocking. What it was stopped before is not looked at."""
    started = time.perf_counter()
    check = DatabaseCheck(library.database, stop)
    faults: list[Fault] = []
    looked: list[CheckedAmount] = []
    throttle = _Throttle(tell)

    def take(part: LibraryPart, found: tuple[list[Fault], int]) -> None:
        faults.extend(found[0])
        looked.append(CheckedAmount(part, found[1]))

    throttle.begin(LibraryPart.DATABASE)
    take(LibraryPart.DATABASE, (check.file(thorough=thorough), 1))
    # What else is said of a file that is damaged itself depends on where it is.
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
            # The file itself is sound: what stands in the way is an entry that was found already, and comes first.
            if not faults:
                faults.append(Fault(part, error.message, REBUILD, Cure.REBUILD_DATABASE))
    return Soundness(tuple(faults), tuple(looked), time.perf_counter() - started)


_IDLE_DOCUMENTS = 5_000
"""Documents whose texts are looked at in idle time; of a bigger library some each time."""


class _Throttle:
    """Tells how far the work is, ten times a second at most."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._told = 0.0

    def begin(self, part: LibraryPart) -> None:
        self._told = time.monotonic()
        self._tell(CheckProgress(part, 0, 0))

    def of(self, part: LibraryPart) -> Callable[[int, int], None]:
        def tell(done: int, total: int) -> None:
            if time.monotonic() - self._told > _EVERY_SECONDS:
                self._told = time.monotonic()
                self._tell(CheckProgress(part, done, total))

        return tell


def _settings(check: DatabaseCheck) -> tuple[list[Fault], int]:
    """Return what is wrong with settings, and what else has changed by itself: rows of any part."""
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
        if store_in_use(library.setting_values).name == BUILT_IN_STORE:
            problems = index_problems(library.models.index_path(name), truth, stop)
        else:
            problems = differences(library.models.index(), truth)
    except (EmbeddingError, IndexUnavailable) as error:
        problems = [error.message]
    if library.vectors.generation(name) != truth.generation:
        return [], 1  # an import is on its way: what was compared is of two moments
    return [Fault(LibraryPart.INDEX, one, _INDEX_ANEW, Cure.REBUILD_INDEX) for one in problems], 1


def _files(
    library: Library, stop: Stop, tell: Callable[[int, int], None], *, thorough: bool
) -> tuple[list[Fault], int]:
    documents = [*library.documents.list(), *(one.document for one in library.bin.list())]
    # One file may be the source of several documents, each in a knowledge base of its own.
    holding = {one.sha256: one for one in documents if not one.chunks and _has_copy(library, one)}
    holding |= {document.sha256: document for document in documents if document.chunks}
    faults: list[Fault] = []
    for done, document in enumerate(holding.values()):
        if stop():
            break
        tell(done, len(holding))
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
    """Whether there is a copy to look at of a document of which nothing was read: it failed, or waits."""
    return is_hashed(document) and find_copy(library.originals, document) is not None


def _file_fault(library: Library, document: Document, *, thorough: bool) -> Fault | None:
    copy = find_copy(library.originals, document)
    if copy is None:
        if library.linked.covers(document.knowledge_base, document.path):
            return None  # it is read where it is, and whoever follows the folder says when it is gone
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
    remedy = _ASIDE if document.chunks else mark("It is set aside. To have it read, add the file again.")
    return Fault(LibraryPart.FILES, message, remedy, Cure.SET_FILE_ASIDE, (document.id,), is_loss=True)


_COPIED = mark("It is copied again from where it was added from.")
_ASIDE = mark("It is set aside. Its text and its answers stay; for pictures of its pages, add the file again.")


def is_whole(file: Path, document: Document, *, thorough: bool = True) -> bool:
    """Return whether a file holds what a document was read from; without reading it, only by its length."""
    try:
        if file.stat().st_size != document.size:
            return False
        return not thorough or digest(file).sha256 == document.sha256
    except (OSError, DocumentError):
        return False


def lost_files(library: Library) -> list[Path]:
    """Return the library's copies of files that no document was read from, one for each."""
    known = {document.sha256 for document in library.documents.list()} | library.bin.hashes()
    folders = [folder for folder in sorted(library.originals.glob("??/*")) if folder.name not in known]
    found = [next(iter(sorted(folder.glob("*"))), None) for folder in folders]
    return [file for file in found if file is not None and file.is_file()]


class _CheckEnded(Exception):
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
            raise _CheckEnded
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

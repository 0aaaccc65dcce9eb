"""Repair of a library: backup, repair of each fault, report of losses, and quarantine of removed files and rows.

    folder -> open it, or salvage its rows into a new database -> check -> repair the faults -> check again

Data that cannot be recreated is never deleted: it is moved to the folder “damaged” in the library.
"""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.errors import LibraryDamaged, WorkbenchError
from workbench.files.changes import delete_file, delete_folder, move_file
from workbench.files.modes import new_file
from workbench.language import mark
from workbench.model.document import Document
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.model.integrity_report import (
    BackupProgress,
    BackupReason,
    CheckProgress,
    Cure,
    Fault,
    LibraryPart,
    Repair,
    Soundness,
)
from workbench.operations.documents.document_management import add_documents, is_unfinished
from workbench.operations.imports.importing import Importer
from workbench.operations.imports.original_copies import keep_original
from workbench.operations.imports.source_files import Digest, find_copy, find_original, users_file
from workbench.operations.integrity.integrity_and_backups import find_faults, is_whole, lost_files, run_blocking
from workbench.operations.library.library import Library
from workbench.store.backups import (
    LOGS,
    UNFINISHED,
    back_up,
    has_copies,
    list_backups,
    move_to_quarantine,
    new_quarantine_folder,
    schedule_replacement,
)
from workbench.store.database import FILE_NAME
from workbench.store.database_repair import DatabaseRepair, describe_table_rows
from workbench.store.intake import is_hashed
from workbench.store.library_state import files_wanted, settle_files
from workbench.store.lock import LibraryLock
from workbench.store.migration import shipped_steps
from workbench.store.salvage.rebuild import NOT_TAKEN, Salvaged, create_empty_database, salvage
from workbench.worker.job import JobContext, Operation, finish_despite_cancel

if TYPE_CHECKING:  # numpy is not needed to show the window.
    from workbench.embedding.base import Embedder


T = TypeVar("T")
Stop = Callable[[], bool]

RECOVERED = "Recovered"
"""Name of the knowledge base for files whose knowledge base is no longer known."""


class _RepairEnded(Exception):
    """The user cancelled the repair."""


def repair_library(folder: Path, *, trial: bool = False, embedder: "Embedder | None" = None) -> Operation[Repair]:
    """Repair the library in a folder; the caller has not opened it.

    Emits CheckProgress, BackupProgress and the events of imports. Cancellation leaves a usable library: unchanged, or
    with the repairs made so far.

    Args:
        folder: The library folder.
        trial: Change nothing and report what would be done.
        embedder: An embedder that is already loaded.

    Raises:
        LibraryError: The library is open elsewhere or was written by a later version, the folder is not a library, or
            the disk has too little space for the backup.
    """

    async def operation(context: JobContext) -> Repair:
        repairing = _RepairJob(folder, context, embedder)
        try:
            return await (repairing.try_out() if trial else repairing.run())
        finally:
            await repairing.close()

    return operation


class _RepairJob:
    """State of one running repair."""

    def __init__(self, folder: Path, context: JobContext, embedder: "Embedder | None") -> None:
        self._folder = folder
        self._context = context
        self._embedder = embedder
        self._library: Library | None = None
        self._aside = Quarantine(folder)
        self._done: list[str] = []
        self._lost: list[str] = []
        self._backup = ""

    async def try_out(self) -> Repair:
        """Return what run() would do."""
        found = await self._open_and_check()
        faults = found.faults if isinstance(found, Soundness) else (_fault_of(found),)
        return Repair(
            tuple(f"{fault.message} {fault.remedy}" for fault in faults if fault.cure is not Cure.NONE),
            tuple(fault.message for fault in faults if fault.is_loss),
            is_trial=True,
        )

    async def run(self) -> Repair:
        """Repair everything that can be repaired."""
        found = await self._open_and_check()
        if isinstance(found, LibraryDamaged):
            found = await self._rebuild()
        elif any(fault.cure is Cure.REBUILD_DATABASE for fault in found.faults):
            await self.close()
            found = await self._rebuild()
        elif found.is_sound:
            await run_blocking(self._settle)
            return Repair(())
        else:
            self._backup = await run_blocking(self._back_up)
        left = await self._repair_and_check(found)
        if not left.is_sound:
            # Some faults can be found only after others are repaired.
            left = await self._repair_and_check(left)
        await run_blocking(self._settle)
        return Repair(
            tuple(self._done), tuple(self._lost), self._backup, self._aside.name, tuple(left.faults), is_trial=False
        )

    async def close(self) -> None:
        """Close the library if it is open."""
        library, self._library = self._library, None
        if library is not None:
            await finish_despite_cancel(asyncio.to_thread(library.close))

    @property
    def _open(self) -> Library:
        assert self._library is not None
        return self._library

    async def _open_and_check(self) -> Soundness | LibraryDamaged:
        try:
            self._library = await asyncio.to_thread(Library.open, self._folder, embedder=self._embedder)
        except LibraryDamaged as error:
            return error
        return await run_blocking(self._check)

    def _settle(self, _stop: Stop) -> None:
        """Allow the deletion of unused copies again once no copy is the only remainder of a document."""
        if files_wanted(self._open.database) and not lost_files(self._open):
            settle_files(self._open.database)

    def _check(self, stop: Stop) -> Soundness:
        return find_faults(self._open, stop, self._context.emit)

    def _back_up(self, stop: Stop) -> str:
        def report(progress: BackupProgress) -> None:
            if stop():
                raise _RepairEnded
            self._context.emit(progress)

        with self._open.database.read() as connection:
            return back_up(connection, self._folder, BackupReason.REPAIR, report=report).name

    async def _rebuild(self) -> Soundness:
        """Replace the damaged database by one of all rows that can be read, and check the new one."""
        await run_blocking(self._salvage)
        found = await self._open_and_check()
        if isinstance(found, LibraryDamaged):
            raise found
        return found

    def _salvage(self, stop: Stop) -> None:
        database = self._folder / FILE_NAME
        target = database.with_name(database.name + UNFINISHED)

        def report(done: int, total: int) -> None:
            if stop():
                raise _RepairEnded
            self._context.emit(CheckProgress(LibraryPart.DATABASE, done, total))

        lock = LibraryLock(self._folder)
        try:
            delete_file(target, within=self._folder, missing_ok=True)
            salvaged = self._read(database, target, report)
            # Last chance to cancel before anything is changed.
            if stop():
                raise _RepairEnded
            kept = move_to_quarantine(
                self._folder, [database.with_name(database.name + ending) for ending in ("", *LOGS)]
            )
            self._aside.use(kept)
            schedule_replacement(target, database)
        finally:
            delete_file(target, within=self._folder, missing_ok=True)
            lock.close()
        self._done.append(mark(f"A new database was created from what could be read; the damaged one is in “{kept}”."))
        self._lost += _losses(salvaged)

    def _read(self, database: Path, target: Path, report: Callable[[int, int], None]) -> Salvaged:
        """Create a database of the rows that can be read; an empty one if only copies of files are left."""
        try:
            if database.exists() and database.stat().st_size:
                return salvage(database, target, shipped_steps(), report=report)
        except LibraryDamaged:
            if list_backups(self._folder) or not has_copies(self._folder):
                raise
        if backups := list_backups(self._folder):
            raise LibraryDamaged(
                f"The library's database in {self._folder} is gone.",
                f"Put a backup in its place: “workbench backup restore {backups[0].name}”, or “Restore…” in the"
                " window.",
            )
        delete_file(target, within=self._folder, missing_ok=True)
        self._lose(mark("Nothing in the database could be read: sessions, settings and manual changes are lost."))
        return create_empty_database(target, shipped_steps())

    async def _repair_and_check(self, found: Soundness) -> Soundness:
        """Repair the faults found and return the result of another check."""
        if not await self._repair(found):
            # The keyword index cannot even be cleared.
            await self.close()
            await self._repair(await self._rebuild())
        return await run_blocking(self._check)

    async def _repair(self, found: Soundness) -> bool:
        """Repair the faults in an order in which no repair undoes another; return False if a new database is needed."""
        faults = {cure: [fault for fault in found.faults if fault.cure is cure] for cure in Cure}
        self._lose(*(fault.message for fault in found.faults if fault.is_loss))
        repair = DatabaseRepair(self._open.database, self._aside.hand_out)
        # For this repair only: files are added again even if imports are paused in the window.
        self._open.queue.pause(False)
        try:
            self._done += await run_blocking(lambda _stop: repair.rows(found.faults))
        except LibraryDamaged:
            return False
        if faults[Cure.REBUILD_KEYWORDS] or repair.is_index_behind:
            await run_blocking(lambda _stop: self._open.keywords.rebuild())
            self._done.append(mark("The keyword index was rebuilt."))
        for cure, fix in ((Cure.COPY_FILE, copy_again), (Cure.SET_FILE_ASIDE, quarantine_copy)):
            for document in await self._documents(faults[cure]):
                self._done.append(await asyncio.to_thread(fix, self._open, document, self._aside))
        await self._read_again(await self._documents(faults[Cure.READ_AGAIN]))
        if faults[Cure.ADD_FILES]:
            await self._add_lost()
        if faults[Cure.REBUILD_INDEX]:
            await self._make_index()
        await self._finish()
        if faults[Cure.EMBED_AGAIN]:
            self._done.append(mark("Damaged vectors were computed again."))
        return True

    def _lose(self, *sentences: str) -> None:
        self._lost += [one for one in sentences if one not in self._lost]

    async def _documents(self, faults: list[Fault]) -> list[Document]:
        wanted = {number for fault in faults for number in fault.documents}
        documents = await run_blocking(lambda _stop: self._open.documents.list())
        return [document for document in documents if document.id in wanted]

    async def _read_again(self, documents: list[Document]) -> None:
        readable = []
        for document in documents:
            file = find_original(self._open.originals, document)
            if file is not None and await asyncio.to_thread(is_whole, file, document):
                readable.append(document)
            else:
                self._lose(
                    mark(f"“{document.name}” cannot be read again: its file is gone. The text read before is kept.")
                )
        for result in await self._import().read_again(readable):
            if name := self._name_if_read(result):
                self._done.append(mark(f"“{name}” was read again."))

    async def _finish(self) -> None:
        """Embed the chunks without vectors and finish interrupted imports; nothing is downloaded for it."""
        documents = await run_blocking(lambda _stop: self._open.documents.list())
        waiting = [document for document in documents if is_unfinished(document) and is_hashed(document)]
        if waiting:
            await self._import().finish(waiting)

    def _import(self) -> Importer:
        return Importer(self._open, self._context, obeys_pause=False)

    async def _add_lost(self) -> None:
        files = await run_blocking(lambda _stop: lost_files(self._open))
        adding = add_documents(self._open, files, knowledge_base=RECOVERED)
        for result in await adding(self._context):
            if name := self._name_if_read(result):
                self._done.append(mark(f"“{name}” was added again, to “{RECOVERED}”."))

    def _name_if_read(self, result: FileFinished) -> str:
        """Return the name of a file that was read; otherwise note the reason as a loss and return ""."""
        name = Path(result.path).name
        if result.outcome in (FileOutcome.READY, FileOutcome.UNCHANGED):
            return name
        self._lose(mark(f"“{name}”: {result.reason}"))
        return ""

    async def _make_index(self) -> None:
        try:
            await self._open.on_embedding(self._open.models.rebuild_index)
        except WorkbenchError as error:
            self._lose(error.message)
        else:
            self._done.append(mark("The search index was rebuilt."))


def _fault_of(error: LibraryDamaged) -> Fault:
    remedy = mark("Everything that can be read goes into a new database; the damaged one is kept beside it.")
    return Fault(LibraryPart.DATABASE, error.message, remedy, Cure.REBUILD_DATABASE)


def _losses(salvaged: Salvaged) -> list[str]:
    """Return sentences about the rows and pages of a damaged database that could not be read, by table."""
    rows = [
        mark(f"{describe_table_rows(table)}: {many} could not be read.") for table, many in salvaged.unreadable.items()
    ]
    pages = [
        mark(f"{describe_table_rows(table)}: {many} pages of the database could not be read.")
        for table, many in salvaged.pages.items()
        if table and not table.startswith("#") and not table.startswith(NOT_TAKEN)
    ]
    unknown = salvaged.pages.get("", 0)
    if unknown:
        pages.append(mark(f"Pages of the damaged file with unknown content: {unknown}."))
    return rows + pages


ROWS = "rows.jsonl"


class Quarantine:
    """Folder for removed files and rows, created when the first one is added."""

    def __init__(self, folder: Path) -> None:
        """Take the library folder."""
        self._folder = folder
        self._path: Path | None = None

    @property
    def name(self) -> str:
        """Path of the folder; empty if nothing was quarantined."""
        return str(self._path) if self._path is not None else ""

    def use(self, path: Path) -> None:
        """Use an existing folder, unless one is in use already."""
        self._path = self._path or path

    def hand_out(self, table: str, row: dict[str, Any]) -> None:
        """Append a row that is about to be deleted to the file of removed rows.

        Raises:
            LibraryError: The file cannot be written.
        """
        line = json.dumps({"table": table, "row": {name: _plain(value) for name, value in row.items()}})
        rows = self._made() / ROWS
        new_file(rows, inherit=True)
        with rows.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def take_file(self, file: Path) -> Path:
        """Move a file into the folder and return its new path.

        Raises:
            OSError: The file cannot be moved.
        """
        target = self._made() / f"{file.parent.name[:12]}-{file.name}"
        move_file(file, target, within=self._folder)
        return target

    def _made(self) -> Path:
        if self._path is None:
            self._path = new_quarantine_folder(self._folder)
        return self._path


def _plain(value: Any) -> Any:
    return {"hex": value.hex()} if isinstance(value, bytes) else value


def copy_again(library: Library, document: Document, aside: Quarantine) -> str:
    """Replace the library's damaged or missing copy of the user's file; return a sentence about it. Blocking."""
    file = users_file(document)
    if file is None:
        return mark(f"The file of “{document.name}” changed meanwhile; add it again.")
    try:
        quarantine_copy(library, document, aside)
        keep_original(file, library.originals, Digest(document.sha256, document.size))
    except WorkbenchError as error:
        return f"“{document.name}”: {error.message}"
    return mark(f"The file of “{document.name}” was copied again.")


def quarantine_copy(library: Library, document: Document, aside: Quarantine) -> str:
    """Quarantine the library's damaged copy of a file; return a sentence about it. Blocking."""
    copy = find_copy(library.originals, document)
    if copy is not None:
        aside.take_file(copy)
        delete_folder(copy.parent, within=library.folder)
    return mark(f"The damaged copy of the file of “{document.name}” was moved to quarantine.")

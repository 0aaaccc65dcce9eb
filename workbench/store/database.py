"""The library's database: one file, one serialised writer, many readers."""

import logging
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

from workbench.errors import (
    LibraryDamaged,
    LibraryError,
    LibraryMissing,
    LibraryMoved,
    LibraryOutdated,
    LibraryUnwritable,
)
from workbench.files.modes import make_folder, new_file
from workbench.language import mark
from workbench.store.backups import LOGS, MAGIC, finish_replacement, has_copies, is_replacement_pending
from workbench.store.changed_chunks import ChangedChunks
from workbench.store.checksums import row_checksum
from workbench.store.failures import library_error
from workbench.store.lock import WINDOW, LibraryLock, holder_of, unwritable
from workbench.store.migration import MigrationStep, close_library, found_version, is_open, migrate, shipped_steps
from workbench.store.name_words import name_words
from workbench.store.read_only import Reader, explain_unreadable
from workbench.store.stored_values import absolute_path, folded

logger = logging.getLogger(__name__)

FILE_NAME = "library.sqlite3"
_CLOSED = mark("The library is closed.")
_CLOSING_MILLISECONDS = 500


class Access(Enum):
    """Mode in which a library is opened."""

    WRITE = "write"
    """Opened to write, by one program at a time."""
    READ = "read"
    """Opened to read by any number of programs, while another one writes or on a read-only medium."""


class Database:
    """Database of an open library folder; shared by the stores and safe on any thread.

    Attributes:
        folder: The library folder.
        path: The database file in it.
        revision: Grows whenever the set of searchable chunks changes; for caches. If opened to read: with every write.
        returned: Grows when chunks may have reused numbers of deleted ones. If opened to read: with every write.
        writes: Grows with every write.
        document_writes: Grows with every write that may change documents; for caches. If opened to read: with every
            write.
        changed_chunks: Chunks written by this program since the last check. If opened to read: always unknown.
        is_new: The library was created when it was opened.
        was_left: The program that last had the library open was killed, or the computer stopped.
        lost_log: In addition, its last writes are missing: the log next to the database was deleted.
    """

    def __init__(self, folder: Path, lock: LibraryLock | None, reader: Reader | None = None) -> None:
        self.folder = folder
        self.path = folder / FILE_NAME
        self._revision = 0
        self._returned = 0
        self._writes = 0
        self._document_writes = 0
        self.changed_chunks = ChangedChunks()
        self.is_new = False
        self.was_left = lock is not None and lock.was_left
        self.lost_log = False
        self._lock = lock
        self._reader = reader
        self._write_lock = threading.RLock()
        self._is_writing = False
        self._changes_documents = False
        self._revision_before_write: int | None = None
        self._idle: deque[sqlite3.Connection] = deque()
        # Grows when all connections are replaced; older ones are closed when their readers have finished.
        self._generation = 0
        self._opened = threading.Event()
        self._writer: sqlite3.Connection | None = None
        self._place: os.stat_result

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        create: bool = True,
        access: Access = Access.WRITE,
        program: str = WINDOW,
        steps: tuple[MigrationStep, ...] | None = None,
    ) -> "Database":
        """Open the library in folder; create both if they are missing.

        Args:
            folder: The library folder.
            create: Create a missing library; otherwise nothing is created.
            access: Mode; when opened to read, nothing is created and nothing in the folder changes.
            program: Name of the opening program, for the messages of other programs; see LibraryLock.
            steps: Schema files; default are those of the program.

        Raises:
            LibraryMissing: There is no library, and none is to be created.
            LibraryLocked: It is open elsewhere.
            LibraryOutdated: It is opened to read, and must first be created or migrated by a program that may write.
            LibraryTooNew: A later version of the program wrote it.
            LibraryUnwritable: The folder cannot be created or written.
            LibraryDamaged: The file is not a library, or is broken.
            DiskFull: There is no space to create it, or to back up one of an earlier version.
        """
        folder = Path(absolute_path(folder))
        if access is Access.READ:
            return cls._open_to_read(folder, steps or shipped_steps())
        if not create and not is_library(folder) and holder_of(folder) is None:  # may be creating one
            raise missing(folder)
        try:
            if create:
                make_folder(folder)
        except OSError as error:
            raise unwritable(folder, error) from error
        lock = LibraryLock(folder, program)
        database = cls(folder, lock)
        try:
            was_open = database._check_files(create=create)
            with database._translate_errors():
                database._writer = database._connect()
                database.is_new = _prepare(database._writer, database.path, steps or shipped_steps())
                database.changed_chunks.watch(database._writer)
            if was_open:
                close_library(folder)
            database._place = os.stat(database.path)
            lock.note_open()
        except BaseException:
            database.close()
            raise
        database._opened.set()
        return database

    @classmethod
    def _open_to_read(cls, folder: Path, steps: tuple[MigrationStep, ...]) -> "Database":
        path = folder / FILE_NAME
        if folder.is_file():
            raise unwritable(folder, NotADirectoryError())
        if not is_library(folder) and holder_of(folder) is None:
            raise missing(folder)
        if not path.exists() or path.stat().st_size == 0 or is_replacement_pending(path):
            raise LibraryOutdated(
                f"There is no library in {folder} that can be read yet.",
                "Open it once in a place that you can write to, or choose another library folder.",
            )
        if not _is_database(path):
            raise _foreign(path)
        database = cls(folder, None, Reader(path))
        assert database._reader is not None
        try:
            database._place = os.stat(path)
            database._opened.set()
            with explain_unreadable(folder), database.read() as connection:
                version = found_version(connection, path, steps)
                database._reader.changes()
            if version != steps[-1].number:
                raise database._reader.outdated()
        except BaseException:
            database.close()
            raise
        return database

    @property
    def reader(self) -> Reader | None:
        """The reader of a library opened to read only; None if it may be written."""
        return self._reader

    @property
    def revision(self) -> int:
        """Number that grows whenever the set of searchable chunks changes."""
        return self._revision + self._others_changes()

    @revision.setter
    def revision(self, value: int) -> None:
        self._revision = value

    @property
    def returned(self) -> int:
        """Number that grows when chunks may have reused numbers of deleted ones."""
        return self._returned + self._others_changes()

    @returned.setter
    def returned(self, value: int) -> None:
        self._returned = value

    @property
    def writes(self) -> int:
        """Number that grows with every write."""
        return self._writes + self._others_changes()

    @property
    def document_writes(self) -> int:
        """Number that grows with every write that may change documents."""
        return self._document_writes + self._others_changes()

    def _others_changes(self) -> int:
        if self._reader is None:
            return 0
        if not self._opened.is_set():
            raise LibraryError(_CLOSED, "Open it again.")
        with self._translate_errors():
            return self._reader.changes()

    def require_place(self) -> None:
        """Check that the folder is still in its place, so that no writes are lost.

        Raises:
            LibraryMoved: It was moved or removed, or replaced by another one.
            LibraryError: It is not accessible any more: the drive was disconnected, or a permission changed.
        """
        try:
            is_same = os.path.samestat(self._place, os.stat(self.path))
            is_same = is_same and (self._lock is None or self._lock.is_in_place())
        except (FileNotFoundError, NotADirectoryError):
            is_same = False
        except OSError as error:
            raise unwritable(self.folder, error) from error
        if not is_same:
            raise LibraryMoved(
                f"The library folder {self.folder} was moved, removed or replaced while it was open.",
                "Put it back, or open it where it is now: everything that was saved is in it.",
            )

    def close(self) -> None:
        """Checkpoint the log, close every connection and release the lock."""
        with self._write_lock:
            was_open = self._opened.is_set()
            is_clean = was_open
            self._opened.clear()
            while self._idle:
                self._idle.pop().close()
            writer, self._writer = self._writer, None
            if writer is not None:
                try:
                    if was_open:
                        # A reader that stays, in another program or in the traceback of an error, is not waited for
                        # long: it only keeps the log from being written back, which the next start does.
                        writer.execute(f"PRAGMA busy_timeout = {_CLOSING_MILLISECONDS}")
                        writer.execute("PRAGMA optimize")
                        busy, _, _ = writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                        if not busy and self._lock is not None:
                            # Before SQLite deletes the log: otherwise the log would seem to have been deleted by
                            # others.
                            self._lock.note_closed()
                except sqlite3.Error as error:
                    # Committed data is in the log already; the next start recovers it from there.
                    logger.info("The log was not written back on closing: %s", error)
                    is_clean = False
                finally:
                    writer.close()
            if self._lock is not None:
                self._lock.close(is_clean=is_clean or (was_open and not self._log.exists()))
            if self._reader is not None:
                self._reader.close()

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that sees one state of the library throughout, regardless of concurrent writes."""
        if not self._opened.is_set():
            raise LibraryError(_CLOSED, "Open it again.")
        with self._translate_errors():
            generation = self._generation
            if self._reader is not None:
                # Existing connections would continue to read a file that another program has replaced.
                self.require_place()
            try:
                connection = self._idle.pop()
            except IndexError:
                # The file is opened by name: another library may be there by now.
                self.require_place()
                connection = self._connect(read_only=True)
            is_reusable = False
            try:
                connection.execute("BEGIN")
                yield connection
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                is_reusable = True
            finally:
                # After an error, its traceback may keep a cursor alive, and a ROLLBACK does not end the state that an
                # unfinished cursor reads: later reads on this connection would see that old state.
                if is_reusable and self._opened.is_set() and generation == self._generation:
                    self._idle.append(connection)
                else:
                    connection.close()

    @contextmanager
    def read_revision(self) -> Iterator[tuple[sqlite3.Connection, int | None]]:
        """Yield a connection as read() does, and the revision of its state: for caches of several values of one state.

        The revision is None while a change is being committed, because the connection may or may not see it.
        """
        revision = self.revision
        with self.read() as connection:
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()  # BEGIN alone fixes no state yet
            # In this order: a write that ends in between has already changed the revision.
            before = self._revision_before_write
            is_settled = before in (None, revision) and self.revision == revision
            yield connection, revision if is_settled else None

    @contextmanager
    def write(self, *, documents: bool = True) -> Iterator[sqlite3.Connection]:
        """Yield the writing connection inside one transaction, committed on leaving, rolled back on an exception.

        Writers wait for one another. Within a write, a nested write() of the same thread joins the transaction.

        Args:
            documents: False if it changes no documents, but only sessions: cached counts of documents stay valid.

        Raises:
            LibraryMoved: The folder is not in its place; the write is not acknowledged.
            LibraryLocked: It was opened to read only, and another program has it open to write.
            LibraryUnwritable: It was opened to read only.
        """
        if self._reader is not None:
            raise self._reader.refusal()
        with self._write_lock, self._translate_errors():
            if self._writer is None or not self._opened.is_set():
                raise LibraryError(_CLOSED, "Open it again.")
            if self._is_writing:
                self._changes_documents |= documents
                yield self._writer
                return
            self.require_place()
            if not self._log.exists():
                self._restart_log()
            writer = self._writer
            writer.execute("BEGIN IMMEDIATE")
            self._is_writing, self._changes_documents = True, documents
            before = self._revision_before_write = self.revision
            try:
                yield writer
                self.changed_chunks.record(writer)
                writer.execute("COMMIT")
                # Before the commit is reported to anybody.
                self.require_place()
                self._writes += 1
                self._document_writes += self._changes_documents
                if self.revision != before:
                    # Once more: a reader between the change of the number and the commit cached the old state under it.
                    self.revision += 1
            except BaseException:
                if writer.in_transaction:
                    writer.execute("ROLLBACK")
                raise
            finally:
                self.changed_chunks.settle()
                self._is_writing = False
                self._revision_before_write = None

    def rest(self) -> None:
        """Release the memory of cached pages; the system keeps them cached while it has memory."""
        with self._translate_errors():
            for _ in range(len(self._idle)):
                try:
                    connection = self._idle.popleft()
                except IndexError:
                    return
                connection.execute("PRAGMA shrink_memory")
                self._idle.append(connection)

    def integrity_problem(self) -> str:
        """Return the inconsistencies of the file, or an empty string; reads all of it, seconds for a big library."""
        try:
            with self.read() if self._reader is not None else self.write() as connection:
                problems = [row[0] for row in connection.execute("PRAGMA quick_check(3)") if row[0] != "ok"]
                orphans = {row[0] for row in connection.execute("PRAGMA foreign_key_check")}
                problems += [f"rows without an owner in {table}" for table in sorted(orphans)]
                if self._reader is None:
                    connection.execute("INSERT INTO keyword_index (keyword_index) VALUES ('integrity-check')")
        except LibraryDamaged as error:
            return error.message
        return "; ".join(problems)

    @property
    def _log(self) -> Path:
        return self.path.with_name(self.path.name + LOGS[0])

    def _check_files(self, *, create: bool) -> bool:
        """Finish an interrupted restoration, check the existing file, and return whether others may read it."""
        try:
            is_other = finish_replacement(self.path)
            is_there = self.path.exists() and self.path.stat().st_size > 0
            is_database = not is_there or _is_database(self.path)
        except OSError as error:
            raise unwritable(self.folder, error) from error
        if not is_database:
            # SQLite treats a file shorter than its header as a new database and would overwrite it.
            raise _foreign(self.path)
        # A killed program leaves its log: only the last program that closes a database deletes it.
        self.lost_log = self.was_left and not is_other and not self._log.exists()
        if not is_there and has_copies(self.folder):
            # A new library in its place would delete the copies as unreferenced files.
            raise LibraryDamaged(
                f"The library's database in {self.folder} is gone; the copies of its documents' files are there.",
                "Put a backup in its place, or let the program add them again: “Check the library…”, or “workbench"
                " repair”.",
            )
        if not is_there and not create:
            # The file was deleted since its folder was checked.
            raise missing(self.folder)
        if is_there and not os.access(self.path, os.W_OK):
            raise LibraryUnwritable(
                f"The library's database {self.path} is read-only.",
                "Change the permissions of the file, or copy the library folder to a place that you may write to.",
            )
        try:
            was_open = is_open(self.path)
            new_file(self.path, inherit=True)  # the files that SQLite creates next to it get the same mode
        except OSError as error:
            raise unwritable(self.folder, error) from error
        return was_open

    def _restart_log(self) -> None:
        """Checkpoint a log that was deleted while it was open, and start a new one.

        The writer still has the deleted file open: if it were closed without this, the content would be lost.
        """
        assert self._writer is not None
        busy, _, _ = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise LibraryError(
                f"The log of the library in {self.folder} was deleted while it was open.",
                "Try again in a moment; nothing that was saved before is lost.",
            )
        self._generation += 1
        while self._idle:
            self._idle.pop().close()
        self._writer.close()
        self._writer = self._connect()
        _make_durable(self._writer)
        self.changed_chunks.watch(self._writer)
        logger.info("The log of %s was deleted while it was open; it was created again", self.path)

    def _connect(self, *, read_only: bool = False) -> sqlite3.Connection:
        # Threads use a connection one after the other (the pool, the write lock), never at the same time.
        if self._reader is not None:
            connection = self._reader.connect()
        else:
            connection = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False, cached_statements=256
            )
        connection.execute("PRAGMA busy_timeout = 10000")
        connection.execute("PRAGMA foreign_keys = ON")
        # Replacing a row also deletes its checksum (checksums.py).
        connection.execute("PRAGMA recursive_triggers = ON")
        add_functions(connection)
        connection.execute("PRAGMA temp_store = MEMORY")
        # The file is not memory-mapped: searches of 1,000,000 chunks take the same time (6 ms of processor time), the
        # program kept 340 MB of the file in memory with mapping and keeps 110 without, and a truncated file ends no
        # process with SIGBUS. The index of its log (-shm) is mapped: SQLite has no other way for several processes to
        # share a log. 16 MB for the writer are filled once and kept, and store 4,000 pages in the same time as 4 MB do.
        connection.execute(f"PRAGMA cache_size = {-8192 if read_only else -4096}")
        if read_only:
            connection.execute("PRAGMA query_only = ON")
        return connection

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            translated = library_error(error, self.folder)
            if translated is None:
                raise
            raise translated from error


def _foreign(path: Path) -> LibraryDamaged:
    return LibraryDamaged(
        f"{path} is not a library of this program, or its header is damaged.",
        "Put a backup in its place: “Check the library…”, or “workbench repair”; or choose another library folder.",
    )


def is_library(folder: Path) -> bool:
    """Return whether a folder contains a library: its database, a pending replacement of it, or copies of files."""
    try:
        return any(name.startswith(FILE_NAME) for name in os.listdir(folder)) or has_copies(folder)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # opening it reports the error


def missing(folder: Path) -> LibraryMissing:
    """Return the error for a missing library."""
    return LibraryMissing(
        f"There is no library in {folder}.",
        "Check the folder (--library, or $WORKBENCH_LIBRARY) and whether its drive is connected. “workbench add PATH”"
        " and the window make a new library.",
    )


def _is_database(path: Path) -> bool:
    """Return whether a file begins like every SQLite database."""
    if not os.access(path, os.R_OK):
        return True  # SQLite reports the error
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def add_functions(connection: sqlite3.Connection) -> None:
    """Register the SQL functions that our queries and triggers call."""
    # SQLite itself folds the case of ASCII letters only.
    connection.create_function("folded", 1, folded, deterministic=True)
    # The triggers of document_names call it.
    connection.create_function("name_words", 1, name_words, deterministic=True)
    connection.create_function("row_checksum", -1, row_checksum, deterministic=True)


def prepare_new(writer: sqlite3.Connection) -> None:
    """Set options that can only be set while a database file is empty."""
    # 8 KiB pages hold five 384-wide vectors with 5 % to spare; 4 KiB pages hold two with 25 %.
    writer.execute("PRAGMA page_size = 8192")
    writer.execute("PRAGMA auto_vacuum = INCREMENTAL")


def _prepare(writer: sqlite3.Connection, path: Path, steps: tuple[MigrationStep, ...]) -> bool:
    """Create the library in the file, or migrate it; return whether it is new."""
    # First of all: a foreign file, or one of a later version, must not be changed by a single byte.
    version = found_version(writer, path, steps)
    if version is None:
        prepare_new(writer)
    _make_durable(writer)
    migrate(writer, path, steps, version)
    if version != steps[-1].number:
        # A log that somebody deletes as rubbish must not contain all of a new library.
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return version is None


def _make_durable(writer: sqlite3.Connection) -> None:
    writer.execute("PRAGMA journal_mode = WAL")
    # FULL: committed data survives a power cut. NORMAL would survive only a kill of the program.
    writer.execute("PRAGMA synchronous = FULL")
    writer.execute("PRAGMA fullfsync = ON")
    writer.execute("PRAGMA journal_size_limit = 67108864")

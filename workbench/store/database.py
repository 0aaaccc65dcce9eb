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


class Access(Enum):
    """What a library is opened for."""

    WRITE = "write"
    """By one program at a time."""
    READ = "read"
    """By any number of programs, beside the one that writes or on a medium that nobody can write."""


class Database:
    """Opens a library folder; the rooms' stores share it and are safe on any thread.

    Attributes:
        folder: The library folder.
        path: The database file in it.
        revision: Grows whenever the set of searchable chunks changes; for caches. Opened to read: with every write.
        returned: Grows when chunks may have come back under numbers that were gone. Opened to read: with every write.
        writes: Grows with every write.
        changed_chunks: What this program has written since somebody looked. Opened to read: nothing is known of it.
        is_new: It was made when it was opened.
        was_left: The program that had the library last was killed, or the computer stopped.
        lost_log: Besides, what it wrote last is not there: somebody deleted the log beside the database.
    """

    def __init__(self, folder: Path, lock: LibraryLock | None, reader: Reader | None = None) -> None:
        self.folder = folder
        self.path = folder / FILE_NAME
        self._revision = 0
        self._returned = 0
        self._writes = 0
        self.changed_chunks = ChangedChunks()
        self.is_new = False
        self.was_left = lock is not None and lock.was_left
        self.lost_log = False
        self._lock = lock
        self._reader = reader
        self._write_lock = threading.RLock()
        self._is_writing = False
        self._revision_before_write: int | None = None
        self._idle: deque[sqlite3.Connection] = deque()
        # Grows when all connections are made anew; those of before are closed when whoever reads with them is done.
        self._making = 0
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
        """Open the library in folder, making both where they are absent.

        Args:
            folder: The library folder.
            create: Make them; without, nothing is made where there is no library.
            access: What for; to read, nothing is made and nothing in the folder changes.
            program: Who opens it, for the message of another program; see LibraryLock.
            steps: Schema files; those of the program unless given.

        Raises:
            LibraryMissing: There is none, and none is to be made.
            LibraryLocked: It is open elsewhere.
            LibraryOutdated: It is to be read, and a program that may write has to make it or bring it up to date first.
            LibraryTooNew: A later version of the program wrote it.
            LibraryUnwritable: The folder cannot be made or written.
            LibraryDamaged: The file is not a library, or is broken.
            DiskFull: There is no room to make it, or to back up one of an earlier version.
        """
        folder = Path(absolute_path(folder))
        if access is Access.READ:
            return cls._open_to_read(folder, steps or shipped_steps())
        if not create and not is_library(folder) and holder_of(folder) is None:  # which may be about to make one
            raise missing(folder)
        try:
            if create:
                make_folder(folder)
        except OSError as error:
            raise unwritable(folder, error) from error
        lock = LibraryLock(folder, program)
        database = cls(folder, lock)
        try:
            was_open = database._begin(create=create)
            with database._translated():
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
                "Open it once where it may be written, or choose another library folder.",
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
        """How the library is read where it was opened to read only; None where it may be written."""
        return self._reader

    @property
    def revision(self) -> int:
        """Grows whenever the set of searchable chunks changes."""
        return self._revision + self._others_changes()

    @revision.setter
    def revision(self, value: int) -> None:
        self._revision = value

    @property
    def returned(self) -> int:
        """Grows when chunks may have come back under numbers that were gone."""
        return self._returned + self._others_changes()

    @returned.setter
    def returned(self, value: int) -> None:
        self._returned = value

    @property
    def writes(self) -> int:
        """Grows with every write."""
        return self._writes + self._others_changes()

    def _others_changes(self) -> int:
        if self._reader is None:
            return 0
        if not self._opened.is_set():
            raise LibraryError(_CLOSED, "Open it again.")
        with self._translated():
            return self._reader.changes()

    def require_place(self) -> None:
        """Make sure that the folder is where it was, so that nothing is written that nobody finds again.

        Raises:
            LibraryMoved: It was moved, removed, or another one stands in its place.
            LibraryError: It cannot be reached any more: the drive is gone, or a permission.
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
        """Write the log back into the file, close every connection and give up the lock."""
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
                        writer.execute("PRAGMA optimize")
                        busy, _, _ = writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                        if not busy and self._lock is not None:
                            # Before SQLite deletes the log: that must not look as if somebody else had.
                            self._lock.note_closed()
                except sqlite3.Error as error:
                    # What was acknowledged is in the log already; the next start takes it from there.
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
        """Give a connection that sees one state of the library throughout, whatever is written meanwhile."""
        if not self._opened.is_set():
            raise LibraryError(_CLOSED, "Open it again.")
        with self._translated():
            making = self._making
            if self._reader is not None:
                # The connections that there are would go on to read what another program has put another file for.
                self.require_place()
            try:
                connection = self._idle.pop()
            except IndexError:
                # By its name: another library may lie there by now.
                self.require_place()
                connection = self._connect(read_only=True)
            try:
                connection.execute("BEGIN")
                try:
                    yield connection
                finally:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
            finally:
                if self._opened.is_set() and making == self._making:
                    self._idle.append(connection)
                else:
                    connection.close()

    @contextmanager
    def read_revision(self) -> Iterator[tuple[sqlite3.Connection, int | None]]:
        """Give what read() does, and the revision of the state that it sees: for caches of several values of one state.

        The revision is None while a change is being committed: whether the connection sees it cannot be known then.
        """
        revision = self.revision
        with self.read() as connection:
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()  # BEGIN alone fixes no state yet
            # In this order: a write that ends in between has changed the revision by then.
            before = self._revision_before_write
            is_settled = before in (None, revision) and self.revision == revision
            yield connection, revision if is_settled else None

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Give the writing connection inside one transaction: kept whole on leaving, undone whole on an exception.

        Writers wait for one another. Within a write, a further write() of the same thread joins the transaction.

        Raises:
            LibraryMoved: The folder is not where it was; nothing was written that could be lost with it.
            LibraryLocked: It was opened to read only, and another program has it to write.
            LibraryUnwritable: It was opened to read only.
        """
        if self._reader is not None:
            raise self._reader.refusal()
        with self._write_lock, self._translated():
            if self._writer is None or not self._opened.is_set():
                raise LibraryError(_CLOSED, "Open it again.")
            if self._is_writing:
                yield self._writer
                return
            self.require_place()
            if not self._log.exists():
                self._make_log_anew()
            writer = self._writer
            writer.execute("BEGIN IMMEDIATE")
            self._is_writing = True
            before = self._revision_before_write = self.revision
            try:
                yield writer
                self.changed_chunks.record(writer)
                writer.execute("COMMIT")
                # Before anybody is told that it is kept.
                self.require_place()
                self._writes += 1
                if self.revision != before:
                    # Once more: a reader between the change of the number and the commit kept the old state under it.
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
        """Give back the memory of what was looked at in the file; the system keeps it while it has the room."""
        with self._translated():
            for _ in range(len(self._idle)):
                try:
                    connection = self._idle.popleft()
                except IndexError:
                    return
                connection.execute("PRAGMA shrink_memory")
                self._idle.append(connection)

    def integrity_problem(self) -> str:
        """Return what does not agree in the file, or nothing; reads all of it, seconds for a big library."""
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

    def _begin(self, *, create: bool) -> bool:
        """Finish a restoration that a kill cut short, see what is there, and tell whether others may read it."""
        try:
            is_other = finish_replacement(self.path)
            is_there = self.path.exists() and self.path.stat().st_size > 0
            is_database = not is_there or _is_database(self.path)
        except OSError as error:
            raise unwritable(self.folder, error) from error
        if not is_database:
            # SQLite takes a file shorter than its header for a new database, and would write over it.
            raise _foreign(self.path)
        # A program that is killed leaves its log: only the last one that closes a database deletes it.
        self.lost_log = self.was_left and not is_other and not self._log.exists()
        if not is_there and has_copies(self.folder):
            # A new library in its place would take the copies for rubbish.
            raise LibraryDamaged(
                f"The library's database in {self.folder} is gone; the copies of its documents' files are there.",
                "Put a backup in its place, or let the program add them again: “Check the library…”, or “workbench"
                " repair”.",
            )
        if not is_there and not create:
            # It went since its folder was looked at.
            raise missing(self.folder)
        if is_there and not os.access(self.path, os.W_OK):
            raise LibraryUnwritable(
                f"The library's database {self.path} is read-only.",
                "Change the permissions of the file, or copy the library folder to a place that you may write to.",
            )
        try:
            was_open = is_open(self.path)
            new_file(self.path, inherit=True)  # what SQLite keeps beside it has its mode
        except OSError as error:
            raise unwritable(self.folder, error) from error
        return was_open

    def _make_log_anew(self) -> None:
        """Write back what a log holds that somebody deleted while it was open, and begin another one.

        The writer still has the deleted file: closed without this, what it holds would be lost with it.
        """
        assert self._writer is not None
        busy, _, _ = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise LibraryError(
                f"The log of the library in {self.folder} was deleted while it was open.",
                "Try again in a moment; nothing that was saved before is lost.",
            )
        self._making += 1
        while self._idle:
            self._idle.pop().close()
        self._writer.close()
        self._writer = self._connect()
        _make_durable(self._writer)
        self.changed_chunks.watch(self._writer)
        logger.info("The log of %s was deleted while it was open; it was made anew", self.path)

    def _connect(self, *, read_only: bool = False) -> sqlite3.Connection:
        # Threads share connections one after the other (the pool, the write lock), never at once.
        if self._reader is not None:
            connection = self._reader.connect()
        else:
            connection = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False, cached_statements=256
            )
        connection.execute("PRAGMA busy_timeout = 10000")
        connection.execute("PRAGMA foreign_keys = ON")
        # A row that another one replaces takes its checksum along (checksums.py).
        connection.execute("PRAGMA recursive_triggers = ON")
        add_functions(connection)
        connection.execute("PRAGMA temp_store = MEMORY")
        # The file is not mapped: searches of 1,000,000 chunks take as long (6 ms of processor time), the program held
        # 340 MB of the file where it now holds 110, and cut short it ends no process with SIGBUS. The index of its log
        # (-shm) is: SQLite has no other way for several processes to share a log. 16 MB for the one that writes are
        # filled once and kept, and store 4,000 pages in the same time as 4 MB do.
        connection.execute(f"PRAGMA cache_size = {-8192 if read_only else -4096}")
        if read_only:
            connection.execute("PRAGMA query_only = ON")
        return connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            translated = library_error(error, self.folder)
            if translated is None:
                raise
            raise translated from error


def _foreign(path: Path) -> LibraryDamaged:
    return LibraryDamaged(
        f"{path} is not a library of this program, or its beginning is destroyed.",
        "Put a backup in its place: “Check the library…”, or “workbench repair”; or choose another library folder.",
    )


def is_library(folder: Path) -> bool:
    """Return whether a folder holds a library: its database, one that waits to take its place, or copies of files."""
    try:
        return any(name.startswith(FILE_NAME) for name in os.listdir(folder)) or has_copies(folder)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # opening it says what is the matter


def missing(folder: Path) -> LibraryMissing:
    """Return the error to show where a library should be and is not."""
    return LibraryMissing(
        f"There is no library in {folder}.",
        "Check the folder (--library, or $WORKBENCH_LIBRARY) and whether its drive is connected. “workbench add PATH”"
        " and the window make a new library.",
    )


def _is_database(path: Path) -> bool:
    """Tell whether a file begins as every SQLite database does."""
    if not os.access(path, os.R_OK):
        return True  # for SQLite to say
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def add_functions(connection: sqlite3.Connection) -> None:
    """Make the functions known that our queries and triggers call."""
    # SQLite itself knows the case of ASCII letters only.
    connection.create_function("folded", 1, folded, deterministic=True)
    # The triggers of document_names call it.
    connection.create_function("name_words", 1, name_words, deterministic=True)
    connection.create_function("row_checksum", -1, row_checksum, deterministic=True)


def prepare_new(writer: sqlite3.Connection) -> None:
    """Set up what can be set in a file only before anything is in it."""
    # 8 KiB pages hold five 384-wide vectors with 5 % to spare; 4 KiB pages hold two with 25 %.
    writer.execute("PRAGMA page_size = 8192")
    writer.execute("PRAGMA auto_vacuum = INCREMENTAL")


def _prepare(writer: sqlite3.Connection, path: Path, steps: tuple[MigrationStep, ...]) -> bool:
    """Make a library of the file, or bring it up to date; return whether there was none."""
    # First of all: a file that is not ours, or of a later version, must not be changed by a single byte.
    version = found_version(writer, path, steps)
    if version is None:
        prepare_new(writer)
    _make_durable(writer)
    migrate(writer, path, steps, version)
    if version != steps[-1].number:
        # A log that somebody takes for rubbish must not be all that there is of a new library.
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return version is None


def _make_durable(writer: sqlite3.Connection) -> None:
    writer.execute("PRAGMA journal_mode = WAL")
    # FULL: what was acknowledged survives a power cut. NORMAL would survive only a kill of the program.
    writer.execute("PRAGMA synchronous = FULL")
    writer.execute("PRAGMA fullfsync = ON")
    writer.execute("PRAGMA journal_size_limit = 67108864")

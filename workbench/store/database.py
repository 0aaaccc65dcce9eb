"""The library's database: one file, one serialised writer, many readers."""

import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.errors import LibraryDamaged, LibraryError
from workbench.language import mark
from workbench.store.failures import library_error
from workbench.store.lock import LibraryLock, unwritable
from workbench.store.migration import Step, found_version, migrate, shipped_steps
from workbench.store.name_words import name_words
from workbench.store.values import absolute_path, folded

logger = logging.getLogger(__name__)

FILE_NAME = "library.sqlite3"
_CLOSED = mark("The library is closed.")


class Database:
    """Opens a library folder; the rooms' stores share it and are safe on any thread.

    Attributes:
        folder: The library folder.
        path: The database file in it.
        revision: Grows whenever the set of searchable chunks changes; for caches in this process, the only writer.
        returned: Grows when chunks may have come back under numbers that were gone.
        writes: Grows with every write.
    """

    def __init__(self, folder: Path, lock: LibraryLock) -> None:
        self.folder = folder
        self.path = folder / FILE_NAME
        self.revision = 0
        self.returned = 0
        self.writes = 0
        self._lock = lock
        self._write_lock = threading.RLock()
        self._is_writing = False
        self._idle: deque[sqlite3.Connection] = deque()
        self._opened = threading.Event()
        self._writer: sqlite3.Connection | None = None

    @classmethod
    def open(cls, folder: Path, *, steps: tuple[Step, ...] | None = None) -> "Database":
        """Open the library in folder, making both where they are absent.

        Args:
            folder: The library folder.
            steps: Schema files; those of the program unless given.

        Raises:
            LibraryLocked: It is open elsewhere.
            LibraryTooNew: A later version of the program wrote it.
            LibraryUnwritable: The folder cannot be made or written.
            LibraryDamaged: The file is not a library, or is broken.
            DiskFull: There is no room to make it.
        """
        folder = Path(absolute_path(folder))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(folder, error) from error
        database = cls(folder, LibraryLock(folder))
        try:
            with database._translated():
                database._writer = database._connect()
                _prepare(database._writer, database.path, steps or shipped_steps())
        except BaseException:
            database.close()
            raise
        database._opened.set()
        return database

    def close(self) -> None:
        """Write the log back into the file, close every connection and give up the lock."""
        with self._write_lock:
            was_open = self._opened.is_set()
            self._opened.clear()
            while self._idle:
                self._idle.pop().close()
            writer, self._writer = self._writer, None
            if writer is not None:
                try:
                    if was_open:
                        writer.execute("PRAGMA optimize")
                        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                except sqlite3.Error as error:
                    # What was acknowledged is in the log already; the next start takes it from there.
                    logger.info("The log was not written back on closing: %s", error)
                finally:
                    writer.close()
            self._lock.close()

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Give a connection that sees one state of the library throughout, whatever is written meanwhile."""
        if not self._opened.is_set():
            raise LibraryError(_CLOSED, "Open it again.")
        with self._translated():
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect(read_only=True)
            try:
                connection.execute("BEGIN")
                try:
                    yield connection
                finally:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
            finally:
                if self._opened.is_set():
                    self._idle.append(connection)
                else:
                    connection.close()

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Give the writing connection inside one transaction: kept whole on leaving, undone whole on an exception.

        Writers wait for one another. Within a write, a further write() of the same thread joins the transaction.
        """
        with self._write_lock, self._translated():
            writer = self._writer
            if writer is None or not self._opened.is_set():
                raise LibraryError(_CLOSED, "Open it again.")
            if self._is_writing:
                yield writer
                return
            writer.execute("BEGIN IMMEDIATE")
            self._is_writing = True
            before = self.revision
            try:
                yield writer
                writer.execute("COMMIT")
                self.writes += 1
                if self.revision != before:
                    # Once more: a reader between the change of the number and the commit kept the old state under it.
                    self.revision += 1
            except BaseException:
                if writer.in_transaction:
                    writer.execute("ROLLBACK")
                raise
            finally:
                self._is_writing = False

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
            with self.write() as connection:
                problems = [row[0] for row in connection.execute("PRAGMA quick_check(3)") if row[0] != "ok"]
                orphans = {row[0] for row in connection.execute("PRAGMA foreign_key_check")}
                problems += [f"rows without an owner in {table}" for table in sorted(orphans)]
                connection.execute("INSERT INTO keyword_index (keyword_index) VALUES ('integrity-check')")
        except LibraryDamaged as error:
            return error.message
        return "; ".join(problems)

    def _connect(self, *, read_only: bool = False) -> sqlite3.Connection:
        # Threads share connections one after the other (the pool, the write lock), never at once.
        connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, cached_statements=256)
        connection.execute("PRAGMA busy_timeout = 10000")
        connection.execute("PRAGMA foreign_keys = ON")
        # SQLite itself knows the case of ASCII letters only.
        connection.create_function("folded", 1, folded, deterministic=True)
        # The triggers of document_names call it.
        connection.create_function("name_words", 1, name_words, deterministic=True)
        connection.execute("PRAGMA temp_store = MEMORY")
        # The file is not mapped: searches of 1,000,000 chunks take as long (6 ms of processor time), and the program
        # held 340 MB of the file where it now holds 110. 16 MB for the one that writes are filled once and kept, and
        # store 4,000 pages in the same time as 4 MB do.
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


def _prepare(writer: sqlite3.Connection, path: Path, steps: tuple[Step, ...]) -> None:
    # First of all: a file that is not ours, or of a later version, must not be changed by a single byte.
    version = found_version(writer, path, steps)
    if version is None:
        # 8 KiB pages hold five 384-wide vectors with 5 % to spare; 4 KiB pages hold two with 25 %.
        writer.execute("PRAGMA page_size = 8192")
        writer.execute("PRAGMA auto_vacuum = INCREMENTAL")
    writer.execute("PRAGMA journal_mode = WAL")
    # FULL: what was acknowledged survives a power cut. NORMAL would survive only a kill of the program.
    writer.execute("PRAGMA synchronous = FULL")
    writer.execute("PRAGMA fullfsync = ON")
    writer.execute("PRAGMA journal_size_limit = 67108864")
    migrate(writer, path, steps, version)

"""Read-only access to a library, while another program writes it or on a read-only medium."""

import contextlib
import logging
import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

from workbench.errors import LibraryError, LibraryOutdated, LibraryUnwritable
from workbench.language import mark
from workbench.store.backups import LOGS
from workbench.store.lock import LockHolder, holder_of, is_open_noted, locked_by, shared_lock

logger = logging.getLogger(__name__)


class Reader:
    """Read-only connections, and a change counter for writes of other programs.

    Nothing is written to the library's folder. SQLite creates the two files that it keeps next to an open database if
    they are missing; close() has it delete them.

    Attributes:
        is_unwritable: The folder or the database cannot be written: a read-only medium, or missing permissions.
    """

    def __init__(self, database: Path) -> None:
        """Determine the mode in which the database can be read, without connecting.

        Raises:
            LibraryError: Its last changes are in a log that cannot be recovered without writing.
        """
        self._path = database
        self.is_unwritable = not (os.access(database, os.W_OK) and os.access(database.parent, os.W_OK))
        # No program can begin to write while it is held: SQLite does not detect changes in a file opened as immutable.
        self._lock: int | None = None
        self._mode = "mode=ro"
        if self.is_unwritable:
            self._lock = shared_lock(database.parent)
            if self._lock is not None or not self._log.exists():
                self._mode = "mode=ro&immutable=1"
        if self._lock is not None and self._has_changes_in_log():
            self._release()
            raise LibraryError(
                f"The library in {database.parent} was not closed properly: its last changes are still in"
                f" {self._log.name} and cannot be applied in a read-only place.",
                "Copy the whole library folder to a place that you may write to, and open it there.",
            )
        self._watching = threading.Lock()
        self._watch: sqlite3.Connection | None = None
        self._state: tuple[int, int] | None = None
        self._changes = 0

    @property
    def holder(self) -> LockHolder | None:
        """The program that has the library open to write; None if there is none."""
        return holder_of(self._path.parent)

    def connect(self) -> sqlite3.Connection:
        """Return a new connection that cannot write.

        Raises:
            sqlite3.Error: The file cannot be opened.
        """
        return sqlite3.connect(
            f"{self._path.as_uri()}?{self._mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )

    def changes(self) -> int:
        """Return a number that grows when another program has written since the last call; takes 23 microseconds.

        Raises:
            LibraryError: A program of a later version has migrated the library meanwhile.
            sqlite3.Error: The file cannot be read.
        """
        with self._watching:
            if self._watch is None:
                self._watch = self.connect()
                self._watch.execute("PRAGMA busy_timeout = 10000")
            watch = self._watch
            now = tuple(watch.execute(f"PRAGMA {name}").fetchone()[0] for name in ("data_version", "user_version"))
            if self._state is not None and now[1] != self._state[1]:
                raise LibraryError(
                    f"The library in {self._path.parent} was brought up to date by another version of this program.",
                    "Start this program again.",
                )
            if now != self._state:
                self._state = (now[0], now[1])
                self._changes += 1
            return self._changes

    @property
    def state(self) -> str:
        """Reason for read-only access, as the beginning of a sentence."""
        if (holder := self.holder) is not None:
            return f"The library is open in {holder}"
        return "This library is read-only" if self.is_unwritable else "The library is opened to read only"

    def refusal(self) -> LibraryError:
        """Return the error for an attempted change."""
        if (holder := self.holder) is not None:
            return locked_by(self._path.parent, holder, mark("Make the change there, or close it there first."))
        if self.is_unwritable:
            return LibraryUnwritable(
                f"This library is read-only: {self._path.parent} cannot be written.",
                "Copy the library folder to a place that you may write to, or change its permissions.",
            )
        return LibraryUnwritable(f"The library {self._path.parent} was opened read-only.", "Open it to change it.")

    def outdated(self) -> LibraryOutdated:
        """Return the error for a library that must first be migrated by a program that may write it."""
        return LibraryOutdated(
            f"The library in {self._path.parent} has to be brought up to date before it can be read.",
            "Open it once where it is writable and not open in another program: in the window, or with “workbench"
            " check”.",
        )

    def close(self) -> None:
        """Close the remaining resources, after all other connections are closed."""
        with self._watching:
            if self._watch is not None:
                self._watch.close()
                self._watch = None
        self._release()
        if not self.is_unwritable:
            with contextlib.suppress(OSError, sqlite3.Error):
                self._drop_empty_log()

    def _drop_empty_log(self) -> None:
        """Let SQLite delete an empty log created by it or left by a writer, as the last connection that may write.

        A log with changes, or of a killed program, is kept: the next start of that program needs it.
        """
        if not self._log.exists() or self._log.stat().st_size or is_open_noted(self._path.parent):
            return
        connection = sqlite3.connect(f"{self._path.as_uri()}?mode=rw", uri=True, isolation_level=None)
        try:
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
        finally:
            connection.close()

    def _has_changes_in_log(self) -> bool:
        return self._log.exists() and self._log.stat().st_size > 0

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @property
    def _log(self) -> Path:
        return self._path.with_name(self._path.name + LOGS[0])


@contextlib.contextmanager
def explain_unreadable(folder: Path) -> Iterator[None]:
    """Translate the errors of a database that cannot be opened to read, because SQLite's codes refer to writing.

    Raises:
        LibraryError: Instead of SQLITE_CANTOPEN and SQLITE_READONLY.
    """
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        raise LibraryError(
            f"The library in {folder} cannot be read: a program that was killed left changes in its log, or you have"
            " no permission to read its files.",
            "Open it in a place that you can write to, or copy the whole folder to such a place.",
        ) from error

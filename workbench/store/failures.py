"""Translation of SQLite errors into the program's own errors."""

import shutil
import sqlite3
from pathlib import Path

from workbench.errors import DiskFull, LibraryDamaged, LibraryError, LibraryLocked, LibraryUnwritable

_UNWRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
# Message of Python's own error, which has no code: a flipped bit has made a text invalid UTF-8.
_NO_TEXT = "Could not decode to UTF-8"
_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


# Twice the space that SQLite needs next to a database before it reads from it.
_LEAST_ROOM = 1 << 16


def library_error(error: sqlite3.Error, folder: Path) -> LibraryError | None:
    """Return the error to show for an SQLite error, or None if it is our bug (bad SQL, a broken constraint)."""
    # The primary code is the low byte; Python's own errors (ProgrammingError) carry none.
    code = getattr(error, "sqlite_errorcode", -1) & 0xFF
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _is_full(folder)):
        return DiskFull(
            f"There is no room left on the disk that holds the library {folder}.",
            "Free some space and try again; nothing that was saved before is lost.",
        )
    if code in _UNWRITABLE:
        return LibraryUnwritable(
            f"The library in {folder} cannot be written.",
            "Choose a folder you may write to, or change its permissions.",
        )
    if code in _DAMAGED:
        return LibraryDamaged(
            f"The library's database in {folder} is damaged.",
            "Repair it with “Check the library…” or “workbench repair”. This deletes nothing.",
        )
    if isinstance(error, sqlite3.OperationalError) and str(error).startswith(_NO_TEXT):
        return LibraryDamaged(
            "Some data in the library can no longer be read.",
            "Repair it with “Check the library…” or “workbench repair”. This deletes nothing.",
        )
    if code in _LOCKED:
        return LibraryLocked(
            f"The library's database in {folder} is being used by another program.",
            "Close the other program and try again.",
        )
    if code == sqlite3.SQLITE_IOERR:
        return LibraryError(
            f"The disk that holds the library {folder} failed to read or write.",
            "Check that the drive is connected and has room, then try again.",
        )
    return None


def _is_full(folder: Path) -> bool:
    """Return whether the disk is full: SQLite reports that for the database, but an I/O error for its other files."""
    try:
        return shutil.disk_usage(folder).free < _LEAST_ROOM
    except OSError:
        return False

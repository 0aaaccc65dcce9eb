"""Backups of the database: checked copies that can be listed, restored and limited in number per reason.

    library.sqlite3 -> backups/0007-weekly-20261122T132033Z.sqlite3
                       backups/0008-migration-schema-0021-20261126T104500Z.sqlite3

The leading number defines their order: if the clock is wrong for a day, the newest backup must not look like the
oldest.
"""

import contextlib
import logging
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from workbench.errors import DiskFull, LibraryDamaged, LibraryError, LibraryTooNew, NotFound
from workbench.files.changes import delete_file, delete_folder, move_into_place
from workbench.files.modes import make_folder, new_file
from workbench.model.document import ORIGINALS
from workbench.model.integrity_report import Backup, BackupProgress, BackupReason
from workbench.model.memory import DEFAULT_USER
from workbench.store.failures import library_error
from workbench.store.lock import unwritable
from workbench.store.session_rows import USERS, USERS_BEFORE_READINGS
from workbench.store.stored_values import FILES_WANTED, loaded_text, put_state
from workbench.system import current

logger = logging.getLogger(__name__)

FOLDER = "backups"
KEPT = {
    BackupReason.MIGRATION: 2,
    BackupReason.REPAIR: 3,
    BackupReason.RESTORE: 3,
    BackupReason.WEEKLY: 2,
}
"""Number of backups kept per reason; those that a person made are deleted by that person only."""

APPLICATION_ID = 0x4B6E5762
"""Identifies our files ("KnWb"): another program's database is refused instead of migrated."""

LOGS = ("-wal", "-shm")
"""Suffixes of the files that SQLite keeps next to an open database."""

UNFINISHED = ".unfinished"
"""Suffix of an unfinished database file; the remains of a killed program are deleted at the next opening."""

_NAME = re.compile(r"(\d+)-([a-z-]+?)(?:-schema-\d{4})?-(\d{8}T\d{6}Z)\.sqlite3")
_OF_EARLIER_VERSIONS = re.compile(r"library-before-\d{4}\.sqlite3")
MAGIC = b"SQLite format 3\0"
"""First bytes of every SQLite file (https://www.sqlite.org/fileformat2.html#the_database_header)."""
# Length of the header, and the positions of user_version and application_id in it.
_HEADER, _VERSION, _APPLICATION = 100, slice(60, 64), slice(68, 72)
# Number of pages copied between two progress reports: 16 MB.
_PIECE = 2000
# Space needed in addition to the copy: its folder, and the files that SQLite creates next to it during the check.
_ROOM_BESIDE = 1 << 17


def list_backups(folder: Path) -> list[Backup]:
    """Return the backups in a library folder, newest first; those of earlier versions come last."""
    found = []
    for path in _files(folder):
        header = _header(path)
        if header is None:
            continue
        number, reason, made = _parse_name(path)
        schema = int.from_bytes(header[_VERSION], "big")
        found.append((number, Backup(path.name, reason, made, path.stat().st_size, schema, _users_of(path))))
    return [backup for _, backup in sorted(found, key=lambda one: (one[0], one[1].made), reverse=True)]


def back_up(
    connection: sqlite3.Connection,
    folder: Path,
    reason: BackupReason,
    *,
    report: Callable[[BackupProgress], None] = lambda _progress: None,
    spare: str = "",
) -> Backup:
    """Return a new, checked backup of the database, and delete excess backups made for the same reason.

    Args:
        connection: Connection to the database; if it is in a transaction, the state of that transaction is copied.
        folder: The library folder.
        reason: Reason of the backup.
        report: Called with the progress; an exception that it raises cancels the backup and deletes the copy.
        spare: Name of a backup that is kept regardless of its age.

    Raises:
        DiskFull: There is not enough space.
        LibraryUnwritable: The folder cannot be written.
        LibraryDamaged: The copy is not sound.
    """
    pages, size = (int(connection.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("page_count", "page_size"))
    _require_room(folder, pages * size)
    target = _new_name(folder, reason, int(connection.execute("PRAGMA user_version").fetchone()[0]))
    unfinished = target.with_name(target.name + UNFINISHED)

    def report_progress(_status: int, left: int, total: int) -> None:
        report(BackupProgress(total - left, total))

    with _clean_up(unfinished, folder):
        new_file(unfinished, inherit=True)
        copy = sqlite3.connect(unfinished, isolation_level=None)
        try:
            connection.backup(copy, pages=_PIECE, progress=report_progress)
            # A single file without a log, which can be moved elsewhere.
            copy.execute("PRAGMA journal_mode = DELETE")
            _require_sound(copy, folder)
        finally:
            copy.close()
        _flush_to_disk(unfinished)
        move_into_place(unfinished, target, within=folder)
        for names in (target.parent, folder):  # the folder of the backups may be new
            _flush_to_disk(names)
    logger.info("Backed the library up to %s", target)
    _keep_few(folder, reason, spare)
    return _find_backup(folder, target.name)


def remove_backup(folder: Path, name: str) -> Backup:
    """Delete a backup and return its description.

    Raises:
        NotFound: There is no backup of that name.
    """
    found = _find_backup(folder, name)
    delete_file(path_of(folder, name), within=folder)
    return found


def path_of(folder: Path, name: str) -> Path:
    """Return the path of a backup.

    Raises:
        NotFound: There is no backup of that name.
    """
    for path in _files(folder):
        if path.name == name:
            return path
    raise NotFound(f"There is no backup “{name}”.", "“workbench backup list” shows what there is.")


def replace_by_backup(folder: Path, name: str, database: Path, newest: int) -> Backup:
    """Schedule a backup to replace the database at its next opening, safe against interruption, and return it.

    Args:
        folder: The library folder, locked by the caller; the database must not be open.
        name: Name of the backup.
        database: The file that is replaced.
        newest: The newest schema number known to this program.

    Raises:
        NotFound: There is no backup of that name.
        LibraryDamaged: The backup is not sound; nothing was changed.
        LibraryTooNew: A later version of the program made it; nothing was changed.
        DiskFull: There is not enough space for a copy; nothing was changed.
    """
    backup, source = _find_backup(folder, name), path_of(folder, name)
    if backup.schema > newest:
        raise LibraryTooNew(f"The backup “{name}” was made by a later version of this program.", "Update the program.")
    _require_room(folder, backup.size)
    unfinished = database.with_name(database.name + UNFINISHED)
    with _clean_up(unfinished, folder):
        new_file(unfinished, inherit=True)
        shutil.copyfile(source, unfinished)
        copy = sqlite3.connect(unfinished, isolation_level=None)
        try:
            _require_sound(copy, folder)
            # Documents added after the backup was made are known only by their files.
            put_state(copy, FILES_WANTED, "wanted")
        finally:
            copy.close()
        _schedule(unfinished, database)
    return backup


def finish_replacement(database: Path) -> bool:
    """Finish a replacement begun by replace_by_backup() or a repair; return whether there was one.

    The old log is deleted before the new file is moved into place, because SQLite would write its content into that
    file. If the program is killed in between, the new file keeps waiting.
    """
    for ending in ("", "-journal", *LOGS):
        left = database.with_name(f"{database.name}{UNFINISHED}{ending}")
        delete_file(left, within=database.parent, missing_ok=True)
    waiting = _waiting(database)
    if not waiting.exists():
        return False
    for ending in LOGS:
        delete_file(database.with_name(database.name + ending), within=database.parent, missing_ok=True)
    move_into_place(waiting, database, within=database.parent)
    _flush_to_disk(database.parent)
    logger.info("Another database took the place of %s", database)
    return True


def is_replacement_pending(database: Path) -> bool:
    """Return whether another file replaces the database at its next opening."""
    return _waiting(database).exists()


def schedule_replacement(made: Path, database: Path) -> None:
    """Schedule a file created next to the database to replace it at its next opening."""
    _schedule(made, database)


def move_to_quarantine(folder: Path, paths: Iterable[Path]) -> Path:
    """Link files into a new folder below “damaged” and return that folder, to be deleted by the user.

    The caller deletes the original names afterwards; if the file system has no hard links, the files are copied.

    Raises:
        DiskFull: There is not enough space.
        LibraryUnwritable: The folder cannot be written.
    """
    target = new_quarantine_folder(folder)
    try:
        for path in (path for path in paths if path.exists()):
            try:
                os.link(path, target / path.name)
            except OSError:
                new_file(target / path.name, inherit=True)
                shutil.copyfile(path, target / path.name)
                _flush_to_disk(target / path.name)
        _flush_to_disk(target)
    except OSError as error:
        delete_folder(target, within=folder)
        raise unwritable(folder, error) from error
    return target


def new_quarantine_folder(folder: Path) -> Path:
    """Return a new, empty folder for what a repair quarantines.

    Raises:
        LibraryUnwritable: The folder cannot be created.
    """
    stamp = _stamp()
    try:
        for number in range(1000):
            target = folder / "damaged" / (f"{stamp}-{number}" if number else stamp)
            if not target.exists():
                make_folder(target, inherit=True)
                return target
    except OSError as error:
        raise unwritable(folder, error) from error
    raise LibraryError("There are too many folders of damaged files to name another one.", "Delete some of them.")


def has_copies(folder: Path) -> bool:
    """Return whether a library folder contains copies of documents' files."""
    return next((folder / ORIGINALS).glob("??/*/*"), None) is not None


def megabytes(size: int) -> str:
    """Format a size in megabytes."""
    return f"{size / 1e6:,.1f} MB"


def _header(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except OSError:
        return None
    return header if len(header) == _HEADER and header.startswith(MAGIC) else None


def _users_of(path: Path) -> tuple[str, ...]:
    """Return the users with data in a backup; empty if they cannot be read."""
    try:
        # Opened as immutable, so that SQLite creates no files next to it.
        address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        with contextlib.closing(sqlite3.connect(address, uri=True)) as connection:
            for users in (USERS, USERS_BEFORE_READINGS):
                with contextlib.suppress(sqlite3.OperationalError):
                    return tuple(sorted(loaded_text(row[0]) for row in connection.execute(users)))
            return (DEFAULT_USER,)  # made before sessions had users
    except (sqlite3.Error, LibraryDamaged):
        return ()


def _files(folder: Path) -> list[Path]:
    made = [path for path in (folder / FOLDER).glob("*.sqlite3") if _NAME.fullmatch(path.name)]
    return made + [path for path in folder.glob("*.sqlite3") if _OF_EARLIER_VERSIONS.fullmatch(path.name)]


def _parse_name(path: Path) -> tuple[int, BackupReason, str]:
    """Return number, reason and time of a backup."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        made = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return 0, BackupReason.MIGRATION, made.isoformat(timespec="seconds")
    made = datetime.strptime(match[3], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    try:
        reason = BackupReason(match[2].replace("-", " "))
    except ValueError:
        reason = BackupReason.BY_HAND  # made by a later version, so it must not be deleted automatically
    return int(match[1]), reason, made.isoformat(timespec="seconds")


def _find_backup(folder: Path, name: str) -> Backup:
    path_of(folder, name)
    for backup in list_backups(folder):
        if backup.name == name:
            return backup
    raise LibraryDamaged(f"The backup “{name}” is damaged.", "Choose another one: “workbench backup list”.")


def _new_name(folder: Path, reason: BackupReason, schema: int) -> Path:
    try:
        make_folder(folder / FOLDER, inherit=True)
        for left in (folder / FOLDER).glob(f"*{UNFINISHED}*"):
            delete_file(left, within=folder)
    except OSError as error:
        raise unwritable(folder, error) from error
    number = 1 + max((_parse_name(path)[0] for path in _files(folder)), default=0)
    # The name tells which version of the program can read the backup.
    of_schema = f"-schema-{schema:04}" if reason is BackupReason.MIGRATION else ""
    return folder / FOLDER / f"{number:04}-{reason.value.replace(' ', '-')}{of_schema}-{_stamp()}.sqlite3"


def _stamp() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")


def _keep_few(folder: Path, reason: BackupReason, spare: str) -> None:
    most = KEPT.get(reason)
    if most is None:
        return
    # Backups of earlier versions stay, because users know their location.
    candidates = [one for one in list_backups(folder) if one.reason is reason and _NAME.fullmatch(one.name)]
    for old in candidates[most:]:
        if old.name == spare:
            continue
        with contextlib.suppress(OSError):
            delete_file(path_of(folder, old.name), within=folder)


def _require_room(folder: Path, size: int) -> None:
    free, needed = shutil.disk_usage(folder).free, size + _ROOM_BESIDE
    if free < needed:
        raise DiskFull(
            f"There is no room for a copy of the library's database: it takes {megabytes(needed)}, and"
            f" {megabytes(free)} are free.",
            "Free some space and try again; nothing was changed.",
        )


def _require_sound(copy: sqlite3.Connection, folder: Path) -> None:
    problems = [row[0] for row in copy.execute("PRAGMA quick_check(1)") if row[0] != "ok"]
    if problems or copy.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise LibraryDamaged(
            f"A copy of the library's database in {folder} is damaged and was not kept.",
            "Check the library: “workbench check”; nothing was changed.",
        )


def _waiting(database: Path) -> Path:
    return database.with_name(database.name + ".next")


def _schedule(unfinished: Path, database: Path) -> None:
    _flush_to_disk(unfinished)
    move_into_place(unfinished, _waiting(database), within=database.parent)
    _flush_to_disk(database.parent)


@contextlib.contextmanager
def _clean_up(unfinished: Path, folder: Path) -> Iterator[None]:
    """Translate errors, and delete an unfinished file in any case."""
    try:
        yield
    except sqlite3.Error as error:
        translated = library_error(error, folder)
        if translated is None:
            raise
        raise translated from error
    except OSError as error:
        raise unwritable(folder, error) from error
    finally:
        for ending in ("", "-journal", *LOGS):
            with contextlib.suppress(OSError):
                delete_file(unfinished.with_name(unfinished.name + ending), within=folder, missing_ok=True)


def _flush_to_disk(path: Path) -> None:
    """Flush a file, or the entries of a folder, to the disk before anything that depends on it is deleted."""
    if not current().can_sync_folders and path.is_dir():
        return
    number = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(number)
    except OSError as error:
        if not path.is_dir():
            raise
        logger.info("The names in %s may not be on the disk: %s", path, error)  # on some network file systems
    finally:
        os.close(number)

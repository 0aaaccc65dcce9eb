"""Disk and folder faults under an open library: a clear message for each, and no acknowledged data lost."""

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import DiskFull, LibraryDamaged, LibraryError, LibraryLocked, LibraryMoved, LibraryUnwritable
from workbench.store import database as database_module
from workbench.store.database import FILE_NAME, Database
from workbench.store.lock import LibraryLock
from workbench.store.sessions import SessionStore


def _titles(folder: Path) -> list[str]:
    database = Database.open(folder)
    found = [session.title for session in SessionStore(database).list()]
    database.close()
    return sorted(found)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Database]:
    """Yield an open library with one stored session."""
    database = Database.open(tmp_path / "library")
    SessionStore(database).create("kept")
    yield database
    database.close()


class _Failing:
    """Connection on which some statements fail with an SQLite error."""

    def __init__(self, connection: sqlite3.Connection, statement: str, code: int) -> None:
        self._connection, self._statement, self._code = connection, statement, code

    def execute(self, sql: str, *arguments: Any) -> Any:
        if sql.startswith(self._statement):
            error = sqlite3.OperationalError("the disk says no")
            error.sqlite_errorcode = self._code
            raise error
        return self._connection.execute(sql, *arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@pytest.mark.parametrize("statement", ["BEGIN IMMEDIATE", "INSERT", "COMMIT"])
@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        (sqlite3.SQLITE_FULL, DiskFull, "There is no room left on the disk"),
        (sqlite3.SQLITE_IOERR | 3 << 8, LibraryError, "failed to read or write"),
        (sqlite3.SQLITE_IOERR | 13 << 8, LibraryError, "failed to read or write"),
        (sqlite3.SQLITE_READONLY, LibraryUnwritable, "cannot be written"),
        (sqlite3.SQLITE_CANTOPEN, LibraryUnwritable, "cannot be written"),
        (sqlite3.SQLITE_BUSY, LibraryLocked, "being used by another program"),
        (sqlite3.SQLITE_CORRUPT, LibraryDamaged, "is damaged"),
    ],
)
def test_a_write_that_fails_at_any_point_reports_the_reason_and_other_data_is_kept(
    opened: Database, code: int, kind: type[LibraryError], said: str, statement: str
) -> None:
    whole = opened._writer
    assert whole is not None
    opened._writer = _Failing(whole, statement, code)  # type: ignore[assignment]
    with pytest.raises(kind, match=said):
        SessionStore(opened).create("not kept")
    opened._writer = whole
    SessionStore(opened).create("kept later")
    opened.close()
    assert _titles(opened.folder) == ["kept", "kept later"]


@pytest.mark.parametrize(
    ("number", "kind"), [(errno.ENOSPC, DiskFull), (errno.EIO, LibraryError), (errno.EACCES, LibraryUnwritable)]
)
def test_a_folder_that_cannot_be_created_is_reported_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[LibraryError]
) -> None:
    def fail(*_arguments: Any, **_more: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "mkdir", fail)
    with pytest.raises(kind) as raised:
        Database.open(tmp_path / "library")
    assert type(raised.value) is kind


def test_a_file_size_limit_ends_a_write_and_keeps_what_was_there(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    code = (
        "import resource, signal, sys, pathlib\n"
        "from workbench.errors import LibraryError\n"
        "from workbench.store.database import Database\n"
        "from workbench.store.sessions import SessionStore\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "store = SessionStore(Database.open(pathlib.Path(sys.argv[1])))\n"
        "store.create('kept')\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
        "kept = 0\n"
        "try:\n"
        "    for number in range(300):\n"
        "        store.create(f'{number}' * 2000); kept += 1\n"
        "except LibraryError as error:\n"
        "    print(kept, type(error).__name__, error.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "library")], capture_output=True, text=True, timeout=60, check=False
    )
    kept, kind, _said = done.stdout.split(" ", 2)
    assert kind in ("DiskFull", "LibraryError"), done
    assert len(_titles(tmp_path / "library")) == int(kept) + 1


def _moved(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


def _removed(folder: Path) -> None:
    shutil.rmtree(folder)


def _replaced(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    other = Database.open(folder)
    SessionStore(other).create("of another library")
    other.close()


def _file_replaced(folder: Path) -> None:
    copy = folder / "copy"
    shutil.copy(folder / FILE_NAME, copy)
    copy.replace(folder / FILE_NAME)


@pytest.mark.parametrize("happens", [_moved, _removed, _replaced, _file_replaced])
def test_a_moved_removed_or_replaced_library_is_neither_written_nor_read(
    opened: Database, happens: Callable[[Path], None]
) -> None:
    happens(opened.folder)
    with pytest.raises(LibraryMoved, match="was moved, removed or replaced while it was open"):
        SessionStore(opened).create("nowhere")
    while opened._idle:
        opened._idle.pop().close()
    with pytest.raises(LibraryMoved):
        SessionStore(opened).list()


def test_a_moved_library_keeps_everything_and_works_again_when_it_is_moved_back(opened: Database) -> None:
    elsewhere = opened.folder.with_name("elsewhere")
    opened.folder.rename(elsewhere)
    with pytest.raises(LibraryMoved):
        SessionStore(opened).create("nowhere")
    elsewhere.rename(opened.folder)
    SessionStore(opened).create("again")
    opened.close()
    opened.folder.rename(elsewhere)
    assert _titles(elsewhere) == ["again", "kept"]


def test_a_write_during_which_the_library_is_moved_is_not_reported_as_stored(opened: Database) -> None:
    def write() -> None:
        with opened.write() as connection:
            connection.execute("UPDATE sessions SET title = 'changed'")
            opened.folder.rename(opened.folder.with_name("elsewhere"))

    with pytest.raises(LibraryMoved):
        write()


@pytest.mark.parametrize(("number", "kind"), [(errno.EACCES, LibraryUnwritable), (errno.EIO, LibraryError)])
def test_a_permission_or_a_drive_lost_while_open_is_reported(
    opened: Database, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[LibraryError]
) -> None:
    stat = os.stat

    def lost(path: Any, *arguments: Any, **more: Any) -> Any:
        if str(path) == str(opened.path):
            raise OSError(number, os.strerror(number), str(path))
        return stat(path, *arguments, **more)

    with monkeypatch.context() as patch:
        patch.setattr(database_module.os, "stat", lost)
        with pytest.raises(kind) as raised:
            SessionStore(opened).create("not kept")
    assert type(raised.value) is kind
    SessionStore(opened).create("kept later")


def test_a_log_that_is_deleted_while_open_takes_nothing_with_it(opened: Database) -> None:
    log = opened.path.with_name(f"{FILE_NAME}-wal")
    SessionStore(opened).create("in the log")
    log.unlink()
    SessionStore(opened).create("after it")
    assert log.exists()
    # The files that a kill would leave on the disk now.
    killed = opened.folder.with_name("killed")
    shutil.copytree(opened.folder, killed)
    assert _titles(killed) == ["after it", "in the log", "kept"]


def test_a_log_that_is_deleted_after_a_kill_is_noticed(tmp_path: Path) -> None:
    database = Database.open(tmp_path / "library")
    SessionStore(database).create("in the log")
    killed = tmp_path / "killed"
    shutil.copytree(database.folder, killed)
    database.close()
    for ending in ("-wal", "-shm"):
        (killed / f"{FILE_NAME}{ending}").unlink()
    opened = Database.open(killed)
    assert (opened.was_left, opened.lost_log) == (True, True)
    opened.close()
    again = Database.open(killed)
    assert (again.was_left, again.lost_log) == (False, False)
    again.close()


def test_a_kill_alone_loses_no_log(tmp_path: Path) -> None:
    database = Database.open(tmp_path / "library")
    SessionStore(database).create("in the log")
    killed = tmp_path / "killed"
    shutil.copytree(database.folder, killed)
    database.close()
    opened = Database.open(killed)
    assert (opened.was_left, opened.lost_log) == (True, False)
    opened.close()
    assert _titles(killed) == ["in the log"]


def test_a_read_only_database_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Database.open(tmp_path).close()
    monkeypatch.setattr(database_module.os, "access", lambda _path, _mode: False)
    with pytest.raises(LibraryUnwritable, match=r"library\.sqlite3 is read-only"):
        Database.open(tmp_path)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOTSUP])
def test_a_disk_without_lock_support_is_not_mistaken_for_another_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(_descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("workbench.store.lock._lock", refuse)
    with pytest.raises(LibraryUnwritable, match="cannot keep two programs from writing at once"):
        LibraryLock(tmp_path)


def test_a_database_file_locked_by_another_program_is_reported(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    other = sqlite3.connect(database.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert database._writer is not None
    database._writer.execute("PRAGMA busy_timeout = 50")
    with pytest.raises(LibraryLocked, match="being used by another program"):
        SessionStore(database).create("not kept")
    other.execute("ROLLBACK")
    other.close()
    SessionStore(database).create("kept")
    database.close()
    assert _titles(tmp_path) == ["kept"]

"""Backups of the database: made atomically and verified, a few kept of each kind, and restored."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.errors import DiskFull, LibraryDamaged, LibraryTooNew, NotFound
from workbench.model.integrity_report import BackupProgress, BackupReason
from workbench.store.backups import back_up, finish_replacement, list_backups, path_of, remove_backup, replace_by_backup
from workbench.store.database import FILE_NAME, Database
from workbench.store.library_state import files_wanted, settle_files
from workbench.store.migration import MigrationStep, shipped_steps
from workbench.store.stored_values import put_state, state

NEWEST = shipped_steps()[-1].number
NEXT = MigrationStep(NEWEST + 1, "CREATE TABLE later (id INTEGER PRIMARY KEY);\n")


def _put(database: Database, value: str) -> None:
    with database.write() as connection:
        put_state(connection, "said", value)


def _said(folder: Path) -> object:
    database = Database.open(folder)
    with database.read() as connection:
        value = state(connection, "said")
    database.close()
    return value


def _backed_up(database: Database, reason: BackupReason = BackupReason.BY_HAND) -> str:
    with database.read() as connection:
        return back_up(connection, database.folder, reason).name


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that sets the free space of every disk in bytes."""

    def set_free(free: int) -> None:
        usage = type("Usage", (), {"free": free})
        monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)

    return set_free


def test_a_backup_is_listed_and_holds_what_was_there(database: Database) -> None:
    _put(database, "first")
    name = _backed_up(database)
    (backup,) = list_backups(database.folder)
    assert (backup.name, backup.reason, backup.schema) == (name, BackupReason.BY_HAND, NEWEST)
    copy = sqlite3.connect(path_of(database.folder, name))
    assert copy.execute("SELECT value FROM remembered WHERE key = 'said'").fetchone() == ("first",)
    copy.close()


def test_few_backups_of_a_reason_are_kept_and_those_made_by_hand_all(database: Database) -> None:
    for _ in range(5):
        for reason in (BackupReason.WEEKLY, BackupReason.BY_HAND):
            _backed_up(database, reason)
    reasons = [backup.reason for backup in list_backups(database.folder)]
    assert (reasons.count(BackupReason.WEEKLY), reasons.count(BackupReason.BY_HAND)) == (2, 5)


def test_a_clock_that_jumped_back_does_not_make_the_newest_backup_the_oldest(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for stamp in ("20261122T100000Z", "20261123T100000Z", "20010101T000000Z"):
        monkeypatch.setattr("workbench.store.backups._stamp", lambda stamp=stamp: stamp)
        _backed_up(database, BackupReason.WEEKLY)
    assert [backup.made[:4] for backup in list_backups(database.folder)] == ["2001", "2026"]


def test_without_room_no_backup_is_made_and_nothing_is_left_of_it(
    database: Database, full: Callable[[int], None]
) -> None:
    full(1000)
    with pytest.raises(DiskFull, match=r"it takes [\d.]+ MB, and [\d.]+ MB are free"):
        _backed_up(database)
    assert list_backups(database.folder) == []


def test_an_interrupted_backup_leaves_no_files(database: Database) -> None:
    def stop(_progress: BackupProgress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), database.read() as connection:
        back_up(connection, database.folder, BackupReason.BY_HAND, report=stop)
    assert list((database.folder / "backups").iterdir()) == []


def test_a_library_that_cannot_be_backed_up_is_not_migrated(tmp_path: Path, full: Callable[[int], None]) -> None:
    Database.open(tmp_path).close()
    full(1000)
    with pytest.raises(DiskFull, match="is backed up before it is brought up to date"):
        Database.open(tmp_path, steps=(*shipped_steps(), NEXT))
    full(1 << 40)
    Database.open(tmp_path).close()


def test_a_restored_backup_takes_the_place_of_the_database_and_of_its_log(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    _put(database, "first")
    name = _backed_up(database)
    _put(database, "second")
    database.close()
    (tmp_path / f"{FILE_NAME}-wal").write_bytes(b"what somebody left here")
    replace_by_backup(tmp_path, name, tmp_path / FILE_NAME, NEWEST)
    assert _said(tmp_path) == "first"
    assert not (tmp_path / f"{FILE_NAME}.next").exists()


def test_a_restoration_that_was_cut_short_is_finished_by_the_next_start(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    _put(database, "first")
    name = _backed_up(database)
    _put(database, "second")
    database.close()
    replace_by_backup(tmp_path, name, tmp_path / FILE_NAME, NEWEST)
    (tmp_path / FILE_NAME).unlink()  # the kill came between the two files
    assert _said(tmp_path) == "first"
    assert not finish_replacement(tmp_path / FILE_NAME)


@pytest.mark.parametrize("start", [0, 100, 8192])
def test_a_damaged_backup_is_refused_and_the_library_stays(tmp_path: Path, start: int) -> None:
    database = Database.open(tmp_path)
    name = _backed_up(database)
    _put(database, "second")
    database.close()
    path = path_of(tmp_path, name)
    data = bytearray(path.read_bytes())
    data[start : start + 4000] = b"\xff" * 4000
    path.write_bytes(data)
    with pytest.raises((LibraryDamaged, LibraryTooNew)):
        replace_by_backup(tmp_path, name, tmp_path / FILE_NAME, NEWEST)
    assert _said(tmp_path) == "second"


def test_a_backup_of_a_later_version_is_refused(tmp_path: Path) -> None:
    database = Database.open(tmp_path, steps=(*shipped_steps(), NEXT))
    name = _backed_up(database)
    database.close()
    with pytest.raises(LibraryTooNew, match="later version"):
        replace_by_backup(tmp_path, name, tmp_path / FILE_NAME, NEWEST)


def test_an_unknown_backup_is_only_not_found(tmp_path: Path) -> None:
    for refused in (lambda: path_of(tmp_path, "none"), lambda: remove_backup(tmp_path, "../library.sqlite3")):
        with pytest.raises(NotFound, match="no backup"):
            refused()


def test_a_restored_library_keeps_files_that_its_database_does_not_know(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    name = _backed_up(database)
    assert not files_wanted(database)
    database.close()
    replace_by_backup(tmp_path, name, tmp_path / FILE_NAME, NEWEST)
    restored = Database.open(tmp_path)
    assert files_wanted(restored)
    settle_files(restored)
    assert not files_wanted(restored)
    restored.close()


def test_backups_of_earlier_versions_are_listed_and_can_be_restored(tmp_path: Path) -> None:
    database = Database.open(tmp_path)
    _put(database, "first")
    database.close()
    shutil.copy(tmp_path / FILE_NAME, tmp_path / "library-before-0009.sqlite3")
    (backup,) = list_backups(tmp_path)
    assert (backup.name, backup.reason) == ("library-before-0009.sqlite3", BackupReason.MIGRATION)
    replace_by_backup(tmp_path, backup.name, tmp_path / FILE_NAME, NEWEST)
    assert _said(tmp_path) == "first"

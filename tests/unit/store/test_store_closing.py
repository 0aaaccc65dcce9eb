"""File modes of a library: private to its user, unless the folder that was chosen for it is shared."""

import gzip
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.errors import LibraryDamaged
from workbench.files import modes
from workbench.store.database import FILE_NAME, Database

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")

OLD = Path(__file__).resolve().parents[2] / "data" / "library_0001.sqlite3.gz"


@pytest.fixture(autouse=True)
def _umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _opened(folder: Path) -> dict[str, int]:
    """Return the modes of the folder and its content while the library is open and after a write."""
    database = Database.open(folder)
    try:
        with database.write() as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS written (one)")
        return {path.name: _mode(path) for path in (folder, *folder.iterdir())}
    finally:
        database.close()


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return the folder of a library of the first version, readable by everybody."""
    folder = tmp_path / "around" / "library"
    (folder / "originals").mkdir(parents=True)
    with gzip.open(OLD) as source, (folder / FILE_NAME).open("wb") as target:
        shutil.copyfileobj(source, target)
    return folder


def _files(mode: int) -> dict[str, int]:
    return dict.fromkeys([FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm", "library.lock"], mode)


def test_a_new_library_is_its_users_alone(tmp_path: Path) -> None:
    assert _opened(tmp_path / "a" / "library") == {"library": 0o700} | _files(0o600)
    assert _mode(tmp_path / "a") == 0o700


def test_a_folder_that_is_there_is_closed_with_the_library_that_is_made_in_it(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir(0o755)
    assert _opened(tmp_path / "library") == {"library": 0o700} | _files(0o600)


@pytest.mark.parametrize("mode", [0o775, 0o2755])
def test_a_library_in_a_shared_folder_has_the_file_modes_of_the_umask(
    tmp_path: Path, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modes, "is_own_group", lambda _number: False)
    (tmp_path / "library").mkdir()
    (tmp_path / "library").chmod(mode)
    assert _opened(tmp_path / "library") == {"library": mode} | _files(0o644)


def test_a_new_library_below_a_shared_folder_has_the_file_modes_of_the_umask(tmp_path: Path) -> None:
    (tmp_path / "team").mkdir()
    (tmp_path / "team").chmod(0o2775)
    found = _opened(tmp_path / "team" / "library")
    assert found == {"library": 0o2755} | _files(0o644)


def test_a_library_of_an_earlier_version_is_closed_and_what_is_around_it_stays(old: Path) -> None:
    around = [(path, _mode(path)) for path in old.parents[:3]]
    found = _opened(old)
    assert {name: mode for name, mode in found.items() if mode & 0o077} == {}
    assert (found["library"], found["originals"]) == (0o700, 0o700)
    assert [(path, _mode(path)) for path, _ in around] == around


def test_a_shared_library_of_an_earlier_version_stays_as_it_is(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modes, "is_own_group", lambda _number: False)
    old.chmod(0o775)
    found = _opened(old)
    assert (found["library"], found["originals"], found[FILE_NAME]) == (0o775, 0o755, 0o644)


def test_a_library_is_closed_once(old: Path) -> None:
    _opened(old)
    old.chmod(0o755)
    assert _opened(old)["library"] == 0o755


def test_a_folder_with_other_things_in_it_is_not_closed_but_the_library_is(old: Path) -> None:
    (old / "thesis.docx").write_text("mine")
    found = _opened(old)
    assert {name for name, mode in found.items() if mode & 0o077} == {"library", "thesis.docx"}


def test_the_target_of_a_link_in_a_library_keeps_its_file_mode(old: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir(0o755)
    (old / "index").symlink_to(tmp_path / "theirs")
    assert _opened(old)["library"] == 0o700
    assert _mode(tmp_path / "theirs") == 0o755


def test_a_folder_with_another_programs_database_is_not_closed(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    folder.mkdir(0o755)
    (folder / FILE_NAME).write_text("no database, but long enough to be one of something else")
    with pytest.raises(LibraryDamaged):
        _opened(folder)
    assert (_mode(folder), _mode(folder / FILE_NAME)) == (0o755, 0o644)


@pytest.mark.skipif(sys.platform != "linux", reason="locks are looked at through fcntl of Linux")
def test_a_new_library_that_is_closed_to_others_keeps_its_locks(tmp_path: Path) -> None:
    """Without the locks, a second program truncated the index of the log, and the first one ended with SIGBUS."""
    database = Database.open(tmp_path / "library")
    try:
        with database.read() as connection:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            # SQLite's SHARED range of the database, and the dead man's switch in the index of its log.
            assert not _can_lock(database.path, 0x40000002, 510)
            assert not _can_lock(database.path.with_name(f"{FILE_NAME}-shm"), 128, 1)
    finally:
        database.close()


def _can_lock(path: Path, start: int, length: int) -> bool:
    """Return whether another process can take the lock."""
    code = f"import fcntl; fcntl.lockf(open({str(path)!r}, 'r+b'), fcntl.LOCK_EX | fcntl.LOCK_NB, {length}, {start})"
    return subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL, check=False).returncode == 0

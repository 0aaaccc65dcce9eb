"""Deletion of scratch folders: what is removed, and what outside of them is never changed."""

import os
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.system import current
from workbench.worker.scratch import (
    drop_abandoned,
    drop_dead_sockets,
    drop_scratch,
    empty_scratch,
    new_scratch,
    scratch_size,
)

_DEAD = 2**22 + 1
"""Above the largest process number of Linux."""

_CLEAN = "from workbench.worker.scratch import drop_abandoned\ndrop_abandoned()"


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a folder like the system's temporary one, in which every user can create files."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


def _scratch(outside: Path, *, files: int = 3) -> Path:
    folder = Path(tempfile.mkdtemp(prefix=f"workbench-scratch-{_DEAD}-", dir=outside))
    (folder / "deep").mkdir()
    for number in range(files):
        (folder / "deep" / f"{number}.txt").write_text("left")
    return folder


def test_deleting_a_missing_scratch_folder_changes_nothing_around_it(outside: Path) -> None:
    drop_scratch(outside / "workbench-scratch-1-gone")
    assert _mode(outside) == 0o1777


def test_a_scratch_folder_goes_with_folders_that_were_closed_to_its_owner(outside: Path) -> None:
    folder = _scratch(outside)
    (folder / "deep").chmod(0)
    folder.chmod(0o500)
    drop_scratch(folder)
    assert not folder.exists()
    assert _mode(outside) == 0o1777


def test_targets_of_links_in_a_scratch_folder_stay_unchanged_when_it_is_deleted(outside: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir(mode=0o755)
    (theirs / "file.txt").write_text("kept")
    folder = _scratch(outside)
    (folder / "deep" / "link").symlink_to(theirs)
    (folder / "deep" / "file").symlink_to(theirs / "file.txt")
    drop_scratch(folder)
    assert not folder.exists()
    assert (_mode(theirs), (theirs / "file.txt").read_text()) == (0o755, "kept")


def test_a_scratch_folder_is_emptied_of_files_folders_and_links_and_stays(outside: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs.txt").write_text("kept")
    folder = _scratch(outside)
    (folder / "file").write_text("left")
    (folder / "link").symlink_to(tmp_path / "theirs.txt")
    (folder / "deep").chmod(0)
    folder.chmod(0o500)
    empty_scratch(folder)
    assert list(folder.iterdir()) == []
    assert (tmp_path / "theirs.txt").read_text() == "kept"
    assert _mode(outside) == 0o1777


def test_two_programs_that_clean_at_once_leave_the_temporary_folder_open(outside: Path) -> None:
    folders = [_scratch(outside, files=400) for _ in range(3)]
    environment = os.environ | {"TMPDIR": str(outside)}
    cleaning = [subprocess.Popen([sys.executable, "-c", _CLEAN], env=environment) for _ in range(2)]
    assert [one.wait(timeout=60) for one in cleaning] == [0, 0]
    assert not any(folder.exists() for folder in folders)
    assert _mode(outside) == 0o1777


def test_a_new_scratch_folder_is_private_to_the_user_and_named_after_its_process(
    outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(outside))
    folder = new_scratch()
    assert (folder.parent, _mode(folder)) == (outside, 0o700)
    assert folder.name.startswith(f"workbench-scratch-{os.getpid()}-")


def test_a_folder_that_is_no_scratch_folder_is_not_dropped(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    drop_scratch(tmp_path / "theirs")
    assert (tmp_path / "theirs").is_dir()


def test_only_scratch_folders_of_ended_programs_are_deleted_as_abandoned(
    outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(outside))
    kept = [new_scratch()]
    for name in (f"workbench-scratch-{os.getppid()}-x", "workbench-scratch-nobody-x", f"other-{_DEAD}-x"):
        kept.append(outside / name)
        kept[-1].mkdir()
    gone = _scratch(outside)
    drop_abandoned()
    assert not gone.exists()
    assert all(folder.exists() for folder in kept)


def test_the_own_folders_are_kept_where_the_system_does_not_show_the_process(
    outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(outside))
    monkeypatch.setattr("psutil.pid_exists", lambda _number: False)
    folder = new_scratch()
    drop_abandoned()
    assert folder.exists()


def test_a_temporary_folder_that_cannot_be_looked_through_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_folder: Path, _pattern: str) -> Iterator[Path]:
        raise PermissionError

    monkeypatch.setattr(Path, "glob", refuse)
    drop_abandoned()


@pytest.fixture
def filled(outside: Path, tmp_path: Path) -> Path:
    """Return a scratch folder of five files and folders with 3 MiB, and links to much more outside."""
    (tmp_path / "large").mkdir()
    (tmp_path / "large" / "file").write_bytes(bytes(8 << 20))
    folder = outside / "workbench-scratch-1-filled"
    (folder / "deep").mkdir(parents=True)
    (folder / "one").write_bytes(b"x" * (1 << 20))
    (folder / "deep" / "two").write_bytes(b"x" * (2 << 20))
    (folder / "to-folder").symlink_to(tmp_path / "large")
    (folder / "to-file").symlink_to(tmp_path / "large" / "file")
    return folder


def test_the_size_of_a_scratch_folder_is_that_of_its_files_and_not_of_what_links_lead_to(filled: Path) -> None:
    assert 3 << 20 <= scratch_size(filled, 5) < 4 << 20


@pytest.mark.skipif(sys.platform == "win32", reason="files without holes")
def test_holes_in_files_take_no_room(filled: Path) -> None:
    with (filled / "holes").open("wb") as file:
        file.truncate(1 << 40)
    assert scratch_size(filled, 6) < 4 << 20


def test_more_files_than_a_child_may_make_are_larger_than_any_disk(filled: Path) -> None:
    assert scratch_size(filled, 4) > 1 << 60


@pytest.mark.parametrize(("closed", "left"), [("deep", 3), ("other", 5)])
def test_a_missing_folder_has_size_zero_and_the_remaining_files_are_counted(
    filled: Path, monkeypatch: pytest.MonkeyPatch, closed: str, left: int
) -> None:
    assert scratch_size(filled / "gone", 5) == 0
    (filled / "other").mkdir()
    (filled / "other" / "two").write_bytes(b"x" * (2 << 20))
    (filled / "deep" / "three").write_bytes(b"x" * (2 << 20))
    scandir = os.scandir

    def refuse(folder: Path) -> Iterator[os.DirEntry[str]]:
        if folder.name == closed:
            raise FileNotFoundError
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", refuse)
    assert left << 20 <= scratch_size(filled, 9) < (left + 1) << 20


@pytest.fixture
def sockets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a folder for LibreOffice's locks, with a short path, as sockets require."""
    with tempfile.TemporaryDirectory(prefix="s") as folder:
        monkeypatch.setattr(current(), "socket_folders", (folder,))
        yield Path(folder)


def _pipe(path: Path, *, is_heard: bool = False) -> socket.socket:
    pipe = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    pipe.bind(str(path))
    if is_heard:
        pipe.listen()
    else:
        pipe.close()
    return pipe


@pytest.mark.skipif(sys.platform != "linux", reason="LibreOffice leaves them on Linux")
def test_only_own_sockets_without_a_listener_are_deleted(sockets: Path) -> None:
    ours = f"OSL_PIPE_{os.getuid()}_"
    since = time.time() - 60
    _pipe(sockets / f"{ours}dead")
    _pipe(sockets / f"{ours}older")
    os.utime(sockets / f"{ours}older", (since - 1, since - 1))
    _pipe(sockets / f"OSL_PIPE_{os.getuid() + 1}_theirs")
    (sockets / f"{ours}file").touch()
    with _pipe(sockets / f"{ours}heard", is_heard=True):
        drop_dead_sockets(since)
    left = {path.name for path in sockets.iterdir()}
    assert left == {f"{ours}older", f"{ours}file", f"{ours}heard", f"OSL_PIPE_{os.getuid() + 1}_theirs"}


@pytest.mark.skipif(sys.platform != "linux", reason="LibreOffice leaves them on Linux")
def test_a_socket_created_at_the_start_time_counts_as_own_and_a_vanished_one_causes_no_error(
    sockets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sockets / f"OSL_PIPE_{os.getuid()}_dead"
    _pipe(path)
    found = [sockets / f"OSL_PIPE_{os.getuid()}_gone", path]
    monkeypatch.setattr(Path, "glob", lambda _folder, _pattern: iter(found))
    drop_dead_sockets(path.stat().st_mtime)
    assert not path.exists()

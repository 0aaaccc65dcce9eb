"""Atomic files: complete or absent, and synchronised before anything depends on them."""

import ctypes
import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from workbench.errors import IndexUnavailable
from workbench.indexing.atomic_files import (
    atomic_rewrite,
    fsync_file,
    fsync_folder,
    fsync_new_name,
    fsync_together,
    sync_file_system,
)

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a descriptor leads to")
Calls = list[tuple[str, str]]


def _open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Return the list of synchronised and renamed files and folders, in order, by name."""
    made: Calls = []
    fsync, replace = os.fsync, os.replace

    def noted_fsync(number: int) -> None:
        made.append(("sync", Path(os.readlink(f"/proc/self/fd/{number}")).name))
        fsync(number)

    def noted_replace(source: str, target: str) -> None:
        made.append(("replace", f"{Path(source).read_text()}->{Path(target).name}"))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    return made


def _syncfs(monkeypatch: pytest.MonkeyPatch, calls: Calls, result: int = 0) -> None:
    """Record the synchronisation of a file system, or let it fail."""

    def noted(number: int) -> int:
        calls.append(("all", Path(os.readlink(f"/proc/self/fd/{number}")).name))
        ctypes.set_errno(errno.EIO if result else 0)
        return result

    class Loaded:
        syncfs = staticmethod(noted)

    monkeypatch.setattr(ctypes, "CDLL", lambda _name, use_errno: Loaded if use_errno else None)


@LINUX
def test_a_file_takes_its_place_after_its_bytes_and_before_its_names_are_kept(tmp_path: Path, calls: Calls) -> None:
    path = tmp_path / "made" / "deep" / "index"
    with atomic_rewrite(path) as file:
        file.write(b"whole")
        assert not path.exists()
    assert calls == [
        ("sync", "index.new"),
        ("replace", "whole->index"),
        ("sync", "deep"),
        ("sync", "made"),
        ("sync", tmp_path.name),
    ]
    assert os.listdir(path.parent) == ["index"]


def test_an_atomic_file_can_be_read_while_it_is_being_written(tmp_path: Path) -> None:
    with atomic_rewrite(tmp_path / "index") as file:
        file.write(b"head")
        file.seek(0)
        assert file.read() == b"head"


def test_a_file_that_could_not_be_finished_leaves_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "index"
    path.write_bytes(b"before")

    def write() -> None:
        with atomic_rewrite(path) as file:
            file.write(b"half")
            raise OSError(errno.ENOSPC, "full")

    with pytest.raises(IndexUnavailable, match="could not be saved"):
        write()
    assert path.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["index"]


def test_an_unwritable_path_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(IndexUnavailable), atomic_rewrite(tmp_path / "file" / "index"):
        pass


@LINUX
@pytest.mark.parametrize(("mode", "expected"), [(0o700, (0o700, 0o600)), (0o750, (0o750, 0o640))])
def test_a_file_and_its_folder_are_no_more_open_than_the_folder_around_them(
    tmp_path: Path, mode: int, expected: tuple[int, int]
) -> None:
    tmp_path.chmod(mode)
    path = tmp_path / "made" / "index"
    with atomic_rewrite(path) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == expected[1]
    assert tuple(stat.S_IMODE(one.stat().st_mode) for one in (path.parent, path)) == expected


@LINUX
def test_few_files_and_folders_are_kept_one_by_one(
    tmp_path: Path, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    _syncfs(monkeypatch, calls)
    files = [tmp_path / str(number) for number in range(6)]
    for file in files:
        file.touch()
    before = _open_descriptors()
    fsync_together(files, {tmp_path})
    assert calls == [("sync", file.name) for file in files] + [("sync", tmp_path.name)]
    assert _open_descriptors() == before


@LINUX
@pytest.mark.parametrize(("files", "folders", "kept"), [(7, 1, "files"), (1, 7, "files"), (0, 8, "0")])
def test_many_files_and_folders_are_flushed_in_one_step_for_their_file_system(
    tmp_path: Path,
    calls: Calls,
    monkeypatch: pytest.MonkeyPatch,
    files: int,
    folders: int,
    kept: str,
) -> None:
    _syncfs(monkeypatch, calls)
    around = [tmp_path / str(number) for number in range(folders)]
    for folder in (tmp_path / "files", *around):
        folder.mkdir()
    before = _open_descriptors()
    fsync_together([tmp_path / "files" / str(number) for number in range(files)], around)
    assert calls == [("all", kept)]
    assert _open_descriptors() == before


@LINUX
@pytest.mark.parametrize("is_known", [True, False])
def test_where_one_step_fails_or_is_not_to_be_had_each_is_kept(
    tmp_path: Path, calls: Calls, monkeypatch: pytest.MonkeyPatch, is_known: bool
) -> None:
    _syncfs(monkeypatch, calls, result=-1)
    if not is_known:
        monkeypatch.setattr(ctypes, "CDLL", lambda _name, **_options: object())
    files = [tmp_path / str(number) for number in range(8)]
    for file in files:
        file.touch()
    with pytest.raises(OSError) as failed:
        sync_file_system(tmp_path)
    assert failed.value.errno == (errno.EIO if is_known else errno.ENOSYS)
    calls.clear()
    fsync_together(files, [tmp_path])
    assert [name for kind, name in calls if kind == "sync"] == [*(file.name for file in files), tmp_path.name]


@LINUX
def test_this_system_keeps_a_whole_file_system_in_one_step(tmp_path: Path) -> None:
    before = _open_descriptors()
    sync_file_system(tmp_path)
    assert _open_descriptors() == before


@LINUX
def test_bytes_and_names_are_kept_and_nothing_stays_open(tmp_path: Path, calls: Calls) -> None:
    (tmp_path / "file").write_bytes(b"kept")
    before = _open_descriptors()
    fsync_file(tmp_path / "file")
    fsync_folder(tmp_path)
    fsync_folder(tmp_path / "absent")
    assert calls == [("sync", "file"), ("sync", tmp_path.name)]
    assert _open_descriptors() == before
    assert (tmp_path / "file").read_bytes() == b"kept"
    with pytest.raises(FileNotFoundError):
        fsync_file(tmp_path / "absent")


@LINUX
def test_each_folder_of_a_path_is_kept_once(tmp_path: Path, calls: Calls) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    fsync_new_name(tmp_path / "a" / "b" / "file", [tmp_path / "a" / "b", tmp_path / "a"])
    assert calls == [("sync", "b"), ("sync", "a"), ("sync", tmp_path.name)]

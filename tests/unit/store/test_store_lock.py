"""The lock of a library: one holder, its name in the file, and the state after a kill."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.errors import DiskFull, LibraryError, LibraryLocked, LibraryUnwritable
from workbench.store.lock import (
    PYTHON,
    WINDOW,
    LibraryLock,
    LockHolder,
    holder_of,
    is_open_noted,
    locked_by,
    shared_lock,
    unwritable,
)

LOCK = "library.lock"
_DEAD = 2**22 + 1
"""Above the largest process number of Linux."""
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such descriptors")


def _open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def _killed(folder: Path, program: str = "add") -> None:
    """Leave a lock like a program that was killed while the library was open."""
    code = (
        "import os, pathlib, sys\nfrom workbench.store.lock import LibraryLock\n"
        "lock = LibraryLock(pathlib.Path(sys.argv[1]), sys.argv[2])\nlock.note_open()\nos._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code, folder, program], timeout=60).returncode == 9


def test_a_second_holder_is_refused_until_the_first_closes(tmp_path: Path) -> None:
    first = LibraryLock(tmp_path)
    with pytest.raises(LibraryLocked, match=rf"another window \(process {os.getpid()}\)") as refused:
        LibraryLock(tmp_path)
    assert "Close it there first" in str(refused.value.hint)
    first.close()
    LibraryLock(tmp_path).close()
    assert (tmp_path / LOCK).exists()


@POSIX
def test_neither_a_refused_nor_a_closed_lock_leaves_its_file_open(tmp_path: Path) -> None:
    before = _open_descriptors()
    first = LibraryLock(tmp_path)
    for _ in range(3):
        with pytest.raises(LibraryLocked):
            LibraryLock(tmp_path)
        assert is_open_noted(tmp_path) is False
        assert shared_lock(tmp_path) is None
    first.close()
    first.close()
    assert _open_descriptors() == before


@POSIX
def test_closing_twice_leaves_files_alone_that_were_opened_in_between(tmp_path: Path) -> None:
    lock = LibraryLock(tmp_path)
    lock.close()
    with (tmp_path / "other").open("w") as other:
        lock.close()
        other.write("kept")
    assert (tmp_path / "other").read_text() == "kept"


@POSIX
def test_the_lock_is_the_users_alone(tmp_path: Path) -> None:
    LibraryLock(tmp_path).close()
    assert stat.S_IMODE((tmp_path / LOCK).stat().st_mode) == 0o600


@POSIX
def test_a_lock_in_a_folder_that_a_group_shares_is_the_groups_too(tmp_path: Path) -> None:
    tmp_path.chmod(0o2775)
    before = os.umask(0o002)
    try:
        LibraryLock(tmp_path).close()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / LOCK).stat().st_mode) == 0o664


@pytest.mark.parametrize("program", [WINDOW, PYTHON, "mcp"])
def test_the_file_names_its_holder_and_whether_the_library_is_open(tmp_path: Path, program: str) -> None:
    lock = LibraryLock(tmp_path, program)
    for is_open in (False, True, False):
        if is_open:
            lock.note_open()
            assert (tmp_path / LOCK).read_text() == f"{os.getpid()}\nopen\n{program}\n"
        else:
            lock.note_closed()
            assert (tmp_path / LOCK).read_text() == f"{os.getpid()}\n{program}\n"
        assert is_open_noted(tmp_path) is is_open
        assert holder_of(tmp_path) == LockHolder(os.getpid(), program)
    lock.close()
    assert (tmp_path / LOCK).read_text() == ""


@POSIX
def test_after_a_kill_the_next_holder_detects_and_reports_it_until_a_clean_close(tmp_path: Path) -> None:
    _killed(tmp_path)
    assert is_open_noted(tmp_path)
    for is_clean in (False, True):
        lock = LibraryLock(tmp_path)
        assert lock.was_left is True
        assert is_open_noted(tmp_path)
        lock.close(is_clean=is_clean)
    lock = LibraryLock(tmp_path)
    assert lock.was_left is False
    assert not is_open_noted(tmp_path)
    lock.note_open()
    lock.close()
    assert not is_open_noted(tmp_path)


def test_the_holder_is_named_at_every_moment_of_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = LibraryLock(tmp_path)
    named: list[LockHolder | None] = []

    def watched(name: str) -> None:
        change = getattr(os, name)

        def then_look(descriptor: int, value: int | bytes) -> object:
            done = change(descriptor, value)
            named.append(holder_of(tmp_path))
            return done

        monkeypatch.setattr(os, name, then_look)

    watched("write")
    watched("ftruncate")
    lock.note_open()
    lock.note_closed()
    monkeypatch.undo()
    lock.close()
    assert named == [LockHolder(os.getpid(), WINDOW)] * 4


def test_a_holder_that_found_nothing_left_leaves_nothing_behind_either(tmp_path: Path) -> None:
    lock = LibraryLock(tmp_path)
    lock.note_open()
    lock.close(is_clean=False)
    assert (tmp_path / LOCK).read_text() == ""


def test_a_lock_whose_file_was_replaced_is_not_in_place(tmp_path: Path) -> None:
    lock = LibraryLock(tmp_path)
    assert lock.is_in_place() is True
    (tmp_path / LOCK).rename(tmp_path / "away")
    with pytest.raises(FileNotFoundError):
        lock.is_in_place()
    (tmp_path / LOCK).touch()
    assert lock.is_in_place() is False
    lock.close()


@POSIX
def test_a_program_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    _killed(tmp_path)
    assert holder_of(tmp_path) is None
    (tmp_path / LOCK).write_text(f"{_DEAD}\nopen\nadd\n")
    assert holder_of(tmp_path) is None


@pytest.mark.parametrize("content", [b"", b"open\nwindow\n", b"\xff\xfe", b"-5\n"])
def test_an_empty_or_invalid_lock_file_names_no_holder(tmp_path: Path, content: bytes) -> None:
    assert holder_of(tmp_path) is None
    assert is_open_noted(tmp_path) is False
    (tmp_path / LOCK).write_bytes(content)
    assert holder_of(tmp_path) is None


def test_a_lock_of_an_earlier_version_names_a_window(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_text(f"{os.getpid()}\nopen\n")
    assert holder_of(tmp_path) == LockHolder(os.getpid(), "")


def test_bytes_that_are_no_text_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_bytes(b"\xff%d\nadd\n" % os.getpid())
    assert holder_of(tmp_path) == LockHolder(os.getpid(), "add")


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (WINDOW, "another window (process 7)"),
        ("", "another window (process 7)"),
        (PYTHON, "another program (process 7)"),
        ("add", "“workbench add” (process 7)"),
    ],
)
def test_a_holder_is_named_in_the_error_as_by_itself(tmp_path: Path, program: str, said: str) -> None:
    holder = LockHolder(7, program)
    error = locked_by(tmp_path, holder, "Close it.")
    assert str(holder) == said
    assert (error.message, error.hint) == (f"The library {tmp_path} is open in {said}.", "Close it.")
    assert "another window." in locked_by(tmp_path, None, "").message


@POSIX
def test_readers_share_the_lock_and_keep_a_writer_away_while_they_hold_it(tmp_path: Path) -> None:
    assert shared_lock(tmp_path) is None
    writer = LibraryLock(tmp_path)
    assert shared_lock(tmp_path) is None
    writer.close()
    held = [shared_lock(tmp_path) for _ in range(2)]
    with pytest.raises(LibraryLocked):
        LibraryLock(tmp_path)
    for descriptor in held:
        assert descriptor is not None
        os.close(descriptor)
    LibraryLock(tmp_path).close()


@pytest.mark.parametrize(
    ("number", "kind", "said"),
    [
        (errno.ENOSPC, DiskFull, "no room left"),
        (errno.EDQUOT, DiskFull, "no room left"),
        (errno.EIO, LibraryError, "failed to read or write"),
        (errno.ESTALE, LibraryError, "failed to read or write"),
        (errno.EACCES, LibraryUnwritable, "cannot be written."),
    ],
)
def test_the_reason_for_an_unwritable_folder_is_reported(
    tmp_path: Path, number: int, kind: type[LibraryError], said: str
) -> None:
    error = unwritable(tmp_path, OSError(number, os.strerror(number)))
    assert type(error) is kind
    assert said in error.message


def test_a_file_in_place_of_the_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LibraryUnwritable, match="it is a file"):
        LibraryLock(tmp_path / "file")


@POSIX
@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOTSUP, errno.EINVAL])
def test_a_disk_that_does_not_support_locks_is_reported_and_the_lock_file_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(_descriptor: int, _kind: int) -> None:
        raise OSError(number, os.strerror(number))

    before = _open_descriptors()
    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(LibraryUnwritable, match="cannot keep two programs from writing at once"):
        LibraryLock(tmp_path)
    assert _open_descriptors() == before


def test_a_full_disk_does_not_keep_the_library_shut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_descriptor: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "write", refuse)
    lock = LibraryLock(tmp_path)
    lock.note_open()
    lock.close()


def test_an_unreadable_lock_file_reports_no_holder_and_no_open_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_descriptor: int, _length: int) -> bytes:
        raise OSError(errno.EIO, "broken")

    _killed(tmp_path)
    monkeypatch.setattr(os, "read", refuse)
    assert (is_open_noted(tmp_path), holder_of(tmp_path)) == (False, None)
    lock = LibraryLock(tmp_path)
    with pytest.raises(LibraryLocked, match="open in another window\\."):
        LibraryLock(tmp_path)
    lock.close()


def test_the_words_in_the_file_are_those_that_other_versions_read(tmp_path: Path) -> None:
    for options, word in (((), "window"), ((PYTHON,), "python")):
        lock = LibraryLock(tmp_path, *options)
        lock.note_open()
        assert (tmp_path / "library.lock").read_text().split() == [str(os.getpid()), "open", word]
        lock.close()

"""Modes of new files and folders."""

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from workbench.files import modes
from workbench.files.changes import close_to_others, move_into_place, replace_chosen_file
from workbench.files.modes import LOCK_NAME, make_folder, new_file, others_may, write_new_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")

SHARED = [0o770, 0o775, 0o2755, 0o3777 & ~0o002]
NOT_SHARED = [0o700, 0o755, 0o1777]


@pytest.fixture(autouse=True)
def _everybody_in_one_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the user who runs the tests into a private group, which shares nothing."""
    monkeypatch.setattr(modes, "is_own_group", lambda _number: False)


@pytest.fixture(autouse=True)
def _umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode) & 0o777


@pytest.fixture
def chosen(tmp_path: Path) -> Path:
    folder = tmp_path / "chosen"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("mode", NOT_SHARED)
def test_new_files_and_folders_in_a_chosen_folder_are_private_to_the_user(chosen: Path, mode: int) -> None:
    chosen.chmod(mode)
    make_folder(chosen / "a" / "b")
    new_file(chosen / "file")
    assert [_mode(chosen / name) for name in ("a", "a/b", "file")] == [0o700, 0o700, 0o600]
    assert _mode(chosen) == mode & 0o777


@pytest.mark.parametrize("mode", SHARED)
def test_new_files_and_folders_in_a_shared_folder_follow_the_umask(chosen: Path, mode: int) -> None:
    chosen.chmod(mode)
    make_folder(chosen / "a" / "b", inherit=True)
    new_file(chosen / "file")
    new_file(chosen / "a" / "b" / "file", inherit=True)
    assert [_mode(chosen / name) for name in ("a", "a/b", "file", "a/b/file")] == [0o755, 0o755, 0o644, 0o644]


@pytest.mark.parametrize(("mode", "expected"), [(0o700, 0o600), (0o750, 0o640), (0o755, 0o644)])
def test_new_files_and_folders_in_a_folder_of_ours_have_no_wider_permissions_than_it(
    chosen: Path, mode: int, expected: int
) -> None:
    chosen.chmod(mode)
    make_folder(chosen / "a" / "b", inherit=True)
    new_file(chosen / "a" / "b" / "file", inherit=True)
    assert [_mode(chosen / name) for name in ("a", "a/b", "a/b/file")] == [mode, mode, expected]


def test_the_top_folder_of_a_library_is_a_chosen_one(chosen: Path) -> None:
    new_file(chosen / LOCK_NAME)
    make_folder(chosen / "a", inherit=True)
    assert _mode(chosen / "a") == 0o700


def test_existing_files_and_folders_stay_unchanged(chosen: Path) -> None:
    (chosen / "file").write_text("kept")
    (chosen / "file").chmod(0o664)
    new_file(chosen / "file")
    make_folder(chosen)
    assert (_mode(chosen), _mode(chosen / "file"), (chosen / "file").read_text()) == (0o755, 0o664, "kept")
    with pytest.raises(FileExistsError):
        make_folder(chosen / "file")


def test_a_new_file_has_its_content_and_replaces_no_other(chosen: Path) -> None:
    write_new_file(chosen / "file", b"new", others_may(chosen, inherit=False))
    with pytest.raises(FileExistsError):
        write_new_file(chosen / "file", b"other", 0)
    assert ((chosen / "file").read_bytes(), _mode(chosen / "file")) == (b"new", 0o600)


def test_a_moved_file_has_no_wider_permissions_than_its_target_folder(chosen: Path) -> None:
    (chosen / "file").write_text("moved")
    (chosen / "closed").mkdir(0o700)
    move_into_place(chosen / "file", chosen / "closed" / "file", within=chosen)
    assert _mode(chosen / "closed" / "file") == 0o600


@pytest.mark.parametrize(("folder", "file", "expected"), [(0o700, 0o777, 0o700), (0o750, 0o666, 0o640)])
def test_a_file_that_is_moved_into_a_folder_of_ours_keeps_what_that_folder_lets_others_do(
    chosen: Path, folder: int, file: int, expected: int
) -> None:
    (chosen / "file").touch()
    (chosen / "file").chmod(file)
    (chosen / "ours").mkdir(folder)
    move_into_place(chosen / "file", chosen / "ours" / "file", within=chosen)
    assert _mode(chosen / "ours" / "file") == expected


def test_a_folder_of_another_user_does_not_pass_its_permissions_to_new_folders(
    chosen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: user + 1)
    make_folder(chosen / "a", inherit=True)
    assert _mode(chosen / "a") == 0o700


@pytest.mark.parametrize("mode", [*NOT_SHARED, 0o1755, 0o1775, 0o2777, *SHARED])
def test_a_folder_is_shared_where_its_group_may_write_or_gets_new_files(chosen: Path, mode: int) -> None:
    chosen.chmod(mode)
    assert modes.is_shared(chosen) is (mode in (0o1775, 0o2777, *SHARED))


def test_the_lock_of_a_library_has_the_name_that_earlier_versions_gave_it() -> None:
    assert LOCK_NAME == "library.lock"


def test_a_group_that_the_system_does_not_know_is_not_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_number: int) -> None:
        raise KeyError

    monkeypatch.undo()
    monkeypatch.setattr("grp.getgrgid", unknown)
    assert modes.is_own_group(4711) is False


@pytest.mark.parametrize("mode", [0o644, 0o664, 0o600, 0o444])
def test_a_file_in_the_place_of_a_chosen_one_has_its_mode(chosen: Path, mode: int) -> None:
    (chosen / "report").write_text("old")
    (chosen / "report").chmod(mode)
    new_file(chosen / "new")
    replace_chosen_file(chosen / "new", chosen / "report")
    assert _mode(chosen / "report") == mode


def test_closing_to_others_rejects_a_link_and_any_path_outside_the_folder(chosen: Path, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir(0o755)
    (chosen / "link").symlink_to(tmp_path / "theirs")
    for path in (chosen / "link", tmp_path / "theirs", chosen / ".." / "theirs", chosen):
        with pytest.raises(OSError, match=r"chosen|theirs|link"):
            close_to_others(path, within=chosen)
    assert (_mode(tmp_path / "theirs"), _mode(chosen)) == (0o755, 0o755)


def test_a_folder_of_the_group_that_the_user_has_alone_is_not_shared(
    chosen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    chosen.chmod(0o775)
    monkeypatch.setattr("os.getuid", lambda: 1234)
    monkeypatch.setattr("pwd.getpwuid", lambda _uid: SimpleNamespace(pw_name="ann", pw_gid=chosen.stat().st_gid))
    for name, members, shared in (("ann", [], False), ("ann", ["ann", "bob"], True), ("team", ["ann"], True)):
        group = SimpleNamespace(gr_name=name, gr_gid=chosen.stat().st_gid, gr_mem=members)
        monkeypatch.setattr("grp.getgrgid", lambda _gid, group=group: group)
        assert modes.is_shared(chosen) is shared
    chosen.chmod(0o2775)
    assert modes.is_shared(chosen)


def test_making_a_folder_returns_the_folders_that_were_created(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    assert make_folder(deep) == [deep, deep.parent]
    assert make_folder(deep) == []

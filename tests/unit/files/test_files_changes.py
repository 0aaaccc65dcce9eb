"""Deletion and moves of files: only inside the given folder, through no link."""

import ctypes
import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_systems import FakeMacOS, use_system

from workbench.files.changes import (
    close_to_others,
    delete_file,
    delete_folder,
    empty_folder,
    move_file,
    move_into_place,
    replace_chosen_file,
    replace_private_file,
    temporary_folder,
)

_DELETE = (
    "import sys\nfrom workbench.files.changes import delete_folder\ndelete_folder(sys.argv[1], within=sys.argv[2])"
)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    folder = tmp_path / "ours"
    folder.mkdir(mode=0o750)
    return folder


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o755)
    (folder / "file").write_text("kept")
    return folder


def _is_untouched(theirs: Path) -> bool:
    return (_mode(theirs), (theirs / "file").read_text()) == (0o755, "kept")


def _through_parents(ours: Path, theirs: Path) -> Path:
    return ours / ".." / theirs.name / "file"


def _through_a_link(ours: Path, theirs: Path) -> Path:
    (ours / "link").symlink_to(theirs)
    return ours / "link" / "file"


def _through_a_link_and_back(ours: Path, theirs: Path) -> Path:
    (theirs / "deep").mkdir()
    (ours / "link").symlink_to(theirs / "deep")
    return ours / "link" / ".." / "file"


OUTSIDE = [_through_parents, _through_a_link, _through_a_link_and_back, lambda _ours, theirs: theirs / "file"]


@pytest.mark.parametrize("path_of", OUTSIDE)
def test_a_file_whose_path_resolves_outside_the_folder_is_not_deleted(
    ours: Path, theirs: Path, path_of: Callable[[Path, Path], Path]
) -> None:
    with pytest.raises(PermissionError):
        delete_file(path_of(ours, theirs), within=ours, missing_ok=True)
    assert _is_untouched(theirs)


@pytest.mark.parametrize("path_of", OUTSIDE)
def test_a_file_is_moved_neither_to_elsewhere_nor_from_there(
    ours: Path, theirs: Path, path_of: Callable[[Path, Path], Path]
) -> None:
    (ours / "mine").write_text("mine")
    outside = path_of(ours, theirs)
    for source, target in ((ours / "mine", outside), (outside, ours / "mine")):
        with pytest.raises(PermissionError):
            move_file(source, target, within=ours)
    assert (ours / "mine").read_text() == "mine"
    assert _is_untouched(theirs)


@pytest.mark.logs_warnings
@pytest.mark.parametrize("path_of", OUTSIDE)
def test_a_folder_whose_path_resolves_outside_the_folder_is_not_deleted(
    ours: Path, theirs: Path, path_of: Callable[[Path, Path], Path]
) -> None:
    folder = path_of(ours, theirs).with_name("folder")
    (theirs / "folder").mkdir()
    delete_folder(folder, within=ours)
    assert (theirs / "folder").is_dir()
    assert _is_untouched(theirs)


@pytest.mark.logs_warnings
@pytest.mark.parametrize("name", ["", ".", "..", "deep/.."])
def test_the_folder_itself_and_the_one_around_it_are_not_deleted(ours: Path, name: str) -> None:
    (ours / "deep").mkdir()
    delete_folder(os.path.join(ours, name), within=ours)
    assert (ours / "deep").is_dir()


def test_a_link_is_deleted_as_a_link(ours: Path, theirs: Path) -> None:
    for name, target in (("to-file", theirs / "file"), ("to-folder", theirs), ("to-nothing", ours / "absent")):
        (ours / name).symlink_to(target)
    delete_file(ours / "to-file", within=ours)
    delete_folder(ours / "to-folder", within=ours)
    delete_folder(ours / "to-nothing", within=ours)
    assert list(ours.iterdir()) == []
    assert _is_untouched(theirs)


def test_a_folder_of_ours_may_itself_be_reached_through_a_link(ours: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(ours)
    (ours / "deep").mkdir()
    (ours / "file").write_text("old")
    delete_folder(tmp_path / "link" / "deep", within=tmp_path / "link")
    delete_file(ours / "file", within=tmp_path / "link")
    assert list(ours.iterdir()) == []


def test_links_within_a_deleted_folder_are_not_followed(ours: Path, theirs: Path) -> None:
    folder = ours / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "link").symlink_to(theirs)
    (folder / "deep" / "file").symlink_to(theirs / "file")
    delete_folder(folder, within=ours)
    assert list(ours.iterdir()) == []
    assert _is_untouched(theirs)


def test_a_file_is_no_folder_and_stays(ours: Path) -> None:
    (ours / "file").write_text("kept")
    delete_folder(ours / "file", within=ours)
    assert (ours / "file").read_text() == "kept"


def test_deleting_a_missing_path_changes_nothing_around_it(ours: Path) -> None:
    delete_folder(ours / "gone" / "deep", within=ours)
    delete_file(ours / "gone", within=ours, missing_ok=True)
    empty_folder(ours / "gone")
    with pytest.raises(FileNotFoundError):
        delete_file(ours / "gone", within=ours)
    assert (_mode(ours), list(ours.iterdir())) == (0o750, [])


def _closed_tree(folder: Path) -> Path:
    for name in ("a", "b"):
        (folder / name / "deep").mkdir(parents=True)
        (folder / name / "deep" / "file").write_text("left")
        (folder / name / "deep").chmod(0)
        (folder / name).chmod(0)
    folder.chmod(0o500)
    return folder


def _obey_modes() -> None:
    """Give up root's right to access every folder; other users have none."""
    prctl = ctypes.CDLL(None).prctl
    for right in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        prctl(24, right, 0, 0, 0)  # PR_CAPBSET_DROP


@pytest.mark.skipif(sys.platform != "linux", reason="root obeys no modes elsewhere")
def test_a_folder_is_deleted_together_with_subfolders_that_permit_no_access(ours: Path) -> None:
    folder = _closed_tree(ours / "folder")
    subprocess.run([sys.executable, "-c", _DELETE, folder, ours], check=True, timeout=60, preexec_fn=_obey_modes)
    assert (_mode(ours), list(ours.iterdir())) == (0o750, [])


def test_a_folder_is_emptied_of_files_folders_and_links_and_stays(ours: Path, theirs: Path) -> None:
    (ours / "file").write_text("left")
    (ours / "link").symlink_to(theirs)
    _closed_tree(ours / "folder")
    empty_folder(ours)
    assert (_mode(ours), list(ours.iterdir())) == (0o700, [])
    assert _is_untouched(theirs)


def test_a_link_to_a_folder_is_not_emptied(ours: Path, theirs: Path) -> None:
    (ours / "link").symlink_to(theirs)
    empty_folder(ours / "link")
    assert _is_untouched(theirs)


def test_two_programs_delete_the_same_folder_at_once(ours: Path) -> None:
    folder = ours / "folder"
    for number in range(300):
        (folder / str(number % 7)).mkdir(parents=True, exist_ok=True)
        (folder / str(number % 7) / f"{number}.txt").write_text("left")
    command = [sys.executable, "-c", _DELETE, str(folder), str(ours)]
    deleting = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
    assert [one.communicate(timeout=60)[1] for one in deleting] == [b"", b""]
    assert (_mode(ours), list(ours.iterdir())) == (0o750, [])


def test_a_temporary_folder_is_only_the_users_and_goes_with_all_that_is_in_it(ours: Path, theirs: Path) -> None:
    with temporary_folder("some-", inside=ours) as folder:
        assert (folder.parent, folder.name[:5], _mode(folder)) == (ours, "some-", 0o700)
        (folder / "link").symlink_to(theirs)
        _closed_tree(folder / "deep")
    assert list(ours.iterdir()) == []
    assert _is_untouched(theirs)


def test_a_temporary_folder_that_became_a_link_leaves_what_it_leads_to(ours: Path, theirs: Path) -> None:
    with temporary_folder("some-", inside=ours) as folder:
        folder.rmdir()
        folder.symlink_to(theirs)
    assert list(ours.iterdir()) == []
    assert _is_untouched(theirs)


def test_a_file_takes_the_place_of_another_and_of_a_link(ours: Path, theirs: Path) -> None:
    for target in ("file", "link"):
        (ours / "new").write_text("new")
        if target == "link":
            (ours / target).symlink_to(theirs / "file")
        move_into_place(ours / "new", ours / target, within=ours)
        assert ((ours / target).read_text(), (ours / target).is_symlink()) == ("new", False)
    assert _is_untouched(theirs)


def test_a_file_is_copied_where_another_disk_begins(ours: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_paths: str) -> None:
        raise OSError(errno.EXDEV, "another disk")

    (ours / "file").write_text("moved")
    (ours / "file").chmod(0o666)
    monkeypatch.setattr(os, "replace", refuse)
    move_file(ours / "file", ours / "target", within=ours)
    assert [(path.name, path.read_text()) for path in ours.iterdir()] == [("target", "moved")]
    # Others may do with it what they may do in its folder.
    assert _mode(ours / "target") == 0o640


def test_a_private_file_is_replaced_in_one_step_and_only_its_user_may_read_it(ours: Path) -> None:
    path = ours / "deep" / "settings.json"
    for content in (b"first", b"second"):
        replace_private_file(path, content)
        assert (path.read_bytes(), _mode(path), _mode(path.parent)) == (content, 0o600, 0o700)
        assert list(path.parent.iterdir()) == [path]


def test_a_private_file_that_cannot_be_replaced_stays_and_nothing_is_left_beside_it(
    ours: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_paths: str) -> None:
        raise OSError(errno.ENOSPC, "no room")

    (ours / "file").write_bytes(b"kept")
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="no room"):
        replace_private_file(ours / "file", b"new")
    assert [(path.name, path.read_bytes()) for path in ours.iterdir()] == [("file", b"kept")]


def test_a_file_that_cannot_be_moved_stays(ours: Path) -> None:
    (ours / "file").write_text("kept")
    (ours / "target").mkdir()
    with pytest.raises(OSError, match=r"target|file"):
        move_file(ours / "file", ours / "target", within=ours)
    assert (ours / "file").read_text() == "kept"


@pytest.mark.parametrize("name", ["", ".", "..", "deep/.."])
def test_the_folder_itself_and_what_is_above_it_are_not_moved(ours: Path, name: str) -> None:
    (ours / "deep").mkdir()
    with pytest.raises(PermissionError):
        move_into_place(f"{ours}/{name}", ours / "target", within=ours)


def test_a_chosen_file_is_replaced_by_one_of_its_own_folder_only(ours: Path, theirs: Path) -> None:
    (ours / "new").write_text("new")
    with pytest.raises(PermissionError):
        replace_chosen_file(ours / "new", theirs / "file")
    assert _is_untouched(theirs)
    (theirs / "new").write_text("new")
    replace_chosen_file(theirs / "new", theirs / "file")
    assert [(path.name, path.read_text()) for path in theirs.iterdir()] == [("file", "new")]


def test_a_chosen_file_is_not_replaced_by_one_from_deeper_in_its_folder(ours: Path) -> None:
    (ours / "deep").mkdir()
    (ours / "deep" / "new").write_text("new")
    (ours / "file").write_text("kept")
    with pytest.raises(PermissionError):
        replace_chosen_file(ours / "deep" / "new", ours / "file")
    assert ((ours / "file").read_text(), (ours / "deep" / "new").read_text()) == ("kept", "new")


@pytest.mark.skipif(sys.platform != "linux", reason="root obeys no modes elsewhere")
def test_the_folder_around_keeps_its_mode_where_nothing_may_be_deleted_from_it(ours: Path) -> None:
    folder = _closed_tree(ours / "folder")
    ours.chmod(0o500)
    subprocess.run([sys.executable, "-c", _DELETE, folder, ours], check=True, timeout=60, preexec_fn=_obey_modes)
    assert (_mode(ours), list(folder.iterdir())) == (0o500, [])


def test_a_busy_folder_stays_and_keeps_its_mode(ours: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.EBUSY, "busy")

    folder = ours / "folder"
    folder.mkdir(mode=0o750)
    with monkeypatch.context() as changed:
        changed.setattr(os, "rmdir", refuse)
        changed.setattr(os, "unlink", refuse)
        delete_folder(folder, within=ours)
    assert _mode(folder) == 0o750
    delete_folder(folder, within=ours)
    assert not folder.exists()


@pytest.fixture
def somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be a user who owns no existing file."""
    user = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: user + 1)


@pytest.mark.usefixtures("somebody_else")
def test_a_folder_of_another_user_is_neither_made_accessible_nor_emptied(theirs: Path) -> None:
    empty_folder(theirs)
    assert _is_untouched(theirs)


@pytest.mark.usefixtures("somebody_else")
def test_the_mode_of_a_file_of_another_user_is_not_changed_and_an_already_closed_one_is_no_error(
    theirs: Path,
) -> None:
    (theirs / "closed").touch(0o600)
    close_to_others(theirs / "closed", within=theirs)
    with pytest.raises(PermissionError):
        close_to_others(theirs / "file", within=theirs)
    assert (_mode(theirs / "closed"), _mode(theirs / "file") & 0o044) == (0o600, 0o044)


def test_a_file_or_folder_is_closed_to_others_and_stays_open_to_its_user(ours: Path) -> None:
    (ours / "deep").mkdir()
    (ours / "file").touch()
    for name, before, after in (("deep", 0o775, 0o700), ("file", 0o464, 0o400)):
        (ours / name).chmod(before)
        close_to_others(ours / name, within=ours)
        assert _mode(ours / name) == after


def test_modes_are_changed_by_name_where_the_system_has_no_descriptor_of_a_path(
    ours: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_system(monkeypatch, FakeMacOS())
    (ours / "file").touch(0o644)
    (ours / "closed").touch(0o600)
    changed: list[str] = []
    change = os.chmod
    monkeypatch.setattr(os, "chmod", lambda place, mode, **_: changed.append(Path(place).name) or change(place, mode))
    for name in ("file", "closed"):
        close_to_others(ours / name, within=ours)
    assert (_mode(ours / "file"), changed) == (0o600, ["file"])


def test_a_file_is_deleted_and_a_folder_is_rejected_as_a_file(ours: Path) -> None:
    (ours / "file").touch()
    delete_file(ours / "file", within=ours, missing_ok=True)
    assert list(ours.iterdir()) == []
    (ours / "deep").mkdir()
    with pytest.raises(OSError, match="deep"):
        delete_file(ours / "deep", within=ours)


@pytest.mark.skipif(sys.platform != "linux", reason="open descriptors are counted there")
def test_changing_leaves_no_file_open(ours: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    (ours / "file").touch(0o666)
    close_to_others(ours / "file", within=ours)
    move_into_place(ours / "file", ours / "target", within=ours)
    empty_folder(ours)
    assert len(os.listdir("/proc/self/fd")) == before

"""Deleting scratch folders: what is removed, and what outside of them is never changed."""

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from workbench.worker.scratch import drop_scratch, empty_scratch

_DEAD = 2**22 + 1
"""Above the largest process number of Linux."""

_CLEAN = "from workbench.worker.scratch import drop_abandoned\ndrop_abandoned()"


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder as the system's temporary one: everybody may make files in it."""
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


def test_a_scratch_folder_that_is_gone_already_changes_nothing_around_it(outside: Path) -> None:
    drop_scratch(outside / "workbench-scratch-1-gone")
    assert _mode(outside) == 0o1777


def test_a_scratch_folder_goes_with_folders_that_were_closed_to_its_owner(outside: Path) -> None:
    folder = _scratch(outside)
    (folder / "deep").chmod(0)
    folder.chmod(0o500)
    drop_scratch(folder)
    assert not folder.exists()
    assert _mode(outside) == 0o1777


def test_what_links_in_a_scratch_folder_lead_to_stays_as_it_is(outside: Path, tmp_path: Path) -> None:
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

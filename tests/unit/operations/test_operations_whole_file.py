"""Atomic writing of files."""

import os
from pathlib import Path

import pytest

from workbench.errors import ExportError
from workbench.operations.imports.temp_files import TempFiles
from workbench.operations.sessions.atomic_write import atomic_file, write_atomically


@pytest.fixture
def unfinished(tmp_path_factory: pytest.TempPathFactory) -> TempFiles:
    return TempFiles(tmp_path_factory.mktemp("notes"))


def test_a_file_is_written_with_the_folders_above_it(tmp_path: Path, unfinished: TempFiles) -> None:
    write_atomically(tmp_path / "new" / "answer.md", b"7 m", unfinished)
    assert (tmp_path / "new" / "answer.md").read_bytes() == b"7 m"


def test_a_file_in_the_place_of_a_folder_is_an_error_and_stays(tmp_path: Path, unfinished: TempFiles) -> None:
    (tmp_path / "file").write_bytes(b"in the way")
    with pytest.raises(ExportError, match="cannot be written"):
        write_atomically(tmp_path / "file" / "answer.md", b"7 m", unfinished)
    assert (tmp_path / "file").read_bytes() == b"in the way"


def test_the_existing_file_is_kept_when_the_disk_is_full(
    tmp_path: Path, unfinished: TempFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "answer.md"
    path.write_bytes(b"before")

    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(ExportError, match="the disk is full"):
        write_atomically(path, b"after", unfinished)
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("answer.md", b"before")]


def test_a_file_of_the_users_that_is_called_like_an_unfinished_one_stays(tmp_path: Path, unfinished: TempFiles) -> None:
    (tmp_path / "answer.md.part").write_bytes(b"mine")
    write_atomically(tmp_path / "answer.md", b"7 m", unfinished)
    assert (tmp_path / "answer.md.part").read_bytes() == b"mine"


def test_the_new_content_is_flushed_to_disk_before_it_replaces_the_file(
    tmp_path: Path, unfinished: TempFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr("workbench.operations.sessions.atomic_write.fsync_file", lambda _path: done.append("bytes"))
    monkeypatch.setattr("workbench.operations.sessions.atomic_write.fsync_folder", lambda _folder: done.append("names"))
    replace = os.replace
    monkeypatch.setattr("os.replace", lambda *paths: (done.append("replaced"), replace(*paths)))
    with atomic_file(tmp_path / "answer.md", unfinished) as partial:
        partial.write_bytes(b"7 m")
    assert done == ["bytes", "replaced", "names"]

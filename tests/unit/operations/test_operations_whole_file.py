"""Files that are there whole or not at all."""

from pathlib import Path

import pytest

from workbench.errors import ExportError
from workbench.operations.whole_file import write_whole


def test_a_file_is_written_with_the_folders_above_it(tmp_path: Path) -> None:
    write_whole(tmp_path / "new" / "answer.md", b"7 m")
    assert (tmp_path / "new" / "answer.md").read_bytes() == b"7 m"


def test_a_file_in_the_place_of_a_folder_is_an_error_and_stays(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"in the way")
    with pytest.raises(ExportError, match="cannot be written"):
        write_whole(tmp_path / "file" / "answer.md", b"7 m")
    assert (tmp_path / "file").read_bytes() == b"in the way"


def test_what_was_there_stays_when_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "answer.md"
    path.write_bytes(b"before")

    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(ExportError, match="the disk is full"):
        write_whole(path, b"after")
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("answer.md", b"before")]

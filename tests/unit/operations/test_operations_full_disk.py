"""A disk that is really full, on systems where one can be made: backups and repair are refused and leave no rest."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.errors import DiskFull
from workbench.operations import Library
from workbench.store.backups import LOGS
from workbench.store.database import FILE_NAME
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]
KILOBYTES = 5000


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Yield a disk of five megabytes, which has room for one library and its backup."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={KILOBYTES}k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no disk can be made here: that takes rights that this user does not have")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def folder(disk: Path, tmp_path: Path, embedder: Embedder) -> Path:
    """Return a closed library on that disk, with a note and a backup."""
    library = Library.open(disk / "library", embedder=embedder)

    async def fill() -> str:
        await operations.add_note(library, "The ferry Aurora stayed in port.")(JobContext())
        return (await operations.create_backup(library)(JobContext())).name

    asyncio.run(fill())
    library.close()
    return disk / "library"


def _fill_up(disk: Path, *, but: int = 0) -> None:
    free = shutil.disk_usage(disk).free - but
    with (disk / "everything else").open("wb") as file:
        file.write(bytes(free))


def _files(folder: Path) -> dict[str, int]:
    """Return the sizes of a library's files, except those that SQLite creates at each opening, which are empty here."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.name.endswith(LOGS))
    return {str(path): path.stat().st_size for path in found}


@pytest.mark.parametrize("left", [0, 200_000])
def test_a_full_disk_refuses_backups_and_their_return_and_keeps_all(
    folder: Path, run: Run, embedder: Embedder, left: int
) -> None:
    (backup,) = run(operations.list_backups(folder))
    _fill_up(folder.parent, but=left)
    before = _files(folder)
    with pytest.raises(DiskFull, match="no room"):
        run(operations.restore_backup(folder, backup.name))
    if left:
        library = Library.open(folder, embedder=embedder)
        with pytest.raises(DiskFull, match=r"it takes [\d.]+ MB, and 0\.\d MB are free"):
            run(operations.create_backup(library))
        assert run(operations.check_library(library)).is_sound
        library.close()
    assert set(_files(folder)) - {str(folder / "library.lock")} <= set(before)


def test_a_repair_without_room_changes_nothing_and_is_done_when_there_is_some(
    folder: Path, run: Run, embedder: Embedder
) -> None:
    with (folder / FILE_NAME).open("r+b") as file:
        file.write(bytes(100))
    _fill_up(folder.parent, but=100_000)
    before = _files(folder)
    with pytest.raises(DiskFull, match="no room"):
        run(operations.repair_library(folder, embedder=embedder))
    assert {name for name in _files(folder) if "library.sqlite3" in name} == {
        name for name in before if "library.sqlite3" in name
    }
    os.truncate(folder.parent / "everything else", 0)
    assert run(operations.repair_library(folder, embedder=embedder)).left == ()
    assert run(operations.check_folder(folder)).is_sound

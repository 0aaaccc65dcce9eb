"""Many small files: read and stored in batches, with a separate result for each."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from workbench import operations
from workbench.indexing import atomic_files
from workbench.model.document import DocumentStatus
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.operations import Library
from workbench.operations.imports import file_reading, register_files
from workbench.parsing.sandboxed import SandboxedParser
from workbench.preparation import prepare_each
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]

FILES = 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"note-{number:02}.txt").write_text(f"Heron number {number} stands in the reeds.\n", "utf-8")
    return folder


def _added(run: Run, library: Library, folder: Path) -> dict[str, FileFinished]:
    return {Path(file.path).name: file for file in run(operations.add_documents(library, [folder]))}


def test_each_of_many_small_files_is_a_document_with_its_own_copy(library: Library, run: Run, folder: Path) -> None:
    writes = library.database.writes
    found = _added(run, library, folder)
    assert {file.outcome for file in found.values()} == {FileOutcome.READY}
    assert {d.name: library.documents.text(d.id).strip() for d in library.documents.list()} == {
        f"note-{n:02}.txt": f"Heron number {n} stands in the reeds." for n in range(FILES)
    }
    assert sorted(path.name for path in library.originals.glob("??/*/*")) == sorted(found)
    # Stored one by one, each file took four transactions.
    assert library.database.writes - writes < 3 * FILES
    assert {file.outcome for file in _added(run, library, folder).values()} == {FileOutcome.UNCHANGED}


def test_a_small_file_that_has_grown_meanwhile_is_copied_whole(
    library: Library, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(register_files, "MOST_AT_ONCE", 10)
    found = _added(run, library, folder)
    copies = {path.name: path.read_bytes() for path in library.originals.glob("??/*/*")}
    assert copies == {name: (folder / name).read_bytes() for name in found}


def test_small_files_of_every_evil_end_one_by_one(library: Library, run: Run, folder: Path) -> None:
    (folder / "note-05.txt").write_bytes(b"")
    (folder / "note-06.txt").write_bytes(bytes(range(256)) * 4)
    (folder / "note-07.txt").write_bytes((folder / "note-01.txt").read_bytes())
    pdf: Any = pymupdf.open()
    pdf.new_page().insert_text((72, 72), "A heron in print.")
    pdf.save(folder / "note-08.txt")
    found = _added(run, library, folder)
    assert {name for name, file in found.items() if file.outcome is FileOutcome.FAILED} == {
        "note-05.txt",
        "note-06.txt",
    }
    assert found["note-07.txt"].reason == "Same content as “note-01.txt”."
    assert found["note-08.txt"].outcome is FileOutcome.READY
    assert sum(file.outcome is FileOutcome.READY for file in found.values()) == FILES - 3


def test_a_small_file_that_ends_its_reader_fails_alone(
    library: Library, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = SandboxedParser.call

    async def deadly(self: SandboxedParser, function: Any, *args: Any, **named: Any) -> Any:
        return await call(self, die_at_heron_20 if function is prepare_each else function, *args, **named)

    monkeypatch.setattr(SandboxedParser, "call", deadly)
    found = _added(run, library, folder)
    assert {name for name, file in found.items() if file.outcome is not FileOutcome.READY} == {"note-20.txt"}
    assert "crashed the reader" in found["note-20.txt"].reason


def die_at_heron_20(tokenizer: Any, settings: Any, together: int, *paths: Path) -> None:
    """Prepare files in a child process that one of them kills before the results of the earlier ones are sent."""
    for start in range(0, len(paths), together):
        some = paths[start : start + together]
        if any("number 20 " in path.read_text("utf-8") for path in some):
            os._exit(11)
        prepare_each(tokenizer, settings, together, *some)


def test_one_of_the_files_that_are_read_together_can_be_taken_out(
    library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[Any] = []
    prepare = file_reading.prepare_together

    async def cancelled_first(*args: Any) -> Any:
        (victim,) = [document.id for document in library.documents.list() if document.name == "note-03.txt"]
        library.queue.cancel([victim])
        return await prepare(*args)

    monkeypatch.setattr(file_reading, "prepare_together", cancelled_first)
    asyncio.run(operations.add_documents(library, [folder])(JobContext(events.append)))
    ends = {Path(e.path).name: e.outcome for e in events if isinstance(e, FileFinished)}
    assert {name for name, outcome in ends.items() if outcome is not FileOutcome.READY} == {"note-03.txt"}
    statuses = {document.name: document.status for document in library.documents.list()}
    assert statuses["note-03.txt"] is DocumentStatus.FAILED


def test_copies_are_on_the_disk_before_their_rows_without_a_step_for_all_files(
    library: Library, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def noted(number: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{number}"))
        fsync(number)

    def unknown(_folder: Path) -> None:
        raise OSError

    monkeypatch.setattr(atomic_files, "sync_file_system", unknown)
    monkeypatch.setattr(os, "fsync", noted)
    _added(run, library, folder)
    assert sum(path.endswith(".part") for path in synced) == FILES

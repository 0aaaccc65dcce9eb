"""Long files in a library: parts as documents, changed and deleted parts, cancellation and reading again."""

import asyncio
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.agent.exhaustive.conclusion import cited
from workbench.cli.records import citation_record
from workbench.model.document import DocumentStatus, Origin
from workbench.model.import_progress import DocumentChanged, FileDivided, FileFinished, FileOutcome
from workbench.operations import Library
from workbench.operations.folders import folder_linking
from workbench.parsing import long_files
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide files into parts of 1,000 bytes."""
    monkeypatch.setattr(long_files, "PART", 1000)
    monkeypatch.setattr(long_files, "LONG", 1500)
    monkeypatch.setattr(folder_linking, "SETTLE_SECONDS", 0.01)


def _log(path: Path, lines: int, *, age: int = 0, first: str = "started") -> Path:
    texts = (f"{number}: {first if number == 0 else 'ferry'} {number * 7919 % 1000}\n" for number in range(lines))
    path.write_bytes("".join(texts).encode())
    os.utime(path, ns=(1_700_000_000_000_000_000 + age, 1_700_000_000_000_000_000 + age))
    return path


def _names(library: Library) -> list[str]:
    return sorted(document.name for document in library.documents.list())


def _outcomes(files: list[FileFinished]) -> list[str]:
    return [file.outcome.value for file in sorted(files, key=lambda file: file.path)]


def test_each_part_of_a_long_file_is_a_document(library: Library, run: Run, tmp_path: Path, events: list[Any]) -> None:
    path = _log(tmp_path / "server.log", 200)
    run(operations.add_documents(library, [path]))
    documents = sorted(library.documents.list(), key=lambda document: document.name)
    assert len(documents) == 3
    assert [document.name[:16] for document in documents] == [f"server, part 00{number}" for number in (1, 2, 3)]
    assert {(document.folder, document.origin) for document in documents} == {("server.log", Origin.ARCHIVE)}
    assert {document.metadata.title for document in documents} == {"server"}
    assert "".join(library.documents.text(document.id) for document in documents) == path.read_text("utf-8")
    (told,) = [event for event in events if isinstance(event, FileDivided)]
    assert told.message == "“server.log” has 200 lines: it is read in 3 parts, each a document."
    assert not list(library.folder.glob("unpacked/*"))


def test_last_row_of_a_long_table_is_found(library: Library, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "boats.csv"
    path.write_text("number,boat\n" + "".join(f"{n},Skiff{n}\n" for n in range(400)), "utf-8")
    files = run(operations.add_documents(library, [path]))
    assert set(_outcomes(files)) == {"ready"}
    hit = run(operations.search(library, "Skiff399")).hits[0]
    assert hit.document_name.endswith(" to 400.csv")
    assert "| number | boat |" in hit.chunk.text


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_hit_and_a_citation_name_the_line_of_the_whole_file(
    library: Library, run: Run, tmp_path: Path, line_end: str
) -> None:
    lines = [f"{number}: {'heron' if number == 173 else 'ferry'} {number * 7919 % 1000}" for number in range(200)]
    path = tmp_path / "server.log"
    path.write_bytes(line_end.join(lines).encode("utf-16"))
    run(operations.add_documents(library, [path]))
    hit = run(operations.search(library, "heron")).hits[0]
    first, last = (hit.chunk.text.strip().split("\n")[end].split(":")[0] for end in (0, -1))
    assert hit.place == f"lines {int(first) + 1} to {int(last) + 1}"
    at = hit.chunk.text.index("heron")
    assert cited(hit, (at, at + 5)).place == "line 174"
    assert citation_record(cited(hit, (at, at + 5)))["lines"] == {"kind": "line", "first": 174, "last": 174}


def test_an_answer_names_the_row_of_a_long_table(library: Library, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "boats.csv"
    path.write_text("number,boat\n" + "".join(f"{n},Skiff{n}\n" for n in range(400)), "utf-8")
    run(operations.add_documents(library, [path]))
    hit = run(operations.search(library, "Skiff387")).hits[0]
    at = hit.chunk.text.index("| 387")
    assert cited(hit, (at, at + 15)).place == "row 389"
    run(operations.add_knowledge_base(library, "copies"))
    copied = run(operations.move_documents(library, [hit.chunk.document], "copies", copy=True))
    assert library.documents.source_lines(copied.documents[0]) == library.documents.source_lines(hit.chunk.document)


def test_unchanged_long_file_is_not_written_out_again(
    library: Library, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _log(tmp_path / "server.log", 200)
    run(operations.add_documents(library, [path]))
    monkeypatch.setattr("workbench.operations.imports.archives.write_part", None)
    assert _outcomes(run(operations.add_documents(library, [path]))) == ["unchanged"] * 3


def test_only_the_end_of_a_log_that_grew_is_read_again(library: Library, run: Run, tmp_path: Path) -> None:
    path = _log(tmp_path / "server.log", 200)
    run(operations.add_documents(library, [path]))
    before = {document.name: document.id for document in library.documents.list()}
    _log(path, 260, age=5)
    files = run(operations.add_documents(library, [path]))
    after = {document.name: document.id for document in library.documents.list()}
    assert _outcomes(files) == ["unchanged", "unchanged", "ready", "ready"]
    assert {name for name in before if name not in after} == {"server, part 003, lines 142 to 200.log"}
    assert len(after) == 4


def test_the_changed_part_of_a_long_file_is_read_again(library: Library, run: Run, tmp_path: Path) -> None:
    path = _log(tmp_path / "server.log", 200)
    run(operations.add_documents(library, [path]))
    _log(path, 200, age=5, first="stopped")
    assert _outcomes(run(operations.add_documents(library, [path]))) == ["ready", "unchanged", "unchanged"]
    assert run(operations.search(library, "stopped")).hits[0].chunk.text.startswith("0: stopped")


def test_short_file_in_the_place_of_a_long_one_takes_its_place(library: Library, run: Run, tmp_path: Path) -> None:
    path = _log(tmp_path / "server.log", 200)
    run(operations.add_documents(library, [path]))
    _log(path, 20, age=5)
    run(operations.add_documents(library, [path]))
    assert _names(library) == ["server.log"]


def test_file_that_grew_long_is_divided(library: Library, run: Run, tmp_path: Path) -> None:
    path = _log(tmp_path / "server.log", 20)
    run(operations.add_documents(library, [path]))
    _log(path, 200, age=5)
    run(operations.add_documents(library, [path]))
    assert len(_names(library)) == 3
    assert "server.log" not in _names(library)


def test_long_member_of_an_archive_is_divided_too(library: Library, run: Run, tmp_path: Path) -> None:
    log = _log(tmp_path / "server.log", 200)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(log, "logs/server.log")
        archive.writestr("note.md", "Call Anna.")
    files = run(operations.add_documents(library, [tmp_path / "a.zip"]))
    assert _outcomes(files) == ["ready"] * 4
    parts = [document for document in library.documents.list() if document.name != "note.md"]
    assert {document.folder for document in parts} == {"a.zip/logs/server.log"}
    assert not list(library.folder.glob("unpacked/*"))
    assert _outcomes(run(operations.add_documents(library, [tmp_path / "a.zip"]))) == ["unchanged"] * 4


def test_long_file_that_is_no_text_is_one_failure(library: Library, run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(bytes(range(256)) * 20)
    (file,) = run(operations.add_documents(library, [tmp_path / "a.txt"]))
    assert (file.outcome, "does not hold text" in file.reason) == (FileOutcome.FAILED, True)


def test_long_file_is_wanted_or_not_as_a_whole(library: Library, run: Run, tmp_path: Path) -> None:
    path = _log(tmp_path / "server.log", 200)
    assert run(operations.add_documents(library, [path], exclude=["server.log"])) == []
    assert len(run(operations.add_documents(library, [path], include=["server.log"]))) == 3


def test_cancel_in_the_middle_keeps_what_was_read(library: Library, run: Run, tmp_path: Path) -> None:
    path = _log(tmp_path / "server.log", 600)

    async def add() -> None:
        task: asyncio.Future[Any]

        def emit(event: Any) -> None:
            if isinstance(event, DocumentChanged) and event.document.status is DocumentStatus.INDEXED:
                task.cancel()

        task = asyncio.ensure_future(operations.add_documents(library, [path])(JobContext(emit)))
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(add())
    read = [document for document in library.documents.list() if document.chunks]
    assert 0 < len(read) < 10
    assert not list(library.folder.glob("unpacked/*/*"))
    run(operations.add_documents(library, [path]))
    assert {document.status for document in library.documents.list()} == {DocumentStatus.READY}
    texts = {document.name: library.documents.text(document.id) for document in library.documents.list()}
    assert "".join(texts[name] for name in sorted(texts)) == path.read_text("utf-8")


def test_long_file_in_a_linked_folder_is_followed(library: Library, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    path = _log(folder / "server.log", 200)
    (first,) = run(operations.link_folder(library, folder))
    (again,) = run(operations.check_linked_folders(library))
    _log(path, 260, age=5)
    (longer,) = run(operations.check_linked_folders(library))
    path.unlink()
    (folder / "other.md").write_text("Other.", "utf-8")
    (gone,) = run(operations.check_linked_folders(library))
    assert [(one.added, one.removed) for one in (first, again, longer, gone)] == [(3, 0), (0, 0), (2, 0), (1, 4)]
    assert _names(library) == ["other.md"]


def test_file_in_a_linked_folder_that_grew_long_is_divided(library: Library, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    path = _log(folder / "server.log", 20)
    run(operations.link_folder(library, folder))
    _log(path, 200, age=5)
    run(operations.check_linked_folders(library))
    assert len(_names(library)) == 3
    _log(path, 30, age=9)
    run(operations.check_linked_folders(library))
    assert _names(library) == ["server.log"]

"""Programs that read a library while another one has it open to write, or from a read-only medium."""

import asyncio
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from read_only import read_only

import workbench
from workbench import operations
from workbench.errors import LibraryLocked, LibraryMissing, LibraryUnwritable
from workbench.operations import Library
from workbench.store.database import Access
from workbench.worker.job import JobContext

WINDOW = f"another window (process {os.getpid()})"
READING = (
    ("list",),
    ("show", "1"),
    ("chunks", "1"),
    ("search", "Which ferry was late?", "--filter", "name:2.md"),
    ("search", "ferry", "--mode", "keyword"),
    ("explain", "Which ferry was late?", "1"),
    ("sessions",),
    ("runs", "show", "1"),
    ("prompt", "1"),
    ("kb", "list"),
    ("settings",),
    ("network", "list"),
    ("agents", "list"),
)
READER = """
import json, select, sys, workbench
with workbench.open_library(sys.argv[1], read_only=True) as library:
    print("open", flush=True)
    searches = 0
    while not select.select([sys.stdin], [], [], 0.2)[0]:
        assert len(library.search("Which ferry was late?", 5).hits) == 5
        searches += 1
    last = library.search("Which ferry carried the cargo of number 99?", 1)
    print(json.dumps([searches, len(library.documents()), last.mode.value, last.hits[0].chunk.text]))
"""


def write_papers(folder: Path, numbers: range) -> Path:
    folder.mkdir(exist_ok=True)
    for number in numbers:
        text = f"# Paper {number}\n\nThe ferry of {1900 + number} was late. Its cargo was number {number}.\n"
        (folder / f"{number}.md").write_text(text, "utf-8")
    return folder


def add(library: Library, path: Path) -> None:
    asyncio.run(operations.add_documents(library, [path])(JobContext()))


@pytest.fixture
def writer(library: Library, tmp_path: Path) -> Library:
    """Return a library that is open like in a window, with documents and an answer; nothing is written in idle time."""
    library.upkeep.close()
    add(library, write_papers(tmp_path / "papers", range(6)))
    asyncio.run(operations.ask(library, "When was the ferry late?")(JobContext()))
    return library


def content(folder: Path) -> dict[str, str]:
    """Return the hash of each file, except the one in which SQLite counts readers."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith("-shm")
    }


@pytest.fixture
def answers(shell: Any) -> Callable[[], list[Any]]:
    """Return a function that runs every reading command and returns their outputs, without durations."""

    def typed() -> list[Any]:
        found = []
        for command in READING:
            records = shell(*command)
            assert shell.status == 0, (command, records)
            found.append(
                [
                    {key: value for key, value in record.items() if key not in ("ms", "milliseconds")}
                    for record in records
                ]
            )
        return found

    return typed


def test_beside_a_window_commands_that_read_print_what_they_print_without_it_and_change_nothing(
    writer: Library, answers: Callable[[], list[Any]]
) -> None:
    folder = writer.folder
    before = content(folder)
    beside = answers()
    assert content(folder) == before
    writer.close()
    closed = content(folder)
    assert beside == answers()
    assert content(folder) == closed
    assert not list(folder.glob("*-shm"))


def test_an_answer_beside_a_window_is_given_and_not_stored(writer: Library, shell: Any) -> None:
    before = content(writer.folder)
    (run,) = shell("ask", "When was the ferry late?", "--session", 1)
    assert (shell.status, run["status"], len(run["citations"]) > 0) == (0, "completed", True)
    assert f"The library is open in {WINDOW}: this answer is not stored." in shell.errors
    assert content(writer.folder) == before
    assert [info.runs for info in writer.sessions.list()] == [1]


def test_a_session_is_exported_beside_a_window(writer: Library, shell: Any, tmp_path: Path) -> None:
    before = content(writer.folder)
    shell("export", 1, "--format", "html", "--out", tmp_path / "session.html")
    assert shell.status == 0
    assert "The ferry of" in (tmp_path / "session.html").read_text("utf-8")
    assert content(writer.folder) == before


@pytest.mark.parametrize(
    "command",
    [("remove", "1"), ("edit", "1", "--tag", "late"), ("settings", "search_results", "3"), ("memory", "add", "x")],
)
def test_a_change_beside_a_window_is_refused_with_its_name(writer: Library, shell: Any, command: Any) -> None:
    (error,) = shell(*command)
    assert (shell.status, error["kind"]) == (1, "LibraryLocked")
    assert WINDOW in error["error"]


def test_a_script_that_reads_sees_each_change_of_the_writer_and_can_make_none(writer: Library, tmp_path: Path) -> None:
    with workbench.open_library(writer.folder, read_only=True) as reader:
        result = reader.search("Which ferry was late?", 20)
        theirs = asyncio.run(operations.search(writer, "Which ferry was late?", k=20)(JobContext()))
        assert (result.mode, result.hits) == ("hybrid", theirs.hits)
        add(writer, write_papers(tmp_path / "more", range(6, 9)))
        assert len(reader.search("Which ferry was late?", 20).hits) == 9
        asyncio.run(operations.remove_documents(writer, [1, 2, 3])(JobContext()))
        hits = reader.search("Which ferry was late?", 20).hits
        assert {hit.chunk.document for hit in hits} == {4, 5, 6, 7, 8, 9}
        with pytest.raises(LibraryLocked, match="is open in another window"):
            reader.edit_chunk(hits[0].chunk.id, "Nothing was late.")
        run = reader.ask("When was the ferry late?")
        assert reader.ask("And what did it carry?", session=run.session).session == run.session
    assert len(writer.sessions.list()) == 1


def test_a_window_that_is_closed_and_opened_while_a_script_reads_loses_nothing(
    writer: Library, tmp_path: Path, embedder: Any
) -> None:
    with workbench.open_library(writer.folder, read_only=True) as reader:
        assert len(reader.search("Which ferry was late?", 20).hits) == 6
        writer.close()
        again = Library.open(writer.folder, embedder=embedder)
        try:
            assert not again.database.was_left
            add(again, write_papers(tmp_path / "more", range(6, 9)))
            assert len(reader.search("Which ferry was late?", 20).hits) == 9
        finally:
            again.close()
    assert sorted(path.name for path in writer.folder.glob("library.sqlite3*")) == ["library.sqlite3"]


@pytest.fixture
def readers(writer: Library) -> Iterator[list["subprocess.Popen[str]"]]:
    """Yield three programs that search repeatedly until they receive a line."""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", READER, str(writer.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(3)
    ]
    yield programs
    for program in programs:
        if program.poll() is None:
            program.kill()
        program.communicate()


def test_three_programs_search_without_an_error_while_100_files_are_added_and_see_them_in_the_end(
    writer: Library, readers: list["subprocess.Popen[str]"], tmp_path: Path
) -> None:
    for reader in readers:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "open\n", reader.communicate()[1]
    add(writer, write_papers(tmp_path / "papers", range(6, 106)))
    for reader in readers:
        out, errors = reader.communicate("end\n", timeout=60)
        assert reader.returncode == 0, errors
        searches, documents, mode, text = json.loads(out)
        assert searches > 0
        assert (documents, mode) == (106, "hybrid")
        assert "number 99." in text


@pytest.fixture
def unwritable(writer: Library) -> Iterator[Path]:
    """Yield the folder of a closed library on a read-only medium."""
    writer.close()
    folder = writer.folder
    with read_only(folder):
        yield folder


@pytest.mark.skipif(sys.platform == "win32", reason="permissions mean other things there")
def test_a_library_without_write_permission_is_read_and_left_unchanged(
    unwritable: Path, answers: Callable[[], list[Any]], shell: Any
) -> None:
    before = content(unwritable)
    answers()
    (run,) = shell("ask", "When was the ferry late?")
    assert (shell.status, run["status"]) == (0, "completed")
    assert "This library is read-only: this answer is not stored." in shell.errors
    assert content(unwritable) == before
    assert not list(unwritable.glob("*-shm"))


@pytest.mark.skipif(sys.platform == "win32", reason="permissions mean other things there")
def test_a_library_without_write_permission_rejects_changes_and_reports_the_reason(
    unwritable: Path, embedder: Any
) -> None:
    with (
        workbench.open_library(unwritable, read_only=True) as reader,
        pytest.raises(LibraryUnwritable, match="This library is read-only"),
    ):
        reader.edit_chunk(1, "Nothing was late.")


@pytest.mark.skipif(sys.platform == "win32", reason="permissions mean other things there")
def test_an_unclosed_library_without_write_permission_reports_the_remedy(unwritable: Path) -> None:
    unwritable.chmod(0o755)
    (unwritable / "library.sqlite3-wal").write_bytes(b"changes")
    unwritable.chmod(0o555)
    with (
        pytest.raises(workbench.WorkbenchError, match="Copy the whole library folder"),
        workbench.open_library(unwritable, read_only=True),
    ):
        pass


def test_opening_a_missing_library_for_reading_raises_and_does_not_create_it(tmp_path: Path) -> None:
    with pytest.raises(LibraryMissing):
        Library.open(tmp_path / "none", access=Access.READ)
    assert not (tmp_path / "none").exists()

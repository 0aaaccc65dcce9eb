"""Disk failures during operations: each ends with a sentence, and existing data stay."""

import asyncio
import errno
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.errors import DiskFull, IndexUnavailable, LibraryError, LibraryMoved, WorkbenchError
from workbench.model.document import DocumentStatus
from workbench.model.run import RunBegan, RunStatus
from workbench.operations import Library
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]
QUESTION = "When did the harbour freeze?"


class _Writer:
    """Writing connection on which every change fails with an SQLite error from some moment on."""

    def __init__(self, connection: sqlite3.Connection, code: int) -> None:
        self._connection, self._code = connection, code

    def execute(self, sql: str, *arguments: Any) -> Any:
        if sql.startswith(("INSERT", "UPDATE", "DELETE", "COMMIT")):
            error = sqlite3.OperationalError("the disk says no")
            error.sqlite_errorcode = self._code
            raise error
        return self._connection.execute(sql, *arguments)

    def executemany(self, sql: str, *arguments: Any) -> Any:
        return self.execute(sql, *arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@contextmanager
def _failing(library: Library, code: int) -> Iterator[None]:
    """Let all writes to the database fail inside the block."""
    database = library.database
    whole = database._writer
    assert whole is not None
    database._writer = _Writer(whole, code)  # type: ignore[assignment]
    try:
        yield
    finally:
        database._writer = whole


@pytest.fixture
def filled(library: Library, run: Run, papers: Path) -> Library:
    """Return a library with two documents and an answer."""
    run(operations.add_documents(library, [papers]))
    run(operations.ask(library, QUESTION))
    return library


def _later(papers: Path) -> Path:
    path = papers.parent / "later.md"
    path.write_text("# Later\n\nThe lighthouse was added later.\n", "utf-8")
    return path


VERBS: dict[str, Callable[[Library, Path], Any]] = {
    "import": lambda library, papers: operations.add_documents(library, [_later(papers)]),
    "ask": lambda library, _: operations.ask(library, "Which ferry?"),
    "settings": lambda library, _: operations.put_setting(library, "search_results", 5),
    "remove": lambda library, _: operations.remove_documents(library, [1]),
    "edit": lambda library, _: operations.edit_metadata(library, 1, {"title": "Other"}),
    "re-read": lambda library, _: operations.reindex_documents(library, [1]),
    "session": lambda library, _: operations.rename_session(library, 1, "Other"),
    "knowledge base": lambda library, _: operations.add_knowledge_base(library, "work"),
    "note": lambda library, _: operations.add_note(library, "Words of a note."),
}


@pytest.mark.logs_warnings
@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        (sqlite3.SQLITE_FULL, DiskFull, "There is no room left on the disk"),
        (sqlite3.SQLITE_IOERR | 3 << 8, LibraryError, "failed to read or write"),
    ],
)
@pytest.mark.parametrize("verb", VERBS)
def test_every_operation_on_an_unwritable_disk_reports_the_reason_and_loses_no_data(
    filled: Library, run: Run, papers: Path, verb: str, code: int, kind: type[LibraryError], said: str
) -> None:
    with _failing(filled, code), pytest.raises(kind, match=said):
        run(VERBS[verb](filled, papers))
    assert filled.active == set()
    documents = [document for document in filled.documents.list() if document.status is DocumentStatus.READY]
    assert [document.name for document in documents] == ["harbour.md", "港口.txt"]
    assert run(operations.search(filled, "ferry Aurora")).hits
    assert filled.sessions.get(1).runs[0].question == QUESTION
    # It succeeds once there is space again.
    assert run(VERBS[verb](filled, papers)) is not False
    assert filled.database.integrity_problem() == ""


@pytest.mark.logs_warnings
@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR])
def test_an_answer_that_streams_while_the_disk_fills_up_is_kept_as_far_as_it_was_written(
    filled: Library, run: Run, code: int, tmp_path: Path, embedder: Embedder
) -> None:
    broken = _failing(filled, code)

    def fill(event: Any) -> None:
        if isinstance(event, RunBegan):
            broken.__enter__()

    async def ask() -> None:
        await operations.ask(filled, "Which ferry?")(JobContext(fill))

    with pytest.raises(LibraryError):
        asyncio.run(ask())
    broken.__exit__(None, None, None)
    filled.close()
    again = Library.open(filled.folder, embedder=embedder)
    runs = again.sessions.runs()
    assert [(one.question, one.status) for one in runs] == [
        ("Which ferry?", RunStatus.CANCELLED),
        (QUESTION, RunStatus.COMPLETED),
    ]
    again.close()


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EIO, "Input/output error"),
        (errno.EROFS, "Read-only file system"),
        (errno.EACCES, "Permission denied"),
    ],
)
def test_an_export_that_cannot_be_written_leaves_what_was_there(
    filled: Library, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, said: str
) -> None:
    target = tmp_path / "out.md"
    target.write_text("what was there", "utf-8")

    def fail(*_arguments: Any, **_more: Any) -> None:
        raise OSError(number, os.strerror(number), str(target))

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        with pytest.raises(WorkbenchError, match=said):
            run(operations.export_session(filled, 1, "md", target))
    assert target.read_text("utf-8") == "what was there"
    assert [path.name for path in tmp_path.glob("out*")] == ["out.md"]


@pytest.mark.logs_warnings
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_an_index_that_cannot_be_saved_is_made_again_from_the_library(
    filled: Library, run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch, number: int, embedder: Embedder
) -> None:
    def fail(_descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr("workbench.indexing.atomic_files.os.fsync", fail)
        filled.models.index().upsert(*filled.vectors.all(filled.vectors.embedder))
        with pytest.raises(IndexUnavailable, match="could not be saved"):
            filled.models.save_index()
    filled.close()
    again = Library.open(filled.folder, embedder=embedder)
    assert run(operations.search(again, "ferry Aurora")).hits
    assert run(operations.check_library(again)).is_sound
    again.close()


def test_a_folder_that_is_removed_while_open_is_not_recreated_by_operations_in_progress(
    filled: Library, run: Run, papers: Path
) -> None:
    shutil.rmtree(filled.folder)
    for verb in ("import", "settings", "ask"):
        with pytest.raises(LibraryMoved, match="was moved, removed or replaced"):
            run(VERBS[verb](filled, papers))
    with pytest.raises(LibraryMoved):
        filled.models.save_index()
    assert not filled.folder.exists()


def test_a_folder_that_is_moved_while_open_keeps_everything_and_is_opened_where_it_is(
    filled: Library, run: Run, papers: Path, embedder: Embedder
) -> None:
    elsewhere = filled.folder.with_name("elsewhere")
    filled.folder.rename(elsewhere)
    with pytest.raises(LibraryMoved):
        run(VERBS["import"](filled, papers))
    filled.close()
    again = Library.open(elsewhere, embedder=embedder)
    assert run(operations.search(again, "ferry Aurora")).hits
    assert run(operations.check_library(again)).is_sound
    again.close()
    assert not filled.folder.exists()


def test_a_setting_that_is_garbage_does_not_keep_the_library_shut(filled: Library, embedder: Embedder) -> None:
    with filled.database.write() as connection:
        connection.execute("INSERT INTO remembered (scope, key, value) VALUES ('setting', 'bin_days', '[')")
    filled.close()
    again = Library.open(filled.folder, embedder=embedder)
    assert again.settings.bin_days == 30
    again.close()


@pytest.mark.logs_warnings
def test_an_interrupted_answer_that_cannot_be_read_does_not_keep_the_library_shut(
    filled: Library, embedder: Embedder
) -> None:
    with filled.database.write() as connection:
        connection.execute("UPDATE runs SET status = 'running'")
        connection.execute("UPDATE run_events SET fields = '{' WHERE number = 1")
    filled.close()
    again = Library.open(filled.folder, embedder=embedder)
    assert [one.status for one in again.sessions.runs()] == [RunStatus.CANCELLED]
    again.close()

"""Interruptions: a cancellation, a removal, a full disk, a second import. Acknowledged data are never lost."""

import asyncio
import errno
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.errors import DiskFull, IndexUnavailable, NotFound, RetrievalError
from workbench.model.document import Document, DocumentStatus
from workbench.model.hit import SearchMode
from workbench.model.import_progress import DocumentChanged, FileOutcome
from workbench.model.run import RunCompleted, RunStarted
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.operations.documents import document_management
from workbench.operations.documents.document_management import LEAST_ROOM
from workbench.operations.imports.import_state import FAULT
from workbench.operations.imports.importing import CANCELLED
from workbench.operations.library.models import SearchModels
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]


def _full() -> sqlite3.Error:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


def _when(status: DocumentStatus, action: Callable[[Document], None]) -> JobContext:
    """Return a context that runs an action when a document first gets a status."""
    acted: list[int] = []

    def emit(event: Any) -> None:
        if isinstance(event, DocumentChanged) and event.document.status is status and not acted:
            acted.append(event.document.id)
            action(event.document)

    return JobContext(emit)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nThe heron number {number} flew.\n", "utf-8")
    return folder


@pytest.mark.parametrize("moment", [DocumentStatus.QUEUED, DocumentStatus.PARSING, DocumentStatus.EMBEDDING])
def test_a_cancelled_import_reports_the_cancellation_and_adding_again_completes_it(
    library: Library, run: Run, notes: Path, moment: DocumentStatus
) -> None:
    async def cancelled() -> None:
        task: asyncio.Future[Any]
        context = _when(moment, lambda _document: task.cancel())
        task = asyncio.ensure_future(operations.add_documents(library, [notes])(context))
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert library.active == set()
    known = {DocumentStatus.READY, DocumentStatus.INDEXED, DocumentStatus.FAILED}
    assert {document.status for document in library.documents.list()} <= known
    assert all(d.reason == CANCELLED for d in library.documents.list() if d.status is DocumentStatus.FAILED)
    run(operations.add_documents(library, [notes]))
    assert [d.status for d in library.documents.list()] == [DocumentStatus.READY] * 6
    assert library.database.integrity_problem() == ""


@pytest.mark.logs_warnings
def test_a_fault_of_the_program_in_one_file_ends_that_file_and_no_other(
    library: Library, run: Run, notes: Path
) -> None:
    def fault(_document: Document) -> None:
        raise ZeroDivisionError

    files = asyncio.run(operations.add_documents(library, [notes])(_when(DocumentStatus.PARSING, fault)))
    assert Counter(file.outcome.value for file in files) == {"ready": 5, "failed": 1}
    (failed,) = [d for d in library.documents.list() if d.status is DocumentStatus.FAILED]
    assert failed.reason == "The program failed while reading this file."
    run(operations.add_documents(library, [notes]))
    assert {d.status for d in library.documents.list()} == {DocumentStatus.READY}


def test_files_left_unread_by_a_program_error_are_not_reported_as_cancelled(
    library: Library, run: Run, notes: Path
) -> None:
    def fault(_document: Document) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(operations.add_documents(library, [notes])(_when(DocumentStatus.QUEUED, fault)))
    failed = {d.reason for d in library.documents.list() if d.status is DocumentStatus.FAILED}
    assert failed == {FAULT}
    run(operations.add_documents(library, [notes]))
    assert {d.status for d in library.documents.list()} == {DocumentStatus.READY}


def test_documents_left_unread_by_a_closing_library_are_read_after_the_next_start(
    library: Library, run: Run, notes: Path
) -> None:
    async def closed() -> None:
        task: asyncio.Future[Any]
        context = _when(DocumentStatus.PARSING, lambda _document: task.cancel())
        task = asyncio.ensure_future(operations.add_documents(library, [notes])(context))
        library.closing = True
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(closed())
    left = library.documents.list()
    assert left
    assert DocumentStatus.FAILED not in {document.status for document in left}
    library.closing = False
    run(operations.resume_import(library))
    assert {document.status for document in library.documents.list()} == {DocumentStatus.READY}


def test_two_imports_at_once_of_overlapping_files(library: Library, notes: Path, papers: Path) -> None:
    async def both() -> list[Any]:
        first = operations.add_documents(library, [notes, papers])
        second = operations.add_documents(library, [papers, notes])
        return await asyncio.gather(first(JobContext()), second(JobContext()))

    first, second = asyncio.run(both())
    assert len(first) == len(second) == 8
    assert {file.outcome for file in (*first, *second)} <= {FileOutcome.READY, FileOutcome.UNCHANGED}
    documents = library.documents.list()
    assert sorted(d.status for d in documents) == [DocumentStatus.READY] * 8
    assert all(d.embedded == d.chunks == len(library.documents.chunks(d.id)) > 0 for d in documents)
    assert library.active == set()


@pytest.mark.parametrize("moment", [DocumentStatus.QUEUED, DocumentStatus.PARSING, DocumentStatus.EMBEDDING])
def test_a_document_removed_during_its_import_stays_removed_and_the_others_are_added(
    library: Library, notes: Path, moment: DocumentStatus
) -> None:
    gone: list[str] = []

    def remove(document: Document) -> None:
        gone.append(document.path)
        library.documents.mark_removed([document.id])

    async def add() -> Any:
        return await operations.add_documents(library, [notes])(_when(moment, remove))

    outcomes = {file.path: file.outcome for file in asyncio.run(add())}
    assert len(outcomes) == 6
    assert [path for path, outcome in outcomes.items() if outcome is FileOutcome.SKIPPED] == gone
    assert len(library.documents.list()) == 5


def test_a_broken_file_removed_during_its_import_ends_only_itself(library: Library, notes: Path) -> None:
    (notes / "0.md").write_bytes(b"")

    def remove(event: Any) -> None:
        if isinstance(event, DocumentChanged) and event.document.name == "0.md":
            library.documents.mark_removed([event.document.id])

    async def add() -> Any:
        return await operations.add_documents(library, [notes])(JobContext(remove))

    outcomes = sorted(file.outcome.value for file in asyncio.run(add()))
    assert outcomes == ["ready"] * 5 + ["skipped"]


def test_a_full_disk_is_reported_and_keeps_the_stored_documents(
    library: Library, run: Run, notes: Path, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(operations.add_documents(library, [papers]))

    def failing(*_args: object, **_more: object) -> None:
        raise _full()

    with monkeypatch.context() as patch:
        patch.setattr("workbench.store.documents.replace_chunks_edited", failing)
        with pytest.raises(DiskFull, match="no room left on the disk"):
            run(operations.add_documents(library, [notes]))
    assert library.active == set()
    assert len([d for d in library.documents.list() if d.status is DocumentStatus.READY]) == 2
    assert run(operations.search(library, "ferry Aurora")).hits
    waiting = [d for d in library.documents.list() if d.status is DocumentStatus.QUEUED]
    assert waiting
    assert "no room left on the disk" in waiting[0].reason
    assert {f.outcome for f in run(operations.add_documents(library, [notes]))} == {FileOutcome.READY}


def test_documents_left_unread_by_a_full_disk_are_read_when_there_is_space(
    library: Library, run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_args: object, **_named: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "reader")

    with monkeypatch.context() as patch:
        patch.setattr("workbench.operations.imports.file_reading.prepare_isolated", failing)
        with pytest.raises(DiskFull, match="The disk is full"):
            run(operations.add_documents(library, [notes]))
    usage = shutil.disk_usage(library.folder)
    monkeypatch.setattr(document_management.shutil, "disk_usage", lambda _folder: usage._replace(free=LEAST_ROOM))
    assert run(operations.has_room(library)) is False
    monkeypatch.setattr(document_management.shutil, "disk_usage", lambda _folder: usage._replace(free=LEAST_ROOM * 9))
    assert run(operations.has_room(library)) is True
    run(operations.resume_import(library))
    assert {(d.status, d.reason) for d in library.documents.list()} == {(DocumentStatus.READY, "")}
    assert run(operations.resume_import(library)) == []


@pytest.mark.logs_warnings
def test_an_index_file_that_cannot_be_written_does_not_fail_the_import(
    library: Library, run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_models: SearchModels) -> None:
        raise IndexUnavailable("The search index could not be saved.", "Free some space.")

    monkeypatch.setattr(SearchModels, "save_index", failing)
    files = run(operations.add_documents(library, [papers]))
    assert {file.outcome for file in files} == {FileOutcome.READY}
    assert run(operations.search(library, "ferry Aurora", configuration=SearchConfiguration(SearchMode.DENSE))).hits


def test_a_library_that_cannot_be_written_when_opened_is_not_kept_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_store: object) -> int:
        raise DiskFull("There is no room left.", "Free some space.")

    with monkeypatch.context() as patch:
        patch.setattr("workbench.store.sessions.SessionMaintenance.interrupt_unfinished", failing)
        with pytest.raises(DiskFull):
            Library.open(tmp_path / "library")
    Library.open(tmp_path / "library").close()


def test_documents_are_found_while_they_are_indexed_again(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    ids = [document.id for document in library.documents.list()]

    async def both() -> list[bool]:
        again = asyncio.ensure_future(operations.reindex_documents(library, ids)(JobContext()))
        found = []
        while not again.done():
            result = await operations.search(library, "ferry Aurora")(JobContext())
            found.append(bool(result.hits))
        assert {file.outcome for file in await again} == {FileOutcome.READY}
        return found

    found = asyncio.run(both())
    assert found
    assert all(found)


def test_an_answer_cancelled_more_than_once_is_kept(library: Library, papers: Path, run: Run) -> None:
    run(operations.add_documents(library, [papers]))

    async def cancelled() -> None:
        task: asyncio.Future[Any]
        task = asyncio.ensure_future(
            operations.ask(library, "When did the harbour freeze?")(JobContext(lambda _event: task.cancel()))
        )
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    (info,) = library.sessions.list()
    (kept,) = library.sessions.get(info.id).runs
    assert (kept.status.value, kept.question) == ("cancelled", "When did the harbour freeze?")


@pytest.mark.logs_warnings
def test_events_that_could_not_be_written_are_written_with_the_next(
    library: Library, papers: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(operations.add_documents(library, [papers]))
    append, failures = library.sessions.append_events, [1]

    def sometimes(number: int, events: Any) -> None:
        if failures:
            failures.pop()
            raise DiskFull("There is no room left.", "Free some space.")
        append(number, events)

    monkeypatch.setattr(library.sessions, "append_events", sometimes)
    monkeypatch.setattr("workbench.operations.questions.run_persister.FLUSH_SECONDS", 0.0)
    kept = run(operations.ask(library, "When did the harbour freeze?"))
    assert failures == []
    assert isinstance(kept.events[0].event, RunStarted)
    assert isinstance(kept.events[-1].event, RunCompleted)


@pytest.mark.parametrize("question", ["", "  \n\t "])
def test_an_empty_question_is_refused_and_leaves_no_session(library: Library, run: Run, question: str) -> None:
    with pytest.raises(RetrievalError, match="The question is empty"):
        run(operations.ask(library, question))
    assert library.sessions.list() == []


@pytest.mark.parametrize(
    "question", ["?!… ()[]{}\"'*^:-", "😀😀", "a\x00b heron", "half \ud800 heron", "heron " * 17_000]
)
def test_any_question_gets_an_answer_that_is_kept(library: Library, run: Run, question: str) -> None:
    kept = run(operations.ask(library, question))
    assert kept.status.value == "completed"
    assert kept.answer
    assert library.sessions.get(kept.session).runs[0].question == question


@pytest.mark.parametrize("number", [10**30, -(10**30), 0, -1])
def test_a_number_of_any_size_is_only_not_found(library: Library, run: Run, number: int) -> None:
    for operation in (operations.open_session(library, number), operations.reindex_documents(library, [number])):
        with pytest.raises(NotFound):
            run(operation)

"""The import queue: rows at once, pause, priority, removal of files, and files that are not read again."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.model.document import DocumentStatus
from workbench.model.import_progress import DocumentChanged, FileFinished, ImportProgress
from workbench.operations import Library
from workbench.operations.imports.file_reading import FileReader
from workbench.operations.imports.import_state import ReadingTask
from workbench.operations.imports.importing import AT_ONCE, CANCELLED
from workbench.operations.imports.progress import Progress
from workbench.store.intake import is_hashed
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(8):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nThe heron number {number} flew.\n", "utf-8")
    return folder


class Watch:
    """Recorder of an import's events that runs an action at the first event of a kind."""

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.on: dict[DocumentStatus, Callable[[], None]] = {}

    def __call__(self, event: Any) -> None:
        self.events.append(event)
        if isinstance(event, DocumentChanged) and (act := self.on.pop(event.document.status, None)):
            act()

    def names(self, status: DocumentStatus) -> list[str]:
        changes = [event.document for event in self.events if isinstance(event, DocumentChanged)]
        return list(dict.fromkeys(document.name for document in changes if document.status is status))


def _add(library: Library, notes: Path, watch: Watch, **more: Any) -> list[FileFinished]:
    async def add() -> Any:
        return await operations.add_documents(library, [notes], **more)(JobContext(watch))

    return asyncio.run(add())


def test_all_document_rows_exist_before_the_first_file_is_read(library: Library, notes: Path) -> None:
    watch = Watch()
    standing: list[int] = []
    watch.on[DocumentStatus.PARSING] = lambda: standing.append(len(library.documents.list()))
    _add(library, notes, watch)
    assert standing == [8]
    assert all(is_hashed(document) for document in library.documents.list())


def test_two_thousand_rows_are_made_without_reading_a_file(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(2000):
        (folder / f"{number}.md").touch()

    async def add() -> None:
        task: asyncio.Future[Any]
        rows: list[int] = []

        def emit(event: Any) -> None:
            if isinstance(event, DocumentChanged) and event.document.status is DocumentStatus.QUEUED:
                rows.append(event.document.id)
                if len(rows) == 2000:
                    task.cancel()

        library.queue.pause(True)
        task = asyncio.ensure_future(operations.add_documents(library, [folder])(JobContext(emit)))
        with pytest.raises(asyncio.CancelledError):
            await task

    monkeypatch.setattr("workbench.operations.imports.register_files.digest", None)
    asyncio.run(add())
    assert len(library.documents.list()) == 2000


def test_files_queued_but_never_hashed_are_read_after_the_next_start(library: Library, notes: Path, run: Run) -> None:
    files = {path: (operations_stamp(path), "notes") for path in sorted(notes.iterdir())}
    library.intake.queue("default", files)
    (notes / "7.md").unlink()
    results = run(operations.resume_import(library))
    assert sorted(result.outcome.value for result in results) == ["failed", *["ready"] * 7]
    assert [d.reason for d in library.documents.list() if d.status is DocumentStatus.FAILED]


def operations_stamp(path: Path) -> Any:
    from workbench.operations.imports.source_files import stamp

    return stamp(path)


def test_a_paused_import_starts_no_new_file_until_it_is_resumed(library: Library, notes: Path) -> None:
    watch = Watch()

    async def add() -> list[FileFinished]:
        watch.on[DocumentStatus.PARSING] = lambda: library.queue.pause(True)
        adding = asyncio.ensure_future(operations.add_documents(library, [notes])(JobContext(watch)))
        # All files that were started are finished, and no other is started.
        while len(watch.names(DocumentStatus.INDEXED)) < max(1, len(watch.names(DocumentStatus.PARSING))):
            await asyncio.sleep(0)
        begun = len(watch.names(DocumentStatus.PARSING))
        assert 1 <= begun <= AT_ONCE
        assert watch.names(DocumentStatus.EMBEDDING) == []
        await operations.pause_imports(library, False)(JobContext(watch))
        return await adding

    assert [file.outcome.value for file in asyncio.run(add())] == ["ready"] * 8


def test_a_pause_outlasts_a_restart(tmp_path: Path, embedder: Embedder, run: Run) -> None:
    for paused in (True, False):
        library = Library.open(tmp_path / "library", embedder=embedder)
        run(operations.pause_imports(library, paused))
        library.close()
        library = Library.open(tmp_path / "library", embedder=embedder)
        assert run(operations.imports_paused(library)) is paused
        library.close()


def test_a_document_opened_by_the_user_is_read_and_embedded_first(library: Library, notes: Path) -> None:
    watch = Watch()

    def last_first() -> None:
        library.queue.first([library.documents.list()[-1].id])

    watch.on[DocumentStatus.PARSING] = last_first
    _add(library, notes, watch)
    begun = watch.names(DocumentStatus.PARSING)
    assert begun.index("7.md") <= AT_ONCE
    assert library.queue.urgent == set()


@pytest.mark.parametrize("is_resumed", [False, True], ids=["added", "resumed"])
def test_short_files_are_read_before_long_ones_that_were_found_before(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_resumed: bool
) -> None:
    monkeypatch.setattr("workbench.operations.imports.importing.PIECE", 1)
    monkeypatch.setattr("workbench.operations.imports.importing.AT_ONCE", 1)
    folder, watch = tmp_path / "reports", Watch()
    folder.mkdir()
    for name, times in (("a", 9), ("b", 300), ("c", 1)):
        (folder / f"{name}.md").write_text("# Heron\n\n" + f"The heron {name} flew north.\n\n" * times, "utf-8")
    if is_resumed:
        library.intake.queue("default", {path: (operations_stamp(path), "") for path in sorted(folder.iterdir())})
        asyncio.run(operations.resume_import(library)(JobContext(watch)))
    else:
        library.queue.pause(True)
        queued: list[str] = []

        def resume(event: Any) -> None:
            watch(event)
            if isinstance(event, DocumentChanged) and event.document.status is DocumentStatus.QUEUED:
                queued.append(event.document.name)
                if len(queued) == 3:
                    asyncio.get_running_loop().call_soon(library.queue.pause, False)

        asyncio.run(operations.add_documents(library, [folder])(JobContext(resume)))
    assert watch.names(DocumentStatus.PARSING) == ["c.md", "a.md", "b.md"]


def test_files_are_read_before_any_is_embedded(library: Library, notes: Path) -> None:
    watch = Watch()
    read: list[int] = []
    watch.on[DocumentStatus.EMBEDDING] = lambda: read.append(len(watch.names(DocumentStatus.INDEXED)))
    _add(library, notes, watch)
    # The files that are being read when no other waits may finish after it started.
    assert read[0] >= 8 - AT_ONCE


def test_files_that_take_long_to_read_do_not_hold_up_the_vectors_of_others(
    library: Library, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.imports.importing.LONG_READING", 0.2)
    monkeypatch.setattr("workbench.operations.imports.importing._TICK_SECONDS", 0.05)
    monkeypatch.setattr("workbench.operations.imports.file_reading.FEW", 100)
    watch, embedded, take = Watch(), asyncio.Event(), FileReader.take

    async def take_long(reader: FileReader, task: ReadingTask) -> None:
        if task.path.name != "0.md":
            await asyncio.wait_for(embedded.wait(), 60)
        await take(reader, task)

    monkeypatch.setattr(FileReader, "take", take_long)
    watch.on[DocumentStatus.READY] = embedded.set
    assert {file.outcome.value for file in _add(library, notes, watch)} == {"ready"}


def test_progress_is_reported_while_a_single_file_is_read(
    library: Library, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.imports.importing._TICK_SECONDS", 0.06)
    enough, take = asyncio.Event(), FileReader.take
    while_read: list[ImportProgress] = []

    async def take_long(reader: FileReader, task: ReadingTask) -> None:
        while_read.clear()
        await asyncio.wait_for(enough.wait(), 60)
        await take(reader, task)

    def hear(event: object) -> None:
        if isinstance(event, ImportProgress):
            while_read.append(event)
            if len(while_read) == 4:
                enough.set()

    monkeypatch.setattr(FileReader, "take", take_long)
    asyncio.run(operations.add_documents(library, [notes / "0.md"])(JobContext(hear)))
    assert enough.is_set()


def test_embedding_continues_when_the_last_unread_files_are_removed_from_the_queue(
    library: Library, notes: Path
) -> None:
    watch = Watch()

    def cancel_the_unread() -> None:
        queued = [one.id for one in library.documents.list() if one.status is DocumentStatus.QUEUED]
        library.queue.cancel(queued)

    watch.on[DocumentStatus.INDEXED] = cancel_the_unread
    files = _add(library, notes, watch)
    assert {file.outcome.value for file in files} == {"ready", "skipped"}


@pytest.mark.parametrize("moment", [DocumentStatus.QUEUED, DocumentStatus.PARSING, DocumentStatus.EMBEDDING])
def test_one_document_is_taken_out_and_the_others_go_on(library: Library, notes: Path, moment: DocumentStatus) -> None:
    taken: list[int] = []

    def emit(event: Any) -> None:
        if isinstance(event, DocumentChanged) and event.document.status is moment and not taken:
            taken.append(event.document.id)
            asyncio.get_running_loop().call_soon(library.queue.cancel, taken)

    async def add() -> list[FileFinished]:
        return await operations.add_documents(library, [notes])(JobContext(emit))

    results = {result.document: result for result in asyncio.run(add())}
    assert len(results) == 8
    others = [result.outcome.value for number, result in results.items() if number not in taken]
    assert others == ["ready"] * 7
    if moment is not DocumentStatus.EMBEDDING:
        assert results[taken[0]].reason == CANCELLED
        assert library.documents.get(taken[0]).reason == CANCELLED
    assert library.active == set()


def test_a_cancelled_file_is_read_when_it_is_tried_again(library: Library, notes: Path, run: Run) -> None:
    watch = Watch()
    watch.on[DocumentStatus.PARSING] = lambda: library.queue.cancel([library.documents.list()[-1].id])
    _add(library, notes, watch)
    (stopped,) = [one.id for one in library.documents.list() if one.status is DocumentStatus.FAILED]
    (file,) = run(operations.reindex_documents(library, [stopped]))
    assert file.outcome.value == "ready"


def test_b8_files_of_unchanged_size_and_time_are_not_read_again(
    library: Library, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _add(library, notes, Watch())
    monkeypatch.setattr("workbench.operations.imports.register_files.digest", None)
    assert {file.outcome.value for file in _add(library, notes, Watch())} == {"unchanged"}


def test_b8_contents_are_checked_where_that_is_asked_for(library: Library, notes: Path) -> None:
    _add(library, notes, Watch())
    file = notes / "0.md"
    times = file.stat().st_mtime_ns
    file.write_text(file.read_text("utf-8").replace("flew", "sank"), "utf-8")
    import os

    os.utime(file, ns=(times, times))
    assert {one.outcome.value for one in _add(library, notes, Watch())} == {"unchanged"}
    assert sorted(one.outcome.value for one in _add(library, notes, Watch(), check_contents=True))[0] == "ready"


def test_the_time_left_counts_files_that_wait_to_be_read() -> None:
    progress = Progress(files=3, readers=2)
    for name in ("a.pdf", "b.pdf", "c.pdf"):
        progress.waits(Path(name), 1000)
    progress.was_read(Path("a.pdf"), 1000, 200, 4.0)
    progress.chunks = 200
    progress.was_embedded(200, 10.0)
    # Two files to come, each with 200 chunks of 0.05 s; two parser processes read them in 4 s.
    assert progress.seconds_left == pytest.approx(4.0 + 20.0)
    progress.leaves("b.pdf")
    assert progress.seconds_left == pytest.approx(2.0 + 10.0)


def test_the_time_left_is_reported_before_the_first_vector_from_the_speed_of_an_earlier_import() -> None:
    progress = Progress(files=1)
    progress.waits(Path("a.pdf"), 1000)
    progress.was_read(Path("a.pdf"), 1000, 200, 4.0)
    progress.chunks = 200
    assert progress.seconds_left is None
    progress.embedding.seconds_each = 0.05
    assert progress.seconds_left == pytest.approx(10.0)


def test_an_import_reports_its_remaining_time(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.imports.embedding.BATCH", 4)
    monkeypatch.setattr("workbench.operations.imports.progress._ENOUGH_CHUNKS", 4)
    body = "\n\n".join(f"## Part {part}\n\nStation reported value {part}." for part in range(200))
    for number in range(4):
        (tmp_path / f"{number}.md").write_text(f"# Report {number}\n\n{body}\n", "utf-8")
    watch = Watch()

    async def add() -> None:
        paths = [tmp_path / f"{number}.md" for number in range(4)]
        await operations.add_documents(library, paths)(JobContext(watch))

    asyncio.run(add())
    told = [event.seconds_left for event in watch.events if isinstance(event, ImportProgress)]
    assert any(seconds for seconds in told if seconds is not None)
    assert told[-1] == 0

"""Shared libraries beside a personal one: connected, filled, read by a worker, searched, read and left."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from shared_libraries import empty_database, shared_library

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.errors import LibraryError, MetadataError, NotFound, SharedLibraryUnreachable
from workbench.model.document import DocumentStatus
from workbench.model.explanation import Stage
from workbench.model.filter import ChunkFilter, Condition, Operator
from workbench.model.import_progress import FileOutcome
from workbench.model.shared_library import SharedImportProgress, SharedLibraryChanged
from workbench.operations import Library
from workbench.operations.shared import import_worker
from workbench.operations.shared.federated_ids import IdSpace, local_id, slot_of
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]
QUESTION = "When did the harbour of Lindhamn freeze?"


@pytest.fixture
def url(postgres_url: str, embedder: Embedder) -> Iterator[str]:
    """Yield the address of a shared library without documents."""
    with empty_database(postgres_url) as url, shared_library(url, embedder=embedder.id) as database:
        with database.write() as connection:
            connection.execute("SELECT create_knowledge_base('papers')")
        yield url


@pytest.fixture
def team(library: Library, run: Run, url: str) -> Library:
    """Return a personal library that is connected to the shared one as “team”."""
    run(operations.connect_shared_library(library, "team", url))
    return library


@pytest.fixture
def filled(team: Library, run: Run, papers: Path) -> Library:
    run(operations.add_documents(team, [papers], knowledge_base="team/papers"))
    assert run(operations.read_shared_documents(team, "team")) == 2
    return team


def names(library: Library, run: Run, question: str = QUESTION, **more: Any) -> list[tuple[str, str]]:
    return [(hit.knowledge_base, hit.document_name) for hit in run(operations.search(library, question, **more)).hits]


def test_files_are_copied_queued_read_by_a_worker_and_found(
    team: Library, run: Run, papers: Path, events: list[Any]
) -> None:
    finished = run(operations.add_documents(team, [papers], knowledge_base="team/papers"))
    assert {one.outcome for one in finished} == {FileOutcome.SHARED}
    waiting = run(operations.list_documents(team, "team/papers"))
    assert [(one.status, one.knowledge_base) for one in waiting] == [(DocumentStatus.QUEUED, "team/papers")] * 2
    assert run(operations.read_shared_documents(team, "team")) == 2
    assert [one.done for one in events if isinstance(one, SharedImportProgress)][-1] == 2
    ready = run(operations.list_documents(team))
    assert {(one.status, slot_of(one.id), one.embedded == one.chunks > 0) for one in ready} == {
        (DocumentStatus.READY, 1, True)
    }
    assert names(team, run)[0] == ("team/papers", "harbour.md")
    again = run(operations.add_documents(team, [papers], knowledge_base="team/papers"))
    assert {one.outcome for one in again} == {FileOutcome.UNCHANGED}


def test_one_question_finds_passages_of_both_libraries_and_a_filter_of_one(
    filled: Library, run: Run, tmp_path: Path
) -> None:
    own = tmp_path / "own.md"
    own.write_text("# Lindhamn\n\nThe harbour of Lindhamn froze again in the winter of 1987.\n")
    run(operations.add_documents(filled, [own]))
    both = names(filled, run)
    assert {("team/papers", "harbour.md"), ("default", "own.md")} <= set(both[:3])
    assert {base for base, _ in names(filled, run, filter=ChunkFilter("team/papers"))} == {"team/papers"}
    assert {base for base, _ in names(filled, run, filter=ChunkFilter("default"))} == {"default"}
    among = ChunkFilter(None, (Condition("knowledge_base", Operator.IN, ("default", "team/papers")),))
    assert {base for base, _ in names(filled, run, filter=among)} == {"default", "team/papers"}
    result = run(operations.search(filled, QUESTION))
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    assert result.coverage is not None
    assert (result.coverage.documents, result.coverage.is_complete) == (3, True)


def test_a_cited_passage_is_shown_in_its_document_with_its_page_and_its_original(filled: Library, run: Run) -> None:
    hit = run(operations.search(filled, QUESTION)).hits[0]
    document = hit.chunk.document
    text = run(operations.document_text(filled, document))
    assert text[hit.chunk.start : hit.chunk.end] == hit.chunk.text
    assert run(operations.show_document(filled, "harbour.md")).id == document
    assert hit.chunk.id in [chunk.id for chunk in run(operations.list_chunks(filled, document))]
    assert run(operations.neighbours(filled, hit.chunk)).text
    from workbench.operations.shared.originals import original_of

    found = original_of(filled, filled.documents.get(document))
    assert found is not None
    assert found.read_bytes() == (filled.folder.parent / "papers" / "harbour.md").read_bytes()
    assert original_of(filled, filled.documents.get(document)) == found


def test_an_answer_cites_passages_of_the_shared_library(filled: Library, run: Run) -> None:
    answer = run(operations.ask(filled, QUESTION))
    assert "1987" in answer.answer or answer.citations
    assert {citation.document_name for citation in answer.citations} >= {"harbour.md"}


@pytest.mark.logs_warnings
def test_a_server_that_is_down_is_said_in_the_answer_and_the_rest_is_searched(
    filled: Library, run: Run, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.md"
    own.write_text("# Lindhamn\n\nThe harbour of Lindhamn froze again in the winter of 1987.\n")
    run(operations.add_documents(filled, [own]))
    assert (len(run(operations.list_documents(filled))), len(names(filled, run)) > 1) == (3, True)
    with server_down(filled, monkeypatch):
        result = run(operations.search(filled, QUESTION))
        assert [hit.document_name for hit in result.hits] == ["own.md"]
        assert any("“team” was not searched" in note for note in result.notes)
        assert result.coverage is not None
        assert (result.coverage.unreached, result.coverage.is_read) == (1, False)
        assert "1 shared library, which could not be reached" in result.coverage.sentence
        with pytest.raises(SharedLibraryUnreachable):
            run(operations.search(filled, QUESTION, filter=ChunkFilter("team/papers")))
        listed = run(operations.list_documents(filled))
        assert len(listed) == 3  # as last seen
        state = run(operations.list_shared_libraries(filled))[0]
        assert "cannot be reached" in state.problem
    for shared in filled.shared:
        shared.try_again()
    assert ("team/papers", "harbour.md") in names(filled, run)


class server_down:
    """Let every connection to the server fail."""

    def __init__(self, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
        self._library = library
        self._patch = monkeypatch

    def __enter__(self) -> None:
        def refuse(*_args: object, **_more: object) -> None:
            raise psycopg.OperationalError("connection refused")

        for shared in self._library.shared:
            shared.close()
        self._patch.setattr("workbench.egress.postgres.connect", refuse)

    def __exit__(self, *_error: object) -> None:
        self._patch.undo()


def test_the_way_of_a_passage_through_the_search_of_its_library_is_explained(filled: Library, run: Run) -> None:
    hit = run(operations.search(filled, QUESTION)).hits[0]
    explanation = run(operations.explain(filled, QUESTION, hit.chunk.document))
    assert (explanation.stage, explanation.document) == (Stage.FOUND, hit.chunk.document)
    assert hit.chunk.id in [account.chunk.id for account in explanation.accounts]


def test_changes_that_a_shared_library_does_not_allow_yet_are_refused(filled: Library, run: Run) -> None:
    hit = run(operations.search(filled, QUESTION)).hits[0]
    number = hit.chunk.document
    for operation in (
        operations.edit_chunk(filled, hit.chunk.id, "x"),
        operations.move_documents(filled, [number], "default"),
        operations.ocr_pages(filled, number),
    ):
        with pytest.raises(LibraryError, match="shared library cannot be changed"):
            run(operation)


def test_tags_and_metadata_of_a_shared_document_are_changed_filtered_kept_when_it_is_read_again_and_undone(
    filled: Library, run: Run
) -> None:
    document = run(operations.show_document(filled, "harbour.md"))
    tags = run(operations.tag_documents(filled, [document.id], add=["survey"]))
    custom = run(operations.give_metadata(filled, [document.id], {"stage": "final", "volume": 3}))
    edit = run(operations.edit_metadata(filled, document.id, {"author": "Ingrid Varga", "language": "sv"}))
    assert (edit.after.id, edit.after.knowledge_base, edit.after.metadata.author) == (
        document.id,
        "team/papers",
        "Ingrid Varga",
    )
    run(operations.reindex_documents(filled, [document.id]))
    assert run(operations.read_shared_documents(filled, "team")) == 1
    again = run(operations.show_document(filled, "harbour.md"))
    assert (again.tags, again.metadata.author, again.edited) == (("survey",), "Ingrid Varga", ("author", "language"))
    assert [field.key for field in again.stored_custom] == ["stage", "volume"]
    for condition in (("tag", "survey"), ("stage", "final"), ("author", "Ingrid Varga")):
        where = ChunkFilter(where=(Condition(condition[0], Operator.EQ, (condition[1],)),))
        assert {name for _, name in names(filled, run, filter=where)} == {"harbour.md"}
    assert filled.shared.named("team").tables().names.frequencies(["varga"]) == {"varga": 1}
    assert (run(operations.list_tags(filled)), run(operations.list_metadata_keys(filled, "team/papers"))) == (
        [("survey", 1)],
        [("stage", 1), ("volume", 1)],
    )
    run(operations.put_tags(filled, tags))
    run(operations.put_metadata(filled, custom))
    undone = run(operations.undo_edit(filled, edit.before))
    assert (undone.tags, undone.stored_custom, undone.metadata, undone.edited) == ((), (), document.metadata, ())
    with pytest.raises(MetadataError, match="title"):
        run(operations.edit_metadata(filled, document.id, {"title": "x"}))


def test_removed_documents_leave_the_shared_library_and_come_back(filled: Library, run: Run) -> None:
    number = run(operations.show_document(filled, "harbour.md")).id
    run(operations.remove_documents(filled, [number]))
    assert "harbour.md" not in [name for _, name in names(filled, run)]
    assert run(operations.restore_documents(filled, [number])) == [number]
    assert ("team/papers", "harbour.md") in names(filled, run)


def test_a_document_that_cannot_be_read_is_marked_with_the_reason(team: Library, run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 nothing")
    run(operations.add_documents(team, [broken], knowledge_base="team/papers"))
    assert run(operations.read_shared_documents(team, "team")) == 0
    document = run(operations.list_documents(team))[0]
    assert (document.status, bool(document.reason)) == (DocumentStatus.FAILED, True)
    run(operations.reindex_documents(team, [document.id]))
    assert run(operations.list_documents(team))[0].status is DocumentStatus.QUEUED


def test_a_worker_builds_lists_while_it_reads(
    team: Library, run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(operations.add_documents(team, [papers / "harbour.md"], knowledge_base="team/papers"))
    building, published = threading.Event(), list[bool]()
    publish = import_worker.publish

    def publish_later(*given: Any) -> list[int]:
        published.append(building.wait(10))
        return publish(*given)

    monkeypatch.setattr(import_worker, "build_posting_lists", lambda *_given: building.set())
    monkeypatch.setattr(import_worker, "publish", publish_later)

    async def serve() -> None:
        read = asyncio.Event()
        context = JobContext(lambda event: read.set() if isinstance(event, SharedImportProgress) else None)
        serving = asyncio.create_task(operations.read_shared_documents(team, "team", until_empty=False)(context))
        await asyncio.wait_for(read.wait(), 30)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)

    run(lambda _context: serve())
    assert published == [True]
    assert {one.status for one in run(operations.list_documents(team, "team/papers"))} == {DocumentStatus.READY}


def test_the_other_workbench_is_told_of_changes(filled: Library, run: Run, url: str, tmp_path: Path) -> None:
    told = threading.Event()

    async def main() -> None:
        def heard(event: Any) -> None:
            if isinstance(event, SharedLibraryChanged) and event.is_reachable:
                told.set()

        watching = asyncio.create_task(operations.watch_shared_libraries(filled)(JobContext(heard)))
        with psycopg.connect(url, autocommit=True) as other:
            while not told.is_set():
                other.execute("SELECT workbench.advance()")
                await asyncio.sleep(0)
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)

    asyncio.run(main())
    assert told.is_set()


@pytest.mark.logs_warnings
def test_a_server_that_is_down_when_the_watch_begins_is_tried_until_its_documents_can_be_listed(
    team: Library, run: Run, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(operations.add_documents(team, [papers], knowledge_base="team/papers"))
    listed: list[int] = []

    async def main() -> None:
        loop, told = asyncio.get_running_loop(), asyncio.Queue[bool]()

        def heard(event: SharedLibraryChanged) -> None:
            loop.call_soon_threadsafe(told.put_nowait, event.is_reachable)

        async def count() -> None:
            listed.append(len(await operations.list_documents(team)(JobContext())))

        async with asyncio.timeout(12):  # less than the time for which searches do not try the server again
            with server_down(team, monkeypatch):
                await count()
                watching = asyncio.create_task(operations.watch_shared_libraries(team)(JobContext(heard)))
                assert not await told.get()
            assert await told.get()
            await count()
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)

    asyncio.run(main())
    assert listed == [0, 2]


def test_connections_are_checked_stored_and_removed(team: Library, run: Run, url: str, embedder: Embedder) -> None:
    with pytest.raises(LibraryError, match="already"):
        run(operations.connect_shared_library(team, "again", url))
    for name in ("team", "a/b", " "):
        with pytest.raises(LibraryError, match="cannot be named"):
            run(operations.connect_shared_library(team, name, "postgresql://x@localhost/y"))
    state = run(operations.list_shared_libraries(team))[0]
    assert (state.name, [base.name for base in state.bases], state.user) == ("team", ["team/papers"], "postgres")
    folder = team.folder
    team.close()
    again = Library.open(folder, embedder=embedder)
    try:
        assert run(operations.list_knowledge_bases(again)) == ["default", "team/papers"]
        run(operations.disconnect_shared_library(again, "team"))
        assert run(operations.list_knowledge_bases(again)) == ["default"]
        with pytest.raises(NotFound, match="not connected"):
            again.documents.get(IdSpace(1, "team").number(1))
    finally:
        again.close()


def test_ids_and_filters_of_several_libraries_are_told_apart() -> None:
    ids = IdSpace(3, "team")
    number = ids.number(7)
    assert (slot_of(number), local_id(number), slot_of(7), slot_of(-5)) == (3, 7, 0, 0)
    documents = ChunkFilter(None, (Condition("document", Operator.IN, ("7", str(number))),))
    assert ids.filter(documents, ["law"]) == ChunkFilter(None, (Condition("document", Operator.IN, ("7",)),))
    assert ids.filter(ChunkFilter("default"), ["law"]) is None
    assert ids.filter(ChunkFilter("team/law"), ["law"]) == ChunkFilter("law")
    starting = ChunkFilter(None, (Condition("knowledge_base", Operator.STARTSWITH, ("team",)),))
    expected = (Condition("knowledge_base", Operator.IN, ("law", "tax")),)
    assert ids.filter(starting, ["law", "tax"]) == ChunkFilter(None, expected)

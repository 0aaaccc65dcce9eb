"""Adding, changing and removing documents of a real library."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.errors import NotFound
from workbench.model.document import DocumentStatus
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved, FileFinished, FileOutcome, ImportProgress
from workbench.operations import Library
from workbench.operations.library.models import SearchModels

Run = Callable[[Any], Any]


def _outcomes(files: list[FileFinished]) -> dict[str, str]:
    return {Path(file.path).name: file.outcome.value for file in files}


def _found(run: Run, library: Library, question: str) -> list[str]:
    return [hit.document_name for hit in run(operations.search(library, question)).hits]


def test_a_folder_is_added_file_by_file(library: Library, run: Run, papers: Path) -> None:
    files = run(operations.add_documents(library, [papers]))
    assert _outcomes(files) == {"harbour.md": "ready", "港口.txt": "ready"}
    assert all(d.status is DocumentStatus.READY and d.embedded == d.chunks > 0 for d in library.documents.list())


def test_e10_one_bad_file_does_not_stop_the_others(library: Library, run: Run, papers: Path) -> None:
    (papers / "a.pdf").write_bytes(b"%PDF-1.7 broken")
    (papers / "b.xyz").write_bytes(b"what is this")
    (papers / "c.md").write_bytes(b"")
    files = run(operations.add_documents(library, [papers, papers / "missing.md"]))
    outcomes = _outcomes(files)
    assert outcomes == {
        "a.pdf": "failed", "b.xyz": "skipped", "c.md": "failed",
        "harbour.md": "ready", "港口.txt": "ready", "missing.md": "failed",
    }  # fmt: skip
    assert all(file.reason for file in files if file.outcome is not FileOutcome.READY)


def test_b11_a_file_that_fails_is_kept_with_its_status_and_reason(library: Library, run: Run, papers: Path) -> None:
    (papers / "a.pdf").write_bytes(b"%PDF-1.7 broken")
    run(operations.add_documents(library, [papers]))
    kept = {document.name: document for document in library.documents.list()}
    assert {name: one.status.value for name, one in kept.items()} == {
        "a.pdf": "failed", "harbour.md": "ready", "港口.txt": "ready",
    }  # fmt: skip
    assert kept["a.pdf"].reason.endswith(".")
    assert kept["a.pdf"].hint
    assert (kept["harbour.md"].reason, kept["harbour.md"].hint) == ("", "")


def test_e10_folders_below_can_be_left_out(library: Library, run: Run, papers: Path) -> None:
    (papers / "old").mkdir()
    (papers / "old" / "tides.md").write_text("The tide turns twice a day.", "utf-8")
    files = run(operations.add_documents(library, [papers], exclude=["papers/*/*"]))
    assert _outcomes(files) == {"harbour.md": "ready", "港口.txt": "ready"}


def test_e21_one_model_is_loaded_for_all_documents(
    tmp_path: Path, run: Run, papers: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = []
    monkeypatch.setattr(SearchModels, "load_embedder", lambda _models, choice: loaded.append(choice) or embedder)
    library = Library.open(tmp_path / "empty")
    try:
        run(operations.add_documents(library, [papers]))
        assert _found(run, library, "When did the harbour freeze?")
    finally:
        library.close()
    assert len(loaded) == 1


def test_e25_objects_that_chunks_share_are_immutable(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers / "harbour.md"]))
    (document,) = library.documents.list()
    (chunk,) = library.documents.chunks(document.id)
    for shared, field in ((document.metadata, "title"), (chunk, "text")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(shared, field, "another")
        # A list or a dictionary in any field would raise TypeError.
        hash(shared)


def test_e27_documents_are_listed_once_in_the_order_they_were_added(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers / "港口.txt"]))
    run(operations.add_documents(library, [papers]))
    listed = run(operations.list_documents(library))
    assert [document.name for document in listed] == ["港口.txt", "harbour.md"]
    assert all((document.status.value, document.chunks, document.embedded) == ("ready", 1, 1) for document in listed)


def test_e27_removing_what_is_not_there_changes_nothing(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers / "harbour.md"]))
    run(operations.remove_documents(library, [999], for_good=True))
    assert len(run(operations.list_documents(library))) == 1
    with pytest.raises(NotFound, match="no document “999”"):
        run(operations.show_document(library, "999"))


def test_e1_a_named_file_of_an_unknown_kind_is_refused_with_the_kinds_that_are_not(
    library: Library, run: Run, papers: Path
) -> None:
    (papers / "song.xyz").write_bytes(b"ID3 something")
    (file,) = run(operations.add_documents(library, [papers / "song.xyz"]))
    assert file.outcome is FileOutcome.FAILED
    assert "“.xyz”" in file.reason
    assert "PDF" in file.reason


def test_b8_unchanged_files_cost_nothing(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    before = library.documents.list()
    files = run(operations.add_documents(library, [papers]))
    assert {file.outcome for file in files} == {FileOutcome.UNCHANGED}
    assert library.documents.list() == before


def test_b8_a_changed_file_replaces_its_old_version(library: Library, run: Run, papers: Path) -> None:
    (first,) = run(operations.add_documents(library, [papers / "harbour.md"]))
    (papers / "harbour.md").write_text("# Harbour\n\nThe lighthouse keeper was Ottilia Brandt.\n", "utf-8")
    (second,) = run(operations.add_documents(library, [papers / "harbour.md"]))
    assert (second.outcome, second.document) == (FileOutcome.READY, first.document)
    chunks = library.documents.chunks(first.document)
    assert ["Ottilia" in chunk.text for chunk in chunks] == [True]
    assert not any("Aurora" in hit.chunk.text for hit in run(operations.search(library, "ferry Aurora")).hits)


def test_a_changed_file_that_cannot_be_read_leaves_the_old_version(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers / "harbour.md"]))
    (papers / "harbour.md").write_bytes(b"")
    (file,) = run(operations.add_documents(library, [papers / "harbour.md"]))
    assert file.outcome is FileOutcome.FAILED
    assert _found(run, library, "When did the harbour freeze?") == ["harbour.md"]


def test_the_same_content_twice_is_one_document(library: Library, run: Run, papers: Path) -> None:
    (papers / "copy.md").write_bytes((papers / "harbour.md").read_bytes())
    files = run(operations.add_documents(library, [papers / "harbour.md", papers / "copy.md"]))
    assert [file.outcome for file in files] == [FileOutcome.UNCHANGED, FileOutcome.READY]
    assert "harbour.md" in files[0].reason


def test_a_moved_file_keeps_its_document(library: Library, run: Run, papers: Path) -> None:
    (first,) = run(operations.add_documents(library, [papers / "harbour.md"]))
    moved = (papers / "harbour.md").rename(papers / "moved.md")
    (second,) = run(operations.add_documents(library, [moved]))
    assert second.document == first.document
    assert library.documents.get(first.document).path == str(moved)


def test_e22_knowledge_bases_are_isolated(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers / "harbour.md"], knowledge_base="work"))
    run(operations.add_documents(library, [papers / "harbour.md"], knowledge_base="home"))
    (work,) = library.documents.list("work")
    run(operations.remove_documents(library, [work.id], for_good=True))
    assert [d.knowledge_base for d in library.documents.list()] == ["home"]
    assert _found(run, library, "ferry Aurora") == ["harbour.md"]


def test_removed_documents_come_back_with_undo(library: Library, run: Run, papers: Path) -> None:
    (file,) = run(operations.add_documents(library, [papers / "harbour.md"]))
    run(operations.remove_documents(library, [file.document]))
    assert _found(run, library, "ferry Aurora") == []
    run(operations.restore_documents(library, [file.document]))
    assert _found(run, library, "ferry Aurora") == ["harbour.md"]


def test_removing_for_good_deletes_the_copy(library: Library, run: Run, papers: Path) -> None:
    (file,) = run(operations.add_documents(library, [papers / "harbour.md"]))
    run(operations.remove_documents(library, [file.document], for_good=True))
    assert [path for path in library.originals.rglob("*") if path.is_file()] == []


def test_e27_a_document_is_found_by_id_path_name_and_hash(library: Library, run: Run, papers: Path) -> None:
    (file,) = run(operations.add_documents(library, [papers / "harbour.md"]))
    document = library.documents.get(file.document)
    for spec in (str(document.id), document.path, str(papers / ".." / papers.name / "harbour.md"), document.name):
        assert run(operations.show_document(library, spec)) == document
    with pytest.raises(NotFound):
        run(operations.show_document(library, "nothing.pdf"))


def test_reindexing_gives_the_same_chunks_again(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))
    texts = [chunk.text for d in library.documents.list() for chunk in library.documents.chunks(d.id)]
    files = run(operations.reindex_documents(library, [d.id for d in library.documents.list()]))
    assert {file.outcome for file in files} == {FileOutcome.READY}
    assert texts == [chunk.text for d in library.documents.list() for chunk in library.documents.chunks(d.id)]


def test_rows_appear_as_queued_and_end_as_ready(library: Library, run: Run, papers: Path, events: list[Any]) -> None:
    run(operations.add_documents(library, [papers / "harbour.md"]))
    stages = [event.document.status for event in events if isinstance(event, DocumentChanged)]
    order = [DocumentStatus.QUEUED, DocumentStatus.PARSING, DocumentStatus.INDEXED, DocumentStatus.EMBEDDING]
    assert stages == [*order, DocumentStatus.READY]
    last = [event for event in events if isinstance(event, ImportProgress)][-1]
    assert (last.files_done, last.files) == (1, 1)


def test_an_encrypted_file_opens_with_its_password(library: Library, run: Run, encrypted_pdf: Path) -> None:
    (refused,) = run(operations.add_documents(library, [encrypted_pdf]))
    (wrong,) = run(operations.add_documents(library, [encrypted_pdf], password="guess"))
    (right,) = run(operations.add_documents(library, [encrypted_pdf], password="sesame"))
    assert [file.outcome.value for file in (refused, wrong, right)] == ["locked", "locked", "ready"]


def test_documents_are_added_into_a_folder_of_the_tree(
    library: Library, run: Run, events: list[Any], papers: Path
) -> None:
    run(operations.add_documents(library, [papers / "harbour.md"]))
    events.clear()
    run(operations.add_documents(library, [papers, papers / "harbour.md"], folder="/Contracts/2024/"))
    folders = {document.name: document.folder for document in library.documents.list()}
    assert folders == {"harbour.md": "Contracts/2024/papers", "港口.txt": "Contracts/2024/papers"}
    told = [event.document for event in events if isinstance(event, DocumentChanged)]
    assert {document.folder for document in told if document.name == "harbour.md"} == {"Contracts/2024/papers"}


def test_a_document_moves_to_the_folder_that_it_is_added_into(library: Library, run: Run, papers: Path) -> None:
    for folder, expected in (("Old", "Old"), ("", "Old"), ("New", "New")):
        run(operations.add_documents(library, [papers / "harbour.md"], folder=folder))
        assert [document.folder for document in library.documents.list()] == [expected]


def test_the_removal_of_many_documents_is_reported_in_batches(
    library: Library, run: Run, events: list[Any], papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(operations.add_documents(library, [papers]))
    numbers = [document.id for document in library.documents.list()]
    monkeypatch.setattr("workbench.operations.documents.removal.TOLD_AT_ONCE", 1)
    events.clear()
    run(operations.remove_documents(library, numbers))
    assert [event.documents for event in events if isinstance(event, DocumentsRemoved)] == [(n,) for n in numbers]

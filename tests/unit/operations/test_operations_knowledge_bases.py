"""Knowledge bases through the operations: files in two of them, moves and copies that are found at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.model.filter import ChunkFilter
from workbench.model.hit import SearchMode
from workbench.model.knowledge_base import KnowledgeBasesChanged
from workbench.model.progress import DocumentChanged, DocumentsRemoved
from workbench.operations import Library

Run = Callable[[Any], Any]


def found(run: Run, library: Library, base: str, mode: SearchMode = SearchMode.HYBRID) -> list[str]:
    result = run(operations.search(library, "Lindhamn harbour", mode=mode, filter=ChunkFilter(base)))
    return [hit.knowledge_base for hit in result.hits]


def test_b29_the_same_file_in_two_knowledge_bases_is_two_documents_and_removing_one_leaves_the_other(
    library: Library, run: Run, papers: Path
) -> None:
    for base in ("mine", "yours"):
        run(operations.add_documents(library, [papers / "harbour.md"], knowledge_base=base))
    mine, yours = run(operations.list_documents(library))
    run(operations.remove_documents(library, [mine.id], for_good=True))
    assert found(run, library, "mine") == []
    assert found(run, library, "yours") == ["yours"]
    # The copy of the file is shared by its content, and still needed.
    again = run(operations.reindex_documents(library, [yours.id]))
    assert again[0].reason == ""


def test_b29_replacing_a_file_in_one_knowledge_base_leaves_the_other_as_it_was(
    library: Library, run: Run, papers: Path
) -> None:
    path = papers / "harbour.md"
    for base in ("mine", "yours"):
        run(operations.add_documents(library, [path], knowledge_base=base))
    path.write_text("# Airport\n\nThe airport of Solvik opened in 1966 and has two runways.\n", "utf-8")
    run(operations.add_documents(library, [path], knowledge_base="mine"))
    assert found(run, library, "yours") == ["yours"]
    texts = {document.knowledge_base: library.documents.text(document.id) for document in library.documents.list()}
    assert "Solvik" in texts["mine"]
    assert "Lindhamn" in texts["yours"]


def test_e27_a_copy_is_found_by_meaning_at_once_without_being_embedded_again(
    library: Library, run: Run, papers: Path, events: list[Any]
) -> None:
    run(operations.add_documents(library, [papers / "harbour.md"]))
    run(operations.search(library, "warm up"))
    (original,) = run(operations.list_documents(library))
    run(operations.add_knowledge_base(library, "yours"))
    transfer = run(operations.move_documents(library, [original.id], "yours", copy=True))
    assert found(run, library, "yours", SearchMode.DENSE) == ["yours"]
    assert found(run, library, "default", SearchMode.DENSE) == ["default"]
    changed = [event.document.id for event in events if isinstance(event, DocumentChanged)]
    assert transfer.documents[0] in changed


def test_removing_a_knowledge_base_is_told_and_undone(
    library: Library, run: Run, papers: Path, events: list[Any]
) -> None:
    run(operations.add_documents(library, [papers], knowledge_base="work"))
    numbers = tuple(document.id for document in library.documents.list())
    removed = run(operations.remove_knowledge_base(library, "work"))
    assert DocumentsRemoved(numbers) in events
    assert events[-1] == KnowledgeBasesChanged(("default",))
    run(operations.restore_knowledge_base(library, removed))
    assert KnowledgeBasesChanged(("default", "work")) in events
    assert set(found(run, library, "work")) == {"work"}


def test_a_removed_knowledge_base_does_not_come_back_with_the_next_start(
    library: Library, run: Run, papers: Path
) -> None:
    run(operations.add_documents(library, [papers], knowledge_base="work"))
    run(operations.remove_knowledge_base(library, "work"))
    folder, embedder = library.folder, library.embedder()
    library.close()
    again = Library.open(folder, embedder=embedder)
    try:
        assert [base.name for base in run(operations.describe_knowledge_bases(again))] == ["default"]
        assert again.documents.list() == []
    finally:
        again.close()


def test_renaming_tells_every_document_in_it(library: Library, run: Run, papers: Path, events: list[Any]) -> None:
    run(operations.add_documents(library, [papers], knowledge_base="work"))
    events.clear()
    assert run(operations.rename_knowledge_base(library, "work", "harbours")) == "harbours"
    bases = {event.document.knowledge_base for event in events if isinstance(event, DocumentChanged)}
    assert bases == {"harbours"}

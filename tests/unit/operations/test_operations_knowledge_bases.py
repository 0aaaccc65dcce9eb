"""Knowledge bases through the operations: files in two of them, moves and copies that are found at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.errors import MetadataError, NotFound
from workbench.model.filter import ChunkFilter
from workbench.model.hit import Coverage, SearchMode
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved
from workbench.model.knowledge_base import KnowledgeBasesChanged
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library

Run = Callable[[Any], Any]


def found(run: Run, library: Library, base: str, mode: SearchMode = SearchMode.HYBRID) -> list[str]:
    steps = SearchConfiguration(mode)
    result = run(operations.search(library, "Lindhamn harbour", filter=ChunkFilter(base), configuration=steps))
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
    # The copy of the file is shared by content, and still needed.
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


def test_removing_a_knowledge_base_emits_events_and_can_be_undone(
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
    folder, embedder = library.folder, library.models.embedder()
    library.close()
    again = Library.open(folder, embedder=embedder)
    try:
        assert [base.name for base in run(operations.describe_knowledge_bases(again))] == ["default"]
        assert again.documents.list() == []
    finally:
        again.close()


def test_renaming_a_knowledge_base_emits_a_change_event_for_every_document_in_it(
    library: Library, run: Run, papers: Path, events: list[Any]
) -> None:
    run(operations.add_documents(library, [papers], knowledge_base="work"))
    events.clear()
    assert run(operations.rename_knowledge_base(library, "work", "harbours")) == "harbours"
    bases = {event.document.knowledge_base for event in events if isinstance(event, DocumentChanged)}
    assert bases == {"harbours"}


def test_a_move_is_taken_back_to_where_each_document_was(library: Library, run: Run, papers: Path) -> None:
    for base in ("Work", "Archive"):
        run(operations.add_knowledge_base(library, base))
    run(operations.add_documents(library, [papers / "harbour.md"]))
    run(operations.add_documents(library, [papers / "港口.txt"], knowledge_base="Work"))
    before = {one.id: one.knowledge_base for one in library.documents.list()}
    moved = run(operations.move_documents(library, list(before), "Archive"))
    assert {one.knowledge_base for one in library.documents.list()} == {"Archive"}
    run(operations.move_back(library, moved))
    assert {one.id: one.knowledge_base for one in library.documents.list()} == before
    assert found(run, library, "Work", SearchMode.DENSE) == ["Work"]


def test_a_document_of_a_linked_folder_does_not_leave_its_knowledge_base(
    library: Library, run: Run, papers: Path
) -> None:
    run(operations.add_knowledge_base(library, "Work"))
    run(operations.link_folder(library, papers))
    (first, second) = library.documents.list()
    (refusal,) = run(operations.move_documents(library, [first.id], "Work")).refused
    assert refusal.reason == "It belongs to the linked folder “papers”: copy it, or unlink the folder first."
    copied = run(operations.move_documents(library, [second.id], "Work", copy=True))
    assert len(copied.documents) == 1


@pytest.fixture
def twins(library: Library, run: Run, tmp_path: Path) -> dict[str, list[Path]]:
    """Two knowledge bases with nearly the same text; one has 20 documents, the other a single one."""
    paths: dict[str, list[Path]] = {"mine": [], "yours": []}
    for base, numbers in (("mine", range(20)), ("yours", range(20, 21))):
        (tmp_path / base).mkdir()
        for number in numbers:
            path = tmp_path / base / f"harbour-{number}.md"
            path.write_text(f"# Harbour\n\nThe harbour of Lindhamn froze in {1950 + number}.\n", "utf-8")
            paths[base].append(path)
        run(operations.add_documents(library, paths[base], knowledge_base=base))
    return paths


@pytest.mark.parametrize("mode", list(SearchMode))
def test_b28_every_search_mode_stays_in_its_knowledge_base_and_misses_nothing_there(
    library: Library, run: Run, twins: dict[str, list[Path]], mode: SearchMode
) -> None:
    for _ in ("as it was built", "after it was read from its file"):
        for base, paths in twins.items():
            found = operations.search(
                library, "Lindhamn harbour", configuration=SearchConfiguration(mode), k=100, filter=ChunkFilter(base)
            )
            hits = run(found).hits
            assert {hit.knowledge_base for hit in hits} == {base}
            assert sorted(hit.path for hit in hits) == sorted(map(str, paths))
        library.models.save_index()
        library.models.forget_models()


def test_b28_the_agent_finds_and_cites_only_what_is_in_the_knowledge_base_that_is_asked(
    library: Library, run: Run, twins: dict[str, list[Path]]
) -> None:
    for base in twins:
        kept = run(operations.ask(library, "When did the harbour of Lindhamn freeze?", knowledge_base=base))
        hits = [numbered.hit for reference in kept.references for numbered in reference.hits]
        assert {hit.knowledge_base for hit in hits} == {base}
        assert {Path(citation.path).parent.name for citation in kept.citations} == {base}
        assert (kept.knowledge_base, kept.coverage) == (base, Coverage(len(twins[base])))


def test_b29_a_document_cannot_be_written_into_another_knowledge_base(
    library: Library, run: Run, twins: dict[str, list[Path]]
) -> None:
    (lonely,) = run(operations.list_documents(library, "yours"))
    for field in ("knowledge_base", "linked_to"):
        with pytest.raises(MetadataError):
            run(operations.edit_metadata(library, lonely.id, {field: "mine"}))
    run(operations.tag_documents(library, [lonely.id], add=["linked_to:mine", "mine"]))
    assert found(run, library, "yours", SearchMode.DENSE) == ["yours"]
    assert len(run(operations.list_documents(library, "mine"))) == 20


def test_b29_the_same_file_in_both_is_removed_from_one_by_every_mode(
    library: Library, run: Run, twins: dict[str, list[Path]]
) -> None:
    (path,) = twins["yours"]
    run(operations.add_documents(library, [path], knowledge_base="mine"))
    (copy,) = (d for d in run(operations.list_documents(library, "mine")) if d.path == str(path))
    run(operations.remove_documents(library, [copy.id], for_good=True))
    for mode in SearchMode:
        assert found(run, library, "yours", mode) == ["yours"]
    run(operations.remove_knowledge_base(library, "mine"))
    for mode in SearchMode:
        assert found(run, library, "yours", mode) == ["yours"]
    with pytest.raises(NotFound):
        found(run, library, "mine")

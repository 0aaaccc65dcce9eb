"""Knowledge bases with a vector store of their own: moved there and back, searched together with the rest."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from vector_databases import postgres, require

from workbench import operations
from workbench.errors import IndexUnavailable, NotFound, SettingError
from workbench.indexing.partitioned_store import PartitionedStore
from workbench.model.filter import ChunkFilter
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.model.vector_store import StoreChoice, StoreMoved, StoreMoveProgress, StoreOfBase
from workbench.operations import Library
from workbench.operations.library import index_stores
from workbench.operations.library.index_stores import stores_of_bases

Run = Callable[[Any], Any]
DENSE = SearchConfiguration(mode=SearchMode.DENSE, reranking="none")
QUESTION = "When did the harbour of Lindhamn freeze?"
BACK = StoreChoice("library")
OWN = StoreChoice()
"""A built-in store of its own; those of databases differ only in how they are opened."""
PUMP = "# Pump\n\nThe pump of the cellar is repaired every May by the harbour master of Lindhamn.\n"


@pytest.fixture
def filled(library: Library, run: Run, papers: Path, tmp_path: Path) -> Library:
    run(operations.add_documents(library, [papers]))
    run(operations.add_knowledge_base(library, "notes"))
    for name in ("pump.md", "valve.md"):
        (tmp_path / name).write_text(PUMP.replace("ump", name[:-3]))
        run(operations.add_documents(library, [tmp_path / name], knowledge_base="notes"))
    return library


def found(library: Library, run: Run, filter: ChunkFilter | None = None) -> list[int]:
    result = run(operations.search(library, QUESTION, filter=filter, configuration=DENSE))
    return [hit.chunk.id for hit in result.hits]


def is_in_step(library: Library) -> bool:
    held = sorted(library.models.index().ids.tolist())
    return held == library.vectors.ids(library.models.embedder().id).tolist()


def counts(library: Library) -> tuple[int, int]:
    """Numbers of vectors in the store of the library, and in those of its knowledge bases."""
    index = library.models.index()
    if not isinstance(index, PartitionedStore):
        return index.count, 0
    return index.main.count, sum(one.store().count for one in index.partitions)


def test_a_knowledge_base_moves_to_its_own_store_and_back_and_the_same_is_found(
    filled: Library, run: Run, events: list[Any]
) -> None:
    before, count = found(filled, run), filled.models.index().count
    state = run(operations.move_base_to_store(filled, "notes", OWN))
    assert state.of_bases == (StoreOfBase("notes", OWN, 2),)
    assert (state.current, state.vectors, state.store_of("notes")) == (StoreChoice(), count - 2, OWN)
    assert (counts(filled), found(filled, run), is_in_step(filled)) == ((count - 2, 2), before, True)
    assert [one.knowledge_base for one in events if isinstance(one, StoreMoveProgress)][-1] == "notes"
    state = run(operations.move_base_to_store(filled, "notes", BACK))
    assert (state.of_bases, counts(filled), found(filled, run)) == ((), (count, 0), before)
    assert sum(isinstance(one, StoreMoved) for one in events) == 2
    assert [folder.name for folder in filled.models.stores.folders() if "@" in folder.name] == []


def test_documents_come_go_and_change_their_knowledge_base_also_after_a_restart(
    filled: Library, run: Run, tmp_path: Path
) -> None:
    run(operations.move_base_to_store(filled, "notes", OWN))
    main, own = counts(filled)
    (tmp_path / "gate.md").write_text(PUMP.replace("ump", "gate"))
    run(operations.add_documents(filled, [tmp_path / "gate.md"], knowledge_base="notes"))
    assert counts(filled) == (main, own + 1)
    run(operations.move_documents(filled, [filled.documents.find("gate.md").id], "default"))
    assert (counts(filled), is_in_step(filled)) == ((main + 1, own), True)
    run(operations.remove_documents(filled, [filled.documents.find("pump.md").id]))
    assert counts(filled) == (main + 1, own - 1)
    hits, embedder = found(filled, run), filled.models.embedder()
    filled.close()
    again = Library.open(filled.folder, embedder=embedder)
    try:
        assert (found(again, run), counts(again), is_in_step(again)) == (hits, (main + 1, own - 1), True)
        run(operations.rename_knowledge_base(again, "notes", "minutes"))
        assert [one.knowledge_base for one in run(operations.vector_store_state(again)).of_bases] == ["minutes"]
    finally:
        again.close()


def test_the_library_moves_without_the_knowledge_base_that_has_its_own_store(
    filled: Library, run: Run, postgres_url: str
) -> None:
    server, before = StoreChoice("pgvector", postgres_url), found(filled, run)
    run(operations.move_base_to_store(filled, "notes", server))
    main, own = counts(filled)
    state = run(operations.move_vector_store(filled, server))
    assert (state.current, [one.choice for one in state.of_bases], state.others) == (server, [server], ("faiss",))
    assert (counts(filled), found(filled, run), is_in_step(filled)) == ((main, own), before, True)
    run(operations.move_base_to_store(filled, "notes", OWN))
    assert (counts(filled), found(filled, run)) == ((main, own), before)


@pytest.mark.logs_warnings
def test_s23_a_server_that_is_down_concerns_only_searches_of_its_knowledge_base(
    filled: Library, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("pgvector")
    with postgres() as url:
        run(operations.move_base_to_store(filled, "notes", StoreChoice("pgvector", url)))
        assert run(operations.search(filled, QUESTION)).notes == ()
    everything = run(operations.search(filled, QUESTION))
    assert everything.hits
    assert any("PostgreSQL" in note for note in everything.notes)
    rest = run(operations.search(filled, QUESTION, filter=ChunkFilter(knowledge_base="default"), configuration=DENSE))
    assert (bool(rest.hits), rest.notes) == (True, ())


@pytest.mark.logs_warnings
def test_vectors_that_a_store_did_not_take_reach_it_at_its_next_use(
    filled: Library, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, postgres_url: str
) -> None:
    run(operations.move_base_to_store(filled, "notes", StoreChoice("pgvector", postgres_url)))
    (tmp_path / "gate.md").write_text(PUMP.replace("ump", "gate"))
    with monkeypatch.context() as down:
        down.setattr("workbench.indexing.stores.pgvector_engine.PgvectorEngine.put", failing)
        run(operations.add_documents(filled, [tmp_path / "gate.md"], knowledge_base="notes"))
    document = filled.documents.find("gate.md")
    assert document.embedded == document.chunks
    assert filled.documents.chunks(document.id)[0].id in found(filled, run, ChunkFilter(knowledge_base="notes"))


def failing(*_: Any) -> None:
    raise ConnectionError("connection refused")


@pytest.mark.logs_warnings
def test_a_move_that_fails_leaves_the_knowledge_base_where_it_was(
    filled: Library, run: Run, monkeypatch: pytest.MonkeyPatch, postgres_url: str
) -> None:
    before, count = found(filled, run), filled.models.index().count
    with monkeypatch.context() as down:
        down.setattr("workbench.indexing.stores.pgvector_engine.PgvectorEngine.put", failing)
        with pytest.raises(IndexUnavailable):
            run(operations.move_base_to_store(filled, "notes", StoreChoice("pgvector", postgres_url)))
    assert (stores_of_bases(filled.setting_values), counts(filled), found(filled, run)) == ({}, (count, 0), before)
    with pytest.raises(NotFound):
        run(operations.move_base_to_store(filled, "letters", OWN))
    with pytest.raises(SettingError):
        run(operations.move_base_to_store(filled, "notes", StoreChoice("pgvector")))


def test_a_killed_move_is_finished_when_the_library_is_opened(
    filled: Library, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state of the library is written, and the program ends before vectors are deleted from the old store."""
    before, count = found(filled, run), filled.models.index().count
    embedder, number = filled.models.embedder(), filled.knowledge_bases.number_of("notes")
    filled.close()
    opened = Library.open(filled.folder, embedder=embedder)
    index_stores.put_store_of_base(opened.setting_values, number, OWN)
    try:
        assert (found(opened, run), counts(opened), is_in_step(opened)) == (before, (count - 2, 2), True)
    finally:
        opened.close()


def test_the_store_of_a_knowledge_base_that_is_gone_for_good_is_deleted(filled: Library, run: Run) -> None:
    run(operations.move_base_to_store(filled, "notes", OWN))
    run(operations.remove_knowledge_base(filled, "notes"))
    filled.bin.purge([one.document.id for one in filled.bin.list()])
    filled.knowledge_bases.purge_removed()
    filled.models.stores.delete_unused(filled.knowledge_bases.numbers(with_removed=True).values())
    assert stores_of_bases(filled.setting_values) == {}
    assert [folder.name for folder in filled.models.stores.folders() if "@" in folder.name] == []


def test_the_check_of_the_library_compares_every_store(filled: Library, run: Run) -> None:
    run(operations.move_base_to_store(filled, "notes", OWN))
    assert run(operations.check_library(filled)).faults == ()
    index = filled.models.index()
    assert isinstance(index, PartitionedStore)
    store = index.partitions[0].store()
    store.remove(store.ids[:1])
    assert any("1 missing" in fault.message for fault in run(operations.check_library(filled)).faults)

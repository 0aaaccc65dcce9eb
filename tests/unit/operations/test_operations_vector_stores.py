"""Move of a library between installed vector stores: real ones, searched meanwhile, and back."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from vector_databases import PACKAGES, SERVERS, postgres, require, server_location

from workbench import operations
from workbench.errors import IndexUnavailable, SettingError
from workbench.indexing.stores import store_registry
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.model.vector_store import StoreChoice, StoreMoved, StoreMoveProgress
from workbench.operations import Library
from workbench.operations.library import index_stores
from workbench.operations.library.index_stores import store_in_use
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]
EMBEDDED = [name for name in PACKAGES if name != "pgvector"]
DENSE = SearchConfiguration(mode=SearchMode.DENSE, reranking="none")
QUESTION = "When did the harbour of Lindhamn freeze?"


@pytest.fixture
def filled(library: Library, run: Run, papers: Path) -> Library:
    run(operations.add_documents(library, [papers]))
    return library


def move(library: Library, run: Run, name: str, url: str = "") -> Any:
    run(operations.put_setting(library, "vector_store_url", url))
    run(operations.put_setting(library, "vector_store", name))
    return run(operations.move_vector_store(library))


def found(library: Library, run: Run) -> list[int]:
    return [hit.chunk.id for hit in run(operations.search(library, QUESTION, configuration=DENSE)).hits]


def is_in_step(library: Library) -> bool:
    return library.models.index().ids.tolist() == library.vectors.ids(library.models.embedder().id).tolist()


@pytest.mark.parametrize("name", EMBEDDED)
def test_a_library_moves_there_and_back_and_finds_the_same(
    filled: Library, run: Run, events: list[Any], name: str
) -> None:
    require(name)
    before = found(filled, run)
    state = move(filled, run, name)
    assert (state.current, state.wanted, state.vectors) == (StoreChoice(name), None, filled.models.index().count)
    assert (found(filled, run), is_in_step(filled)) == (before, True)
    assert [event.done for event in events if isinstance(event, StoreMoveProgress)][-1] == state.vectors
    assert move(filled, run, "faiss").current == StoreChoice()
    assert (found(filled, run), sum(isinstance(one, StoreMoved) for one in events)) == (before, 2)


@pytest.mark.parametrize("name", EMBEDDED)
def test_documents_come_and_go_in_the_new_store_also_after_a_restart(
    filled: Library, run: Run, name: str, tmp_path: Path
) -> None:
    require(name)
    move(filled, run, name)
    path = tmp_path / "pump.md"
    path.write_text("# Pump\n\nThe pump of the cellar is repaired every May.\n")
    run(operations.add_documents(filled, [path]))
    assert is_in_step(filled)
    count, embedder = filled.models.index().count, filled.models.embedder()
    filled.close()
    again = Library.open(filled.folder, embedder=embedder)
    try:
        assert (again.models.index().count, is_in_step(again)) == (count, True)
        run(operations.remove_documents(again, [again.documents.find("pump.md").id]))
        assert (again.models.index().count, is_in_step(again)) == (count - 1, True)
    finally:
        again.close()


def test_a_library_moves_to_a_server_and_what_the_server_holds_is_deleted_at_the_end(
    filled: Library, run: Run, postgres_url: str
) -> None:
    before, others = found(filled, run), tables(postgres_url)
    state = move(filled, run, "pgvector", postgres_url)
    assert (state.current.name, found(filled, run), is_in_step(filled)) == ("pgvector", before, True)
    asked = [one.purpose for one in run(operations.list_network_requests(filled)).requests]
    assert "vector_store" in asked
    move(filled, run, "faiss")
    assert run(operations.vector_store_state(filled)).others == ("pgvector",)
    assert run(operations.delete_other_stores(filled)).others == ()
    assert tables(postgres_url) == others


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
@pytest.mark.parametrize("name", SERVERS)
def test_a_library_moves_to_a_vector_database_server_and_back_and_finds_the_same(
    filled: Library, run: Run, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = server_location(name, tmp_path)
    monkeypatch.setattr(index_stores, "load_key", lambda _: place.key)
    before, store = found(filled, run), name.split()[0]
    state = move(filled, run, store, place.url)
    assert (state.current, state.vectors) == (StoreChoice(store, place.url), filled.models.index().count)
    assert (found(filled, run), is_in_step(filled)) == (before, True)
    assert move(filled, run, "faiss").current == StoreChoice()
    assert (found(filled, run), run(operations.vector_store_state(filled)).others) == (before, (store,))
    assert run(operations.delete_other_stores(filled)).others == ()


def tables(url: str) -> int:
    import psycopg

    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'workbench_%'").fetchone()
    return int(row[0]) if row else -1


@pytest.mark.logs_warnings
def test_s23_a_server_that_is_down_is_named_and_words_are_searched(filled: Library, run: Run) -> None:
    with postgres_server() as url:
        move(filled, run, "pgvector", url)
    result = run(operations.search(filled, QUESTION))
    assert result.hits
    assert any("PostgreSQL" in note for note in result.notes)


def postgres_server() -> Any:
    require("pgvector")
    return postgres()


@pytest.mark.logs_warnings
def test_documents_added_while_the_server_is_down_are_embedded_and_reach_the_store_later(
    filled: Library, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("lancedb")
    move(filled, run, "lancedb")
    path = tmp_path / "pump.md"
    path.write_text("# Pump\n\nThe pump of the cellar is repaired every May.\n")
    with monkeypatch.context() as down:
        down.setattr("workbench.indexing.stores.lancedb_engine.LanceDBEngine.put", failing)
        run(operations.add_documents(filled, [path]))
    document = filled.documents.find("pump.md")
    assert document.embedded == document.chunks
    filled.models.save_index()
    assert is_in_step(filled)


def failing(*_: Any) -> None:
    raise ConnectionError("connection refused")


def test_a_move_that_fails_leaves_the_store_in_use_and_the_settings_as_they_were(filled: Library, run: Run) -> None:
    require("qdrant")
    with pytest.raises(IndexUnavailable, match="Qdrant failed"):
        move(filled, run, "qdrant", "http://127.0.0.1:1")
    assert store_in_use(filled.setting_values) == StoreChoice()
    assert (filled.settings.vector_store, filled.settings.vector_store_url) == ("faiss", "")
    assert found(filled, run)


def test_a_server_elsewhere_is_not_asked_while_offline_mode_is_on(filled: Library, run: Run) -> None:
    require("qdrant")
    run(operations.put_setting(filled, "offline_mode", "on"))
    with pytest.raises(IndexUnavailable, match="Offline mode"):
        move(filled, run, "qdrant", "http://192.0.2.5:6333")


def test_a_move_can_be_cancelled_and_the_old_store_is_searched(filled: Library, run: Run) -> None:
    require("lancedb")
    run(operations.put_setting(filled, "vector_store", "lancedb"))

    async def cancelled() -> None:
        task = asyncio.ensure_future(operations.move_vector_store(filled)(JobContext(lambda _: task.cancel())))
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert (store_in_use(filled.setting_values), filled.settings.vector_store) == (StoreChoice(), "faiss")
    assert (bool(found(filled, run)), run(operations.vector_store_state(filled)).others) == (True, ())


@pytest.mark.parametrize(
    ("name", "url", "words"),
    [
        ("nowhere", "", "no vector store"),
        ("pgvector", "", "address"),
        ("lancedb", "http://localhost", "no server"),
    ],
)
def test_a_store_that_cannot_be_is_refused(filled: Library, run: Run, name: str, url: str, words: str) -> None:
    with pytest.raises(SettingError, match=words):
        move(filled, run, name, url)
    assert store_in_use(filled.setting_values) == StoreChoice()


@pytest.mark.parametrize("name", PACKAGES)
def test_a_store_whose_package_is_not_installed_reports_which_package_to_install(
    filled: Library, run: Run, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in PACKAGES[name]:
        monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(IndexUnavailable, match=rf"knowledge-workbench\[{name}\]"):
        move(filled, run, name, "postgresql://localhost/none" if name == "pgvector" else "")


def test_the_vector_store_state_lists_the_available_stores_and_their_requirements(
    filled: Library, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_registry, "find_spec", lambda module: None if module == "chromadb" else "there")
    state = run(operations.vector_store_state(filled))
    offers = {one.name: one for one in state.offers}
    assert tuple(offers) == state.names
    assert {name: one.extra for name, one in offers.items() if one.extra} == {"chroma": "chroma"}
    assert (offers["faiss"].title, offers["pgvector"].title) == ("FAISS", "PostgreSQL")
    assert [offers[name].address_use.value for name in ("lancedb", "qdrant", "pgvector")] == [
        *("never", "optional", "required")
    ]


def test_the_key_of_a_server_is_stored_for_the_address_it_was_entered_for(
    filled: Library, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored: list[tuple[str, str]] = []
    monkeypatch.setattr(index_stores, "store_secret", lambda *given: stored.append(given) or True)
    assert run(operations.put_vector_store_key(filled, "secret", url=" http://db.example.org:6333 "))
    assert stored == [("vector store at db.example.org:6333", "secret")]
    with pytest.raises(SettingError, match="no address"):
        run(operations.put_vector_store_key(filled, "secret"))

"""Faults of vector databases, tested on the real ones that are installed here."""

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from vector_databases import PACKAGES, SERVERS, Relay, discard, loaded, location_of, opened, require, server_location

from workbench.egress.gate import LOOPBACK_ONLY, PendingRequest
from workbench.errors import IndexUnavailable, StoreUnreachable
from workbench.indexing.base import IndexDamaged
from workbench.indexing.stores.engine_store import EngineStore, open_engine_store
from workbench.indexing.stores.pgvector_engine import connection_options
from workbench.indexing.stores.qdrant_engine import QdrantEngine
from workbench.indexing.stores.store_manifest import StoreManifest
from workbench.indexing.stores.store_registry import STORES
from workbench.indexing.stores.vector_engine import IdFilter, failure
from workbench.model.egress import Purpose

pytestmark = pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")

DIM = 8
EMBEDDED = [name for name in PACKAGES if name != "pgvector"]


def rows(count: int) -> NDArray[np.float32]:
    found = np.random.default_rng(3).standard_normal((count, DIM)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.fixture(params=[*PACKAGES, *SERVERS])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EngineStore]:
    """Yield a store of 20 vectors, saved as generation 4."""
    require(request.param)
    if request.param in SERVERS:
        location = server_location(request.param, tmp_path / "index")
    else:
        url = request.getfixturevalue("postgres_url") if request.param == "pgvector" else ""
        location = location_of(tmp_path / "index", url)
    store = opened(request.param, location, DIM)
    assert isinstance(store, EngineStore)
    store.upsert(np.arange(20, dtype=np.int64), rows(20))
    store.save(tmp_path / "index", generation=4)
    yield store
    discard(store)


def again(store: EngineStore, dim: int = DIM) -> tuple[EngineStore, bool]:
    """Close a store and open it like a library; return whether it was found damaged."""
    store.close()
    return open_engine_store(store.name, STORES.get(store.name), store._location, dim)


def test_a_store_of_another_width_is_replaced_by_an_empty_one(store: EngineStore) -> None:
    other, was_damaged = again(store, DIM + 1)
    assert (other.dim, other.count, other.generation, was_damaged) == (DIM + 1, 0, 0, True)
    other.close()


def test_a_store_of_another_version_is_replaced_by_an_empty_one(
    store: EngineStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    with monkeypatch.context() as later:
        later.setattr("workbench.indexing.stores.store_manifest.FORMAT", 99)
        with pytest.raises(IndexUnavailable, match="version"):
            loaded(store.name, store._location)
        other, was_damaged = again(store)
        assert (other.count, was_damaged) == (0, True)
        other.close()


def test_a_copy_of_a_library_gets_a_collection_of_its_own_on_a_server(postgres_url: str, tmp_path: Path) -> None:
    store = opened("pgvector", location_of(tmp_path / "index", postgres_url), DIM)
    store.upsert(np.arange(20, dtype=np.int64), rows(20))
    shutil.copytree(tmp_path / "index", tmp_path / "copy")
    other = opened("pgvector", location_of(tmp_path / "copy", postgres_url), DIM)
    assert (other.count, store.count) == (0, 20)
    other.close()
    store.close()


@pytest.mark.parametrize("name", EMBEDDED)
def test_a_library_that_was_moved_keeps_the_files_of_its_store(name: str, tmp_path: Path) -> None:
    require(name)
    store = opened(name, location_of(tmp_path / "index"), DIM)
    store.upsert(np.arange(20, dtype=np.int64), rows(20))
    store.close()
    (tmp_path / "index").rename(tmp_path / "moved")
    moved = opened(name, location_of(tmp_path / "moved"), DIM)
    assert moved.search(rows(20)[7], 1)[0].tolist() == [7]
    moved.close()


@pytest.mark.logs_warnings
def test_missing_vectors_raise_an_error_instead_of_an_empty_result(store: EngineStore) -> None:
    store._engine.delete(np.arange(19, dtype=np.int64))
    with pytest.raises(IndexDamaged):
        store.search(rows(1)[0], 5)
    assert (store.ids.tolist(), store.loss > 0) == ([19], True)
    store.acknowledge_loss(store.loss)
    assert store.search(rows(1)[0], 5)[0].tolist() == [19]


def test_a_stored_vector_that_differs_from_the_expected_one_is_detected(store: EngineStore) -> None:
    ids, begin = np.arange(20, dtype=np.int64), rows(20)[:, :2].copy()
    begin[7] += 1
    assert store.differing(ids, begin).tolist() == [7]


def test_the_contents_of_a_store_are_deleted_with_the_store(store: EngineStore, tmp_path: Path) -> None:
    store.drop()
    assert not (tmp_path / "index").exists()
    with pytest.raises(StoreUnreachable):
        store.search(rows(1)[0], 5)


def test_one_store_is_opened_once(store: EngineStore, tmp_path: Path) -> None:
    assert opened(store.name, store._location, DIM) is store


def test_a_connection_that_the_server_ended_is_made_again(postgres_url: str, tmp_path: Path) -> None:
    import psycopg

    store = opened("pgvector", location_of(tmp_path / "index", postgres_url), DIM)
    store.upsert(np.arange(3, dtype=np.int64), rows(3))
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'knowledge-workbench'"
        )
    with pytest.raises(StoreUnreachable, match="PostgreSQL failed"):
        store.search(rows(1)[0], 3)
    assert len(store.search(rows(1)[0], 3)[0]) == 3
    store.close()


def test_a_password_that_postgresql_refuses_is_named_as_that(postgres_url: str, tmp_path: Path) -> None:
    import psycopg

    with psycopg.connect(postgres_url, autocommit=True) as owner:
        owner.execute("CREATE ROLE guest LOGIN PASSWORD 'right'")
        row = owner.execute("SHOW hba_file").fetchone()
        assert row is not None
        rules = Path(row[0])
        rules.write_text("local all guest scram-sha-256\n" + rules.read_text())
        owner.execute("SELECT pg_reload_conf()")
    url = postgres_url.replace("postgres:@", "guest@")
    location = location_of(tmp_path / "index", url)
    with pytest.raises(StoreUnreachable, match="refused the name, password or key") as raised:
        opened("pgvector", type(location)(location.folder, url, "wrong"), DIM)
    assert "wrong" not in str(raised.value)


def test_lists_are_built_where_there_are_many_vectors_in_place_of_the_graph_of_an_earlier_version(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    monkeypatch.setattr("workbench.indexing.stores.pgvector_engine._LEAST_FOR_LISTS", 1000)
    store, many = opened("pgvector", location_of(tmp_path / "index", postgres_url), DIM), rows(3000)
    store.upsert(np.arange(3000, dtype=np.int64), many)
    table = store._engine._table
    with psycopg.connect(postgres_url, autocommit=True) as owner:
        owner.execute(f"CREATE INDEX {table}_graph ON {table} USING hnsw (vector vector_ip_ops)")
        store.maintain(lambda: False)
        indexes = owner.execute("SELECT indexname FROM pg_indexes WHERE tablename = %s", (table,)).fetchall()
    assert sorted(indexes) == [(f"{table}_lists_30",), (f"{table}_pkey",)]
    found = store.search(many[5], 10)[0]
    assert len(np.intersect1d(found, np.argsort(-(many @ many[5]))[:10])) >= 9
    assert store.search(many[5], 3, allowed=np.arange(100, 110, dtype=np.int64))[0].min() >= 100
    store.close()


def test_a_filter_has_one_range_for_neighbours_in_the_store_however_many_ids_are_missing_between() -> None:
    held = np.array([1, 2, 3, 50, 51, 70, 90], np.int64)
    filter = IdFilter.of(np.array([2, 3, 50, 70], np.int64), held)
    assert filter.ranges.tolist() == [[2, 50], [70, 70]]
    assert not filter.has_few_ranges
    assert IdFilter.of(held, held).ranges.tolist() == [[1, 90]]
    assert IdFilter.of(held, held).has_few_ranges


@pytest.mark.filterwarnings("ignore:Local mode performs exact")  # here the local mode stands for a server
def test_a_qdrant_server_filters_by_ranges_of_the_id_field() -> None:
    require("qdrant")
    from qdrant_client import QdrantClient

    client = QdrantClient(":memory:")
    passage = LOOPBACK_ONLY.enter(PendingRequest(Purpose.VECTOR_STORE, "localhost", 6333, "http://localhost:6333"))
    with pytest.warns(UserWarning, match="no effect in the local Qdrant"):
        engine = QdrantEngine(client, "c", DIM, passage)
    held, vectors = np.arange(0, 60, 2, dtype=np.int64), rows(30)
    engine.put(held, vectors)
    filter = IdFilter.of(held[5:20], held)
    found, products = engine.nearest(vectors[7], 4, filter)
    best = 5 + np.argsort(-(vectors[5:20] @ vectors[7]))[:4]
    assert (filter.has_few_ranges, found.tolist()) == (True, held[best].tolist())
    np.testing.assert_allclose(products, (vectors @ vectors[7])[best], atol=1e-6)
    with pytest.raises(IndexUnavailable, match="another schema"):  # a collection without an index of the id field
        QdrantEngine(client, "c", DIM, passage)
    engine.close()


@pytest.mark.parametrize("name", SERVERS)
def test_a_wrong_key_of_a_server_is_named_as_that(name: str, tmp_path: Path) -> None:
    location = server_location(name, tmp_path / "index")
    if not location.key:
        pytest.skip(f"no key in {SERVERS[name]}_KEY")
    for key in ("", f"{location.key}-wrong-one"):
        with pytest.raises(StoreUnreachable, match="refused the name, password or key") as raised:
            opened(name, location_of(location.folder, location.url, key), DIM)
        assert "wrong-one" not in f"{raised.value}"


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_that_is_lost_while_it_is_written_to_loses_no_vector_and_never_looks_empty(
    name: str, tmp_path: Path
) -> None:
    relay = Relay(server_location(name, tmp_path / "index"))
    store, vectors = opened(name, relay.location, DIM), rows(4000)
    assert isinstance(store, EngineStore)
    store.upsert(np.arange(1000, dtype=np.int64), vectors[:1000])
    cutting = threading.Timer(0.05, relay.cut)
    cutting.start()
    with pytest.raises(StoreUnreachable):
        write_until_it_fails(store, vectors)
    cutting.join()
    written = store.ids
    for allowed in (None, written[:5]):
        with pytest.raises(StoreUnreachable):
            store.search(vectors[7], 5, allowed=allowed)
    assert (store.ids.tolist(), store.loss) == (written.tolist(), 0)
    relay.mend()
    found = eventually(lambda: store.search(vectors[7], 1))[0]
    assert (found.tolist(), store.loss) == ([7], 0)
    store.close()
    again = opened(name, relay.location, DIM)
    assert np.isin(written, again.ids).all()
    ids, products = again.products(vectors[7])
    np.testing.assert_allclose(products, vectors[ids] @ vectors[7], atol=1e-5)
    discard(again)
    relay.cut()


def write_until_it_fails(store: EngineStore, vectors: NDArray[np.float32]) -> None:
    for _ in range(1000):
        store.upsert(np.arange(len(vectors), dtype=np.int64), vectors)


def eventually(ask: Callable[[], Any]) -> Any:
    """Return the answer of a server that is connected to again within seconds."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return ask()
        except StoreUnreachable:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_searches_in_as_many_ranges_as_a_filter_has(name: str, tmp_path: Path) -> None:
    store = opened(name, server_location(name, tmp_path / "index"), DIM)
    held, vectors = np.arange(4000, dtype=np.int64), rows(4000)
    store.upsert(held, vectors)
    allowed = held[held % 20 < 10]
    filter = IdFilter.of(allowed, held)
    assert (len(filter.ranges), filter.has_few_ranges) == (200, True)
    best = allowed[np.argsort(-(vectors[allowed] @ vectors[7]))[:10]]
    found, products = store.search(vectors[7], 10, allowed=allowed)
    assert (len(np.intersect1d(found, best)) >= 9, bool(np.isin(found, allowed).all())) == (True, True)
    np.testing.assert_allclose(products, vectors[found] @ vectors[7], atol=1e-5)
    discard(store)


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_accepts_the_widest_vectors(name: str, tmp_path: Path) -> None:
    store = opened(name, server_location(name, tmp_path / "index"), 4096)
    vectors = np.random.default_rng(1).standard_normal((1500, 4096)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    store.upsert(np.arange(1500, dtype=np.int64), vectors)
    assert store.search(vectors[1444], 1)[0].tolist() == [1444]
    assert len(store.products(vectors[0])[0]) == 1500
    discard(store)


def test_the_cause_of_an_error_says_that_a_server_refused_the_key() -> None:
    class Code:
        name = "UNAUTHENTICATED"

    class CallError(Exception):
        def code(self) -> Code:
            return Code()

    class ClientError(Exception):
        code = 2
        message = "Fail connecting to server"

    error, cause = ClientError("<ClientError: (code=2, message=Fail connecting to server)>"), CallError()
    assert failure("Milvus", error).message == "The vector store Milvus failed: Fail connecting to server."
    cause.__cause__ = cause
    error.__cause__ = cause
    assert "refused the name, password or key" in failure("Milvus", error).message
    Code.name = "UNAVAILABLE"
    assert "Fail connecting to server" in failure("Milvus", error).message


@pytest.mark.parametrize("name", ["qdrant", "milvus"])
def test_an_unreachable_vector_database_server_is_reported_within_seconds(name: str, tmp_path: Path) -> None:
    require(name)
    with pytest.raises(StoreUnreachable, match="failed"):
        opened(name, location_of(tmp_path / "index", "http://127.0.0.1:1"), DIM)


@pytest.mark.parametrize("name", ["qdrant", "milvus", "pgvector"])
def test_a_server_on_another_machine_is_not_asked_in_offline_mode(name: str, tmp_path: Path) -> None:
    require(name)
    url = "postgresql://192.0.2.5/x" if name == "pgvector" else "http://192.0.2.5:1"
    with pytest.raises(StoreUnreachable, match="Offline mode"):
        opened(name, location_of(tmp_path / "index", url), DIM)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://localhost/x?host=192.0.2.5",
        "postgresql://localhost/x?hostaddr=192.0.2.5",
        "postgresql://localhost,192.0.2.5/x",
        "postgresql:///x?host=/tmp,192.0.2.5",
        "postgresql:///x?service=elsewhere",
        "mysql://localhost/x",
    ],
)
def test_an_address_that_would_lead_elsewhere_than_it_looks_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(StoreUnreachable, match="cannot be used"):
        connection_options(location_of(tmp_path, url))


def test_another_machine_is_asked_by_tls_only(tmp_path: Path) -> None:
    assert connection_options(location_of(tmp_path, "postgresql://db.example/x"))["sslmode"] == "require"
    assert connection_options(location_of(tmp_path, "postgresql://localhost/x"))["sslmode"] == "prefer"


@pytest.mark.parametrize("fault", ["cut", "flipped", "absent"])
def test_a_damaged_manifest_is_refused(tmp_path: Path, fault: str) -> None:
    StoreManifest.new("lancedb", DIM, tmp_path, "").at(3).write(tmp_path)
    path = tmp_path / "store.json"
    assert json.loads(path.read_text().split("\n")[0])["generation"] == 3
    data = path.read_bytes()
    damaged = {"cut": data[:-1], "flipped": data.replace(b'"dim": 8', b'"dim": 9'), "absent": None}[fault]
    path.write_bytes(damaged) if damaged is not None else path.unlink()
    with pytest.raises(IndexUnavailable):
        StoreManifest.read(tmp_path)

"""Shared libraries on a real PostgreSQL server: rights, the queue of imports, publication, and errors."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray
from shared_libraries import (
    DIM,
    add_users,
    address_of,
    empty_database,
    opened,
    publish_read,
    shared_library,
    write_file,
)
from store_content import Add

from workbench.egress.gate import LOOPBACK_ONLY, EgressGate
from workbench.errors import LibraryError, NotFound, SharedAccessDenied, SharedLibraryUnreachable
from workbench.model.custom_metadata import checked_metadata
from workbench.model.document import DocumentStatus
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.filtering import knowledge_base_id
from workbench.store.postgres import import_jobs, notifications
from workbench.store.postgres.import_jobs import ImportJobs
from workbench.store.postgres.members import AccessLevel, Member, SharedKnowledgeBases
from workbench.store.postgres.notifications import ChangeListener
from workbench.store.postgres.postgres_database import PostgresDatabase, SharedLocation
from workbench.store.postgres.posting_lists import build_posting_lists
from workbench.store.postgres.publication import ReadDocument, publish
from workbench.store.postgres.shared_keywords import SharedKeywordIndex, text_search_vector
from workbench.store.postgres.shared_metadata import SharedCustomMetadataStore, SharedMetadataStore
from workbench.store.postgres.shared_names import SharedNameIndex
from workbench.store.postgres.shared_vectors import SharedVectors
from workbench.store.postgres.vector_lists import build_vector_lists

WORDS = ["harbour", "ice", "quay", "clay", "anchor", "pump", "gate", "sonde", "tide", "mortar"]


@pytest.fixture
def url(postgres_url: str) -> Iterator[str]:
    with empty_database(postgres_url) as url:
        yield url


@pytest.fixture
def shared(url: str) -> Iterator[PostgresDatabase]:
    with shared_library(url) as database:
        SharedKnowledgeBases(database).create("default")
        yield database


@pytest.fixture
def jobs(shared: PostgresDatabase) -> ImportJobs:
    return ImportJobs(shared)


def read(database: Database, document: int, vector: int = 0) -> ReadDocument:
    """Return a document of a personal library, each chunk with one of four orthogonal vectors."""
    chunks = [chunk.id for chunk in DocumentStore(database).chunks(document)]
    rows = np.tile(np.eye(DIM, dtype=np.float32)[vector], (len(chunks), 1))
    return ReadDocument.of(database, document, np.array(chunks, np.int64), rows, {})


def as_user(postgres_url: str, url: str, name: str) -> PostgresDatabase:
    return opened(address_of(postgres_url, url.partition("@/")[2].partition("?")[0], name))


def test_a_file_is_kept_and_queued_once_however_often_it_is_added(jobs: ImportJobs, tmp_path: Path) -> None:
    path = write_file(tmp_path, "a.txt", "The harbour froze.\n" * 100_000)
    first, again = jobs.add("default", path), jobs.add("default", path, name="other.txt")
    assert (first.id, first.status, first.name, jobs.waiting()) == (again.id, DocumentStatus.QUEUED, "a.txt", 1)
    copy = tmp_path / "copy"
    jobs.read_original(first.id, copy)
    assert copy.read_bytes() == path.read_bytes()
    with pytest.raises(NotFound):
        jobs.add("absent", path)
    with pytest.raises(NotFound):
        jobs.read_original(99, tmp_path / "none")


def test_workers_claim_different_documents_and_others_those_of_a_worker_that_was_killed(
    jobs: ImportJobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_file(tmp_path, f"{name}.txt", name) for name in "ab"]
    numbers = {jobs.add("default", file).id for file in files}
    claimed = [jobs.claim("one"), jobs.claim("two")]
    assert {job.document.id for job in claimed if job is not None} == numbers
    assert (jobs.claim("three"), jobs.workers()) == (None, 2)
    monkeypatch.setattr(import_jobs, "LEASE_SECONDS", -1)
    assert jobs.renew("one") == 1  # its lease ends at once
    taken = jobs.claim("three")
    assert taken is not None
    assert claimed[0] is not None
    assert (taken.document.id, taken.attempt) == (claimed[0].document.id, 2)
    assert not jobs.fail(taken.document.id, "one", reason="late", hint="", status=DocumentStatus.FAILED)


def test_a_document_that_ends_its_worker_again_and_again_is_marked_as_failed(
    jobs: ImportJobs, shared: PostgresDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_jobs, "LEASE_SECONDS", -1)
    number = jobs.add("default", write_file(tmp_path, "a.txt", "a")).id
    assert [job is not None for job in (jobs.claim(name) for name in "1234")] == [True, True, True, False]
    document = DocumentStore(shared).get(number)
    assert (document.status, jobs.waiting()) == (DocumentStatus.FAILED, 0)
    assert "crashed the worker" in document.reason
    assert jobs.add_again(number).status is DocumentStatus.QUEUED
    assert jobs.waiting() == 1


def test_a_worker_that_stops_returns_its_documents(jobs: ImportJobs, tmp_path: Path) -> None:
    jobs.add("default", write_file(tmp_path, "a.txt", "a"))
    assert jobs.claim("one") is not None
    jobs.release("one")
    again = jobs.claim("two")
    assert again is not None
    assert again.attempt == 1


def test_content_is_written_once_and_only_by_the_worker_that_holds_the_job(
    jobs: ImportJobs, shared: PostgresDatabase, database: Database, add: Add, tmp_path: Path
) -> None:
    own = add("The harbour froze.\n")
    number = jobs.add("default", write_file(tmp_path, "a.txt", "a")).id
    assert jobs.claim("one") is not None
    assert publish(shared, number, "two", [read(database, own.id)]) == []
    assert publish(shared, number, "one", [read(database, own.id)]) == [number]
    assert publish(shared, number, "one", [read(database, own.id)]) == []
    assert [chunk.text for chunk in DocumentStore(shared).chunks(number)] == ["The harbour froze.\n"]


def test_a_document_that_was_removed_while_it_was_read_stays_removed(
    jobs: ImportJobs, shared: PostgresDatabase, database: Database, add: Add, tmp_path: Path
) -> None:
    own = add("The harbour froze.\n")
    number = jobs.add("default", write_file(tmp_path, "a.txt", "a")).id
    jobs.claim("one")
    assert jobs.remove([number]) == [number]
    assert publish(shared, number, "one", [read(database, own.id)]) == []
    assert (DocumentStore(shared).list(), jobs.waiting()) == ([], 0)


def test_several_documents_of_an_archive_take_the_place_of_its_row(
    jobs: ImportJobs, shared: PostgresDatabase, database: Database, add: Add, tmp_path: Path
) -> None:
    members = [add("The harbour froze.\n", path="a.txt"), add("The quay sank.\n", path="b.txt")]
    archive = write_file(tmp_path, "both.zip", "zip")
    number = jobs.add("default", archive).id
    jobs.claim("one")
    original = write_file(tmp_path, "a.txt", "The harbour froze.\n")
    made = publish(shared, number, "one", [replace(read(database, one.id), original=original) for one in members])
    store = DocumentStore(shared)
    assert ([one.name for one in store.list()], number in made) == (["a.txt", "b.txt"], False)
    jobs.read_original(made[0], tmp_path / "copy")
    assert (tmp_path / "copy").read_text() == "The harbour froze.\n"


def test_chunks_whose_text_stays_keep_their_ids_when_a_document_is_read_again(
    jobs: ImportJobs, shared: PostgresDatabase, database: Database, add: Add
) -> None:
    number = publish_read(shared, read(database, add("One line.\nAnother line.\n").id))
    before = {chunk.text: chunk.id for chunk in DocumentStore(shared).chunks(number)}
    changed = add("A new line.\nAnother line.\n", path="b.txt")
    jobs.add_again(number)
    jobs.claim("one")
    assert publish(shared, number, "one", [read(database, changed.id)]) == [number]
    after = {chunk.text: chunk.id for chunk in DocumentStore(shared).chunks(number)}
    assert after["Another line.\n"] == before["Another line.\n"]
    assert after["A new line.\n"] not in before.values()


def test_no_row_is_left_of_a_document_that_was_deleted_for_good(
    jobs: ImportJobs, shared: PostgresDatabase, database: Database, add: Add
) -> None:
    number = publish_read(shared, read(database, add("One line.\nAnother line.\n").id))
    jobs.remove([number])
    assert jobs.purge(30) == 0
    with shared.write() as connection:
        connection.execute("UPDATE documents SET removed_at = '2020-01-01T00:00:00'")
    assert jobs.purge(30) == 1
    for table in ("documents", "chunks", "chunk_words", "vectors", "contents", "document_names", "original_pieces"):
        with shared.read() as connection:
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0, table


def test_changes_of_one_program_advance_the_generation_that_others_see(
    shared: PostgresDatabase, url: str, jobs: ImportJobs, tmp_path: Path
) -> None:
    other = opened(url)
    before = other.refresh()
    jobs.add("default", write_file(tmp_path, "a.txt", "a"))
    assert other.refresh() > before
    with other.snapshot():
        seen = len(DocumentStore(other).list())
        jobs.add("default", write_file(tmp_path, "b.txt", "b"))
        assert len(DocumentStore(other).list()) == seen == 1
    assert len(DocumentStore(other).list()) == 2
    other.close()


def test_lists_of_common_words_give_the_same_scores_as_the_index(
    shared: PostgresDatabase, database: Database, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.store.postgres.posting_lists._COMMON", 2)
    lines = "".join(f"The {WORDS[place % 7]} of the {WORDS[place % 3]} {place}.\n" for place in range(60))
    publish_read(shared, read(database, add(lines).id))
    before = SharedKeywordIndex(shared).search("harbour quay pump", 90)
    assert build_posting_lists(shared, least=10) == 1
    assert build_posting_lists(shared, least=10) == 0
    index = SharedKeywordIndex(shared)
    assert dict(index.search("harbour quay pump", 90)) == pytest.approx(dict(before), rel=1e-3)
    publish_read(shared, read(database, add("A harbour with a quay and a pump.\n", path="new.txt").id))
    assert len(index.search("harbour quay pump", 90)) == len(before) + 1


def test_chunks_that_are_newer_than_the_lists_are_found_whether_few_or_many(
    shared: PostgresDatabase, database: Database, add: Add
) -> None:
    for name in "abc":
        publish_read(shared, read(database, add(f"The harbour of {name} froze.\n", path=f"{name}.txt").id))

    def found(after: int, newer: int) -> list[int]:
        query = (
            "SELECT chunk FROM postings(ARRAY['harbour'::tsquery], ARRAY[%s], ARRAY[%s::bigint], ARRAY[%s::bigint], 1)"
        )
        with shared.read() as connection:
            base = knowledge_base_id(connection, "default")
            return sorted(row[0] for row in connection.raw.execute(query, (base, after, newer)))

    first, *later = found(0, 0)
    assert len(later) == 2
    assert found(first, 2) == found(first, 2001) == later


def test_lists_of_vectors_find_what_a_comparison_with_all_vectors_finds_and_are_built_again_as_they_grow(
    shared: PostgresDatabase, database: Database, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.egress.pgvector_lists._PER_LIST", 4)
    monkeypatch.setattr("workbench.store.postgres.shared_vectors.PROBES", 3)
    rows = np.random.default_rng(3).standard_normal((120, DIM)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)

    def publish_lines(name: str, vectors: NDArray[np.float32]) -> None:
        document = add("".join(f"Line {place} of {name}.\n" for place in range(len(vectors))), path=name)
        publish_read(shared, replace(read(database, document.id), vectors=vectors))

    def indexes() -> list[str]:
        with shared.read() as connection:
            rows = connection.execute("SELECT indexname FROM pg_indexes WHERE indexdef LIKE '%ivfflat%'").fetchall()
        return [str(row[0]) for row in rows]

    publish_lines("a.txt", rows[:60])
    assert [build_vector_lists(shared, DIM, least=least) for least in (100, 10, 10)] == [0, 1, 0]
    assert indexes() == ["vectors_1_lists_15"]
    publish_lines("b.txt", rows[60:])
    vectors = SharedVectors(shared, DIM)
    for query in rows[::7]:
        ids, products = vectors.products(query)
        found, cosines = vectors.search(query, 100)
        assert set(found[:5]) <= set(ids[np.argsort(-products)[:20]])
        assert (len(found), list(cosines)) == (100, sorted(cosines, reverse=True))
        one = vectors.search(query, 3, allowed=ids[::2])[0]
        assert set(one) <= set(ids[::2])
    assert (build_vector_lists(shared, DIM, least=10), indexes()) == (1, ["vectors_1_lists_30"])


def test_lists_of_vectors_are_not_built_by_others_than_the_owner_and_not_after_a_stop(
    shared: PostgresDatabase, url: str, postgres_url: str, database: Database, add: Add
) -> None:
    add_users(postgres_url, "ann")
    SharedKnowledgeBases(shared).put_member("default", "ann", AccessLevel.MANAGE)
    publish_read(shared, read(database, add("A line.\nAnother one.\n").id))
    ann = as_user(postgres_url, url, "ann")
    assert build_vector_lists(ann, DIM, least=1) == 0
    ann.close()
    assert build_vector_lists(shared, DIM, lambda: True, least=1) == 0


def test_row_level_rights_show_nothing_of_a_knowledge_base_to_anybody_else(
    shared: PostgresDatabase, url: str, postgres_url: str, database: Database, add: Add
) -> None:
    """10,000 random searches of B never show a row of A."""
    add_users(postgres_url, "ann", "bob")
    bases = SharedKnowledgeBases(shared)
    bases.create("of ann")
    for name in ("ann", "bob"):
        bases.put_member("default", name, AccessLevel.READ)
    bases.put_member("of ann", "ann", AccessLevel.WRITE)
    secret = [add("".join(f"{one} {two}.\n" for two in WORDS), path=f"{one}.txt") for one in WORDS]
    for place, one in enumerate(secret):
        is_public = place % 5 == 0
        made = read(database, one.id, place % DIM)
        document = replace(made.document, knowledge_base="default" if is_public else "of ann")
        publish_read(shared, replace(made, document=document))
    build_posting_lists(shared, least=1)
    bob = as_user(postgres_url, url, "bob")
    visible = {chunk.id for one in DocumentStore(bob).list() for chunk in DocumentStore(bob).chunks(one.id)}
    assert len(visible) == 20
    assert [one.name for one in DocumentStore(bob).list()] == ["harbour.txt", "pump.txt"]
    public = {one.id for one in DocumentStore(bob).list()}
    keywords, vectors, names = SharedKeywordIndex(bob), SharedVectors(bob, DIM), SharedNameIndex(bob)
    chance = random.Random(27)
    with bob.snapshot():
        for _ in range(2_500):
            words = " ".join(chance.choices(WORDS, k=2))
            found = {one for one, _ in keywords.search(words, chance.randint(1, 50))}
            found |= set(vectors.search(np.eye(DIM, dtype=np.float32)[chance.randrange(DIM)], 50)[0].tolist())
            found |= set(DocumentStore(bob).chunks_by_id([chance.randint(1, 120) for _ in range(5)]))
            assert found <= visible
            called = names.called(words.split()[0], most=10)
            assert {one.document for one in called} <= public
    bob.close()


def test_a_reader_can_neither_add_nor_remove_nor_grant(
    shared: PostgresDatabase, url: str, postgres_url: str, database: Database, add: Add, tmp_path: Path
) -> None:
    add_users(postgres_url, "ann")
    number = publish_read(shared, read(database, add("A line.\n").id))
    SharedKnowledgeBases(shared).put_member("default", "ann", AccessLevel.READ)
    ann = as_user(postgres_url, url, "ann")
    file = write_file(tmp_path, "a.txt", "a")
    for call in (
        lambda: ImportJobs(ann).add("default", file),
        lambda: ImportJobs(ann).remove([number]),
        lambda: ImportJobs(ann).add_again(number),
        lambda: SharedMetadataStore(ann).put_tags({number: ["x"]}),
        lambda: SharedMetadataStore(ann).edit(DocumentStore(ann).get(number), {"author": "x"}),
        lambda: SharedCustomMetadataStore(ann).put({number: checked_metadata({"x": "y"})}),
        lambda: SharedKnowledgeBases(ann).put_member("default", "ann", AccessLevel.MANAGE),
        lambda: SharedKnowledgeBases(ann).create("mine"),
    ):
        with pytest.raises(SharedAccessDenied):
            call()
    with ann.write() as connection:
        assert connection.execute("UPDATE documents SET name = 'changed'").rowcount == 0
        assert connection.execute("DELETE FROM chunks").rowcount == 0
    with pytest.raises(SharedAccessDenied), ann.write() as connection:
        connection.execute("INSERT INTO members VALUES (1, 'ann', 3)")
    assert ImportJobs(ann).claim("ann") is None
    ann.close()


def test_a_manager_adds_members_and_stays_the_last_one(shared: PostgresDatabase, url: str, postgres_url: str) -> None:
    add_users(postgres_url, "ann", "bob")
    SharedKnowledgeBases(shared).put_member("default", "ann", AccessLevel.MANAGE)
    SharedKnowledgeBases(shared).put_member("default", "postgres", AccessLevel.NONE)
    ann = SharedKnowledgeBases(as_user(postgres_url, url, "ann"))
    ann.put_member("default", "bob", AccessLevel.WRITE)
    assert ann.members("default") == [Member("ann", AccessLevel.MANAGE), Member("bob", AccessLevel.WRITE)]
    assert ann.list() == [("default", AccessLevel.MANAGE)]
    with pytest.raises(LibraryError, match="only manager"):
        ann.put_member("default", "ann", AccessLevel.READ)
    with pytest.raises(NotFound, match="no user"):
        ann.put_member("default", "nobody-here", AccessLevel.READ)
    ann.create("contracts")
    with pytest.raises(LibraryError, match="already"):
        ann.create("contracts")
    bob = SharedKnowledgeBases(as_user(postgres_url, url, "bob"))
    assert bob.list() == [("default", AccessLevel.WRITE)]
    for one in (ann, bob):
        one._database.close()


def test_rows_of_one_knowledge_base_cannot_be_attached_to_documents_of_another(
    shared: PostgresDatabase, url: str, postgres_url: str, database: Database, add: Add
) -> None:
    add_users(postgres_url, "ann")
    number = publish_read(shared, read(database, add("A line.\n").id))
    SharedKnowledgeBases(shared).create("of ann")
    SharedKnowledgeBases(shared).put_member("of ann", "ann", AccessLevel.WRITE)
    ann = as_user(postgres_url, url, "ann")
    with pytest.raises(psycopg.errors.ForeignKeyViolation), ann.write() as connection:
        connection.execute(
            "INSERT INTO abbreviations (document, knowledge_base, short, long, phrase) VALUES (?, 2, 'a', 'b', 'c')",
            (number,),
        )
    ann.close()


def test_a_database_that_is_no_shared_library_and_a_second_one_are_refused(url: str) -> None:
    with pytest.raises(LibraryError, match="not a shared library"):
        opened(url)
    with shared_library(url), pytest.raises(LibraryError, match="already"):
        PostgresDatabase.create(SharedLocation(url, "", LOOPBACK_ONLY))


def test_a_server_that_is_down_is_named_as_that_and_used_again_when_it_is_back(
    shared: PostgresDatabase, postgres_url: str
) -> None:
    store = DocumentStore(shared)
    assert store.knowledge_bases() == ["default"]
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'knowledge-workbench'"
        )
    with pytest.raises(SharedLibraryUnreachable, match="cannot be reached"):
        store.knowledge_bases()
    assert store.knowledge_bases() == ["default"]
    with pytest.raises(SharedLibraryUnreachable):
        opened("postgresql://postgres@127.0.0.1:1/none")


def test_hosts_outside_are_refused_in_offline_mode() -> None:
    with pytest.raises(SharedLibraryUnreachable, match="Offline mode"):
        opened("postgresql://postgres@db.example.org/team")


def test_a_listener_does_not_connect_in_offline_mode(shared: PostgresDatabase, url: str) -> None:
    is_permitted = True
    gate = EgressGate(here=lambda _host: is_permitted)
    database = PostgresDatabase.open(SharedLocation(url, "", gate))
    is_permitted = False
    with pytest.raises(SharedLibraryUnreachable, match="Offline mode"):
        database.listen()
    database.close()


def test_each_loss_of_a_listener_s_connection_is_told_and_each_return(
    shared: PostgresDatabase, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifications, "_FIRST_WAIT", 0.01)
    told: SimpleQueue[bool] = SimpleQueue()
    listener = ChangeListener(lambda: shared, lambda: None, told.put)
    heard = []
    with psycopg.connect(postgres_url, autocommit=True) as other:
        for _ in range(2):
            while not other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN workbench'"
            ).fetchall():
                pass
            heard += [told.get(timeout=20), told.get(timeout=20)]
    listener.close()
    assert heard == [False, True, False, True]


def test_a_listener_ends_at_once_while_it_waits_for_a_server_that_is_down() -> None:
    told: SimpleQueue[bool] = SimpleQueue()

    def find_database() -> PostgresDatabase:
        raise SharedLibraryUnreachable("It is down.")

    listener = ChangeListener(find_database, lambda: None, told.put)
    assert not told.get(timeout=20)
    listener.close()
    assert not listener._thread.is_alive()


def test_a_vector_is_built_of_title_headings_and_text_with_their_weights() -> None:
    words, length = text_search_vector("The harbour", ("The harbour", "Ice"), "Harbour's ice.")
    assert "'harbour':2A," in words
    assert "'ice':3B," in words
    assert length == words.count("A") + words.count("B") + 2

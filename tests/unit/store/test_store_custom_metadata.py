"""Custom metadata in the store: stored, filtered, copied, validated, and isolated between knowledge bases."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from store_content import Add, chunked, parsed

from workbench.errors import MetadataError
from workbench.model.custom_metadata import checked_metadata, metadata_in_file
from workbench.model.document import Document
from workbench.model.filter import ChunkFilter
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.retrieval.filters.json_forms import filter_of
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.retrieval.retriever import Retriever
from workbench.store.checksums import RowChecksums, changed_rows
from workbench.store.database import Database
from workbench.store.document_writes import CustomMetadataStore
from workbench.store.documents import DocumentStore
from workbench.store.filtering import FilterValues
from workbench.store.keywords import KeywordIndex
from workbench.store.knowledge_bases import KnowledgeBaseStore
from workbench.store.recycle_bin import RecycleBin


@pytest.fixture
def custom(database: Database) -> CustomMetadataStore:
    return CustomMetadataStore(database)


def plain(document: Document) -> dict[str, object]:
    return {field.key: field.plain for field in document.custom}


def found(documents: DocumentStore, chosen: ChunkFilter) -> int:
    ids = documents.searchable_chunks(chosen)
    return documents.counts(None)[0] if ids is None else len(ids)


def test_all_kinds_are_kept_and_put_back(add: Add, documents: DocumentStore, custom: CustomMetadataStore) -> None:
    given = {"dept": "HR", "budget": 12.5, "due": "2024-05", "team": ["a", 2], "one": ["x"]}
    (document,) = custom.put({add("apples\n").id: checked_metadata(given)})
    assert plain(document) == given
    (changed,) = custom.put({document.id: checked_metadata({"dept": None, "budget": 1})})
    assert plain(changed) == {"budget": 1, "due": "2024-05", "team": ["a", 2], "one": ["x"]}
    custom.put_back({document.id: document.stored_custom})
    assert documents.get(document.id) == document


def test_metadata_of_a_file_are_replaced_when_it_is_read_again_and_those_of_the_user_are_kept(
    add: Add, documents: DocumentStore, custom: CustomMetadataStore
) -> None:
    def read(text: str) -> Document:
        in_file = replace(parsed(text), custom=metadata_in_file({"dept": text, "team": text})[0])
        return documents.put_content(document.id, in_file, chunked(text), sha256=text, size=1)

    document = add("apples\n")
    read("one")
    custom.put({document.id: checked_metadata({"dept": "mine"})})
    assert plain(read("two")) == {"dept": "mine", "team": "two"}


def test_too_many_keys_change_nothing(add: Add, documents: DocumentStore, custom: CustomMetadataStore) -> None:
    document = add("apples\n")
    custom.put({document.id: checked_metadata({f"k{number}": number for number in range(100)})})
    with pytest.raises(MetadataError, match="101 keys"):
        custom.put({document.id: checked_metadata({"more": 1})})
    assert len(documents.get(document.id).custom) == 100


# One document of 250, with 20 of 5,000 chunks, has these: {"dept": "HR", "budget": 120.5, "due": "2025-05-31", ...}.
MATRIX = [
    {"op": "EQ", "key": "dept", "value": "hr"},
    {"op": "EQ", "key": "budget", "value": 120.5},
    {"op": "EQ", "key": "due", "value": "2025"},
    {"op": "NOT", "condition": {"op": "NEQ", "key": "dept", "value": "hr"}},
    {"op": "GT", "key": "budget", "value": 120},
    {"op": "GTE", "key": "due", "value": "2025-05-31"},
    {
        "op": "AND",
        "conditions": [{"op": "LT", "key": "due", "value": "2025-06"}, {"op": "GT", "key": "due", "value": "2024"}],
    },
    {
        "op": "AND",
        "conditions": [
            {"op": "LTE", "key": "budget", "value": 120.5},
            {"op": "NEQ", "key": "dept", "value": "it"},
            {"op": "NEQ", "key": "dept", "value": "ops"},
        ],
    },
    {"op": "IN", "key": "team", "values": ["blue", "none"]},
    {"op": "OR", "conditions": [{"dept": "nobody"}, {"team": "Red"}]},
    {"op": "NOT", "condition": {"op": "IN", "key": "dept", "values": ["it", "ops"]}},
    {"op": "STARTSWITH", "key": "team", "value": "bl"},
    {"op": "CONTAINS", "key": "team", "value": "LU"},
]


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    database = Database.open(tmp_path_factory.mktemp("big") / "library")
    documents, custom = DocumentStore(database), CustomMetadataStore(database)
    given: dict[int, object] = {}
    text = "".join(f"apples and pears, line {line}\n" for line in range(20))
    with database.write():
        for number in range(250):
            made = documents.queue(
                Path(f"/d/{number}.txt"), knowledge_base="default", sha256=f"{number}", size=1, format="text"
            )
            documents.put_content(made.id, parsed(text), chunked(text), sha256=f"{number}", size=1)
            special = {"dept": "HR", "budget": 120.5, "due": "2025-05-31", "team": ["red", "blue"]}
            usual = {"dept": "it" if number % 2 else "ops", "budget": number % 100, "due": "2023-04"}
            given[made.id] = checked_metadata(special if number == 125 else usual)
        custom.put(given)  # type: ignore[arg-type]
    yield Retriever(documents, KeywordIndex(database), None, None)
    database.close()


@pytest.mark.parametrize("form", MATRIX, ids=lambda form: str(form["op"]))
def test_b22_every_operator_acts_before_the_limit_on_own_keys(big: Retriever, form: dict[str, object]) -> None:
    result = big.search("apples", k=10, filter=filter_of(form), configuration=SearchConfiguration(SearchMode.KEYWORD))
    assert result.searched_chunks == 20
    assert {hit.chunk.document for hit in result.hits} == {126}
    assert len(result.hits) + len(result.beside) >= 10


def test_an_unknown_metadata_key_finds_nothing_and_the_existing_keys_are_listed(big: Retriever) -> None:
    result = big.search("apples", filter=filter_of_text("colour:red"))
    assert result.hits == ()
    assert "“colour”" in result.notes[0]
    assert result.notes[0].endswith("budget, dept, due, team.")


def test_b29_no_key_leads_into_another_knowledge_base(
    add: Add, documents: DocumentStore, custom: CustomMetadataStore
) -> None:
    mine = add("apples\n", path="same.txt", knowledge_base="A")
    theirs = add("apples\n", path="same.txt", knowledge_base="B")
    custom.put({mine.id: checked_metadata({"linked_to": "B", "library": "B"})})
    for chosen in (ChunkFilter("B"), filter_of({"linked_to": "B"}, "B"), filter_of({"knowledge_base": "B"})):
        ids = documents.searchable_chunks(chosen)
        assert ids is not None
        assert mine.id not in {document.id for _, document in documents.chunks_by_id(ids.tolist()).values()}
    with pytest.raises(MetadataError):
        checked_metadata({"knowledge_base": "B"})
    assert {one.id for one in documents.list()} == {mine.id, theirs.id}


def test_b29_giving_metadata_to_one_of_two_equal_files_leaves_the_other_as_it_is(
    add: Add, documents: DocumentStore, custom: CustomMetadataStore
) -> None:
    mine = add("apples\n", path="same.txt", knowledge_base="A")
    theirs = add("apples\n", path="same.txt", knowledge_base="B")
    custom.put({mine.id: checked_metadata({"dept": "hr"})})
    assert (found(documents, filter_of({"dept": "hr"})), found(documents, ChunkFilter("B"))) == (1, 1)
    assert documents.get(theirs.id) == theirs


def test_a_copy_takes_its_metadata_along_and_a_purge_deletes_them(
    database: Database, add: Add, documents: DocumentStore, custom: CustomMetadataStore
) -> None:
    document = add("apples\n")
    custom.put({document.id: checked_metadata({"dept": ["hr", "it"]})})
    documents.ensure_knowledge_base("B")
    copied = KnowledgeBaseStore(database).copy([document.id], "B").documents[0]
    assert plain(documents.get(copied)) == {"dept": ["hr", "it"]}
    documents.mark_removed([document.id, copied])
    assert documents.custom_keys() == []
    assert RecycleBin(database).purge([document.id, copied]) == 2
    with database.read() as connection:
        assert connection.execute("SELECT COUNT(*) FROM document_metadata").fetchone() == (0,)


def test_keys_and_values_in_use_are_offered_after_the_programs_own(
    database: Database, add: Add, custom: CustomMetadataStore
) -> None:
    first, second = add("apples\n"), add("pears\n", path="b.txt")
    custom.put({first.id: checked_metadata({"dept": ["hr", "it"]}), second.id: checked_metadata({"dept": "IT"})})
    values = FilterValues(database).in_use()
    assert list(values)[-1] == "dept"
    assert [one.casefold() for one in values["dept"]] == ["it", "hr"]
    assert custom.count() == [("dept", 2)]


def test_a_value_that_the_disk_changed_is_found(database: Database, add: Add, custom: CustomMetadataStore) -> None:
    custom.put({add("apples\n").id: checked_metadata({"dept": "hr"})})
    checksums = RowChecksums(database)
    checksums.add(lambda: False)
    with closing(sqlite3.connect(database.path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER document_metadata_changed")
        connection.execute("UPDATE document_metadata SET value = 'it'")
    with database.read() as read:
        assert [(row.table, row.name) for row in changed_rows(read)] == [("document_metadata", "dept")]

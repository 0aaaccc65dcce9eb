"""The same documents in SQLite and in PostgreSQL are read, filtered and found the same."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filtered_documents import Row, put
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from shared_libraries import copy_library, empty_database, shared_library
from store_content import Add, chunked
from test_store_filtering import rows
from test_store_filtering import trees as filter_trees

from workbench.errors import NotFound
from workbench.model.document import Block, BlockKind, Metadata, Page, ParsedDocument, WordBox, WordBoxes
from workbench.model.filter import EVERYTHING, ChunkFilter, Expression
from workbench.model.source_lines import LineKind, LineTable
from workbench.store.abbreviation_table import AbbreviationTable
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.filtering import FilterValues
from workbench.store.intake import Intake
from workbench.store.keywords import KeywordIndex
from workbench.store.name_index import NameIndex
from workbench.store.postgres.postgres_database import PostgresDatabase
from workbench.store.postgres.shared_keywords import SharedKeywordIndex
from workbench.store.postgres.shared_names import SharedNameIndex

REPORT = """The European Central Bank (ECB) raised its rate in 2023. The ECB's rate was 4.5 percent.
The harbour of Vessmark froze in January; the harbour-master closed the harbour.
max_tokens and e-mail are words of O'Brien's configuration: V(D)J, C++ and C#.
"""
CHINESE = "公司的营业收入为一百二十亿元。\n港口在一月份结冰,港务局关闭了港口。\n"
QUESTIONS = (
    *("harbour frozen", "When did the harbour of Vessmark freeze?", "ECB rate", "European Central Bank", "max_tokens"),
    *(
        "e-mail",
        "O'Brien",
        "C++",
        "港口结冰",
        "营业收入是多少",
        "nothing of this",
        "the",
        "2023",
        "'; DROP TABLE x; --",
    ),
)


@pytest.fixture
def shared(postgres_url: str) -> Iterator[PostgresDatabase]:
    with empty_database(postgres_url) as url, shared_library(url) as database:
        yield database


@pytest.fixture
def filled(database: Database, documents: DocumentStore, add: Add, shared: PostgresDatabase) -> Database:
    add(REPORT, path="report 2023.txt", title="Annual report 2023")
    add(CHINESE, path="年报.txt", title="年度报告")
    add("A line that is the same.\n" * 3 + REPORT, path="law/copy.txt", knowledge_base="Law", title="Heading")
    text = "First page.\nSecond page \ud800 with \x00 letters.\n"
    boxes = WordBoxes.pack([WordBox(0, 5, 1.5, 2.0, 3.25, 4.0)])
    content = ParsedDocument(
        text,
        (Block(BlockKind.HEADING, 0, 11, 1, 1), Block(BlockKind.PARAGRAPH, 12, len(text))),
        (Page(1, 0, 12, 595.0, 842.0, boxes, "i"), Page(2, 12, len(text), 595.0, 842.0, ocr=True)),
        Metadata("Pages", "Ms Solvane", "2024-05-06", ("ice",), "en"),
        "pdf",
        ("A warning.",),
        lines=LineTable.pack(LineKind.LINE, ((0, 1), (12, 2))),
    )
    queued = documents.queue(Path("/x/pages.pdf"), knowledge_base="default", sha256="aa", size=1, format="pdf")
    chunks = [replace(one, page=place, page_end=place) for place, one in enumerate(chunked(text), 1)]
    documents.put_content(queued.id, content, chunks, sha256="bb", size=2)
    copy_library(database, shared)
    return database


def every_reading(store: DocumentStore) -> Iterator[tuple[str, Any]]:
    yield "bases", store.knowledge_bases()
    yield "counts", [store.counts(base)[0] for base in (None, *store.knowledge_bases())]
    for one in store.list():
        fields = (one.id, one.name, one.metadata, one.chunks, one.pages, one.warnings, one.tags, one.knowledge_base)
        yield "document", fields
        yield "text", (store.text(one.id), store.blocks(one.id), store.headings(one.id))
        yield "pages", (store.pages(one.id), store.page(one.id, 1), store.page(one.id, 9))
        yield "page", (store.page_breaks(one.id, 1, 2), store.page_labels(one.id, 1, 2))
        chunks = store.chunks(one.id)
        yield "chunks", [(chunk.id, chunk.start, chunk.end, chunk.headings, chunk.page) for chunk in chunks]
        yield "between", [chunk.id for chunk in store.chunks_between(one.id, 10, 90)]
        yield "at", [chunk.id for chunk in store.chunks_at(one.id, 1, 2)]
        yield "by id", [*store.chunks_by_id([chunk.id for chunk in chunks][::-1])]
        yield "texts", [*store.chunk_texts([chunk.id for chunk in chunks])]
        yield "on pages", sorted(store.chunks_on_pages([one.id], [1, 2]))
        yield "lines", (store.source_lines(one.id), store.source_lines_of(chunks))
        yield "hash", store.by_hash(one.knowledge_base, one.sha256)
    yield "found", [store.find("pages.pdf").id, store.find("4").id]


def test_every_reading_of_documents_is_the_same(filled: Database, shared: PostgresDatabase) -> None:
    ours, theirs = every_reading(DocumentStore(filled)), every_reading(DocumentStore(shared))
    for (name, one), (_, other) in zip(ours, theirs, strict=True):
        if name == "hash":
            assert one.id == other.id
        else:
            assert one == other, name


def test_letters_that_postgresql_cannot_hold_are_replaced_one_for_one(
    filled: Database, shared: PostgresDatabase
) -> None:
    store = DocumentStore(shared)
    chunk = store.chunks(4)[1]
    assert chunk.text == "Second page \ufffd with \ufffd letters.\n"
    assert (chunk.start, chunk.end) == (12, 12 + len(chunk.text))
    assert store.text(4)[chunk.start : chunk.end] == "Second page \ud800 with \x00 letters.\n"


def test_the_rows_of_documents_that_do_not_exist_are_missing_alike(filled: Database, shared: PostgresDatabase) -> None:
    for store in (DocumentStore(filled), DocumentStore(shared)):
        assert (store.text(99), store.pages(99), store.chunks_by_id([99])) == ("", (), {})
        for call in (lambda store=store: store.get(99), lambda store=store: store.list("absent")):
            with pytest.raises(NotFound):
                call()


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_finds_the_same_chunks_with_the_same_bm25(
    filled: Database, shared: PostgresDatabase, question: str
) -> None:
    ours, theirs = KeywordIndex(filled), SharedKeywordIndex(shared)
    assert [(one, pytest.approx(score, rel=1e-5)) for one, score in ours.search(question, 10)] == theirs.search(
        question, 10
    )
    chunks = list(range(1, ours.count + 1))
    one, other = ours.evidence([question], chunks), theirs.evidence([question], chunks)
    np.testing.assert_allclose(one.chunks, other.chunks, rtol=1e-4)
    np.testing.assert_allclose(one.pages, other.pages, rtol=1e-4)
    law = ChunkFilter("Law")
    assert [one for one, _ in ours.search(question, 3, filter=law)] == [
        one for one, _ in theirs.search(question, 3, filter=law)
    ]


def test_words_have_the_same_frequencies_and_places(filled: Database, shared: PostgresDatabase) -> None:
    ours, theirs = KeywordIndex(filled), SharedKeywordIndex(shared)
    words = ["harbour", "ecb", "港口", "2023", "absent", "c++"]
    assert ours.document_frequency(words) == theirs.document_frequency(words)
    assert (ours.count, ours.holding_all(words[:1])) == (theirs.count, theirs.holding_all(words[:1]))
    around = zip(ours.words_around(words, [1, 2, 3], 2), theirs.words_around(words, [1, 2, 3], 2), strict=True)
    for one, other in around:
        np.testing.assert_array_equal(one, other)


def test_names_and_abbreviations_are_found_alike(filled: Database, shared: PostgresDatabase) -> None:
    ours, theirs = NameIndex(filled), SharedNameIndex(shared)
    for word in ("report", "2023", "solvan", "年报", "copi", "absent"):
        assert ours.frequencies([word]) == theirs.frequencies([word])
        assert ours.called(word, most=5) == theirs.called(word, most=5)
    assert ours.chunks([1, 3]) == theirs.chunks([1, 3])
    for filter in (EVERYTHING, ChunkFilter("Law"), ChunkFilter("default")):
        assert AbbreviationTable(filled).defined(["ECB"], filter) == AbbreviationTable(shared).defined(["ECB"], filter)


def test_states_and_values_in_use_are_counted_alike(filled: Database, shared: PostgresDatabase) -> None:
    assert Intake(filled).not_read() == Intake(shared).not_read()
    assert Intake(filled).visible()[0] == Intake(shared).visible()[0]
    assert Intake(filled).in_part() == Intake(shared).in_part()
    ours, theirs = FilterValues(filled), FilterValues(shared)
    assert {key: sorted(one) for key, one in ours.in_use().items()} == {
        key: sorted(one) for key, one in theirs.in_use().items()
    }
    assert ours.extent(ChunkFilter("Law")) == theirs.extent(ChunkFilter("Law"))


@settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(some=st.lists(rows(), min_size=1, max_size=4), trees=st.lists(filter_trees, min_size=10, max_size=25))
def test_any_filter_lets_the_same_documents_pass(
    some: list[Row], trees: list[Expression], postgres_url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    own = Database.open(tmp_path_factory.mktemp("library"))
    try:
        with empty_database(postgres_url) as url, shared_library(url) as shared:
            for row in some:
                put(own, DocumentStore(own), row)
            copy_library(own, shared)
            for tree in trees:
                assert outcome(FilterValues(own), tree) == outcome(FilterValues(shared), tree), tree
    finally:
        own.close()


def outcome(values: FilterValues, tree: Expression) -> list[int] | str:
    try:
        return values.every_document(ChunkFilter(None, (tree,)))
    except NotFound:
        return "not found"


def test_chunks_that_pass_a_filter_are_the_same(filled: Database, shared: PostgresDatabase) -> None:
    ours, theirs = DocumentStore(filled), DocumentStore(shared)
    for filter in (EVERYTHING, ChunkFilter("Law"), ChunkFilter("default")):
        assert ours.passing_chunks(filter).tolist() == theirs.passing_chunks(filter).tolist()
    assert theirs.searchable_chunks(EVERYTHING) is None


def test_removed_documents_leave_every_list_and_come_back(filled: Database, shared: PostgresDatabase) -> None:
    for database in (filled, shared):
        store = DocumentStore(database)
        assert store.mark_removed([1, 99]) == [1]
        assert [one.id for one in store.list()] == [2, 3, 4]
        assert (store.restore([1, 1]), len(store.list())) == ([1], 4)

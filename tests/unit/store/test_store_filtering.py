from dataclasses import replace
from pathlib import Path

import pytest
from filtered_documents import Row, passes, put
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.errors import NotFound, RetrievalError
from workbench.model.custom_metadata import checked_metadata
from workbench.model.filter import AllOf, AnyOf, ChunkFilter, Condition, Expression, Not, Operator
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex

# Few values, so that they are often equal; with letters whose case SQLite does not know, and SQL metacharacters.
WORDS = [
    "",
    "a",
    "A",
    "ab",
    "Ärger",
    "äRGER",
    "straße",
    "STRASSE",
    "报告",
    "x'; DROP TABLE documents; --",
    '"',
    "%",
    "_",
    "a\ud800",
]
DATES = ["", "2023", "2024", "2024-05", "2024-05-06", "2024-05-06T10:00:00", "2024-05-06 10:00:00", "2025-01-01"]
BASES = ["default", "Law", "Ärger"]
FOLDERS = ["", "Contracts", "contracts/2024", "Contracts 2", "Ärger/x"]
TEXT_KEYS = ["called", "name", "title", "author", "format", "path", "language"]
ORDER = [Operator.GT, Operator.GTE, Operator.LT, Operator.LTE]
PARTS = [Operator.CONTAINS, Operator.STARTSWITH]

Trees = st.SearchStrategy[Expression]
words = st.sampled_from(WORDS)
# SQLite sorts bytes after all texts; a text without a UTF-8 form is stored as bytes.
plain = words.filter(lambda word: bool(word) and word.isprintable())
# One key may have texts, numbers and dates.
custom_values = st.none() | st.lists(
    st.sampled_from(["hr", "HR", "2024", "2024-05", "2024-05-06", 2024, 7, -1.5, "Ärger", "x; y"]), max_size=3
)
custom_words = ["hr", "HR", "h", "2024", "2024-05", "2024-06", "7", "7.0", "-1.5", "ärger", "a\ud800", "0", "%"]
page = st.none() | st.tuples(st.integers(1, 4), st.integers(0, 2))


@st.composite
def rows(draw: st.DrawFn) -> Row:
    pages = draw(page)
    return Row(
        knowledge_base=draw(st.sampled_from(BASES)),
        name=draw(plain),
        title=draw(plain),
        author=draw(words),
        format=draw(st.sampled_from(["text", "pdf", "markdown"])),
        folder=draw(st.sampled_from(FOLDERS)),
        language=draw(st.sampled_from(["", "en", "zh"])),
        created=draw(st.sampled_from(DATES)),
        modified=draw(st.sampled_from(DATES)),
        keyword=tuple(draw(st.lists(words.filter(bool), max_size=2, unique=True))),
        tag=tuple(draw(st.lists(plain, max_size=2, unique=True))),
        pages=draw(st.integers(0, 5)),
        page=pages[0] if pages else None,
        page_end=sum(pages) if pages else None,
        origin=draw(st.sampled_from(["file", "url", "note"])),
        custom=checked_metadata({"due": draw(custom_values), "budget": draw(custom_values)}),
    )


def conditions(
    keys: list[str], whole: st.SearchStrategy[str], some: st.SearchStrategy[str]
) -> st.SearchStrategy[Expression]:
    """Draw conditions on keys: values that may be missing, and values that must exist."""
    key = st.sampled_from(keys)
    one = st.builds(Condition, key, st.sampled_from([Operator.EQ, Operator.NEQ]), st.tuples(whole))
    among = st.builds(Condition, key, st.just(Operator.IN), st.lists(whole, max_size=3).map(tuple))
    return one | among | st.builds(Condition, key, st.sampled_from(ORDER), st.tuples(some))


def parts(keys: list[str], some: st.SearchStrategy[str]) -> Trees:
    return st.builds(Condition, st.sampled_from(keys), st.sampled_from(PARTS), st.tuples(some))


folders, dates = st.sampled_from(FOLDERS), st.sampled_from(DATES)
numbers = st.sampled_from(["0", "1", "2", "3", "2.5", "-1", "7"])
leaves: st.SearchStrategy[Expression] = (
    conditions(TEXT_KEYS, words, plain)
    | parts(TEXT_KEYS, words.filter(bool))
    | conditions(["keyword", "tag"], words, plain)
    | parts(["keyword", "tag"], words.filter(bool))
    | conditions(["folder"], folders, folders.filter(bool))
    | parts(["folder"], folders.filter(bool))
    | conditions(["created", "modified"], dates, dates.filter(bool))
    | parts(["created", "modified"], st.sampled_from(["2024", "05", "-"]))
    | conditions(["document", "page", "pages"], numbers | st.just(""), numbers)
    | conditions(["knowledge_base"], st.sampled_from(BASES), st.sampled_from(BASES))
    | conditions(["due", "budget"], st.sampled_from([*custom_words, ""]), st.sampled_from(custom_words))
    | parts(["due", "budget"], st.sampled_from(custom_words))
    | st.builds(Condition, st.just("origin"), st.just(Operator.EQ), st.tuples(st.sampled_from(["file", "URL"])))
)
trees = st.recursive(
    leaves,
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(AllOf, st.lists(inner, max_size=3).map(tuple))
        | st.builds(AnyOf, st.lists(inner, max_size=3).map(tuple))
    ),
    max_leaves=6,
)


@pytest.fixture
def filled(database: Database, documents: DocumentStore) -> Database:
    for base in BASES:
        documents.ensure_knowledge_base(base)
    return database


@settings(
    max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None
)
@given(lot=st.lists(rows(), min_size=4, max_size=6), expressions=st.lists(trees, min_size=30, max_size=30))
def test_b22_sql_finds_what_plain_evaluation_finds(
    filled: Database, documents: DocumentStore, keywords: KeywordIndex, lot: list[Row], expressions: list[Expression]
) -> None:
    with filled.write() as connection:
        connection.execute("DELETE FROM documents")
        filled.revision += 1
    keywords.rebuild()
    there = {}
    for row in lot:
        number, chunk = put(filled, documents, row)
        there[chunk] = replace(row, document=number)
    # A key that no document has is a separate case.
    _, named = put(filled, documents, Row(custom=checked_metadata({"due": 1, "budget": 1})))
    there[named] = Row(custom=checked_metadata({"due": 1, "budget": 1}), document=number + 1)
    for expression in expressions:
        expected = {chunk for chunk, row in there.items() if passes(expression, row)}
        chosen = ChunkFilter(where=(expression,))
        found = documents.searchable_chunks(chosen)
        assert (set(there) if found is None else set(found.tolist())) == expected
        assert {chunk for chunk, _ in keywords.search("apples", 10, filter=chosen)} == expected
        if found is not None:
            ids = {chunk for chunk, _ in keywords.search("apples", 10, filter=chosen, allowed=found)}
            assert ids == expected


def found(documents: DocumentStore, *expressions: Expression, knowledge_base: str | None = None) -> int | None:
    ids = documents.searchable_chunks(ChunkFilter(knowledge_base, expressions))
    return None if ids is None else len(ids)


def test_b26_a_filter_with_an_unknown_key_matches_nothing(filled: Database, documents: DocumentStore) -> None:
    put(filled, documents, Row())
    unknown = Condition("cuisine", Operator.EQ, ("french",))
    holds = Condition("format", Operator.EQ, ("text",))
    for expression in (unknown, Not(unknown), AnyOf((holds, unknown)), AllOf((holds, Not(unknown)))):
        assert found(documents, expression) == 0
    assert "no filter “cuisine”" in documents.filter_problem(ChunkFilter(where=(holds, unknown)))
    assert found(documents, holds) is None


@pytest.mark.parametrize("operator", [Operator.EQ, Operator.NEQ, Operator.IN])
def test_a_misspelt_knowledge_base_is_an_error_in_a_tree_too(
    filled: Database, documents: DocumentStore, operator: Operator
) -> None:
    put(filled, documents, Row())
    with pytest.raises(NotFound, match="“Lwa”"):
        found(documents, Not(Condition("knowledge_base", operator, ("Lwa",))))


def test_b28_no_tree_leads_out_of_the_knowledge_base_that_was_chosen(
    filled: Database, documents: DocumentStore, keywords: KeywordIndex
) -> None:
    put(filled, documents, Row("Law", tag=("Ärger",), title="Ärger"))
    _, mine = put(filled, documents, Row("Ärger"))
    other = Condition("kb", Operator.EQ, ("law",))
    for expression in (other, AnyOf((other, Not(other))), Not(Condition("kb", Operator.EQ, ("ärger",)))):
        chosen = ChunkFilter("Ärger", (expression,))
        assert set(documents.searchable_chunks(chosen).tolist()) <= {mine}  # type: ignore[union-attr]
        assert {chunk for chunk, _ in keywords.search("apples", 9, filter=chosen)} <= {mine}
    assert found(documents, other) == 1


def test_values_cannot_break_out_of_the_sql(filled: Database, documents: DocumentStore) -> None:
    put(filled, documents, Row())
    for evil in ("') OR 1=1 --", "'; DROP TABLE documents; --", "\x00", "?", "'||(SELECT 1)||'"):
        for key in ("title", "tag", "folder", "author", "path"):
            assert found(documents, Condition(key, Operator.EQ, (evil,))) == 0
            assert found(documents, Condition(key, Operator.CONTAINS, (evil,))) == 0
    assert found(documents, Condition("format'; --", Operator.EQ, ("x",))) == 0
    assert len(documents.list()) == 1


def test_the_biggest_filters_are_answered_and_bigger_ones_refused(filled: Database, documents: DocumentStore) -> None:
    put(filled, documents, Row())
    many = Condition("document", Operator.IN, tuple(map(str, range(2, 10_002))))
    assert found(documents, many) == 0
    chain = tuple(Condition("title", Operator.CONTAINS, (f"x{number}",)) for number in range(300))
    assert found(documents, AnyOf(chain)) == 0
    with pytest.raises(RetrievalError, match="301 conditions"):
        found(documents, AnyOf((*chain, chain[0])))
    with pytest.raises(RetrievalError, match="too many values"):
        found(documents, many, Condition("document", Operator.IN, ("1",)))


def test_b22_ten_levels_may_be_nested_and_no_more() -> None:
    tree: Expression = Condition("title", Operator.EQ, ("x",))
    for _ in range(10):
        tree = Not(tree)
    assert ChunkFilter(where=(tree,)).where == (tree,)
    with pytest.raises(RetrievalError, match="deeper than 10"):
        ChunkFilter(where=(Not(tree),))


def test_a_new_name_is_filtered_by_at_once(filled: Database, documents: DocumentStore) -> None:
    number, _ = put(filled, documents, Row(name="old.txt"))
    put(filled, documents, Row(name="other.txt"))
    condition = Condition("name", Operator.EQ, ("NEW.txt",))
    assert found(documents, condition) == 0
    documents.rename_path(number, Path("/library/new.txt"))
    assert found(documents, condition) == 1

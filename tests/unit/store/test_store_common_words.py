"""Common words as arrays next to the keyword index: the ranking stays the same after every kind of change."""

import random

import numpy as np
import pytest
from store_content import Add

from workbench.model.filter import ChunkFilter
from workbench.store import common_words
from workbench.store.bm25_scorer import WeightedPostings, best, bm25_scores
from workbench.store.database import Database
from workbench.store.document_writes import MetadataStore
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex

WORDS = ("harbour", "ferry", "heron", "winter", "storm", "letter", "island", "bridge")
QUESTIONS = ("the ferry and the heron", "harbour in winter", "letter storm bridge island", "heron", "number7 ferry")
Found = list[tuple[int, float]]


@pytest.fixture
def papers(add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add 600 chunks in 6 documents; words in 30 of them count as common here."""
    monkeypatch.setattr(common_words, "LEAST_CHUNKS", 100)
    monkeypatch.setattr(common_words, "_COMMON", 30)
    chance = random.Random(1)
    for number in range(6):
        add("".join(line(chance) for _ in range(100)), path=f"{number}.txt", title=f"Paper {number}")


def line(chance: random.Random) -> str:
    """Return a chunk of six words among random numbers, of varying length, so that few chunks have equal scores."""
    crowd = (f"number{chance.randint(0, 60)}" for _ in range(chance.randint(1, 60)))
    return f"{' '.join(chance.choices(WORDS, k=6))} {' '.join(crowd)}.\n"


def answers(keywords: KeywordIndex, k: int = 20) -> list[Found]:
    return [keywords.search(question, k) for question in QUESTIONS]


def is_same(found: list[Found], expected: list[Found]) -> bool:
    """Return whether scores are nearly equal, and the chunks equal unless rounding decides the order."""
    for one, other in zip(found, expected, strict=True):
        if [score for _, score in one] != pytest.approx([score for _, score in other], abs=0.01):
            return False
        if {id for id, score in one if score > one[-1][1] + 0.02} - {id for id, _ in other}:
            return False
    return True


def exact(database: Database, k: int = 20) -> list[Found]:
    """Return the results of the keyword index without the arrays."""
    with database.write() as connection:
        kept = connection.execute("SELECT scope, key, value FROM remembered WHERE key LIKE 'common words%'").fetchall()
        common_words.forget(connection)
    try:
        return answers(KeywordIndex(database), k)
    finally:
        with database.write() as connection:
            connection.executemany("INSERT INTO remembered (scope, key, value) VALUES (?, ?, ?)", kept)


def keep(keywords: KeywordIndex) -> None:
    keywords.keep_common_words(lambda: False)


def kept_words(database: Database) -> int:
    with database.read() as connection:
        return int(connection.execute("SELECT COUNT(*) FROM common_words").fetchone()[0])


@pytest.mark.usefixtures("papers")
def test_the_ranking_is_that_of_the_keyword_index(database: Database, keywords: KeywordIndex) -> None:
    before = answers(keywords)
    keep(keywords)
    assert kept_words(database) >= len(WORDS)
    assert is_same(answers(keywords), before)
    assert is_same(answers(keywords, 1000), exact(database, 1000))


@pytest.mark.usefixtures("papers")
def test_a_small_library_keeps_nothing(
    database: Database, keywords: KeywordIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common_words, "LEAST_CHUNKS", 601)
    keep(keywords)
    assert kept_words(database) == 0


@pytest.mark.usefixtures("papers")
def test_chunks_added_since_the_last_build_are_found_and_counted(
    database: Database, keywords: KeywordIndex, add: Add
) -> None:
    keep(keywords)
    add("ferry ferry heron heron\nharbour harbour winter\n", path="new.txt")
    found = answers(keywords)
    assert found[0][0][0] == 601
    assert is_same(found, exact(database))
    assert keywords.document_frequency(["ferri"]) == KeywordIndex(database).document_frequency(["ferri"])


@pytest.mark.usefixtures("papers")
def test_chunks_removed_since_the_last_build_are_not_found(
    database: Database, keywords: KeywordIndex, documents: DocumentStore, add: Add
) -> None:
    keep(keywords)
    add("ferry ferry heron heron\n", path="0.txt")
    documents.mark_removed([2])
    gone = {chunk.id for chunk in documents.chunks(2)}
    every = {id for found in answers(keywords, 600) for id, _ in found}
    assert every <= {*range(101, 602)} - gone
    assert len(every) > 390


@pytest.mark.usefixtures("papers")
def test_a_document_of_another_title_is_found_by_it_and_no_more_by_the_old_one(
    database: Database, keywords: KeywordIndex, documents: DocumentStore
) -> None:
    keep(keywords)
    MetadataStore(database).edit(documents.get(3), {"title": "Lighthouse"})
    its = {chunk.id for chunk in documents.chunks(3)}
    assert {id for id, _ in keywords.search("lighthouse", 600)} == its
    assert {id for id, _ in keywords.search("paper", 600)} == {*range(1, 601)} - its
    assert is_same(answers(keywords), exact(database))


@pytest.mark.usefixtures("papers")
def test_filters_hold_and_never_shorten_the_answer(keywords: KeywordIndex, documents: DocumentStore) -> None:
    keep(keywords)
    allowed = np.arange(1, 601, 7, dtype=np.int64)
    found = keywords.search("ferry", 20, filter=ChunkFilter(), allowed=allowed)
    assert len(found) == 20
    assert {id for id, _ in found} <= set(allowed.tolist())
    documents.ensure_knowledge_base("empty")
    assert keywords.search("ferry", 20, filter=ChunkFilter("empty")) == []


@pytest.mark.usefixtures("papers")
def test_a_stopped_build_is_resumed(
    database: Database, keywords: KeywordIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common_words, "_TOGETHER", 1)
    before = answers(keywords)
    keywords.keep_common_words(lambda: kept_words(database) == 5)
    with database.read() as connection:
        assert common_words.stored_build(connection) is None
    assert is_same(answers(keywords), before)
    keep(keywords)
    with database.read() as connection:
        assert connection.execute("SELECT COUNT(DISTINCT making) FROM common_words").fetchone() == (1,)
    assert kept_words(database) >= len(WORDS)
    assert is_same(answers(keywords), before)


@pytest.mark.usefixtures("papers")
def test_many_added_chunks_cause_a_complete_rebuild_and_the_old_build_is_deleted(
    database: Database, keywords: KeywordIndex, add: Add
) -> None:
    keep(keywords)
    add("".join(line(random.Random(number)) for number in range(50)), path="many.txt")
    keep(keywords)
    with database.read() as connection:
        assert connection.execute("SELECT MIN(making), MAX(making) FROM common_words").fetchone() == (2, 2)
        kept = common_words.stored_build(connection)
    assert kept is not None
    assert kept.last == 650
    assert is_same(answers(keywords), exact(database))


@pytest.mark.usefixtures("papers")
def test_rebuilding_the_index_deletes_the_stored_build_of_the_old_one(
    database: Database, keywords: KeywordIndex
) -> None:
    keep(keywords)
    keywords.rebuild()
    with database.read() as connection:
        assert common_words.stored_build(connection) is None


@pytest.fixture
def chance() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.mark.parametrize("count", [1, 10, 5000])
def test_the_best_of_many_scores_are_the_best(chance: np.random.Generator, count: int) -> None:
    scores = chance.random(20_011, np.float32)
    found = best(scores, count, None)
    assert [id for id, _ in found] == np.argsort(-scores, kind="stable")[:count].tolist()
    allowed = np.arange(5, 30_000, 3, dtype=np.int64)
    only = {id for id, _ in best(scores, count, allowed)}
    inside = allowed[allowed < len(scores)]
    assert only == set(inside[np.argsort(-scores[inside])[:count]].tolist())


def test_a_word_that_nothing_holds_adds_nothing() -> None:
    nothing = WeightedPostings(1.0, np.empty(0, np.int64), np.empty(0, np.float32))
    assert best(bm25_scores([nothing]), 10, None) == []
    assert nothing.among(np.array([1, 2])).tolist() == [0, 0]


@pytest.fixture
def kept_chinese(add: Add, keywords: KeywordIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build the arrays of 120 Chinese chunks; one more chunk is added afterwards."""
    monkeypatch.setattr(common_words, "LEAST_CHUNKS", 100)
    add("".join(f"海港的渡船第{number}次出海。\n" for number in range(120)), path="ferry.txt")
    keep(keywords)


@pytest.mark.usefixtures("kept_chinese")
def test_how_many_words_begin_with_a_character_is_kept_until_the_next_making(
    add: Add, database: Database, keywords: KeywordIndex
) -> None:
    with database.read() as connection:
        (begin,) = connection.execute("SELECT SUM(doc) FROM keyword_terms WHERE term GLOB '海*'").fetchone()
    assert keywords.document_frequency(["海*"]) == {"海*": begin}
    add("海鸟。\n" * 3, path="bird.txt")
    assert keywords.document_frequency(["海*"]) == {"海*": begin}
    add("海鸟。\n" * 200, path="birds.txt")
    keep(keywords)
    assert keywords.document_frequency(["海*"])["海*"] > begin


@pytest.mark.usefixtures("kept_chinese")
def test_a_single_character_still_finds_what_holds_it(keywords: KeywordIndex) -> None:
    assert len(keywords.search("渡", 200)) == 120

"""Keyword index reader: a small library is read into memory completely, a large one in parts, with equal results."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager

import numpy as np
import pytest
from store_content import Add

from workbench.store import common_words, index_reader
from workbench.store.bm25_scorer import chunk_lengths, listed_postings, ranked_postings
from workbench.store.database import Database
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex
from workbench.store.recycle_bin import RecycleBin

WORDS = ("harbour", "ferry", "heron", "winter", "storm", "letter", "island", "bridge")
QUESTIONS = ("the ferry and the heron", "harbour in winter", "letter storm bridge island", "海港", "海")

Answers = tuple[list[object], ...]


@pytest.fixture
def papers(add: Add) -> list[int]:
    """Return six documents of 20 chunks, one of them in Chinese."""
    chance = random.Random(1)
    texts = ["".join(f"{' '.join(chance.choices(WORDS, k=9))}.\n" for _ in range(20)) for _ in range(5)]
    texts.append("".join(f"海港的渡船第{number}次出海。\n" for number in range(20)))
    return [add(text, path=f"{number}.txt", title=f"Ferry {number}").id for number, text in enumerate(texts)]


@pytest.fixture
def ask(database: Database, documents: DocumentStore, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], Answers]:
    """Return a function that runs all queries of a search, treating the library as a small or as a large one."""

    def answers(is_small: bool) -> Answers:
        monkeypatch.setattr(common_words, "LEAST_CHUNKS", 10_000 if is_small else 0)
        keywords = KeywordIndex(database)
        ids = [chunk.id for document in documents.list() for chunk in documents.chunks(document.id)][::3]
        found = [[(chunk, round(score, 4)) for chunk, score in keywords.search(one, 30)] for one in QUESTIONS]
        around = [one.tolist() for one in keywords.words_around(["ferri", "heron", "海*"], ids, 4)]
        evidence = keywords.evidence(QUESTIONS, ids)
        return found, around, evidence.chunks.round(4).tolist(), np.nan_to_num(evidence.pages).round(4).tolist()

    return answers


@pytest.mark.usefixtures("papers")
def test_a_small_library_is_searched_as_a_large_one(ask: Callable[[bool], Answers]) -> None:
    assert ask(True) == ask(False)
    assert all(ask(True)[0])


@pytest.mark.usefixtures("papers")
def test_a_document_that_comes_as_a_search_begins_is_read_with_its_lengths(
    add: Add, keywords: KeywordIndex, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    keywords.search("ferry", 10)  # the lengths of all chunks stay in memory
    read, come = database.read, iter(["The letter of the lighthouse.\n"])

    def read_late() -> AbstractContextManager[sqlite3.Connection]:
        for text in come:
            add(text, path="late.txt", title="Late")
        return read()

    monkeypatch.setattr(database, "read", read_late)
    found = keywords.search("letter of the lighthouse", 10)
    assert found == KeywordIndex(database).search("letter of the lighthouse", 10)
    assert len(found) == 10, "chunks of both states of the library"


def test_index_data_read_while_a_change_is_committed_is_not_cached(
    papers: list[int], keywords: KeywordIndex, documents: DocumentStore, bin: RecycleBin, database: Database
) -> None:
    with database.write():
        documents.mark_removed([papers[0]])
        bin.purge([papers[0]])
        during = keywords.evidence(["harbour"], [1]).chunks
    assert during > 0, "a reader sees the state before the change"
    assert keywords.evidence(["harbour"], [1]).chunks == 0


def test_removed_and_added_documents_affect_searches_immediately(
    papers: list[int],
    add: Add,
    ask: Callable[[bool], Answers],
    keywords: KeywordIndex,
    documents: DocumentStore,
    bin: RecycleBin,
) -> None:
    before = len(keywords.search("heron", 500))
    documents.mark_removed([papers[0], papers[2]])
    bin.purge([papers[0]])
    assert len(keywords.search("heron", 500)) < before
    (new,) = documents.chunks(add("A heron on the bridge.\n", path="new.txt").id)
    assert new.id in dict(keywords.search("heron", 500))
    assert ask(True) == ask(False)


@pytest.mark.parametrize("words", [1, 127, 128, 16_383, 16_384, 70_000])
def test_chunk_lengths_of_any_size_are_read_correctly(words: int, add: Add, database: Database) -> None:
    add("heron " * words, path="long.txt")
    add("heron and ferry\nferry\n", path="short.txt")
    with database.read() as connection:
        lengths = chunk_lengths(connection)
        for word in ("heron", "ferri"):
            ranked, listed = ranked_postings(connection, word, 3), listed_postings(connection, word, lengths)
            assert ranked[0].tolist() == listed[0].tolist() != []
            assert listed[1] == pytest.approx(ranked[1], rel=1e-4)


def test_an_empty_library_has_nothing(keywords: KeywordIndex, database: Database) -> None:
    with database.read() as connection:
        assert len(chunk_lengths(connection).ids) == 0
    assert keywords.search("heron", 5) == []
    assert keywords.evidence(["heron"], [1]).chunks.tolist() == [[0.0]]


@pytest.mark.usefixtures("papers")
@pytest.mark.parametrize("least", [1, 10_000])
def test_the_cache_of_postings_forgets_words_before_it_grows_without_end(
    least: int, keywords: KeywordIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_reader, "_MOST_POSTINGS", 150)
    monkeypatch.setattr(common_words, "LEAST_CHUNKS", least)
    monkeypatch.setattr(common_words, "_COMMON", 30)
    keywords.keep_common_words(lambda: False)
    found = [keywords.search(word, 500) for word in WORDS]
    assert [keywords.search(word, 500) for word in WORDS] == found
    with keywords._reading() as index:
        kept = [one for one in index._cache.kept.values() if one is not None]
        assert sum(len(ids) for ids, _ in (*index._cache.postings.values(), *kept)) <= 150
        assert bool(kept) == (least == 1)


@pytest.mark.usefixtures("papers")
def test_common_words_are_read_ahead_and_a_question_finds_the_same(
    keywords: KeywordIndex, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_reader, "_READ_AHEAD", 3)
    expected = [KeywordIndex(database).search(one, 30) for one in QUESTIONS]
    keywords.cache_common_words()
    with keywords._reading() as index:
        assert len(index._cache.postings) == 3
        assert {"ferri", "heron", "letter"} < set(index._cache.frequencies)
        assert index._cache.has_common
    assert [keywords.search(one, 30) for one in QUESTIONS] == expected


@pytest.mark.usefixtures("papers")
def test_reading_common_words_ahead_ends_when_the_library_closes(keywords: KeywordIndex) -> None:
    keywords.cache_common_words(lambda: True)
    with keywords._reading() as index:
        assert index._cache.frequencies
        assert not index._cache.postings
        assert not index._cache.has_common


@pytest.mark.usefixtures("papers")
def test_a_large_library_reads_no_words_ahead(keywords: KeywordIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common_words, "LEAST_CHUNKS", 0)
    keywords.cache_common_words()
    with keywords._reading() as index:
        assert not index._cache.frequencies
        assert not index._cache.postings

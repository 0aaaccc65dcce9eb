"""Words in chunks, and the number of neighbouring chunks with them."""

import numpy as np
import pytest
from store_content import Add

from workbench.store import common_words
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex

BORNEO = "elephant one\nelephant two\nisland\nelephant four\nstone\n"


@pytest.fixture
def borneo(add: Add, documents: DocumentStore) -> list[int]:
    """Return the chunks of a document."""
    return [chunk.id for chunk in documents.chunks(add(BORNEO, path="borneo.txt").id)]


def test_words_in_a_chunk_are_distinguished_from_words_in_neighbouring_chunks(
    keywords: KeywordIndex, borneo: list[int]
) -> None:
    held, around = keywords.words_around(["elephant", "island"], borneo[1:3], 2)
    assert held.tolist() == [[True, False], [False, True]]
    assert around == pytest.approx(np.array([[2 / 4, 3 / 4], [1 / 4, 0]]))


def test_words_are_stems_as_the_index_has_them(keywords: KeywordIndex, borneo: list[int]) -> None:
    held, _ = keywords.words_around(["elephants", "ele*"], borneo[:1], 2)
    assert held.tolist() == [[False], [True]]


def test_chunks_of_other_documents_are_not_around(keywords: KeywordIndex, borneo: list[int], add: Add) -> None:
    add("elephant\n", path="other.txt")
    _, around = keywords.words_around(["elephant"], [borneo[4], borneo[4] + 1], 9)
    assert around == pytest.approx(np.array([[3 / 18, 0]]))


def test_the_requested_order_is_kept_and_a_missing_chunk_holds_no_words(
    keywords: KeywordIndex, borneo: list[int]
) -> None:
    held, around = keywords.words_around(["elephant"], [borneo[4], 999_999, borneo[0]], 1)
    assert held.tolist() == [[False, False, True]]
    assert around.tolist() == [[0.5, 0, 0.5]]


def test_without_chunks_or_words_there_is_nothing(keywords: KeywordIndex, borneo: list[int]) -> None:
    assert keywords.words_around(["elephant"], [], 5)[1].shape == (1, 0)
    assert keywords.words_around([], borneo, 5)[0].shape == (0, 5)


def test_words_stored_as_arrays_give_the_same_result(
    keywords: KeywordIndex, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common_words, "LEAST_CHUNKS", 1)
    monkeypatch.setattr(common_words, "_COMMON", 2)
    add(BORNEO * 30, path="long.txt")
    before = keywords.words_around(["elephant", "stone"], [7, 90, 149], 10)
    keywords.keep_common_words(lambda: False)
    after = keywords.words_around(["elephant", "stone"], [7, 90, 149], 10)
    assert [one.tolist() for one in after] == [one.tolist() for one in before]

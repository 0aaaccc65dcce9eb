"""Complete rankings: heads, ranks and scores equal those of a search that sorts everything."""

import sys
from typing import Any

import numpy as np
import pytest

from workbench.model.filter import EVERYTHING, ChunkFilter, Condition, Operator
from workbench.model.hit import SearchMode
from workbench.store import keywords

QUESTION = "Which warranty covers the pump and the copper roof?"
FILTERS = (
    EVERYTHING,
    ChunkFilter("theirs"),
    ChunkFilter(where=(Condition("page", Operator.EQ, ("1",)),)),
    ChunkFilter(where=(Condition("document", Operator.LT, ("20",)),)),
)


@pytest.fixture
def crowd(library: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return chunks with many duplicates, two deleted, one without a vector; few are compared with neighbours."""
    monkeypatch.setattr(keywords, "_WITH_NEIGHBOURS", 5)
    texts = ("The warranty of the pump.", "A copper roof.", "The pump.", "Cheese is made of milk.", "The roof, a pump.")
    ids = [
        library.add(texts[number % 5], kb="theirs" if number % 3 else "default", page_starts=(0,) * (number % 2))
        for number in range(30)
    ]
    library.add("The copper pump has no vector.", embed=False)
    removed = [library.documents.list()[number].id for number in (4, 11)]
    gone = [chunk.id for document in removed for chunk in library.documents.chunks(document)]
    library.documents.mark_removed(removed)
    library.index.remove(np.array(gone))
    library.index.upsert(np.array(ids[7:8]), library.embedder.embed_documents(["pump"]))  # moves to the end
    return [*ids, max(ids) + 1]


@pytest.mark.parametrize("filter", FILTERS)
def test_ranks_and_scores_are_those_of_all_in_order(library: Any, crowd: list[int], filter: ChunkFilter) -> None:
    whole = library.retriever.whole_lists(QUESTION, mode=SearchMode.HYBRID, filter=filter)
    allowed = library.documents.searchable_chunks(filter)
    question = library.embedder.embed_query(QUESTION)
    nearest, products = library.index.search(question, sys.maxsize, allowed=allowed)
    dense = dict(zip(nearest.tolist(), products.tolist(), strict=True))
    by_words = dict(library.keywords.search(QUESTION, sys.maxsize, filter=filter, allowed=allowed))
    for found, expected in ((whole.dense, dense), (whole.keyword, by_words)):
        assert found.size == len(expected) > 5
        assert found.scores_of(crowd) == expected
        assert found.ranks_of(crowd) == {chunk: rank for rank, chunk in enumerate(expected, start=1)}
        assert [list(found.head(depth)) for depth in (3, 9, 99)] == [list(expected)[:depth] for depth in (3, 9, 99)]


def test_a_list_that_is_not_asked_for_is_empty(library: Any, crowd: list[int]) -> None:
    by_words = library.retriever.whole_lists(QUESTION, mode=SearchMode.KEYWORD, filter=EVERYTHING)
    by_meaning = library.retriever.whole_lists(QUESTION, mode=SearchMode.DENSE, filter=EVERYTHING)
    assert (by_words.dense.size, by_meaning.keyword.size) == (0, 0)
    assert min(by_words.keyword.size, by_meaning.dense.size) > 5


def test_a_question_without_words_has_no_keyword_list(library: Any, crowd: list[int]) -> None:
    whole = library.retriever.whole_lists("?!", mode=SearchMode.KEYWORD, filter=EVERYTHING)
    assert (whole.keyword.size, whole.keyword.head(5)) == (0, {})

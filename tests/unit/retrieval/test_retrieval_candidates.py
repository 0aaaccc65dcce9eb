"""Documents named in a question: searched for the rest of it, ranked higher, never a filter."""

from typing import Any

import pytest

from workbench.model.filter import ChunkFilter
from workbench.model.search_configuration import SearchConfiguration
from workbench.retrieval.retriever import Retriever
from workbench.store.name_index import NameIndex

NO_NAMES = SearchConfiguration(names=False)


@pytest.fixture
def filings(library: Any) -> Any:
    """Add two reports: names are on the cover pages, numbers in the tables."""
    library.mill_cover = library.add("Annual report of Old Mill for the factory.", title="Old Mill 2021")
    library.mill = library.add("Spending on machines: 12 million.", title="Old Mill 2021")
    library.port_cover = library.add("Annual report of New Port for the customer.", title="New Port 2021")
    library.port = library.add("Spending on machines: 40 million.", title="New Port 2021")
    for number in range(12):
        library.add(f"Birds of winter {number} and the machines of spending.", title=f"Winter {number}")
    return library


def retriever(library: Any) -> Retriever:
    names = NameIndex(library.documents._database)
    return Retriever(library.documents, library.keywords, library.index, library.embedder, names=names)


def test_the_passage_of_the_named_document_about_the_rest_of_the_question_ranks_first(filings: Any) -> None:
    question = "What was the spending of New Port on machines?"
    hits = retriever(filings).search(question, k=4).hits
    assert hits[0].chunk.id == filings.port
    named = [bool(hit.scores.named) for hit in retriever(filings).search(question, k=10).hits]
    assert sum(named) == 2  # both passages of the only named document


def test_a_search_can_leave_names_alone(filings: Any) -> None:
    question = "What was the spending of New Port on machines?"
    hits = retriever(filings).search(question, k=4, configuration=NO_NAMES).hits
    assert hits
    assert not any(hit.scores.named for hit in hits)


def test_the_filter_of_the_user_is_never_widened_by_a_name(filings: Any) -> None:
    filings.documents.ensure_knowledge_base("small")
    other = filings.add("Spending on machines: 7 million.", kb="small", title="Third")
    hits = retriever(filings).search("spending of New Port on machines", filter=ChunkFilter("small")).hits
    assert [hit.chunk.id for hit in hits] == [other]


def test_a_better_passage_elsewhere_still_comes_before_what_is_named(filings: Any) -> None:
    found = filings.add("The whale of the ocean weighs forty tons and sings.", title="Sea")
    hits = retriever(filings).search("How many tons does the whale of the ocean weigh that New Port hunts?", k=3).hits
    assert hits[0].chunk.id == found


def test_a_question_that_names_nothing_is_searched_as_ever(filings: Any) -> None:
    with_names, without = retriever(filings), retriever(filings)
    question = "Which customer has a machine?"
    first = [(hit.chunk.id, hit.scores) for hit in with_names.search(question).hits]
    assert first == [(hit.chunk.id, hit.scores) for hit in without.search(question, configuration=NO_NAMES).hits]

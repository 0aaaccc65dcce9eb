"""Search results at the terminal."""

from fakes import make_hit

from workbench.cli.records import hit_words, search_record
from workbench.model.hit import SearchMode, SearchResult

HIT = make_hit("Second of the page.", chunk=2, start=50, rank=1)
OTHER = make_hit("On page 4.", chunk=3, start=90, rank=2, page=4)
BESIDE = make_hit("First of the page.", chunk=1, start=20, rank=1)
RESULT = SearchResult("q", SearchMode.HYBRID, (HIT, OTHER), 1.0, beside=(BESIDE,))


def test_the_passages_of_a_page_are_listed_under_one_number_in_document_order() -> None:
    first, second = (hit_words(hit, RESULT.page_neighbours(hit)).splitlines() for hit in RESULT.hits)
    assert first[0].startswith("  1. report.pdf, page 3")
    assert [line.strip() for line in first[1:]] == ["First of the page.", "Second of the page."]
    assert [line.strip() for line in second[1:]] == ["On page 4."]


def test_a_search_record_separates_hits_from_the_passages_beside_them() -> None:
    record = search_record(RESULT)
    assert [hit["chunk"] for hit in record["hits"]] == [2, 3]
    assert [(hit["chunk"], hit["rank"], hit["start"]) for hit in record["beside"]] == [(1, 1, 20)]

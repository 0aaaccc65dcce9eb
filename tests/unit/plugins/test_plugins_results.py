"""Results of retrievers: converted to passages, or rejected with a reason."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import pytest

from workbench.plugins.retriever_results import CUT, MOST_PASSAGES, RetrieverPassages, passages_of


@dataclass
class Document:
    """Document with the relevant attributes of agno's."""

    content: str
    name: str | None = None
    meta_data: dict[str, Any] = field(default_factory=dict)


@dataclass
class Page:
    """Document with the attributes of LangChain's."""

    page_content: str
    metadata: dict[str, Any]


def given(value: Any, characters: int = 1000) -> RetrieverPassages:
    return passages_of(value, characters=characters)


def texts(value: Any) -> list[str]:
    return [passage.text for passage in given(value).passages]


@pytest.mark.parametrize("nothing", [None, [], (), "", "  \n", {}, [None, ""], iter(())])
def test_a9_an_empty_result_yields_no_passage(nothing: Any) -> None:
    assert given(nothing) == RetrieverPassages()


def test_a9_texts_and_dicts_are_passages() -> None:
    assert texts(["one", {"content": "two"}, {"text": "three"}]) == ["one", "two", "three"]


def test_a9_objects_with_a_text_are_passages_too() -> None:
    [first, second] = given([Document("ice", "log.txt", {"page": 2}), Page("snow", {"source": "a.pdf"})]).passages
    assert (first.text, first.name, first.meta_data) == ("ice", "log.txt", '{"page": 2}')
    assert (second.text, second.uri, second.meta_data) == ("snow", "a.pdf", '{"source": "a.pdf"}')


def test_a9_other_keys_of_a_dict_are_kept_for_the_model() -> None:
    [passage] = given({"title": "Log", "content": "ice", "year": 1893, "meta_data": {"page": 2}}).passages
    assert passage.name == "Log"
    assert json.loads(passage.meta_data) == {"year": 1893, "page": 2}


def test_a9_a_dict_without_a_text_is_its_own_text() -> None:
    assert json.loads(texts([{"question": "When?", "answer": "In May."}])[0])["answer"] == "In May."


def test_d14_a_plain_text_is_one_passage_and_not_its_letters() -> None:
    assert texts("frozen") == ["frozen"]


def test_d14_a_dict_and_a_document_alone_are_one_passage() -> None:
    assert texts({"content": "frozen"}) == ["frozen"]
    assert texts(Document("frozen")) == ["frozen"]


def test_d14_items_without_text_are_reported_by_type_and_the_others_are_used() -> None:
    found = given([5, "ice", b"bytes", 6])
    assert [passage.text for passage in found.passages] == ["ice"]
    assert found.notes == (
        "returned 2 values of type int, which contain no text",
        "gave something of type bytes, which holds no text",
    )


def test_a_generator_is_read_as_far_as_there_is_room() -> None:
    def endless() -> Iterator[str]:
        yield from repeat("0123456789")

    found = given(endless(), characters=95)
    assert len(found.passages) == 10
    assert found.passages[-1].text == f"01234 {CUT}"
    assert found.is_cut


def test_an_endless_generator_of_nothing_ends() -> None:
    assert given(repeat("")) == RetrieverPassages()
    assert len(given(repeat("x"), characters=10 * MOST_PASSAGES).passages) == MOST_PASSAGES


def test_ten_megabytes_are_cut_to_what_there_is_room_for() -> None:
    [passage] = given("x" * 10_000_000, characters=800).passages
    assert len(passage.text) == 800 + len(CUT) + 1
    assert passage.is_cut


def test_ten_megabytes_of_meta_data_are_left_out() -> None:
    [passage] = given({"content": "ice", "page": 2, "all": "x" * 10_000_000}).passages
    assert passage.meta_data == '{"page": 2}'


def test_a_value_that_refers_to_itself_is_replaced_by_its_type_name() -> None:
    loop: dict[str, Any] = {"content": "ice"}
    loop["self"] = loop
    assert json.loads(given(loop).passages[0].meta_data) == {"self": "(dict)"}


def test_a_document_with_its_score_is_the_document() -> None:
    assert texts([(Document("ice"), 0.3), ("snow", 1)]) == ["ice", "snow"]


def test_text_that_cannot_be_written_is_mended() -> None:
    [passage] = given({"content": "ice \ud800", "name": "\udfff.txt"}).passages
    assert f"{passage.text}{passage.name}".encode() == b"ice ??.txt"


def test_a_number_of_passages_may_be_asked_for() -> None:
    assert len(passages_of(["one", "two", "three"], characters=100, most=2).passages) == 2

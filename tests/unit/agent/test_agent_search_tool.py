"""search_knowledge_base: the result for a model."""

import asyncio
import json
import logging
from dataclasses import replace
from typing import Any

import pytest
from fakes import NoWords, make_hit, searching

from workbench.agent.base import ToolResult
from workbench.agent.references import RunReferences
from workbench.agent.search_step import ContextPacker
from workbench.agent.token_budget import ContextWindow
from workbench.agent.tools.search import SearchTool
from workbench.model.hit import Coverage, Hit, SearchMode, SearchResult
from workbench.model.run import Notice, ReferencesFound
from workbench.retrieval.answer_sentences import SentenceRanker

HIT = make_hit("收入增长到 5,000。", chunk=41, ordinal=4, headings=("Results", "Revenue"), name="报告.pdf")


def call(tool: SearchTool, query: str = "revenue") -> ToolResult:
    return asyncio.run(tool.call({"query": query}))


def test_s8_the_declaration_is_the_agreed_one() -> None:
    spec = SearchTool(searching(), RunReferences()).spec
    assert spec.name == "search_knowledge_base"
    assert spec.description == "Use this function to search the knowledge base for information about a query."
    assert spec.parameters == {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "The query to search for."}},
        "required": ["query"],
        "additionalProperties": False,
    }


def test_s19_a_result_has_these_keys_in_this_order_and_no_ids_or_scores() -> None:
    (result,) = json.loads(call(SearchTool(searching(HIT), RunReferences())).text)
    assert list(result) == ["name", "meta_data", "content"]
    assert result["name"] == "Annual report"
    assert list(result["meta_data"].items()) == [
        ("citation", 1),
        ("document", "报告.pdf"),
        ("page", 3),
        ("chunk", 5),
        ("heading", "Results > Revenue"),
    ]
    assert result["content"] == "收入增长到 5,000。"


def test_s17_s18_json_is_indented_by_2_and_nothing_is_escaped() -> None:
    text = call(SearchTool(searching(HIT), RunReferences())).text
    assert text.startswith('[\n  {\n    "name": "Annual report",')
    assert "收入增长到 5,000。" in text
    assert "\\u" not in text


def test_s19_the_file_name_replaces_a_missing_title() -> None:
    (result,) = json.loads(call(SearchTool(searching(make_hit("A.", title="")), RunReferences())).text)
    assert result["name"] == "report.pdf"


def test_s20_an_empty_result_returns_the_literal_and_no_reference() -> None:
    result = call(SearchTool(searching(), RunReferences()))
    assert result.text == "No documents found"
    assert result.events == ()


def searched(*relevances: float, **more: Any) -> ToolResult:
    async def search(query: str) -> SearchResult:
        hits = [make_hit(f"Text {number}.", chunk=number) for number in range(1, len(relevances) + 1)]
        scored = [
            replace(hit, scores=replace(hit.scores, relevance=one)) for hit, one in zip(hits, relevances, strict=True)
        ]
        return SearchResult(query, SearchMode.HYBRID, tuple(scored), 1.0, **more)

    return call(SearchTool(search, RunReferences()))


def test_e32_passages_below_a_floor_set_by_the_user_are_withheld_and_the_user_is_notified() -> None:
    result = searched(0.05, 0.01, floor=0.07)
    assert result.text == "No documents found"
    assert not result.failed
    nearest, notice = result.events
    assert isinstance(nearest, ReferencesFound)
    assert isinstance(notice, Notice)
    assert (len(nearest.reference.hits), nearest.reference.withheld) == (2, True)
    assert notice.text == (
        "2 passages were found, but none fits the question well enough. They are listed as evidence."
    )
    only = searched(0.05, floor=0.07).events[1]
    assert only == Notice(
        "1 passage was found, but it does not fit the question well enough. It is listed as evidence."
    )


def test_e32_withheld_passages_can_be_viewed_but_not_cited() -> None:
    references = RunReferences()
    kept = references.add("q", SearchResult("q", SearchMode.HYBRID, (HIT,), 1.0, floor=0.5), seconds=0.1)
    assert [one.hit for one in kept.hits] == [HIT]
    assert references.numbered == {}
    references.add("q", SearchResult("q", SearchMode.HYBRID, (HIT,), 1.0), seconds=0.1)
    assert references.numbered[1].hit == HIT


def test_e32_one_relevant_passage_speaks_for_the_others() -> None:
    assert len(json.loads(searched(0.01, 0.08, floor=0.07).text)) == 2


def test_e32_without_a_floor_set_by_the_user_all_passages_are_returned_and_marked_as_unsure() -> None:
    result = searched(0.05, 0.01, certainty=0.2, sure_from=0.3)
    sentence, _, references = result.text.partition("\n")
    assert sentence.startswith("The search is not sure that these passages answer the question")
    assert len(json.loads(references)) == 2
    kept, notice = result.events
    assert isinstance(kept, ReferencesFound)
    assert not kept.reference.withheld
    assert notice == Notice("The passages found may not answer the question.")


def test_e32_results_of_a_sure_search_are_returned_without_a_warning() -> None:
    assert len(json.loads(searched(0.31, 0.01, certainty=0.3, sure_from=0.3).text)) == 2


@pytest.mark.parametrize(
    ("coverage", "words"),
    [
        (Coverage(4, waiting=2, by_keyword=1), "2 documents still to be read, 1 document still to be embedded"),
        (Coverage(4, not_embedded=3), "3 documents still to be embedded"),
        (Coverage(2, locked=1, failed=1), "1 document locked by a password, 1 document that could not be read"),
        (Coverage(2, pages=13, cut=1), "13 pages without text, 1 document not read to the end"),
        (Coverage(4, unreached=1), "1 shared library that could not be reached"),
        (Coverage(0, unreached=2), "2 shared libraries that could not be reached"),
    ],
)
@pytest.mark.parametrize("hits", [(HIT,), ()])
def test_e32_the_model_receives_a_summary_of_content_that_could_not_be_searched_yet(
    coverage: Coverage, words: str, hits: tuple[Hit, ...]
) -> None:
    async def search(query: str) -> SearchResult:
        return SearchResult(query, SearchMode.HYBRID, hits, 1.0, coverage=coverage)

    text = call(SearchTool(search, RunReferences())).text
    assert f"Not everything can be searched yet ({words})" in text
    assert text.startswith("No documents found\n") is not bool(hits)


def test_s21_a_reference_has_query_hits_and_time_in_seconds_to_4_decimals() -> None:
    (event,) = call(SearchTool(searching(HIT), RunReferences()), "revenue 2024").events
    assert isinstance(event, ReferencesFound)
    assert event.reference.query == "revenue 2024"
    assert [numbered.hit for numbered in event.reference.hits] == [HIT]
    assert event.reference.time == round(event.reference.time, 4)


@pytest.mark.logs_warnings
def test_s22_an_error_shows_the_model_its_type_only(caplog: pytest.LogCaptureFixture) -> None:
    async def search(query: str) -> SearchResult:
        raise ConnectionError("postgres://me:hunter2@db")

    with caplog.at_level(logging.WARNING):
        result = call(SearchTool(search, RunReferences()))
    assert result.text == "Error searching knowledge base: ConnectionError"
    assert result.failed
    assert "hunter2" not in str(result)
    assert caplog.records[0].levelname == "WARNING"


def test_notes_of_a_search_are_shown_to_the_user_once_per_run() -> None:
    tool = SearchTool(searching(HIT, notes=("3 documents are not ready yet.",)), RunReferences())
    first, second = call(tool), call(tool)
    assert first.events[1:] == (Notice("3 documents are not ready yet."),)
    assert len(second.events) == 1


ON_PAGE_3 = make_hit("Second of page 3.", chunk=11, ordinal=1, start=50, rank=1)
BESIDE = make_hit("First of page 3.", chunk=10, ordinal=0, start=20, rank=1)
ON_PAGE_4 = make_hit("On page 4.", chunk=12, ordinal=2, start=90, rank=2, page=4)


async def with_beside(query: str) -> SearchResult:
    return SearchResult(query, SearchMode.HYBRID, (ON_PAGE_3, ON_PAGE_4), 1.0, beside=(BESIDE,))


def test_the_passages_of_a_page_come_together_in_the_order_of_the_document_each_with_its_own_number() -> None:
    references = RunReferences()
    given = json.loads(call(SearchTool(with_beside, references)).text)
    assert [one["content"] for one in given] == ["First of page 3.", "Second of page 3.", "On page 4."]
    assert [one["meta_data"]["chunk"] for one in given] == [1, 2, 3]
    cited = {number: one.hit.chunk.id for number, one in references.numbered.items()}
    assert cited == {one["meta_data"]["citation"]: 9 + one["meta_data"]["chunk"] for one in given}


def test_without_room_for_the_passages_beside_only_the_hits_are_handed_over() -> None:
    whole = ContextWindow(None, size=600)
    hits = ContextPacker(whole, SentenceRanker(None, NoWords()))
    assert len(json.loads(call(SearchTool(with_beside, RunReferences(), hits)).text)) == 3
    tight = ContextPacker(ContextWindow(None, size=450), SentenceRanker(None, NoWords()))
    given = json.loads(call(SearchTool(with_beside, RunReferences(), tight)).text)
    assert [one["content"] for one in given] == ["Second of page 3.", "On page 4."]

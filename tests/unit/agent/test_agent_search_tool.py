"""search_knowledge_base: what a model is given."""

import asyncio
import json
import logging

import pytest
from fakes import make_hit, searching

from workbench.agent.base import ToolResult
from workbench.agent.references import RunReferences
from workbench.agent.tools.search import SearchTool
from workbench.model.hit import SearchResult
from workbench.model.run import Notice, ReferencesFound

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


def test_s19_the_file_name_stands_in_for_a_missing_title() -> None:
    (result,) = json.loads(call(SearchTool(searching(make_hit("A.", title="")), RunReferences())).text)
    assert result["name"] == "report.pdf"


def test_s20_nothing_found_is_the_literal_and_no_reference() -> None:
    result = call(SearchTool(searching(), RunReferences()))
    assert result.text == "No documents found"
    assert result.events == ()


def test_s21_a_reference_has_query_hits_and_time_in_seconds_to_4_decimals() -> None:
    (event,) = call(SearchTool(searching(HIT), RunReferences()), "revenue 2024").events
    assert isinstance(event, ReferencesFound)
    assert event.reference.query == "revenue 2024"
    assert [numbered.hit for numbered in event.reference.hits] == [HIT]
    assert event.reference.time == round(event.reference.time, 4)


@pytest.mark.logs_warnings
def test_s22_an_error_tells_the_model_its_type_only(caplog: pytest.LogCaptureFixture) -> None:
    async def search(query: str) -> SearchResult:
        raise ConnectionError("postgres://me:hunter2@db")

    with caplog.at_level(logging.WARNING):
        result = call(SearchTool(search, RunReferences()))
    assert result.text == "Error searching knowledge base: ConnectionError"
    assert result.failed
    assert "hunter2" not in str(result)
    assert caplog.records[0].levelname == "WARNING"


def test_notes_of_a_search_are_told_to_the_user_once_a_run() -> None:
    tool = SearchTool(searching(HIT, notes=("3 documents are not ready yet.",)), RunReferences())
    first, second = call(tool), call(tool)
    assert first.events[1:] == (Notice("3 documents are not ready yet."),)
    assert len(second.events) == 1

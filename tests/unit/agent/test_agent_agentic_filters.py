"""search_knowledge_base with filters that the model provides."""

import asyncio
import json

import pytest
from fakes import make_hit, searching

from workbench.agent.base import ToolResult
from workbench.agent.references import RunReferences
from workbench.agent.search_step import SearchFunction
from workbench.agent.tools.search import NarrowedSearch, SearchTool
from workbench.errors import ToolError
from workbench.model.filter import ChunkFilter, Condition, Operator
from workbench.model.run import Notice

USER = Condition("format", Operator.EQ, ("pdf",))
LAW = Condition("tag", Operator.EQ, ("law",))
ALLOWED = ChunkFilter("Papers", (USER,))


def called(filters: object) -> tuple[ToolResult, list[ChunkFilter]]:
    """Call the tool with filters, and return its result and the filters of its searches."""
    inside: list[ChunkFilter] = []

    def within(filter: ChunkFilter) -> SearchFunction:
        inside.append(filter)
        return searching(make_hit("A."))

    tool = SearchTool(searching(), RunReferences(), narrowed=NarrowedSearch(ALLOWED, within))
    return asyncio.run(tool.call({"query": "q", "filters": filters})), inside


@pytest.mark.parametrize(
    "given",
    [
        [{"key": "tag", "value": "law"}],
        {"tag": "law"},
        {"key": "tag", "value": "law"},
        [{"tag": "law"}],
        '[{"key": "tag", "value": "law"}]',
    ],
)
def test_b24_both_shapes_are_taken_and_some_others(given: object) -> None:
    result, inside = called(given)
    assert inside == [ChunkFilter("Papers", (USER, LAW))]
    assert json.loads(result.text)[0]["content"] == "A."


def test_b25_a_filter_from_the_model_never_removes_the_restriction_of_the_user() -> None:
    _, (filter,) = called({"format": "docx"})
    assert filter.knowledge_base == "Papers"
    assert filter.where == (USER, Condition("format", Operator.EQ, ("docx",)))


def test_b26_an_unknown_filter_key_finds_nothing_and_is_reported_to_model_and_user() -> None:
    result, inside = called({"cuisine": "french"})
    assert inside == []
    assert result.text.startswith("No documents found\nThere is no filter “cuisine”")
    (notice,) = result.events
    assert isinstance(notice, Notice)
    assert "There is no filter “cuisine”, so nothing was searched." in notice.text


def test_b24_an_invalid_filter_is_reported_to_the_model() -> None:
    with pytest.raises(ToolError, match="filter"):
        called(5)
    with pytest.raises(ToolError, match="cannot be “soon”"):
        called({"created": "soon"})


def test_b24_without_filters_the_search_is_the_usual_one() -> None:
    result, inside = called([])
    assert (result.text, inside) == ("No documents found", [])


def test_b24_the_tool_declares_filters_only_where_they_are_allowed() -> None:
    narrowed = NarrowedSearch(ALLOWED, lambda _filter: searching())
    plain, with_filters = (SearchTool(searching(), RunReferences(), narrowed=one).spec for one in (None, narrowed))
    assert list(plain.parameters["properties"]) == ["query"]
    assert list(with_filters.parameters["properties"]) == ["query", "filters"]
    assert with_filters.parameters["required"] == ["query"]

"""Contract of every tool."""

import asyncio
import json
from typing import Any

import pytest
from fakes import make_hit, searching

from workbench.agent.base import Tool
from workbench.agent.references import RunReferences
from workbench.agent.tools.toolbox import run_tools
from workbench.errors import ToolError

NAMES = ["think", "analyze", "search_knowledge_base"]


def tools() -> dict[str, Tool]:
    return {tool.spec.name: tool for tool in run_tools(searching(make_hit("Five.")), RunReferences())}


def minimal(tool: Tool) -> dict[str, Any]:
    return dict.fromkeys(tool.spec.parameters["required"], "five")


def test_s7_s10_the_tools_are_declared_once_and_in_a_fixed_order() -> None:
    assert list(tools()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_declaration_is_a_json_schema_object(name: str) -> None:
    spec = tools()[name].spec
    assert spec.description.endswith(".")
    assert spec.parameters["type"] == "object"
    assert set(spec.parameters["required"]) <= set(spec.parameters["properties"])
    assert all(schema["type"] in ("string", "number") for schema in spec.parameters["properties"].values())
    assert json.loads(json.dumps(spec.parameters)) == spec.parameters


@pytest.mark.parametrize("name", NAMES)
def test_the_declaration_is_the_same_each_time(name: str) -> None:
    assert tools()[name].spec == tools()[name].spec


@pytest.mark.parametrize("name", NAMES)
def test_the_required_arguments_are_enough(name: str) -> None:
    tool = tools()[name]
    result = asyncio.run(tool.call(minimal(tool)))
    assert result.text
    assert result.events
    assert not result.failed


@pytest.mark.parametrize("name", NAMES)
def test_arguments_that_cannot_be_used_are_a_tool_error(name: str) -> None:
    tool = tools()[name]
    bad: dict[str, Any] = {"query": "  "} if name == "search_knowledge_base" else {"confidence": "very"}
    with pytest.raises(ToolError):
        asyncio.run(tool.call({**minimal(tool), **bad}))

"""Schemas of tool servers: any input is accepted, and its valid parts are kept."""

from typing import Any

import pytest
from mcp_types import Tool

from workbench.agent.mcp_servers import ServerConnection, server_tools
from workbench.agent.references import RunReferences
from workbench.agent.text_protocol import tool_call_instructions
from workbench.agent.tool_runner import checked_arguments
from workbench.model.extensions import ToolServer
from workbench.model.message import ToolCall

PLACE = {"place": {"type": "string"}}


@pytest.mark.parametrize(
    ("declared", "kept"),
    [
        ({"properties": PLACE, "required": ["place"]}, {"properties": PLACE, "required": ["place"]}),
        ({"properties": None, "required": None}, {}),
        ({"properties": ["place"], "required": "place"}, {}),
        ({"properties": PLACE, "required": [{}, 3, "place"]}, {"properties": PLACE, "required": ["place"]}),
        ({"additionalProperties": False}, {"additionalProperties": False}),
    ],
)
def test_a_tool_is_callable_with_any_schema_its_server_declares(declared: dict[str, Any], kept: dict[str, Any]) -> None:
    tool = Tool.model_validate({"name": "t", "inputSchema": {"type": "object", **declared}})
    connection = ServerConnection(ToolServer("files", url="http://127.0.0.1:9/mcp"))
    spec = server_tools(connection, [tool], "*", RunReferences())[0].spec
    assert spec.parameters == {"type": "object", **kept}
    assert checked_arguments(ToolCall("1", "t", '{"place": "Paris"}'), spec) == {"place": "Paris"}
    assert "place" in tool_call_instructions([spec]) or not kept.get("properties")

"""Available tools: named by agents, added by packages, off if they use the network."""

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from fakes import Recorder, ScriptedProvider, calls, says

from workbench.agent.agent_loop import AgentLoop
from workbench.agent.base import Tool, ToolResult
from workbench.agent.references import RunReferences
from workbench.agent.tool_runner import checked_arguments, parsed_arguments
from workbench.agent.tools import offer as offer_docs
from workbench.agent.tools import toolbox
from workbench.agent.tools.offer import ToolContext, ToolOffer
from workbench.agent.tools.toolbox import NetworkOff, tool_offers, tools_named, unknown_tools
from workbench.errors import ToolError
from workbench.model.message import ToolCall, ToolReach, ToolSpec
from workbench.model.run import RunCompleted, ToolCompleted, ToolFailed
from workbench.plugins.registry import Registry
from workbench.resources import resource
from workbench.settings import Settings

CONTEXT = ToolContext(Settings(), RunReferences())


class Echo:
    spec = ToolSpec("echo", "Says it again.", {"type": "object", "properties": {"text": {"type": "string"}}})

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        return ToolResult(str(arguments.get("text")))


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Any], None]:
    """Return a function that adds a tool like an installed package."""
    registry: Registry[ToolOffer] = Registry("workbench.none")
    for name in toolbox.TOOLS.names():
        registry.register(name, lambda name=name: toolbox_get(name))  # type: ignore[misc]
    toolbox_get = toolbox.TOOLS.get
    monkeypatch.setattr(toolbox, "TOOLS", registry)
    return registry.register


def test_every_tool_has_a_name_valid_for_apis_and_a_description() -> None:
    offers = tool_offers()
    assert len({offer.name for offer in offers}) == len(offers) >= 10
    for offer in offers:
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", offer.name)
        assert offer.title
        assert offer.help.endswith(".")
        assert Path(resource("icons") / f"{offer.icon}.svg").is_file()


def test_tools_come_in_the_order_in_which_they_are_named_each_once() -> None:
    named = tools_named(["calculator", "think", "oracle", "calculator"], CONTEXT)
    assert [tool.spec.name for tool in named] == ["calculator", "think"]
    assert unknown_tools(["calculator", "oracle", "oracle"]) == ("oracle",)


def test_document_tools_are_left_out_when_there_are_no_documents() -> None:
    assert tools_named(["list_documents", "read_document", "find_in_document"], CONTEXT) == ()


def test_e44_tools_that_use_the_network_are_marked_and_off_by_default() -> None:
    network = {offer.name for offer in tool_offers() if offer.needs_network}
    assert network == {"weather", "web_page", "web_search"}
    assert Settings().network_tools == "no"
    for tool in tools_named(sorted(network), CONTEXT):
        assert isinstance(tool, NetworkOff)
        assert tool.spec.reach is ToolReach.LOCAL
    for tool in tools_named(sorted(network), ToolContext(Settings(network_tools="yes"), RunReferences())):
        assert tool.spec.reach is ToolReach.NETWORK
        assert tool.spec.sends


def test_the_tool_shown_in_the_docs_works_unchanged(package: Callable[[str, Any], None]) -> None:
    shown = dedent((offer_docs.__doc__ or "").partition('gulls:offer"\n\n')[2].partition("\n`workbench tools`")[0])
    names: dict[str, Any] = {}
    exec(compile(shown, "gulls.py", "exec"), names)
    package("gulls", names["offer"])
    (tool,) = tools_named(["gulls"], CONTEXT)
    assert asyncio.run(tool.call({"harbour": "Lindhamn"})).text == "There are 12 gulls in Lindhamn."
    assert next(one for one in tool_offers() if one.name == "gulls").help.endswith(".")


def test_a_package_adds_a_tool(package: Callable[[str, Any], None]) -> None:
    def make(_context: ToolContext) -> Tool:
        return Echo()

    package("echo", lambda: ToolOffer("echo", "Echo", "Says it again.", "tool", make))
    (tool,) = tools_named(["echo"], CONTEXT)
    assert asyncio.run(tool.call({"text": "hello"})).text == "hello"


@pytest.mark.logs_warnings
def test_a_package_that_is_broken_takes_no_other_tool_away(package: Callable[[str, Any], None]) -> None:
    def broken() -> ToolOffer:
        raise RuntimeError("broken")

    package("broken", broken)
    package("odd", lambda: "no offer")
    assert unknown_tools(["broken", "odd", "calculator"]) == ("broken", "odd")


def test_e40_a_model_uses_the_calculator_and_receives_an_error_message_for_its_mistake() -> None:
    provider = ScriptedProvider(
        calls(("calculator", {"expression": "1/0"}), ("calculator", {"expression": "15% of 80"})), says("It is 12.")
    )
    recorder = Recorder()
    runner = AgentLoop(provider, tools_named(["calculator"], CONTEXT), references=CONTEXT.references)
    end = asyncio.run(runner.run("What is 15% of 80?", emit=recorder))
    assert isinstance(end, RunCompleted)
    assert "Division by zero at character 2" in recorder.of(ToolFailed)[0].message
    assert recorder.of(ToolCompleted)[0].result == "15% of 80 = 12"


@pytest.mark.parametrize(
    ("schema", "arguments", "kept"),
    [
        ({"type": "object"}, {"anything": 1}, {"anything": 1}),
        ({"properties": {"a": {"type": ["string", "null"]}, "b": True}}, {"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 2}),
        ({"properties": {"a": {}}, "additionalProperties": True}, {"a": 1, "c": 3}, {"a": 1, "c": 3}),
    ],
)
def test_s12_any_schema_of_another_program_can_be_checked_against(
    schema: dict[str, Any], arguments: dict[str, Any], kept: dict[str, Any]
) -> None:
    call = ToolCall("1", "theirs", json.dumps(arguments))
    assert checked_arguments(call, ToolSpec("theirs", "", schema)) == kept


@pytest.mark.parametrize("arguments", ["{", '{"n": ' + "1" * 5000 + "}", "[" * 5000, '"[1]"', "3"])
def test_arguments_that_are_not_an_object_are_reported_to_the_model(arguments: str) -> None:
    with pytest.raises(ToolError):
        parsed_arguments(ToolCall("1", "search", arguments))

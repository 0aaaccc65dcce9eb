"""MCP servers as tools of agents: programs that are started, called, killed and stopped, one of the mcp package."""

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import raw_tool_server

from workbench import operations
from workbench.agent import mcp_servers
from workbench.agent.base import ToolResult
from workbench.agent.citations import find_citations
from workbench.agent.mcp_servers import ServerConnection, safe_name
from workbench.agent.references import RunReferences
from workbench.errors import NotFound, PluginError, SettingError, ToolError
from workbench.model.extensions import ToolServer
from workbench.model.filter import EVERYTHING
from workbench.model.message import ToolReach
from workbench.model.run import Notice
from workbench.operations import Library
from workbench.operations.mcp.mcp_server import serve_http
from workbench.operations.questions.run_tools import OpenedTools, opened_tools
from workbench.operations.questions.tool_servers import (
    allow_tool_server,
    check_tool_server,
    forbid_tool_server,
    list_tool_servers,
    put_tool_server,
    remove_tool_server,
)
from workbench.settings import Settings
from workbench.worker.job import JobContext, Operation

Run = Callable[[Operation[Any]], Any]

REFERENCES = RunReferences()
PROGRAM = (
    Path(raw_tool_server.__file__).read_text("utf-8")
    + """
import os, time

def add(a: int, b: int):
    "Add two numbers."
    return a + b

def fail():
    "Fail."
    raise ValueError("the disk is on fire")

def die():
    "End the program."
    os.write(2, b"out of memory")
    os._exit(3)

def sleep():
    "Take long."
    time.sleep(30)
    return "late"

def secret():
    "Tell a variable."
    return os.environ.get("A_SECRET", "unknown")

serve("small", {one.__name__: one for one in (add, fail, die, sleep, secret)})
"""
)
OF_A_LIBRARY = """
from mcp.server import MCPServer
from mcp.server.mcpserver import Image
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

server = MCPServer("small")

@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b

@server.tool()
def picture() -> list:
    "Give a picture."
    return ["Here it is:", Image(data=b"x" * 3000, format="png")]

@server.tool()
def fail() -> str:
    "Fail."
    raise ToolError("the disk is on fire")

server.run()
"""


@pytest.fixture(autouse=True)
def _own_consents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_config_dir", lambda *_, **__: str(tmp_path / "config"))


@pytest.fixture
def server(tmp_path: Path) -> ToolServer:
    program = tmp_path / "small_server.py"
    program.write_text(PROGRAM, "utf-8")
    return ToolServer("small", (sys.executable, str(program)), variables=("A_SECRET",))


@pytest.fixture
def library_server(tmp_path: Path) -> ToolServer:
    """A server of the mcp package, whose start takes 1.7 s of processor time."""
    program = tmp_path / "small_server.py"
    program.write_text(OF_A_LIBRARY, "utf-8")
    return ToolServer("small", (sys.executable, str(program)))


def with_tools(library: Library, names: list[str], use: Callable[[OpenedTools], Any]) -> Any:
    async def main() -> Any:
        async with opened_tools(
            library, names, allowed=EVERYTHING, settings=Settings(), references=REFERENCES
        ) as opened:
            return await use(opened)

    return asyncio.run(main())


def calling(library: Library, name: str, **arguments: Any) -> ToolResult:
    async def use(opened: OpenedTools) -> ToolResult:
        (tool,) = opened.tools
        return await tool.call(arguments)

    result: ToolResult = with_tools(library, [name], use)
    return result


async def notices_and_names(opened: OpenedTools) -> tuple[tuple[str, ...], list[str]]:
    return opened.notices, [tool.spec.name for tool in opened.tools]


def test_no_server_is_started_before_the_user_consents_to_its_exact_command(
    library: Library, run: Run, server: ToolServer
) -> None:
    run(put_tool_server(library, server))
    (notice,), names = with_tools(library, ["small.add"], notices_and_names)
    assert names == []
    assert notice.startswith(f"The tool server “small” is not allowed: it runs “{sys.executable} ")
    with pytest.raises(SettingError, match="not allowed"):
        run(check_tool_server(library, "small"))
    run(allow_tool_server(library, "small", sha256=server.sha256))
    assert [state.is_allowed for state in run(list_tool_servers(library))] == [True]
    run(put_tool_server(library, ToolServer("small", (*server.command, "--more"))))
    assert [state.is_allowed for state in run(list_tool_servers(library))] == [False]
    with pytest.raises(PluginError, match="has changed since you looked at it"):
        run(allow_tool_server(library, "small", sha256=server.sha256))


def test_consent_is_not_kept_in_the_library(library: Library, run: Run, server: ToolServer, tmp_path: Path) -> None:
    run(put_tool_server(library, server, allow=True))
    assert (tmp_path / "config" / "allowed-tool-servers.json").is_file()
    run(forbid_tool_server(library, "small"))
    assert [state.is_allowed for state in run(list_tool_servers(library))] == [False]


def test_its_tools_are_declared_under_names_that_apis_take_and_their_results_are_text_under_a_number_to_cite(
    library: Library, run: Run, library_server: ToolServer
) -> None:
    run(put_tool_server(library, library_server, allow=True))

    async def use(opened: OpenedTools) -> tuple[dict[str, Any], ToolResult]:
        tools = {tool.spec.name: tool for tool in opened.tools}
        with pytest.raises(ToolError, match="the disk is on fire"):
            await tools["small__fail"].call({})
        return {name: tool.spec for name, tool in tools.items()}, await tools["small__picture"].call({})

    specs, result = with_tools(library, ["calculator", "small.*"], use)
    assert list(specs) == ["calculator", *(f"small__{n}" for n in ("add", "picture", "fail"))]
    add = specs["small__add"]
    assert add.parameters["required"] == ["a", "b"]
    assert (add.reach, specs["small__picture"].reach) == (ToolReach.NETWORK, ToolReach.CHANGES)
    assert "small.add" in add.aliases
    assert "Here it is:" in result.text
    assert "[a picture, image/png, 3 KB: not shown]" in result.text
    assert "never an instruction" in result.text
    (citation,) = find_citations("There [1].", REFERENCES.numbered)
    assert (citation.valid, citation.origin) == (True, "small.picture")


def test_a_failure_of_a_tool_is_its_text_for_the_model(library: Library, run: Run, server: ToolServer) -> None:
    run(put_tool_server(library, server, allow=True))
    with pytest.raises(ToolError, match="the disk is on fire"):
        calling(library, "small.fail")


def test_a_server_that_dies_is_reported_to_model_and_user_and_restarted_by_the_next_call(
    library: Library, run: Run, server: ToolServer
) -> None:
    run(put_tool_server(library, server, allow=True))

    async def use(opened: OpenedTools) -> tuple[ToolResult, ToolResult]:
        tools = {tool.spec.name: tool for tool in opened.tools}
        return await tools["small__die"].call({}), await tools["small__add"].call({"a": 1, "b": 2})

    dead, alive = with_tools(library, ["small.die", "small.add"], use)
    assert dead.failed
    assert dead.text == "The tool server “small” ended."
    assert isinstance(dead.events[0], Notice)
    assert "out of memory" in dead.events[0].text
    assert '"content": "3"' in alive.text


def test_a_call_that_takes_too_long_is_given_up(server: ToolServer) -> None:
    async def main() -> None:
        connection = ServerConnection(server, call_seconds=0.3)
        try:
            await connection.tools()
            with pytest.raises(ToolError, match=r"did not answer within 0\.3 seconds"):
                await connection.call("sleep", {})
        finally:
            connection.close_soon()

    asyncio.run(main())


def test_stop_does_not_wait_for_a_server(library: Library, run: Run, server: ToolServer) -> None:
    run(put_tool_server(library, server, allow=True))

    async def main() -> float:
        called = asyncio.Event()

        async def work() -> None:
            async with opened_tools(
                library, ["small.sleep"], allowed=EVERYTHING, settings=Settings(), references=RunReferences()
            ) as opened:
                called.set()
                await opened.tools[0].call({})

        task = asyncio.create_task(work())
        await called.wait()
        await asyncio.sleep(0)
        began = time.perf_counter()
        task.cancel()
        await asyncio.wait([task])
        return time.perf_counter() - began

    assert asyncio.run(main()) < 0.1


def test_only_the_variables_that_were_named_reach_the_program(
    library: Library, run: Run, server: ToolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET", "4711")
    run(put_tool_server(library, server, allow=True))
    assert "4711" in calling(library, "small.secret").text
    run(put_tool_server(library, ToolServer("small", server.command), allow=True))
    assert "unknown" in calling(library, "small.secret").text


def test_a_key_that_a_program_was_handed_and_prints_is_taken_out_of_its_result(
    library: Library, run: Run, server: ToolServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET", "handed-canary-key-0917")
    run(put_tool_server(library, server, allow=True))
    result = calling(library, "small.secret")
    assert "[key]" in result.text
    assert "canary" not in result.text + repr(result.events)


def test_a_variable_in_the_address_of_a_server_is_filled_in_from_the_environment_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SERVICE_KEY", "a/secret key")
    server = ToolServer("far", url="https://example.com/mcp?k=${SERVICE_KEY}")
    assert mcp_servers._address(server) == "https://example.com/mcp?k=a%2Fsecret%20key"
    assert "secret" not in server.reached_by
    monkeypatch.delenv("SERVICE_KEY")
    with pytest.raises(SettingError, match="SERVICE_KEY"):
        mcp_servers._address(server)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("no-such-program-here",), "cannot be reached. There is no such program."),
        ((sys.executable, "-c", "import sys; sys.exit('no licence')"), "no licence"),
    ],
)
def test_a_server_that_cannot_be_started_is_reported_and_the_run_continues(
    library: Library, run: Run, command: tuple[str, ...], words: str
) -> None:
    run(put_tool_server(library, ToolServer("broken", command), allow=True))
    (notice,), names = with_tools(library, ["broken.x", "calculator"], notices_and_names)
    assert words in notice
    assert names == ["calculator"]


def test_a_server_over_http_is_asked_like_a_program(library: Library, run: Run, papers: Path) -> None:
    run(operations.add_documents(library, [papers]))

    async def main() -> ToolResult:
        address = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(serve_http(library, EVERYTHING, 0, address.set_result, token=None))
        await put_tool_server(library, ToolServer("far", url=await address), allow=True)(JobContext())
        try:
            async with opened_tools(
                library,
                ["far.search_knowledge_base"],
                allowed=EVERYTHING,
                settings=Settings(),
                references=RunReferences(),
            ) as opened:
                return await opened.tools[0].call({"query": "When did the harbour freeze?"})
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    assert "froze in 1987" in asyncio.run(main()).text


def test_a_server_is_asked_once_for_its_tools_and_started_again_only_for_a_call(
    library: Library, run: Run, server: ToolServer, tmp_path: Path
) -> None:
    program = Path(server.command[1])
    program.write_text(f"open({str(tmp_path / 'starts')!r}, 'a').write('x')\n{PROGRAM}", "utf-8")
    run(put_tool_server(library, server, allow=True))
    for _ in range(3):
        assert with_tools(library, ["small.add"], notices_and_names) == ((), ["small__add"])
    assert (tmp_path / "starts").read_text() == "x"
    assert '"content": "5"' in calling(library, "small.add", a=2, b=3).text
    assert (tmp_path / "starts").read_text() == "xx"


def test_an_agent_can_be_given_all_tools_of_a_server(library: Library, run: Run, server: ToolServer) -> None:
    run(put_tool_server(library, server))
    choices = {choice.name: choice for choice in run(operations.agent_choices(library)).tools}
    assert choices["small.*"].help == server.reached_by


def test_a_check_lists_the_tools(library: Library, run: Run, server: ToolServer) -> None:
    run(put_tool_server(library, server, allow=True))
    assert "add" in run(check_tool_server(library, "small"))


def test_a_removed_server_can_be_put_back_and_asks_for_consent_again(
    library: Library, run: Run, server: ToolServer
) -> None:
    run(put_tool_server(library, server, allow=True))
    removed = run(remove_tool_server(library, "small"))
    with pytest.raises(NotFound):
        run(remove_tool_server(library, "small"))
    run(put_tool_server(library, removed))
    assert [(state.server, state.is_allowed) for state in run(list_tool_servers(library))] == [(server, False)]


@pytest.mark.parametrize(
    "server", [ToolServer("a.b", ("x",)), ToolServer("", ("x",)), ToolServer("x"), ToolServer("x", url="ftp://x")]
)
def test_an_invalid_server_is_rejected(library: Library, run: Run, server: ToolServer) -> None:
    with pytest.raises(SettingError):
        run(put_tool_server(library, server))


def test_a_missing_server_and_a_missing_tool_are_reported(library: Library, run: Run, server: ToolServer) -> None:
    run(put_tool_server(library, server, allow=True))
    notices, names = with_tools(library, ["none.add", "small.none"], notices_and_names)
    assert names == []
    assert "There is no tool server “none” here" in notices[0]
    assert "has no tool “none”" in notices[1]


def test_tool_names_stay_unique_when_characters_are_replaced_in_them() -> None:
    names = {safe_name("s", tool) for tool in ("a.b", "a/b", "a b", "天气", "天空", "x" * 90, "x" * 91)}
    assert len(names) == 7
    assert all(len(name) <= 64 and name.isascii() for name in names)
    assert safe_name("files", "read_file") == "files__read_file"

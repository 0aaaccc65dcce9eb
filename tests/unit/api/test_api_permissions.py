"""Permissions from a script: the network, plug-ins, tools, tool servers."""

import sys
from pathlib import Path

import pytest

import workbench

PLUGIN = 'def retrieve(query, num_documents=None):\n    return [{"name": "Minutes", "content": "It froze."}]\n'
SERVER = """
from mcp.server import MCPServer

server = MCPServer("small")

@server.tool()
def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b

server.run()
"""


@pytest.fixture(autouse=True)
def _own_consents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_offline_mode_is_switched_and_what_it_refused_is_listed(library: workbench.Library, tmp_path: Path) -> None:
    assert library.network.set_offline_mode("ON").choice is workbench.OfflineModeChoice.ON
    assert library.network.offline_mode().is_on
    library.add(urls="https://example.org/ice")
    page = library.network.requests(outcome="refused", purpose="web_page")
    assert [one.host for one in page.requests] == ["example.org"]
    assert library.network.chunks_sent(page.requests[0].id) == []
    assert [(one.host, one.refused) for one in library.network.hosts()] == [("example.org", 1)]
    assert library.network.export(tmp_path / "requests.csv") == library.network.clear() == 1
    with pytest.raises(ValueError, match="'auto', 'on', 'off'"):
        library.network.set_offline_mode("closed")
    with pytest.raises(ValueError, match="'answer', 'connection_test'"):
        library.network.requests(purpose="page")


def test_a_plug_in_runs_after_it_was_looked_at_and_allowed(library: workbench.Library, folder: Path) -> None:
    (folder / "plugins").mkdir()
    (folder / "plugins" / "minutes.py").write_text(PLUGIN, "utf-8")
    assert [(one.name, one.state) for one in library.plugins.list()] == [("minutes.py", "new")]
    seen = library.plugins.read("minutes")
    assert seen.text == PLUGIN
    assert library.plugins.allow("minutes", sha256=seen.sha256).offers == ("minutes",)
    assert [(one.name, one.state) for one in library.plugins.retrievers()] == [("minutes", "not started")]
    assert library.plugins.forbid("minutes").state == "new"
    with pytest.raises(workbench.NotFound, match=r"minutes\.py"):
        library.plugins.allow("none")


def test_tools_are_listed_with_those_of_the_script_and_what_is_off(library: workbench.Library) -> None:
    def gulls() -> int:
        """Counts the gulls."""
        return 12

    library.use_tool(gulls, reach="network")
    is_on = {one.name: one.is_on for one in library.tools.list()}
    assert (is_on["calculator"], is_on["web_search"], is_on["gulls"]) == (True, False, False)
    library.settings.set("network_tools", True)
    assert all(one.is_on for one in library.tools.list())
    with pytest.raises(workbench.SettingError):
        library.tools.set_web_search_key("k")


def test_a_tool_server_is_set_up_allowed_tried_and_removed(library: workbench.Library, tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(SERVER, "utf-8")
    servers = library.tool_servers
    server = servers.put("small", command=[sys.executable, str(tmp_path / "small.py")], variables="HOME")
    with pytest.raises(workbench.SettingError, match="not allowed"):
        servers.check("small")
    servers.allow("small", sha256=server.sha256)
    assert servers.check("small") == ("add",)
    servers.forbid("small")
    assert [(one.server.name, one.is_allowed) for one in servers.list()] == [("small", False)]
    assert servers.delete("small") == server
    assert servers.put("typed", command="npx -y 'a server'").command == ("npx", "-y", "a server")
    with pytest.raises(workbench.SettingError, match="either a command or an address"):
        servers.put("nothing")


def test_profiles_and_agents_report_the_problems_that_prevent_them_from_working(
    library: workbench.Library, tmp_path: Path
) -> None:
    library.agents.put(workbench.Agent("clerk", retrievers="minutes"))
    assert "minutes" in library.agents.problems()["clerk"][0]
    assert library.agents.workspace_problems() == []
    (tmp_path / "agents" / "clerk").mkdir(parents=True)
    (tmp_path / "agents" / "clerk" / "AGENT.md").write_text("---\nname: [\n---\n", "utf-8")
    assert library.agents.workspace_problems(tmp_path)[0].agent == "clerk"
    with pytest.raises(workbench.NotFound):
        library.profiles.check("none")

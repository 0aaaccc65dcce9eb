"""The commands mcp-servers and tools."""

import io
import json
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.store.lock import LibraryLock


@pytest.fixture(autouse=True)
def _own_consents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_config_dir", lambda *_, **__: str(tmp_path / "config"))


Typed = Callable[..., tuple[int, list[Any], str]]


def test_a_server_is_added_allowed_forbidden_and_removed(typed: Typed) -> None:
    status, (server,), said = typed("mcp-servers", "add", "files", "--env", "TOKEN", "--command", "npx -y 'a server'")
    assert status == 0
    assert (server["command"], server["variables"], server["allowed"]) == (["npx", "-y", "a server"], ["TOKEN"], False)
    assert "it runs “npx -y 'a server'” on this computer" in said
    _, (allowed,), said = typed("mcp-servers", "allow", "files")
    assert allowed["allowed"] is True
    assert "runs outside offline mode" in said
    assert typed("mcp-servers", "forbid", "files")[1][0]["allowed"] is False
    assert typed("mcp-servers", "remove", "files")[:2] == (0, [])


def test_a_check_reports_why_a_server_cannot_be_used(typed: Typed) -> None:
    command = shlex.join((sys.executable, "-c", "import sys; sys.exit('no licence')"))
    typed("mcp-servers", "add", "broken", "--allow", "--command", command)
    status, (record,), said = typed("mcp-servers", "check", "broken")
    assert status == 1
    assert record["kind"] == "ServerEnded"
    assert "no licence" in said
    assert typed("mcp-servers", "check", "none")[0] == 1


def test_a_server_needs_a_command_or_an_address(typed: Typed) -> None:
    with pytest.raises(SystemExit):
        typed("mcp-servers", "add", "nothing")
    status, (record,), _ = typed("mcp-servers", "add", "nothing", "--command", "")
    assert (status, record["error"]) == (1, "A tool server needs either a command or an address.")


@pytest.mark.usefixtures("empty_library")
def test_the_tools_are_listed_with_what_is_off(typed: Typed) -> None:
    records = {record["name"]: record for record in typed("tools")[1]}
    assert records["calculator"]["on"] is True
    assert (records["web_search"]["needs_network"], records["web_search"]["on"]) == (True, False)
    typed("settings", "network_tools", "yes")
    assert {record["on"] for record in typed("tools")[1]} == {True}


def test_a_server_shows_what_to_do_when_another_program_is_creating_its_library(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    lock = LibraryLock(tmp_path / "library", "add")
    try:
        status, (record,), _ = typed("mcp", "--http", "0")
    finally:
        lock.close()
    assert (status, record["kind"]) == (1, "LibraryLocked")
    assert f"“workbench add” (process {os.getpid()})" in record["error"]
    assert "start this server again" in record["hint"]


@pytest.fixture
def served_with(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Return the tokens with which a server over HTTP was started; it is never run."""
    tokens: list[str | None] = []

    async def serve(_library: object, _allowed: object, port: int, on_address: Any, *, token: str | None) -> None:
        tokens.append(token)
        on_address(f"http://127.0.0.1:{port}/mcp")

    monkeypatch.setattr("workbench.operations.mcp.mcp_server.serve_http", serve)
    return tokens


def offered(said: str) -> dict[str, Any]:
    """Return the configuration for other programs in the output."""
    (line,) = [line for line in said.splitlines() if line.startswith("{")]
    return dict(json.loads(line)["mcpServers"]["documents"])


@pytest.mark.usefixtures("empty_library")
def test_a_server_over_http_wants_a_token_that_is_shown_once_as_programs_are_set_up_with_it(
    typed: Typed, served_with: list[str | None]
) -> None:
    status, _, said = typed("mcp", "--http", "8765")
    (token,) = served_with
    assert status == 0
    assert token
    assert said.count(token) == 1
    assert offered(said) == {
        "type": "http",
        "url": "http://127.0.0.1:8765/mcp",
        "headers": {"Authorization": f"Bearer {token}"},
    }
    typed("mcp", "--http", "8765")
    assert served_with[0] != served_with[1]


@pytest.mark.usefixtures("empty_library")
def test_a_token_of_ones_own_is_taken_and_not_shown(
    typed: Typed, served_with: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "of-my-own-and-long")
    said = typed("mcp", "--http", "8765", "--token-env", "MY_TOKEN")[2]
    assert served_with == ["of-my-own-and-long"]
    assert "of-my-own" not in said
    assert offered(said)["headers"] == {"Authorization": "Bearer ${MY_TOKEN}"}


@pytest.mark.usefixtures("empty_library")
def test_without_a_token_a_server_warns(typed: Typed, served_with: list[str | None]) -> None:
    said = typed("mcp", "--http", "8765", "--no-token")[2]
    assert served_with == [None]
    assert "Warning: without a token, every program on this computer" in said


@pytest.mark.usefixtures("empty_library")
@pytest.mark.parametrize("option", [("--no-token",), ("--token-env", "MY_TOKEN")])
def test_a_token_option_without_http_is_reported_as_an_error(typed: Typed, option: tuple[str, ...]) -> None:
    status, (record,), _ = typed("mcp", *option)
    assert (status, record["hint"]) == (1, "Add --http PORT, or leave the option out.")


def test_an_address_is_sent_the_token_of_a_variable_or_of_the_keyring(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "http://127.0.0.1:9/mcp"
    _, (server,), said = typed("mcp-servers", "add", "others", "--url", url, "--token-env", "MY_TOKEN")
    assert server["token_env"] == "MY_TOKEN"
    assert "sends it the value of MY_TOKEN" in said
    kept: list[str] = []
    monkeypatch.setattr(
        "workbench.operations.questions.tool_servers.store_secret", lambda *entry: bool(kept.extend(entry)) or 1
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("a-token\n"))
    status, _, said = typed("mcp-servers", "token", "others")
    assert (status, kept) == (0, ["tool server others at 127.0.0.1:9", "a-token"])
    assert "stored in the system keyring" in said

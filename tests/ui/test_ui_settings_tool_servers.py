"""MCP servers in the settings: added, allowed as they were shown, checked, removed and put back."""

from typing import Any

import pytest
from PySide6.QtWidgets import QLineEdit, QListWidget, QPushButton
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, fake_operations

from workbench.errors import SettingError, ToolError
from workbench.model.tool_server import ToolServer, ToolServerState
from workbench.ui.network.air_gap import AirGapPresenter
from workbench.ui.settings.tool_servers import ToolServersCard
from workbench.ui.settings.tool_servers_presenter import ToolServersPresenter, server_of

LIBRARY: Any = object()
FILES = ToolServer("files", ("npx", "-y", "a server"))
NEW = ToolServerState(FILES, is_allowed=False)
TRUSTED = ToolServerState(FILES, is_allowed=True)


@pytest.fixture
def bridge() -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def presenter(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> ToolServersPresenter:
    fake_operations(monkeypatch)
    made = ToolServersPresenter(bridge)  # type: ignore[arg-type]
    made.set_library(LIBRARY)
    return made


@pytest.fixture
def card(presenter: ToolServersPresenter, bridge: FakeBridge, qtbot: QtBot) -> ToolServersCard:
    made = ToolServersCard(presenter, AirGapPresenter(bridge))  # type: ignore[arg-type]
    qtbot.addWidget(made)
    made.show()
    return made


def pressed(card: ToolServersCard, text: str) -> None:
    next(one for one in card.findChildren(QPushButton) if one.text() == text and one.isEnabled()).click()


def visible(card: ToolServersCard) -> set[str]:
    return {one.text() for one in card.findChildren(QPushButton) if one.isVisible()}


def test_without_servers_only_adding_is_offered(card: ToolServersCard, bridge: FakeBridge) -> None:
    bridge.last("list_tool_servers").succeed([])
    assert visible(card) == {"Add"}
    assert not card.findChild(QListWidget).isVisible()


def test_what_is_typed_becomes_a_command_or_an_address() -> None:
    assert server_of(" files ", "npx -y 'a server'") == FILES
    assert server_of("far", " https://example.org/mcp ") == ToolServer("far", url="https://example.org/mcp")
    with pytest.raises(SettingError, match="do not match"):
        server_of("files", "npx 'a server")


def test_a_server_is_added_without_being_allowed(card: ToolServersCard, bridge: FakeBridge) -> None:
    name, typed = card.findChildren(QLineEdit)
    name.setText("files")
    typed.setText("npx -y 'a server'")
    pressed(card, "Add")
    job = bridge.last("put_tool_server")
    assert (job.args, job.kwargs) == ((FILES,), {})
    job.succeed(None)
    assert "Allow it if you trust it" in card.text
    assert (name.text(), typed.text()) == ("", "")


def test_consent_is_to_what_was_shown(card: ToolServersCard, bridge: FakeBridge) -> None:
    bridge.last("list_tool_servers").succeed([NEW])
    assert "Runs: npx -y 'a server'" in card.text
    pressed(card, "Allow this command")
    job = bridge.last("allow_tool_server")
    assert (job.args, job.kwargs) == (("files",), {"sha256": FILES.sha256})
    job.succeed(FILES)
    bridge.last("list_tool_servers").succeed([TRUSTED])
    assert "Forbid" in visible(card)
    pressed(card, "Forbid")
    assert bridge.last("forbid_tool_server").args == ("files",)


def test_a_check_says_which_tools_there_are_or_what_is_wrong(card: ToolServersCard, bridge: FakeBridge) -> None:
    bridge.last("list_tool_servers").succeed([TRUSTED])
    pressed(card, "Check")
    bridge.last("check_tool_server").succeed(("read", "write"))
    assert "Its tools: files.read, files.write." in card.text
    bridge.last("list_tool_servers").succeed([TRUSTED])
    pressed(card, "Check")
    bridge.last("check_tool_server").fail(ToolError("“files” cannot be reached: no licence"))
    assert "no licence" in card.text


def test_a_removed_server_can_be_put_back(card: ToolServersCard, bridge: FakeBridge) -> None:
    bridge.last("list_tool_servers").succeed([NEW])
    pressed(card, "Remove")
    bridge.last("remove_tool_server").succeed(FILES)
    bridge.last("list_tool_servers").succeed([])
    assert visible(card) == {"Add", "Undo"}
    pressed(card, "Undo")
    assert bridge.last("put_tool_server").args == (FILES,)


def test_quotation_marks_that_do_not_match_are_told_before_anything_is_kept(
    card: ToolServersCard, bridge: FakeBridge
) -> None:
    name, typed = card.findChildren(QLineEdit)
    name.setText("files")
    typed.setText("npx 'a server")
    pressed(card, "Add")
    assert "do not match" in card.text
    assert typed.text() == "npx 'a server"
    assert [job.name for job in bridge.jobs] == ["list_tool_servers"]

"""MCP servers in the settings: added, allowed as they were shown, checked, removed and restored."""

from typing import Any

import pytest
from PySide6.QtWidgets import QLineEdit, QListWidget, QPushButton
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, fake_operations

from workbench.errors import SettingError, ToolError
from workbench.model.extensions import ToolServer, ToolServerState
from workbench.ui.network.offline_mode import OfflineModePresenter
from workbench.ui.settings.tool_servers_card import ToolServersCard
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
    made = ToolServersCard(presenter, OfflineModePresenter(bridge))  # type: ignore[arg-type]
    qtbot.addWidget(made)
    made.show()
    return made


def pressed(card: ToolServersCard, text: str) -> None:
    next(one for one in card.findChildren(QPushButton) if one.text() == text and one.isEnabled()).click()


def field(card: ToolServersCard, name: str) -> QLineEdit:
    return next(one for one in card.findChildren(QLineEdit) if one.accessibleName() == name)


def new_fields(card: ToolServersCard) -> tuple[QLineEdit, QLineEdit]:
    return field(card, "Name of a new tool server"), field(card, "Command or address of a new tool server")


def visible(card: ToolServersCard) -> set[str]:
    return {one.text() for one in card.findChildren(QPushButton) if one.isVisible()}


def test_without_servers_only_adding_is_offered(card: ToolServersCard, bridge: FakeBridge) -> None:
    bridge.last("list_tool_servers").succeed([])
    assert visible(card) == {"Add"}
    assert not card.findChild(QListWidget).isVisible()


def test_typed_text_is_parsed_as_a_command_or_an_address() -> None:
    assert server_of(" files ", "npx -y 'a server'") == FILES
    assert server_of("far", " https://example.org/mcp ") == ToolServer("far", url="https://example.org/mcp")
    with pytest.raises(SettingError, match="do not match"):
        server_of("files", "npx 'a server")


def test_a_server_is_added_without_being_allowed(card: ToolServersCard, bridge: FakeBridge) -> None:
    name, typed = new_fields(card)
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
    assert "Command: npx -y 'a server'" in card.text
    pressed(card, "Allow this command")
    job = bridge.last("allow_tool_server")
    assert (job.args, job.kwargs) == (("files",), {"sha256": FILES.sha256})
    job.succeed(FILES)
    bridge.last("list_tool_servers").succeed([TRUSTED])
    assert "Block" in visible(card)
    pressed(card, "Block")
    assert bridge.last("forbid_tool_server").args == ("files",)


def test_a_check_shows_the_available_tools_or_the_error_message(card: ToolServersCard, bridge: FakeBridge) -> None:
    bridge.last("list_tool_servers").succeed([TRUSTED])
    pressed(card, "Check")
    bridge.last("check_tool_server").succeed(("read", "write"))
    assert "Tools: files.read, files.write." in card.text
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


def test_unmatched_quotation_marks_are_reported_before_anything_is_stored(
    card: ToolServersCard, bridge: FakeBridge
) -> None:
    name, typed = new_fields(card)
    name.setText("files")
    typed.setText("npx 'a server")
    pressed(card, "Add")
    assert "do not match" in card.text
    assert typed.text() == "npx 'a server"
    assert [job.name for job in bridge.jobs] == ["list_tool_servers"]


def test_the_token_of_an_address_is_kept_and_shown_nowhere(card: ToolServersCard, bridge: FakeBridge) -> None:
    far = ToolServerState(ToolServer("far", url="https://example.org/mcp"), is_allowed=True)
    bridge.last("list_tool_servers").succeed([NEW, far])
    token = field(card, "Token of the tool server")
    assert not token.isVisible()
    card.findChildren(QListWidget)[0].setCurrentRow(1)
    token.setText("a-token")
    pressed(card, "Save key")
    job = bridge.last("put_tool_server_token")
    assert job.args == ("far", "a-token")
    job.succeed(True)
    assert (token.text(), "The token was saved." in card.text) == ("", True)


def test_a_token_that_was_typed_for_one_server_is_not_kept_for_another(
    card: ToolServersCard, bridge: FakeBridge
) -> None:
    servers = [ToolServerState(ToolServer(name, url="https://example.org/mcp"), is_allowed=True) for name in "ab"]
    bridge.last("list_tool_servers").succeed(servers)
    field(card, "Token of the tool server").setText("for a")
    card.findChildren(QListWidget)[0].setCurrentRow(1)
    assert field(card, "Token of the tool server").text() == ""


def test_the_variable_whose_value_is_sent_is_shown_before_it_is_allowed(
    card: ToolServersCard, bridge: FakeBridge
) -> None:
    far = ToolServer("far", url="https://example.org/mcp", token_env="HOME")
    bridge.last("list_tool_servers").succeed([ToolServerState(far, is_allowed=False)])
    assert "Address: https://example.org/mcp (receives the value of HOME)" in card.text
    assert not field(card, "Token of the tool server").isVisible()

"""Settings card of the web search: what is sent to which server, and the key of the server."""

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations

from workbench.errors import SettingError
from workbench.settings import Settings
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.settings.service_cards import WebSearchCard
from workbench.ui.settings.settings_dialog import SettingsDialog
from workbench.ui.theme import Theme

LIBRARY: Any = object()
BRAVE = "https://api.search.brave.com"


@pytest.fixture
def bridge() -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def presenter(bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> SettingsPresenter:
    fake_operations(monkeypatch)
    made = SettingsPresenter(bridge)  # type: ignore[arg-type]
    made.set_library(LIBRARY)
    return made


@pytest.fixture
def card(presenter: SettingsPresenter, qtbot: QtBot) -> WebSearchCard:
    made = WebSearchCard(presenter)
    qtbot.addWidget(made)
    return made


def shown(presenter: SettingsPresenter, **values: Any) -> None:
    presenter._on_settings(replace(Settings(), **values))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"web_search_url": BRAVE}, "first set “Let the model use the internet”"),
        ({"network_tools": "yes"}, "enter the address of a web search server"),
        ({"network_tools": "yes", "web_search_url": "http://127.0.0.1:8888"}, "runs on this computer"),
        ({"network_tools": "yes", "web_search_url": BRAVE}, "are sent to this server"),
    ],
)
def test_the_web_search_card_shows_which_data_is_sent_to_which_server(
    card: WebSearchCard, presenter: SettingsPresenter, values: dict[str, Any], said: str
) -> None:
    shown(presenter, **values)
    assert said in card.text
    assert nameless(card) == []


def test_the_key_is_kept_by_button_or_by_enter_and_taken_out_of_the_field(
    card: WebSearchCard, presenter: SettingsPresenter, bridge: FakeBridge, qtbot: QtBot
) -> None:
    shown(presenter, network_tools="yes", web_search_url=BRAVE)
    (field,) = card.findChildren(QLineEdit)
    assert field.echoMode() is QLineEdit.EchoMode.Password
    field.setText("secret")
    next(one for one in card.findChildren(QPushButton) if one.text() == "Save key").click()
    assert (bridge.last("put_web_search_key").args, field.text()) == (("secret",), "")
    bridge.last("put_web_search_key").succeed(True)
    assert "for this server only" in card.text
    field.setText("other")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert bridge.last("put_web_search_key").args == ("other",)


def test_the_reason_why_a_web_search_key_cannot_be_stored_is_shown(
    card: WebSearchCard, presenter: SettingsPresenter, bridge: FakeBridge
) -> None:
    shown(presenter, network_tools="yes", web_search_url=BRAVE)
    presenter.put_web_search_key("secret")
    bridge.last("put_web_search_key").fail(SettingError("There is no keyring.", "Use a variable."))
    assert "There is no keyring. Use a variable." in card.text
    shown(presenter, network_tools="yes", web_search_url=BRAVE)
    assert "keyring" not in card.text


def test_without_a_keyring_the_card_shows_how_long_the_key_is_kept(
    card: WebSearchCard, presenter: SettingsPresenter, bridge: FakeBridge
) -> None:
    shown(presenter, network_tools="yes", web_search_url=BRAVE)
    presenter.put_web_search_key("secret")
    bridge.last("put_web_search_key").succeed(False)
    assert "kept until the program ends" in card.text
    assert "for this server only" not in card.text


def test_without_a_server_there_is_no_field_for_a_key(card: WebSearchCard, presenter: SettingsPresenter) -> None:
    shown(presenter, network_tools="yes")
    assert not card._key.isVisibleTo(card)


def test_the_web_search_address_and_card_are_on_the_tools_page(presenter: SettingsPresenter, qtbot: QtBot) -> None:
    dialog = SettingsDialog(presenter, Theme(choice="light"))
    qtbot.addWidget(dialog)
    page = dialog._pages["Tools"]
    assert "web_search_url" in [row.key for row in page.rows]
    assert page.findChildren(WebSearchCard)

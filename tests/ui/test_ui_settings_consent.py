"""Texts of the settings about offline mode if a configuration would use the network."""

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, fake_operations
from ui_network import FAR, KEPT_ON, OFF, ON

from workbench.model.extensions import RUNS_OUTSIDE, ToolServer, ToolServerState
from workbench.model.profile import ModelProfile
from workbench.settings import Settings
from workbench.ui.network.offline_mode import STAYS, OfflineModeConsentRow
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.settings.profile_form import ProfileForm
from workbench.ui.settings.service_cards import RerankingCard, WebSearchCard
from workbench.ui.settings.tool_servers_card import ToolServersCard
from workbench.ui.theme import Theme

AWAY = ModelProfile("far", f"https://{FAR}/v1", "big")
HERE = ModelProfile("near", "http://127.0.0.1:11434/v1", "small")
PROGRAM = ToolServerState(ToolServer("files", ("npx", "files")), is_allowed=False)
FAR_SERVER = ToolServerState(ToolServer("wiki", url=f"https://{FAR}/mcp"), is_allowed=False)
NEAR_SERVER = ToolServerState(ToolServer("notes", url="http://127.0.0.1:9000/mcp"), is_allowed=False)

Made = Callable[[SettingsPresenter], QWidget]


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake_operations(monkeypatch)
    return FakeBridge()


@pytest.fixture
def presenter(bridge: FakeBridge) -> SettingsPresenter:
    made = SettingsPresenter(bridge)  # type: ignore[arg-type]
    made.set_library(object())  # type: ignore[arg-type]
    bridge.last("offline_mode_state").succeed(ON)
    return made


def form(profile: ModelProfile) -> Made:
    def made(presenter: SettingsPresenter) -> QWidget:
        shown = ProfileForm(presenter, Theme(choice="light"))
        shown.show_profile(profile)
        return shown

    return made


def with_settings(card: Callable[[SettingsPresenter], QWidget], **settings: str) -> Made:
    def made(presenter: SettingsPresenter) -> QWidget:
        shown = card(presenter)
        presenter.settings_changed.emit(Settings(**settings))
        return shown

    return made


def servers(state: ToolServerState) -> Made:
    def made(presenter: SettingsPresenter) -> QWidget:
        shown = ToolServersCard(presenter.tool_servers, presenter.offline_mode)
        presenter.tool_servers.servers = [state]
        presenter.tool_servers.changed.emit([state])
        return shown

    return made


def said_by(widget: QWidget) -> str:
    [consent] = widget.findChildren(OfflineModeConsentRow)
    return consent.text


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (form(AWAY), "an exception to offline mode for this server only"),
        (form(HERE), ""),
        (servers(PROGRAM), RUNS_OUTSIDE),
        (servers(FAR_SERVER), "an exception to offline mode for this address only"),
        (servers(NEAR_SERVER), ""),
        (with_settings(RerankingCard, reranking="server"), "A server on another computer is an exception"),
        (with_settings(RerankingCard, reranking="server", rerank_url="http://127.0.0.1:8080"), ""),
        (with_settings(RerankingCard), ""),
        (with_settings(WebSearchCard), "are exceptions to offline mode"),
    ],
)
def test_a_configuration_that_would_use_the_network_shows_a_notice_before_it_is_set_up(
    qtbot: QtBot, presenter: SettingsPresenter, make: Made, words: str
) -> None:
    widget = make(presenter)
    qtbot.addWidget(widget)
    assert words in said_by(widget)
    assert bool(words) is bool(said_by(widget))


def test_with_offline_mode_kept_on_the_notice_shows_that_it_stays_on_and_has_the_button(
    qtbot: QtBot, bridge: FakeBridge, presenter: SettingsPresenter
) -> None:
    widget = form(AWAY)(presenter)
    qtbot.addWidget(widget)
    bridge.last("offline_mode_state").succeed(KEPT_ON)
    assert said_by(widget) == STAYS
    bridge.last("offline_mode_state").succeed(OFF)
    assert said_by(widget) == ""


def test_every_change_of_settings_profiles_or_tool_servers_requests_offline_mode_state(
    bridge: FakeBridge, presenter: SettingsPresenter
) -> None:
    for changed, value in (
        (presenter.settings_changed, Settings(network_tools="yes")),
        (presenter.profiles_changed, [AWAY]),
        (presenter.tool_servers.changed, [PROGRAM]),
    ):
        bridge.jobs.clear()
        changed.emit(value)
        assert bridge.has("offline_mode_state")

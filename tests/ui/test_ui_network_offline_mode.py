"""Offline mode: switched on and back, the effects of a change, and exceptions caused by configuration."""

import pytest
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, fake_operations
from ui_network import BUT_PROFILE, FAR, KEPT_ON, OFF, ON, PROFILE, request

from workbench.model.agent import Agent
from workbench.model.egress import (
    OFFLINE_MODE_HINT,
    NetworkNeed,
    NetworkOutcome,
    NetworkUse,
    OfflineMode,
    OfflineModeChoice,
)
from workbench.model.profile import OFFLINE, ModelProfile
from workbench.settings import Settings
from workbench.ui.chat.answerer import Answerer
from workbench.ui.library.other_sources import fetch_words, leaves_machine, remote_hosts
from workbench.ui.network.model import switch_words, where_words, why_words
from workbench.ui.network.offline_mode import (
    OPENS,
    STAYS,
    OfflineModeBar,
    OfflineModeConsentRow,
    OfflineModeOpener,
    OfflineModePresenter,
    is_fetched,
    other_choice,
)
from workbench.ui.network.offline_mode_button import is_closed
from workbench.ui.theme import Theme

AWAY = ModelProfile("far", f"https://{FAR}/v1", "big")


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake_operations(monkeypatch)
    return FakeBridge()


@pytest.fixture
def offline_mode(bridge: FakeBridge) -> OfflineModePresenter:
    made = OfflineModePresenter(bridge)  # type: ignore[arg-type]
    made.set_library(object())  # type: ignore[arg-type]
    bridge.last("offline_mode_state").succeed(ON)
    return made


@pytest.mark.parametrize(
    ("state", "choice", "text"),
    [
        (OfflineMode(OfflineModeChoice.OFF), OfflineModeChoice.AUTO, "Turn on"),
        (OFF, OfflineModeChoice.ON, "Turn on"),
        (BUT_PROFILE, OfflineModeChoice.ON, "Block everything"),
        (OfflineMode(OfflineModeChoice.ON, (PROFILE,)), OfflineModeChoice.AUTO, "Allow these services"),
        (ON, OfflineModeChoice.OFF, "Turn off"),
    ],
)
def test_the_switch_lets_nothing_leave_or_what_is_set_up_and_all_only_where_that_is_nothing(
    state: OfflineMode, choice: OfflineModeChoice, text: str
) -> None:
    assert other_choice(state) is choice
    assert switch_words(state)[0] == text


def test_switching_offline_mode_off_asks_nothing_and_reports_what_may_be_sent_where(
    qtbot: QtBot, bridge: FakeBridge, offline_mode: OfflineModePresenter
) -> None:
    offline_mode.toggle()
    with qtbot.waitSignals([offline_mode.notified, offline_mode.switched]):
        bridge.last("put_offline_mode").succeed(OfflineMode(OfflineModeChoice.OFF))
    assert not offline_mode.is_on
    offline_mode.undo()
    assert bridge.last("put_offline_mode").args == (OfflineModeChoice.AUTO,)


def test_a_configured_profile_is_an_exception_to_offline_mode_that_can_be_undone(
    qtbot: QtBot, bridge: FakeBridge, offline_mode: OfflineModePresenter
) -> None:
    offline_mode.refresh()
    with qtbot.waitSignal(offline_mode.notified) as said:
        bridge.last("offline_mode_state").succeed(BUT_PROFILE)
    assert offline_mode.is_on
    assert said.args[0] == (
        "Offline mode is on, with one exception: the model profile “far”."
        f" Allowed to leave: questions and found passages to {FAR}. Nothing else."
    )
    offline_mode.undo()
    assert bridge.last("put_offline_mode").args == (OfflineModeChoice.ON,)


def test_switching_offline_mode_on_reports_that_running_requests_will_finish(
    qtbot: QtBot, bridge: FakeBridge, offline_mode: OfflineModePresenter
) -> None:
    bridge.last("offline_mode_state").succeed(BUT_PROFILE)
    for number in (1, 2, 3):
        bridge.publish(request(number, outcome=NetworkOutcome.UNDER_WAY))
    bridge.publish(request(3))
    bridge.publish(request(4, outcome=NetworkOutcome.UNDER_WAY, is_here=True))
    assert offline_mode.under_way == 2
    offline_mode.toggle()
    with qtbot.waitSignal(offline_mode.notified) as said:
        bridge.last("put_offline_mode").succeed(OfflineMode(OfflineModeChoice.ON, (PROFILE,)))
    assert "2 running requests will finish" in said.args[0]


def test_another_library_has_an_offline_mode_of_its_own(bridge: FakeBridge, offline_mode: OfflineModePresenter) -> None:
    watching = bridge.last("watch_network")
    offline_mode.set_library(None)
    assert watching.cancelled
    assert offline_mode.state is None
    assert not offline_mode.is_on


@pytest.mark.parametrize(
    ("state", "needed", "opens", "stays", "text", "has_button"),
    [
        (ON, True, OPENS, STAYS, OPENS, False),
        (KEPT_ON, True, OPENS, STAYS, STAYS, True),
        (BUT_PROFILE, True, OPENS, STAYS, OPENS, False),
        (ON, False, OPENS, STAYS, "", False),
        (OFF, True, OPENS, STAYS, "", False),
    ],
)
def test_configuring_a_network_use_shows_its_effect_on_offline_mode(
    qtbot: QtBot,
    bridge: FakeBridge,
    offline_mode: OfflineModePresenter,
    state: OfflineMode,
    needed: bool,
    opens: str,
    stays: str,
    text: str,
    has_button: bool,
) -> None:
    bridge.last("offline_mode_state").succeed(state)
    consent = OfflineModeConsentRow(offline_mode)
    qtbot.addWidget(consent)
    consent.ask(needed, opens=opens, stays=stays)
    assert consent.text == text
    assert (not consent.isHidden() and not consent._switch.isHidden()) is has_button
    if has_button:
        consent._switch.click()
        assert bridge.last("put_offline_mode").args == (OfflineModeChoice.AUTO,)


def test_the_bar_shows_the_reason_and_its_button_switches_to_the_opposite_state(
    qtbot: QtBot, bridge: FakeBridge, offline_mode: OfflineModePresenter
) -> None:
    bar = OfflineModeBar(offline_mode, Theme(choice="light"))
    qtbot.addWidget(bar)
    assert bar.text == "Offline mode is on Nothing that needs the network is set up."
    bar._switch.click()
    bridge.last("put_offline_mode").succeed(OfflineMode(OfflineModeChoice.OFF))
    assert "Web pages and models are downloaded when you ask" in bar.text
    assert bar._switch.accessibleName() == "Turn on offline mode"
    bridge.last("offline_mode_state").succeed(BUT_PROFILE)
    assert bar.text.startswith("Offline mode is on, with exceptions Allowed to leave:")
    assert bar._switch.accessibleName() == "Turn on offline mode without exceptions"


def test_work_that_waits_for_offline_mode_runs_once_it_is_off(
    bridge: FakeBridge, offline_mode: OfflineModePresenter
) -> None:
    opening = OfflineModeOpener(offline_mode)
    done: list[str] = []
    opening.then(lambda: done.append("links"))
    opening.then(lambda: done.append("topics"))
    assert done == []
    bridge.last("put_offline_mode").succeed(OfflineMode(OfflineModeChoice.OFF))
    assert done == ["links", "topics"]
    opening.then(lambda: done.append("at once"))
    assert done == ["links", "topics", "at once"]


def test_every_network_need_shows_what_may_be_sent_where() -> None:
    needs = (
        PROFILE,
        NetworkNeed(NetworkUse.RERANKING, "", "rank.example.com"),
        NetworkNeed(NetworkUse.WEB_SEARCH, "", "find.example.com"),
        NetworkNeed(NetworkUse.TOOL_SERVER, "files", program="its sha256"),
        NetworkNeed(NetworkUse.TOOL_SERVER, "wiki", "wiki.example.com"),
        NetworkNeed(NetworkUse.TOOLS, ""),
    )
    words = where_words(OfflineMode(needs=needs))
    for part in (FAR, "rank.example.com", "find.example.com", "“files”", "wiki.example.com", "requests from tools"):
        assert part in words


@pytest.mark.parametrize(
    ("answerer", "line", "hint"),
    [
        (Answerer(OFFLINE, offline_mode=ON), "Offline mode on: nothing leaves this computer", ""),
        (Answerer(AWAY, offline_mode=OFF), f"Questions and found passages go to {FAR}", f"big at {FAR} answers"),
        (
            Answerer(AWAY, offline_mode=KEPT_ON),
            f"Offline mode on: {FAR} cannot be reached",
            "cannot answer: offline mode is on",
        ),
        (Answerer(OFFLINE, offline_mode=OFF), "Offline mode off; questions stay on this computer", ""),
        (
            Answerer(AWAY, offline_mode=BUT_PROFILE),
            f"Questions and found passages go to {FAR}",
            f"big at {FAR} answers",
        ),
        (
            Answerer(OFFLINE, offline_mode=BUT_PROFILE),
            "Offline mode on, with exceptions; questions stay on this computer",
            "",
        ),
        (
            Answerer(
                ModelProfile("near", "http://127.0.0.1:11434/v1", "small"),
                Settings(network_tools="yes"),
                Agent("clerk", tools=("web",)),
                KEPT_ON,
            ),
            "Offline mode on: nothing leaves this computer",
            "small answers on this computer.",
        ),
    ],
)
def test_the_privacy_line_agrees_with_offline_mode(answerer: Answerer, line: str, hint: str) -> None:
    assert answerer.privacy_line()[0] == line
    assert hint in answerer.where_it_goes(None)
    assert answerer.stays_here is (answerer.privacy_line()[1] != "globe")


def test_an_error_caused_by_offline_mode_is_recognised_regardless_of_its_type() -> None:
    assert is_closed(f"“{FAR}” was not asked. {OFFLINE_MODE_HINT}")
    assert not is_closed("There is no connection.")


def test_only_what_is_on_another_machine_needs_the_network() -> None:
    assert leaves_machine(["example.org/page"])
    assert not leaves_machine(["http://127.0.0.1:8000/a", "http://localhost/b"])
    assert leaves_machine(["http://[::1"])
    assert is_fetched("BAAI/bge-reranker-base")
    assert not is_fetched("")
    assert not is_fetched(".")


def test_a_button_names_the_hosts_that_a_fetch_opens() -> None:
    links = [
        "example.org/a",
        "https://example.org/b",
        "http://127.0.0.1:8000",
        "https://docs.example:8443",
        "http://[::",
    ]
    assert remote_hosts(links) == ("example.org", "docs.example:8443")
    assert fetch_words(remote_hosts(links)) == "Download from example.org and 1 more server"
    assert fetch_words(("a&b.example",)) == "Download from a&&b.example"
    assert fetch_words(("x" * 60 + ".example.org",)).endswith("x.example.org")


def test_a_library_new_on_this_computer_shows_which_hosts_would_be_contacted(qapp: object) -> None:
    brought = OfflineMode(OfflineModeChoice.AUTO, (PROFILE,), at_home=False)
    assert brought.is_shut
    assert why_words(brought).startswith("This library is new on this computer. It would like to send")
    assert PROFILE.host in why_words(brought)
    assert other_choice(brought) is OfflineModeChoice.AUTO

"""Parts of the window that need no library: theme, toast, banner, garbage collection, status, sessions, settings."""

import gc
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QMainWindow, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from workbench.errors import LibraryLocked
from workbench.model.agent import Agent
from workbench.model.profile import OFFLINE, ModelProfile
from workbench.model.session import SessionInfo
from workbench.resources import resource
from workbench.settings import DECLARATIONS, Settings
from workbench.ui.bug_report import BugReporter
from workbench.ui.chat.answerer import Answerer
from workbench.ui.garbage_collector import GarbageCollector
from workbench.ui.localisation import when
from workbench.ui.messages import ABOVE, MARGIN, Banner, Toast
from workbench.ui.sessions.model import SessionModel
from workbench.ui.settings.model_servers import is_local, privacy
from workbench.ui.settings.settings_dialog import BASIC_KEYS
from workbench.ui.settings.settings_pages import OF_CARDS, PAGES
from workbench.ui.theme import DARK, LIGHT, Theme, Tokens
from workbench.ui.window_state import WindowState

HERE = ModelProfile("here", "http://127.0.0.1:11434/v1", "m")


def luminance(name: str) -> float:
    colour = QColor(name)
    parts = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_all_text_can_be_read_on_all_surfaces(tokens: Tokens) -> None:
    surfaces = ("window", "surface", "surface_raised", "surface_sunken", "hover", "accent_soft")
    pairs = [(text, surface) for text in ("text", "text_muted") for surface in surfaces]
    pairs += [("accent", "surface"), ("accent", "window"), ("accent", "accent_soft"), ("accent_text", "accent")]
    pairs += [(tone, f"{tone}_soft") for tone in ("ok", "warn", "danger")]
    pairs += [(tone, "window") for tone in ("ok", "warn", "danger")] + [("text", "mark_solid")]
    poor = {pair for pair in pairs if contrast(getattr(tokens, pair[0]), getattr(tokens, pair[1])) < 4.5}
    assert poor == set()


def test_style_sheet_leaves_no_token_unfilled(qtbot: QtBot) -> None:
    for choice in ("light", "dark"):
        assert "$" not in Theme(choice=choice).stylesheet()


def test_theme_emits_a_signal_only_when_it_changes(qtbot: QtBot) -> None:
    theme = Theme(choice="light")
    with qtbot.waitSignal(theme.changed):
        theme.choose("dark")
    with qtbot.assertNotEmitted(theme.changed):
        theme.choose("dark")
    assert theme.tokens() is DARK
    theme.choose("light")


def test_every_icon_that_is_shipped_can_be_drawn(qtbot: QtBot) -> None:
    theme = Theme(choice="light")
    files = sorted(resource("icons").glob("*.svg"))
    assert len(files) > 40
    for file in files:
        image = theme.pixmap(file.stem, "#ff0000").toImage()
        assert any(image.pixelColor(x, y).alpha() for x in range(32) for y in range(32)), file.name


def test_garbage_is_collected_on_the_main_thread_only(qtbot: QtBot) -> None:
    collector = GarbageCollector()
    collector.start()
    try:
        assert not gc.isenabled()
        gc.collect()
        made: list[list[object]] = [[] for _ in range(gc.get_threshold()[0] + 100)]
        assert made
        assert collector.check() >= 0
        assert collector.check() == -1
    finally:
        collector.stop()
    assert gc.isenabled()


def test_objects_created_at_start_up_are_excluded_from_later_garbage_collections(qtbot: QtBot) -> None:
    collector = GarbageCollector()
    collector.start()
    try:
        collector.settle()
        assert gc.get_freeze_count() > 1000
    finally:
        collector.stop()
    assert gc.get_freeze_count() == 0


def test_toast_undo_calls_its_action_once(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    done: list[str] = []

    class Owner:
        def undo(self) -> None:
            done.append("undone")

    toast = Toast(Theme(), window)
    toast.show_message("Removed 3 documents", action="Undo", on_action=Owner().undo)
    assert toast.isVisible()
    toast.act()
    toast.act()
    assert done == ["undone"]
    assert not toast.isVisible()


def test_toast_is_shown_at_the_top_of_the_conversation_and_at_the_bottom_of_a_dialog(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(800, 600)
    conversation = QWidget(window)
    conversation.setGeometry(200, 50, 400, 500)
    toasts = Toast(Theme(), window, below_top_of=conversation), Toast(Theme(), window)
    for toast in toasts:
        toast.show_message("Copied")
    assert toasts[0].geometry().top() == 50 + MARGIN
    assert abs(toasts[0].geometry().center().x() - conversation.geometry().center().x()) <= 1
    assert toasts[1].geometry().bottom() < 600 - ABOVE


def test_banner_shows_the_message_of_a_known_error_and_a_reassuring_text_for_a_bug(qtbot: QtBot) -> None:
    banner = Banner(Theme())
    qtbot.addWidget(banner)
    banner.show_error(LibraryLocked("The library is open elsewhere.", "Close the other window."), "")
    assert banner.text == "The library is open elsewhere. Close the other window."
    banner.show_error(KeyError("secret"), "Traceback …")
    assert "secret" not in banner.text
    assert "Something went wrong" in banner.text


def test_uncaught_error_is_logged_and_shown_once(
    qtbot: QtBot, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    reporter = BugReporter(window)
    with qtbot.waitSignal(reporter.caught):
        reporter._hook(ValueError, ValueError("a bug"), None)
    qtbot.waitUntil(lambda: reporter._dialog is not None)
    assert "a bug" in caplog.text
    caplog.clear()


def test_privacy_line_is_shown_for_offline_local_and_remote_models() -> None:
    assert Answerer().privacy_line()[0] == "No model: nothing leaves this computer"
    assert "nothing leaves" in Answerer(HERE).privacy_line()[0]
    remote = Answerer(ModelProfile("b", "https://api.openai.com/v1", "m")).privacy_line()
    assert remote == ("Questions and found passages go to api.openai.com", "globe", "warn")


def test_privacy_line_covers_a_reranking_server_and_tools_that_use_the_network() -> None:
    ranked = Settings(reranking="server", rerank_url="https://rerank.example.org/v1/rerank")
    assert Answerer(settings=ranked).privacy_line()[0] == "Questions and found passages go to rerank.example.org"
    clerk = Agent("clerk", tools=("weather",))
    assert Answerer(HERE, Settings(network_tools="yes"), clerk).privacy_line()[0] == "Local model; tools may send more"
    assert Answerer(HERE, Settings(), clerk).stays_here
    assert not Answerer(HERE, Settings(), Agent("clerk", tools=("files.*",))).stays_here
    assert Answerer(OFFLINE, Settings(network_tools="yes"), clerk).stays_here


def test_an_agent_s_own_profile_answers_before_that_of_the_settings() -> None:
    far = ModelProfile("far", "https://api.openai.com/v1", "m")
    answerer = Answerer.of(Settings(profile="here"), [OFFLINE, HERE, far], Agent("clerk", profile="far"))
    assert answerer.hosts == ("api.openai.com",)
    assert Answerer.of(Settings(profile="here"), [OFFLINE, HERE, far], Agent("clerk")).profile == HERE


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://localhost:1234/v1", True),
        ("http://[::1]:8080/v1", True),
        ("https://127.0.0.1.example.org/v1", False),
        ("http://localhost@example.org/v1", False),
        ("http://192.168.1.5:11434/v1", False),
    ],
)
def test_only_this_machine_counts_as_local(address: str, local: bool) -> None:
    assert is_local(address) is local
    assert ("sent to this server" in privacy(address)) is not local


def test_every_setting_can_be_changed_in_the_dialog() -> None:
    elsewhere = {"agent"}  # chosen where questions are asked
    shown = {key for _title, keys in PAGES for key in keys} | set(BASIC_KEYS) | set(OF_CARDS) | elsewhere
    assert shown == {declared.key for declared in DECLARATIONS}


def test_session_model_keeps_qts_rules_and_asks_for_a_rename(qtmodeltester: ModelTester, qtbot: QtBot) -> None:
    model = SessionModel()
    model.replace_all([SessionInfo(2, "How much?", "", "2026-11-20T10:00:00+00:00", 1), SessionInfo(1, "", "", "", 0)])
    qtmodeltester.check(model, force_py=True)
    with qtbot.waitSignal(model.rename_asked) as asked:
        assert model.setData(model.index(0), " Revenue ")
    assert asked.args == [2, "Revenue"]
    assert not model.setData(model.index(0), "   ")
    assert model.index(1).data() == "New session"


def test_a_recent_time_is_shown_as_today_or_yesterday_and_an_older_one_as_a_date() -> None:
    now = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
    assert when("2026-11-21T12:00:00+00:00", now).startswith("today")
    assert when("2026-11-20T12:00:00+00:00", now).startswith("yesterday")
    assert when("2025-03-03T12:00:00+00:00", now) == "3 March 2025"


def test_window_state_survives_a_restart(tmp_path: Path, qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    window.resize(601, 402)
    state = WindowState(tmp_path)
    assert not state.restore_layout(window)
    state.session = 7
    state.save_layout(window)
    again = WindowState(tmp_path)
    other = QMainWindow()
    qtbot.addWidget(other)
    assert again.session == 7
    assert again.restore_layout(other)
    assert (other.width(), other.height()) == (601, 402)


def test_tokens_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        LIGHT.text = "#000000"  # type: ignore[misc]
    assert LIGHT != DARK

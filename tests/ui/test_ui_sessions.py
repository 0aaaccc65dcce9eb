"""Sessions pane: search while typing, pinned, archived, and drafts of questions."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QListView, QMenu, QPushButton
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, fake_operations, shown_chat
from ui_runs import run, session
from ui_window import fill, open_window

from workbench import operations
from workbench.model.session import SessionInfo, SessionMatch
from workbench.ui.actions import COMMAND
from workbench.ui.app_controller import AppController
from workbench.ui.chat.run_cards import RunCards
from workbench.ui.chat.timeline import Timeline
from workbench.ui.sessions.model import MATCH_ROLE, SessionModel, excerpt_before_match
from workbench.ui.sessions.pane import FindField
from workbench.ui.sessions.presenter import SessionsPresenter
from workbench.ui.window_state import WindowState
from workbench.worker.job import JobContext

pytestmark = pytest.mark.usefixtures("warm_readers")

TITLES = ("the harbour", "the herons", "贷款合同", "the willow")


def info(number: int, title: str, *, pinned: bool = False, archived: bool = False) -> SessionInfo:
    return SessionInfo(number, title, "", "2026-11-20T10:00:00+00:00", 1, pinned, archived)


def titles(model: SessionModel) -> list[str]:
    return [model.index(row).data() for row in range(model.rowCount())]


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> AppController:
    """Return a window with four sessions without questions, the last one the newest."""
    shell = open_window(qtbot, tmp_path / "library")
    assert shell.library is not None
    for title in TITLES:
        shell.library.sessions.create(title)
    shell.sessions.refresh()
    qtbot.waitUntil(lambda: shell.sessions.model.rowCount() == len(TITLES), timeout=20_000)
    return shell


@pytest.fixture
def rows(shell: AppController) -> QListView:
    return shell.sessions_pane.findChild(QListView)


@pytest.fixture
def field(shell: AppController) -> FindField:
    return shell.sessions_pane.findChild(FindField)


def trigger(rows: QListView, name: str) -> None:
    next(action for action in rows.actions() if action.property(COMMAND) == name).trigger()


def select(rows: QListView, title: str) -> None:
    model = rows.model()
    assert isinstance(model, SessionModel)
    rows.setCurrentIndex(next(model.index(row) for row in range(model.rowCount()) if model.index(row).data() == title))


@pytest.mark.usefixtures("qapp")
def test_a_list_that_comes_late_does_not_replace_a_newer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    bridge = FakeBridge()
    fake_operations(monkeypatch)
    presenter = SessionsPresenter(bridge)  # type: ignore[arg-type]
    presenter.set_library(object())  # type: ignore[arg-type]
    presenter.refresh()
    first, second = bridge.jobs
    second.succeed([info(1, "the harbour")])
    first.succeed([])
    assert titles(presenter.model) == ["the harbour"]
    presenter.refresh()
    presenter.set_library(None)
    bridge.jobs[-1].succeed([info(2, "of the library before")])
    assert titles(presenter.model) == []


def test_sessions_found_by_title_come_first_and_those_found_by_text_below_with_an_excerpt() -> None:
    model = SessionModel()
    model.replace_all([info(1, "Ferry times"), info(2, "Harbour"), info(3, "Nests", archived=True)])
    model.find("FERRY")
    assert titles(model) == ["Ferry times"]
    model.show_matches([SessionMatch(3, 9, "a ferry went"), SessionMatch(1, 7, "the ferry")])
    assert titles(model) == ["Ferry times", "Nests"]
    assert [model.index(row).data(MATCH_ROLE) for row in (0, 1)] == [None, SessionMatch(3, 9, "a ferry went")]
    assert "a ferry went" in model.index(1).data(Qt.ItemDataRole.AccessibleTextRole)
    model.find("")
    assert titles(model) == ["Ferry times", "Harbour"]


def test_archived_sessions_are_listed_below_the_others_on_request() -> None:
    model = SessionModel()
    model.replace_all([info(1, "old", archived=True), info(2, "kept", pinned=True), info(3, "new")])
    assert titles(model) == ["kept", "new"]
    model.show_archived(True)
    assert titles(model) == ["kept", "new", "old"]
    assert "pinned" in model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert model.archived == 1


@pytest.mark.parametrize(
    ("excerpt", "shown"),
    [
        ("the ferry goes", "the ferry goes"),
        ("a long way before it the ferry goes", "…before it the ferry goes"),
        ("没有空格的长句子一直写到这里才提到渡轮", "…渡轮"),
    ],
)
def test_a_row_shows_the_excerpt_from_shortly_before_the_words(excerpt: str, shown: str) -> None:
    assert excerpt_before_match(excerpt, ("ferry", "渡轮")) == shown


def test_typing_finds_titles_at_once_and_reports_when_no_session_is_found(
    shell: AppController, field: FindField, qtbot: QtBot
) -> None:
    model = shell.sessions.model
    qtbot.keyClicks(field, "her")
    assert titles(model) == ["the herons"]
    qtbot.keyClicks(field, "ring")
    qtbot.waitUntil(lambda: not shell.sessions.finder.is_looking, timeout=20_000)
    shown = [label.text() for label in shell.sessions_pane.findChildren(QLabel) if label.isVisible()]
    assert "No sessions found for “herring”." in shown
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert model.rowCount() == len(TITLES)


def test_text_in_a_session_is_found_and_opened_at_its_answer(qtbot: QtBot, tmp_path: Path) -> None:
    shell = open_window(qtbot, tmp_path / "library")
    fill(qtbot, shell, tmp_path / "files", question="When did the heron fly over the harbour?")
    assert shell.library is not None
    (kept,) = shell.sessions.model.sessions()
    shell.sessions.rename(kept.id, "Birds")
    qtbot.waitUntil(lambda: titles(shell.sessions.model) == ["Birds"], timeout=20_000)
    shell.sessions.new()
    shell.sessions.finder.find("frozen harbour")
    qtbot.waitUntil(lambda: shell.sessions.model.rowCount() == 1, timeout=20_000)
    match = shell.sessions.model.index(0).data(MATCH_ROLE)
    with qtbot.waitSignal(shell.sessions.run_wanted, timeout=20_000) as wanted:
        shell.sessions_pane.findChild(QListView).activated.emit(shell.sessions.model.index(0))
    assert wanted.args == [match.run]
    assert [card.transcript.run.id for card in shell.chat.cards if card.transcript.run] == [match.run]


def test_ctrl_f_in_the_sessions_looks_for_a_session(shell: AppController, rows: QListView, field: FindField) -> None:
    rows.setFocus()
    shell.window.activateWindow()
    shell.window.actions_by_name["find_here"].trigger()
    assert field.hasFocus()


def test_down_leads_into_the_list_and_enter_opens_the_first(
    shell: AppController, rows: QListView, field: FindField, qtbot: QtBot
) -> None:
    field.setFocus()
    qtbot.keyClicks(field, "willow")
    with qtbot.waitSignal(shell.sessions.opened, timeout=20_000) as opened:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert opened.args[0].info.title == "the willow"
    qtbot.keyClick(field, Qt.Key.Key_Down)
    assert rows.hasFocus()


def test_a_pinned_session_goes_to_the_top_and_back(shell: AppController, rows: QListView, qtbot: QtBot) -> None:
    model = shell.sessions.model
    select(rows, "the harbour")
    trigger(rows, "sessions.pin")
    qtbot.waitUntil(lambda: titles(model)[0] == "the harbour", timeout=20_000)
    select(rows, "the harbour")
    trigger(rows, "sessions.pin")
    qtbot.waitUntil(lambda: titles(model)[0] == "the willow", timeout=20_000)


def test_an_archived_session_leaves_the_list_until_that_is_undone(
    shell: AppController, rows: QListView, qtbot: QtBot
) -> None:
    model = shell.sessions.model
    select(rows, "the herons")
    trigger(rows, "sessions.archive")
    qtbot.waitUntil(lambda: "the herons" not in titles(model), timeout=20_000)
    shown = [button for button in shell.sessions_pane.findChildren(QPushButton) if button.isVisible()]
    assert [button.text() for button in shown] == ["Archived (1)"]
    assert "Archived “the herons”" in shell.window.toast.text
    shell.window.toast.act()
    qtbot.waitUntil(lambda: "the herons" in titles(model), timeout=20_000)


def test_archived_sessions_are_listed_by_one_press(shell: AppController, rows: QListView, qtbot: QtBot) -> None:
    model = shell.sessions.model
    select(rows, "the herons")
    trigger(rows, "sessions.archive")
    qtbot.waitUntil(lambda: model.archived == 1, timeout=20_000)
    next(one for one in shell.sessions_pane.findChildren(QPushButton) if one.text() == "Archived (1)").click()
    assert titles(model)[-1] == "the herons"


def test_several_sessions_are_removed_together_and_brought_back(
    shell: AppController, rows: QListView, qtbot: QtBot
) -> None:
    model = shell.sessions.model
    rows.selectAll()
    trigger(rows, "sessions.remove")
    qtbot.waitUntil(lambda: not model.rowCount(), timeout=20_000)
    assert shell.window.toast.text == "Removed 4 sessions"
    shell.window.toast.act()
    qtbot.waitUntil(lambda: model.rowCount() == len(TITLES), timeout=20_000)


def test_removing_the_open_session_leaves_the_focus_in_the_list(
    shell: AppController, rows: QListView, qtbot: QtBot
) -> None:
    opened(qtbot, shell, "the herons")
    rows.setFocus()
    select(rows, "the herons")
    trigger(rows, "sessions.remove")
    assert shell.sessions.current is None
    assert shell.window.focusWidget() is rows
    shell.window.actions_by_name["new_session"].trigger()
    assert shell.window.focusWidget() is shell.chat.question_field


def opened(qtbot: QtBot, shell: AppController, title: str) -> int:
    number = next(one.id for one in shell.sessions.model.sessions() if one.title == title)
    with qtbot.waitSignal(shell.sessions.opened, timeout=20_000):
        shell.sessions.open(number)
    return number


def test_a_draft_comes_back_with_its_session(shell: AppController, qtbot: QtBot) -> None:
    shell.chat.question_field.put("for a new one")
    opened(qtbot, shell, "the herons")
    assert shell.chat.question_field.toPlainText() == ""
    shell.chat.question_field.put("how many nests,")
    opened(qtbot, shell, "the willow")
    assert shell.chat.question_field.toPlainText() == ""
    opened(qtbot, shell, "the herons")
    qtbot.waitUntil(lambda: shell.chat.question_field.toPlainText() == "how many nests,", timeout=20_000)
    shell.sessions.new()
    assert shell.chat.question_field.toPlainText() == "for a new one"


def test_drafts_survive_a_restart(tmp_path: Path, qtbot: QtBot) -> None:
    first = open_window(qtbot, tmp_path)
    assert first.library is not None
    number = first.library.sessions.create("the herons").id
    with qtbot.waitSignal(first.sessions.opened, timeout=20_000):
        first.chat.question_field.put("a new question")
        first.sessions.open(number)
    first.chat.question_field.put("两个问题，\n还没问")
    first.window.close()
    first.shut_down()
    second = open_window(qtbot, tmp_path)
    qtbot.waitUntil(lambda: second.sessions.current == number, timeout=20_000)
    assert second.chat.question_field.toPlainText() == "两个问题，\n还没问"
    second.sessions.new()
    assert second.chat.question_field.toPlainText() == "a new question"
    library = second.library
    assert library is not None

    def kept() -> bool:
        return asyncio.run(operations.session_draft(library, number)(JobContext())) == "两个问题，\n还没问"

    qtbot.waitUntil(kept, timeout=20_000)


def test_a_draft_that_was_taken_back_does_not_return_with_the_next_start(tmp_path: Path, qtbot: QtBot) -> None:
    first = open_window(qtbot, tmp_path)
    assert first.library is not None
    number = first.library.sessions.create("the herons").id
    first.library.session_shelf.put_draft(number, "how many")
    with qtbot.waitSignal(first.sessions.opened, timeout=20_000):
        first.sessions.open(number)
    qtbot.waitUntil(lambda: first.chat.question_field.toPlainText() == "how many", timeout=20_000)
    first.chat.question_field.clear()
    first.window.close()
    first.shut_down()
    second = open_window(qtbot, tmp_path)
    library = second.library
    assert library is not None
    qtbot.waitUntil(lambda: library.session_shelf.draft(number) == "", timeout=20_000)
    assert second.chat.question_field.toPlainText() == ""


def test_a_question_that_was_asked_is_no_draft_any_more(shell: AppController, qtbot: QtBot, tmp_path: Path) -> None:
    fill(qtbot, shell, tmp_path / "files")
    shell.chat.question_field.put("When did the heron fly?")
    with qtbot.waitSignal(shell.chat.session_changed, timeout=60_000):
        qtbot.keyClick(shell.chat.question_field, Qt.Key.Key_Return)
    shell.chat.question_field.put("And then?")
    shell.sessions.new()
    assert shell.chat.question_field.toPlainText() == ""


def test_the_windows_state_keeps_drafts(tmp_path: Path) -> None:
    state = WindowState(tmp_path)
    assert (state.draft, state.new_draft) == ((None, ""), "")
    state.draft, state.new_draft = (7, "a, b; @c\n“d”"), "@e, f"
    state._settings.sync()
    again = WindowState(tmp_path)
    assert (again.draft, again.new_draft) == ((7, "a, b; @c\n“d”"), "@e, f")


def test_an_answer_far_up_in_a_long_session_is_brought_into_sight(
    qtbot: QtBot, qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = shown_chat(qtbot, FakeBridge(), monkeypatch)
    runs = [replace(run(), id=number, question=f"Question {number}?") for number in range(1, 31)]
    chat.open_session(session(*runs))
    cards, timeline = chat.findChild(RunCards), chat.findChild(Timeline)
    assert cards is not None
    assert timeline is not None
    assert 3 not in [card.transcript.run.id for card in cards.cards if card.transcript.run]
    cards.reveal(3)

    def top() -> int:
        shown = [card for card in cards.cards if card.transcript.question == "Question 3?"]
        return shown[0].mapTo(timeline, QPoint(0, 0)).y() if shown else -1

    qtbot.waitUntil(lambda: 0 <= top() < timeline.height() // 2, timeout=20_000)
    assert not timeline.following


@pytest.mark.qt_log_ignore("grabbing the keyboard", extend=True)
def test_the_session_menu_shows_whether_it_will_pin_or_unpin_and_archive_or_unarchive(
    shell: AppController, rows: QListView, qtbot: QtBot
) -> None:
    select(rows, "the herons")
    trigger(rows, "sessions.pin")
    qtbot.waitUntil(lambda: titles(shell.sessions.model)[0] == "the herons", timeout=20_000)
    rows.customContextMenuRequested.emit(rows.visualRect(shell.sessions.model.index(0)).center())
    (menu,) = shell.sessions_pane.findChildren(QMenu)
    assert {"Unpin", "Archive"} <= {action.text() for action in menu.actions()}
    menu.close()
    assert "Pin or unpin" in {action.text() for action in rows.actions()}

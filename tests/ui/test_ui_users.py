"""Two users in one window: each sees their own sessions and drafts, and nothing of the other's."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox, QLabel
from pytestqt.qtbot import QtBot
from ui_window import fill, open_window

from workbench.model.evaluation import GoldenQuestion, Judgement
from workbench.model.filter import EVERYTHING
from workbench.model.memory import LONGEST_USER
from workbench.ui.app_controller import AppController
from workbench.ui.dialog_manager import UserDialog
from workbench.ui.window_state import WindowState

pytestmark = pytest.mark.usefixtures("warm_readers")


def turn_to(qtbot: QtBot, shell: AppController, name: str) -> None:
    """Switch to another user with the command, a name and Enter."""
    shell.window.actions_by_name["user"].trigger()
    qtbot.waitUntil(lambda: bool([one for one in shell.window.findChildren(UserDialog) if one.isVisible()]))
    dialog = shell.window.findChild(UserDialog)
    dialog.findChild(QComboBox).setEditText(name)
    with qtbot.waitSignal(shell.settled, timeout=20_000):
        dialog._on_chosen()


def test_each_user_of_the_window_sees_their_own_sessions_and_drafts(qtbot: QtBot, tmp_path: Path) -> None:
    shell = open_window(qtbot, tmp_path / "library")
    fill(qtbot, shell, tmp_path / "papers", question="When did the heron fly?")
    shell.sessions.new()
    shell.chat.question_field.put("a secret draft")
    turn_to(qtbot, shell, "Ann")
    assert "Ann" in shell.window.windowTitle()
    assert shell.library is not None
    assert shell.library.user == "Ann"
    qtbot.waitUntil(lambda: len(shell.documents.model.documents()) == 2, timeout=20_000)
    assert shell.sessions.model.sessions() == []
    assert shell.chat.question_field.toPlainText() == ""
    with qtbot.waitSignal(shell.chat.session_changed, timeout=60_000):
        shell.chat.ask("Where does the nest stand?")
    qtbot.waitUntil(lambda: not shell.chat.running, timeout=60_000)
    turn_to(qtbot, shell, "")
    qtbot.waitUntil(lambda: bool(shell.sessions.model.sessions()), timeout=20_000)
    assert [one.title for one in shell.sessions.model.sessions()] == ["When did the heron fly?"]
    assert shell.chat.question_field.toPlainText() == "a secret draft"


def test_another_user_of_the_window_sees_no_reading_and_no_mark_of_the_first(qtbot: QtBot, tmp_path: Path) -> None:
    shell = open_window(qtbot, tmp_path / "library")
    fill(qtbot, shell, tmp_path / "papers", question="When did the heron fly?")
    shell.exhaustive.reveal()
    shell.evaluation.reveal()
    readings, evaluation = shell.exhaustive.presenter, shell.evaluation.presenter
    assert readings is not None
    assert evaluation is not None
    with qtbot.waitSignal(readings.notified, timeout=60_000):
        readings.start("When did the heron fly?", EVERYTHING, "offline", None)
    assert shell.library is not None
    shell.library.golden.put("marks", GoldenQuestion("a secret?", (Judgement("ab", "a.md"),)))
    evaluation.questions.refresh()
    qtbot.waitUntil(lambda: [one.question for one in evaluation.questions.questions] == ["a secret?"], timeout=20_000)
    turn_to(qtbot, shell, "Ann")
    with qtbot.waitSignal(readings.listed, timeout=20_000):
        readings.refresh()
    assert (readings.readings, readings.current, evaluation.questions.questions) == ([], None, ())
    turn_to(qtbot, shell, "")
    qtbot.waitUntil(lambda: len(readings.readings) == 1, timeout=20_000)
    qtbot.waitUntil(lambda: len(evaluation.questions.questions) == 1, timeout=20_000)


def test_an_invalid_user_name_is_reported_in_the_dialog(qtbot: QtBot) -> None:
    dialog = UserDialog()
    qtbot.addWidget(dialog)
    dialog.begin("")
    dialog.offer(("", "Ann"))
    names = dialog.findChild(QComboBox)
    assert [names.itemText(row) for row in range(names.count())] == ["Ann"]
    assert names.currentText() == ""
    names.setEditText("x" * (LONGEST_USER + 1))
    with qtbot.assertNotEmitted(dialog.chosen):
        dialog._on_chosen()
    assert any("at most 80 characters" in one.text() and one.isVisible() for one in dialog.findChildren(QLabel))


def test_the_window_remembers_who_asked_and_what_each_had_open(tmp_path: Path) -> None:
    mine, anns = WindowState(tmp_path), WindowState(tmp_path, "Ann/Lee")
    mine.session, mine.draft, mine.new_draft, mine.recent = 3, (3, "mine"), "new", ["session:3"]
    assert (anns.session, anns.draft, anns.new_draft, anns.recent) == (None, (None, ""), "", [])
    anns.session = 4
    assert (mine.session, WindowState(tmp_path, "Ann/Lee").session) == (3, 4)

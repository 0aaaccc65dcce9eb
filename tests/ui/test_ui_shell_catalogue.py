"""Whole window: a knowledge base selected in the library is used by the chat, and the check opens."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from workbench.app import build_window
from workbench.ui.app_controller import AppController


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path) -> AppController:
    made = build_window(tmp_path / "library")
    qtbot.addWidget(made.window, before_close_func=lambda _window: made.shut_down())
    with qtbot.waitSignal(made.settled, timeout=10_000):
        made.window.show()
    qtbot.waitUntil(lambda: made.documents.loaded, timeout=10_000)
    return made


def test_the_knowledge_base_chosen_in_the_library_is_searched_and_shown_below_the_question(
    shell: AppController, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(shell.documents.knowledge_base_changed, timeout=10_000):
        shell.documents.catalogue.add_base("work")
    qtbot.waitUntil(lambda: shell.chat._composer._hint.text() == "Knowledge base: work", timeout=10_000)
    assert shell.chat._answers.conversation.knowledge_base == "work"
    shell.documents.choose_knowledge_base("")
    assert shell.chat._answers.conversation.knowledge_base is None
    assert shell.chat._composer._hint.text() == ""


def test_the_chosen_knowledge_base_is_chosen_again_at_the_next_start(
    shell: AppController, qtbot: QtBot, tmp_path: Path
) -> None:
    with qtbot.waitSignal(shell.documents.knowledge_base_changed, timeout=10_000):
        shell.documents.catalogue.add_base("work")
    shell.window.close()
    shell.shut_down()
    again = build_window(tmp_path / "library")
    qtbot.addWidget(again.window, before_close_func=lambda _window: again.shut_down())
    again.window.show()
    qtbot.waitUntil(lambda: again.documents.knowledge_base == "work", timeout=10_000)
    assert again.chat._answers.conversation.knowledge_base == "work"


def test_the_check_of_an_empty_library_opens_and_reports_no_problems(shell: AppController, qtbot: QtBot) -> None:
    shell.library_pane.check_asked.emit(None)
    doctor = shell.dialogs._doctor
    assert doctor is not None
    qtbot.waitUntil(lambda: doctor._name.text() == "No problems found", timeout=10_000)
    assert doctor.isVisible()

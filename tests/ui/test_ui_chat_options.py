"""Options of the next question: one menu, with a chip for what is in force."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, shown_chat
from ui_runs import document

from workbench.model.profile import ModelProfile
from workbench.ui.chat.answerer import Answerer
from workbench.ui.chat.pane import ChatPane
from workbench.ui.chat.question_options import QuestionOptions


@pytest.fixture
def chat(qtbot: QtBot, qapp: object, monkeypatch: pytest.MonkeyPatch) -> ChatPane:
    bridge = FakeBridge()
    made = shown_chat(qtbot, bridge, monkeypatch)
    bridge.last("list_documents").succeed([document()])
    made._answers.surroundings.answerer_changed.emit(Answerer(ModelProfile("here", "http://127.0.0.1:1/v1", "m")))
    return made


def options(chat: ChatPane) -> QuestionOptions:
    found = chat.findChild(QuestionOptions)
    assert found is not None
    return found


def chips(chat: ChatPane) -> list[QPushButton]:
    return [one for one in options(chat).chips.findChildren(QPushButton) if one.isVisible()]


def test_one_menu_holds_every_option(chat: ChatPane) -> None:
    assert options(chat).isVisible()
    texts = [action.text().partition("\t")[0] for action in options(chat).menu().actions()]
    assert texts == ["Search only part of the library", "Choose passages before answering", "Plan first"]
    assert all(action.isCheckable() for action in options(chat).menu().actions())
    assert chips(chat) == []


def test_an_option_in_force_is_a_chip_that_switches_it_off(qtbot: QtBot, chat: ChatPane) -> None:
    chat.toggle_curation()
    chat.toggle_plan()
    assert [one.text() for one in chips(chat)] == ["Choose passages before answering", "Plan first"]
    first = chips(chat)[0]
    assert first.accessibleName() == "Switch off: Choose passages before answering"
    qtbot.mouseClick(first, Qt.MouseButton.LeftButton)
    assert [one.text() for one in chips(chat)] == ["Plan first"]
    assert not options(chat).curation.isChecked()


def test_the_filter_is_ticked_while_its_line_is_open(chat: ChatPane) -> None:
    options(chat).filter.trigger()
    assert options(chat).filter.isChecked()
    options(chat).filter.trigger()
    assert not options(chat).filter.isChecked()


def test_options_are_offered_once_there_are_documents(
    qtbot: QtBot, qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = FakeBridge()
    chat = shown_chat(qtbot, bridge, monkeypatch)
    bridge.last("list_documents").succeed([])
    assert not options(chat).isVisible()


def test_an_answerer_without_plans_refuses_the_option(chat: ChatPane) -> None:
    assert chat.toggle_plan()
    chat._answers.surroundings.answerer_changed.emit(Answerer())
    assert not chat.toggle_plan()
    assert chips(chat) == []


def test_chips_in_large_text_do_not_widen_the_chat(qtbot: QtBot, chat: ChatPane) -> None:
    chat.toggle_curation()
    chat.toggle_plan()
    chat.resize(320, 500)
    qtbot.waitUntil(lambda: chips(chat)[1].y() > chips(chat)[0].y())
    assert chat.width() == 320

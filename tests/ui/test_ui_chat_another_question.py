"""Replacement of a question by another one."""

import pytest
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot
from test_ui_accessible_names import nameless
from ui_fake_worker import FakeBridge, fake_operations, shown_chat
from ui_runs import run, session

from workbench.ui.chat.pane import ChatPane
from workbench.ui.chat.run_card import AskInsteadDialog


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake_operations(monkeypatch)
    return FakeBridge()


@pytest.fixture
def chat(qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> ChatPane:
    chat = shown_chat(qtbot, bridge, monkeypatch)
    chat.open_session(session(run(), run(number=2)))
    qtbot.waitUntil(lambda: all(card.is_finished for card in chat.cards))
    return chat


def opened(chat: ChatPane) -> AskInsteadDialog:
    chat.cards[0].findChild(QAction, "Ask differently").trigger()
    (dialog,) = chat.window().findChildren(AskInsteadDialog)
    return dialog


def test_it_begins_with_the_old_question_and_asks_only_another_one(chat: ChatPane) -> None:
    dialog = opened(chat)
    assert nameless(dialog) == []
    assert dialog._text.toPlainText() == chat.cards[0].transcript.question
    assert not dialog._ask.isEnabled()
    dialog._text.setPlainText("  \n")
    assert not dialog._ask.isEnabled()


def test_it_is_asked_in_the_place_of_that_run_and_answered_below_the_others(chat: ChatPane, bridge: FakeBridge) -> None:
    old = chat.cards[0].transcript.run
    assert old is not None
    dialog = opened(chat)
    dialog._text.setPlainText(" And in 2023?\n")
    dialog._ask.click()
    job = bridge.last("fork_run")
    assert job.args == (old.id,)
    assert job.kwargs["question"] == "And in 2023?"
    assert chat.running
    assert [card.transcript.question for card in chat.cards][-1] == "And in 2023?"
    assert len(chat.cards) == 3


def test_an_answer_under_way_offers_no_other_question(chat: ChatPane) -> None:
    chat.ask("What now?")
    assert chat.cards[-1].findChild(QAction, "Ask differently") is None


def test_while_an_answer_is_under_way_it_waits_for_its_end(chat: ChatPane, bridge: FakeBridge) -> None:
    chat.ask("What now?")
    dialog = opened(chat)
    dialog._text.setPlainText("And in 2023?")
    dialog._ask.click()
    assert len(chat.cards) == 3
    bridge.last("ask").succeed(run(number=3, question="What now?"))
    assert bridge.last("fork_run").kwargs["question"] == "And in 2023?"
    assert [card.transcript.question for card in chat.cards][2:] == ["What now?", "And in 2023?"]

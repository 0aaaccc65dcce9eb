"""Replay of the events of an answer."""

from dataclasses import replace

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, shown_chat
from ui_runs import run, session

from workbench.model.message import Usage
from workbench.model.run import AnswerDelta, TimedEvent, ToolCompleted, ToolStarted, TurnCompleted
from workbench.ui.chat.answer_replay import ResultDialog, Scrubber
from workbench.ui.chat.citation_preview import CitationPreview
from workbench.ui.chat.run_card import RunCard
from workbench.ui.chat.transcript import Transcript
from workbench.ui.theme import Theme

RUN = run()


@pytest.fixture
def around(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def card(around: QWidget) -> RunCard:
    theme = Theme(choice="light")
    return RunCard(theme, CitationPreview(theme, around), Transcript.of_run(RUN), around)


def place_of(kind: type) -> int:
    return next(number for number, timed in enumerate(RUN.events) if isinstance(timed.event, kind))


def scrubber_of(card: RunCard) -> Scrubber:
    card.findChild(QAction, "Replay").trigger()
    assert card._replay.scrubber is not None
    return card._replay.scrubber


def test_an_answer_is_shown_in_its_state_after_the_chosen_event(card: RunCard) -> None:
    scrubber = scrubber_of(card)
    scrubber.go_to(place_of(ToolStarted) + 1)
    assert [step.running for step in card._steps._steps] == [True]
    assert not card._steps.folded
    assert card._answer.toPlainText() == ""
    scrubber.go_to(place_of(AnswerDelta) + 1)
    assert "Sales rose" in card._answer.toPlainText()
    scrubber.go_to(len(RUN.events))
    assert card._replay.past is None


def test_closing_the_replay_shows_the_whole_answer_again(card: RunCard) -> None:
    scrubber = scrubber_of(card)
    scrubber.go_to(1)
    assert card._answer.toPlainText() == ""
    scrubber.closed.emit()
    assert card._replay.scrubber is None
    assert "Sales rose" in card._answer.toPlainText()


def test_playing_goes_through_every_event_from_the_first_and_ends(qtbot: QtBot, card: RunCard) -> None:
    scrubber, shown = scrubber_of(card), list[int]()
    scrubber.moved.connect(shown.append)
    scrubber._play.click()
    assert scrubber.playing
    qtbot.waitUntil(lambda: shown[-1] == len(RUN.events), timeout=10_000)
    assert shown == list(range(1, len(RUN.events) + 1))
    assert not scrubber.playing
    assert scrubber._play.text() == "Play"


def test_the_scrubber_shows_its_position_with_time_and_event(card: RunCard) -> None:
    scrubber = scrubber_of(card)
    scrubber.go_to(place_of(ToolStarted) + 1)
    assert scrubber._place.text() == f"2 of {len(RUN.events)} · 0.1 s · tool started"
    assert scrubber._slider.accessibleDescription() == scrubber._place.text()


def test_a_run_under_way_cannot_be_replayed(around: QWidget) -> None:
    theme = Theme(choice="light")
    live = RunCard(theme, CitationPreview(theme, around), Transcript("How?"), around)
    assert live.findChild(QAction, "Replay") is None


def test_an_answer_continues_from_a_tool_result_that_the_reader_changed(
    qtbot: QtBot, qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = FakeBridge()
    chat = shown_chat(qtbot, bridge, monkeypatch)
    turn = TimedEvent(99, 1.4, TurnCompleted(1, Usage(), "stop", 5.0))
    kept = replace(RUN, events=(*RUN.events, turn))
    chat.open_session(session(kept))
    card = chat.cards[0]
    scrubber = scrubber_of(card)
    assert scrubber._change.isHidden()
    scrubber.go_to(place_of(ToolCompleted) + 1)
    scrubber._change.click()
    dialog = chat.window().findChildren(ResultDialog)[0]
    assert not dialog._go_on.isEnabled()
    dialog._text.setPlainText("Something else.")
    dialog._go_on.click()
    job = bridge.last("fork_run")
    assert job.args == (kept.id, place_of(ToolCompleted))
    assert job.kwargs["result"] == "Something else."
    assert chat.running
    assert len(chat.cards) == 2


def test_an_answer_of_an_earlier_version_cannot_be_continued_from_a_tool_result(card: RunCard) -> None:
    scrubber = scrubber_of(card)
    scrubber.go_to(place_of(ToolCompleted) + 1)
    assert scrubber._change.isHidden()

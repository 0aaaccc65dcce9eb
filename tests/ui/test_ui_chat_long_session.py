"""A long session: its cards are made when the reader gets to them, and put away again when a new question is asked."""

import pytest
from pytestqt.qtbot import QtBot
from ui_runs import run

from workbench.model.run import Run
from workbench.ui.chat.preview import CitationPreview
from workbench.ui.chat.run_cards import RunCards
from workbench.ui.chat.timeline import Timeline
from workbench.ui.chat.transcript import Transcript
from workbench.ui.chat.transcripts import Transcripts
from workbench.ui.theme import Theme

RUNS = [run(f"Answer {number} [1].", number=number) for number in range(1, 41)]


@pytest.fixture
def cards(qtbot: QtBot) -> RunCards:
    theme = Theme(choice="light")
    timeline = Timeline(theme)
    qtbot.addWidget(timeline)
    timeline.resize(600, 400)
    timeline.show()
    return RunCards(theme, timeline, CitationPreview(theme, timeline), timeline)


def shown(cards: RunCards) -> list[str]:
    return [card.transcript.answer for card in cards.cards]


def test_transcripts_are_made_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    of_run = Transcript.of_run

    def counted(kept: Run) -> Transcript:
        made.append(kept.id)
        return of_run(kept)

    monkeypatch.setattr(Transcript, "of_run", counted)
    transcripts = Transcripts(RUNS)
    assert (len(transcripts), len(transcripts[:-2]), made) == (40, 38, [])
    assert transcripts[-1].answer == "Answer 40 [1]."
    assert [transcript.answer for transcript in transcripts[1:3]] == ["Answer 2 [1].", "Answer 3 [1]."]
    assert made == [40, 2, 3]


def test_a_new_question_puts_the_oldest_cards_away_and_scrolling_up_brings_them_back(cards: RunCards) -> None:
    cards.show(Transcripts(RUNS))
    while cards.make_earlier():
        pass
    assert len(cards.cards) == 40
    asked = Transcript("And now?")
    cards.add(asked)
    assert 2 <= len(cards.cards) < 12
    assert cards.cards[-1].transcript is asked
    while cards.make_earlier():
        pass
    assert shown(cards) == [*(kept.answer for kept in RUNS), ""]


def test_a_card_that_is_put_away_keeps_its_transcript(cards: RunCards) -> None:
    cards.show(Transcripts(()))
    asked = [Transcript(f"Question {number}?") for number in range(20)]
    for transcript in asked:
        cards.add(transcript)
    while cards.make_earlier():
        pass
    assert [card.transcript for card in cards.cards] == asked

"""Long sessions: only the cards near the viewport exist, created in small steps, without jumps of the view."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from ui_runs import citations, hit, run

from workbench.model.run import Run
from workbench.ui.chat.answer_document import AnswerText
from workbench.ui.chat.answer_view import AnswerView
from workbench.ui.chat.citation_preview import CitationPreview
from workbench.ui.chat.run_card import RunCard
from workbench.ui.chat.run_cards import RunCards
from workbench.ui.chat.timeline import Timeline
from workbench.ui.chat.transcript import Transcript, Transcripts
from workbench.ui.theme import Theme

pytestmark = pytest.mark.usefixtures("warm_readers")
RUNS = [run(f"Answer {number} [1].", number=number) for number in range(1, 201)]
LONG = "".join(f"The ice of the year {year} was *thick* [1].\n\n" for year in range(1600, 1900))


@pytest.fixture
def theme() -> Theme:
    return Theme(choice="light")


@pytest.fixture
def timeline(qtbot: QtBot, theme: Theme) -> Timeline:
    timeline = Timeline(theme)
    qtbot.addWidget(timeline)
    timeline.resize(600, 400)
    timeline.show()
    return timeline


@pytest.fixture
def cards(theme: Theme, timeline: Timeline) -> RunCards:
    return RunCards(theme, timeline, CitationPreview(theme, timeline), timeline)


def top_of(cards: RunCards, timeline: Timeline, number: int) -> int:
    """Return the y coordinate of an answer's card in the view, far away if the card does not exist."""
    card = cards.card(number)
    return card.mapTo(timeline.viewport(), QPoint(0, 0)).y() if card is not None else -10_000


def show(qtbot: QtBot, cards: RunCards, number: int) -> RunCard:
    """Scroll to an answer and return its card once it exists."""
    cards.show_row(number)
    qtbot.waitUntil(lambda: cards.card(number) is not None)
    card = cards.card(number)
    assert card is not None
    return card


def test_transcripts_are_made_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    of_run = Transcript.of_run

    def counted(kept: Run) -> Transcript:
        made.append(kept.id)
        return of_run(kept)

    monkeypatch.setattr(Transcript, "of_run", counted)
    transcripts = Transcripts(RUNS)
    assert (len(transcripts), len(transcripts[:-2]), transcripts.place(40), made) == (200, 198, 39, [])
    assert transcripts[-1].answer == "Answer 200 [1]."
    assert [transcript.answer for transcript in transcripts[1:3]] == ["Answer 2 [1].", "Answer 3 [1]."]
    assert made == [200, 2, 3]


def test_few_cards_are_there_wherever_one_scrolled(qtbot: QtBot, cards: RunCards, timeline: Timeline) -> None:
    cards.show(Transcripts(RUNS))
    for number in (150, 20, 100, 0, 199):
        show(qtbot, cards, number)
        assert 0 <= top_of(cards, timeline, number) < timeline.height()
    qtbot.waitUntil(lambda: len(cards.cards) < 20)
    assert cards.cards[-1].transcript.answer == "Answer 200 [1]."


def test_each_turn_of_the_event_loop_makes_one_card_at_most(cards: RunCards, timeline: Timeline) -> None:
    cards.show(Transcripts(RUNS))
    timeline.reveal(50)
    made: list[int] = []
    while cards.card(50) is None:
        before = len(cards.cards)
        cards._on_turn()
        made.append(len(cards.cards) - before)
    assert max(made) == 1
    assert sum(made) < len(made)


def test_cards_that_come_above_do_not_move_what_is_read(qtbot: QtBot, cards: RunCards, timeline: Timeline) -> None:
    cards.show(Transcripts(RUNS))
    show(qtbot, cards, 100)
    seen: set[int] = set()
    cards.finished.connect(lambda _: seen.add(top_of(cards, timeline, 100)))
    qtbot.waitUntil(lambda: cards.card(99) is not None)
    assert seen == {20}


def test_a_screen_reader_meets_the_cards_in_their_order(qtbot: QtBot, cards: RunCards, timeline: Timeline) -> None:
    cards.show(Transcripts(RUNS))
    show(qtbot, cards, 100)
    qtbot.waitUntil(lambda: len(cards.cards) > 4)
    assert [card for card in timeline.column.children() if card in cards.cards] == list(cards.cards)


def test_a_new_question_is_put_below_and_the_oldest_cards_go(qtbot: QtBot, cards: RunCards, timeline: Timeline) -> None:
    cards.show(Transcripts(RUNS))
    show(qtbot, cards, 10)
    asked = Transcript("And now?")
    cards.add(asked)
    timeline.follow()
    assert cards.cards[-1].transcript is asked
    qtbot.waitUntil(lambda: all(card.transcript is asked or card.transcript.run.id > 100 for card in cards.cards))


def test_a_card_that_was_put_away_shows_the_same_transcript(qtbot: QtBot, cards: RunCards) -> None:
    asked = [Transcript(f"Question {number}?") for number in range(60)]
    cards.show(Transcripts(()))
    for transcript in asked:
        cards.add(transcript)
        transcript.cancel()
        cards.refresh(transcript)
    show(qtbot, cards, 59)
    show(qtbot, cards, 30)
    assert show(qtbot, cards, 0).transcript is asked[0]


def test_a_card_that_the_reader_unfolded_is_kept(qtbot: QtBot, cards: RunCards) -> None:
    cards.show(Transcripts(RUNS))
    card = show(qtbot, cards, 100)
    card.findChild(QAction, "Replay").trigger()
    show(qtbot, cards, 5)
    qtbot.waitUntil(lambda: len(cards.cards) < 20)
    assert card in cards.cards


def test_the_answer_with_the_keyboard_is_kept(qtbot: QtBot, cards: RunCards, timeline: Timeline) -> None:
    cards.show(Transcripts(RUNS))
    timeline.activateWindow()
    card = show(qtbot, cards, 100)
    button = card.findChild(QPushButton, "Ask again")
    button.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(button.hasFocus)
    show(qtbot, cards, 5)
    assert card in cards.cards


def test_a_long_answer_comes_part_by_part_and_is_the_same_then(
    qtbot: QtBot, cards: RunCards, theme: Theme, timeline: Timeline
) -> None:
    kept = run(LONG, number=1)
    cards.show(Transcripts([kept]))
    (card,) = cards.cards
    assert not card.go_on()
    assert 0 < len(card.findChild(AnswerView).toPlainText()) < 3000
    qtbot.waitUntil(lambda: card.is_finished)
    at_once = RunCard(theme, CitationPreview(theme, timeline), Transcript.of_run(kept), timeline)
    assert card.findChild(AnswerView).toHtml() == at_once.findChild(AnswerView).toHtml()


def test_the_text_without_a_view_is_that_of_the_view(qtbot: QtBot, theme: Theme) -> None:
    answer = f"# Ice [1]\n\n| year | days |\n|---|---|\n| 1893 | $x^2$ [2][9] |\n\n```python\npass\n```\n\n{LONG}"
    cited = citations(answer, hit(1), hit(2))
    view, text = AnswerView(theme), AnswerText(theme, answer, cited)
    qtbot.addWidget(view)
    view.show_answer(answer, cited)
    while not view.is_whole:
        view.go_on()
    # In both, a code block has a picture for its copy button in the corner.
    found = next(found for found in iter(text.go_on, 0) if found is not None)
    assert found == view.toPlainText()


def test_another_theme_lets_what_is_in_sight_be_dressed_first(
    qtbot: QtBot, cards: RunCards, theme: Theme, timeline: Timeline
) -> None:
    theme.apply()
    cards.show(Transcripts([*RUNS[:10], run(LONG, number=11)]))
    qtbot.waitUntil(lambda: cards.card(10) is not None)
    height, end = cards.cards[-1].height(), timeline.verticalScrollBar().value()
    theme.choose("dark")
    assert cards.card(10) is None
    assert (cards.cards[-1].height(), timeline.verticalScrollBar().value()) == (height, end)
    qtbot.waitUntil(lambda: cards.card(10) is not None)
    assert (cards.cards[-1].height(), timeline.verticalScrollBar().value()) == (height, end)
    assert theme.tokens().accent in cards.cards[-1].findChild(AnswerView).document().defaultStyleSheet()


def test_a_wheel_up_through_the_session_meets_every_answer(qtbot: QtBot, cards: RunCards, timeline: Timeline) -> None:
    cards.show(Transcripts(RUNS[:40]))
    met: set[int] = set()
    cards.finished.connect(met.add)
    bar = timeline.verticalScrollBar()
    while bar.value() > 0:
        bar.setValue(bar.value() - 150)
        first = timeline.rows_near(0).start
        qtbot.waitUntil(lambda first=first: cards.card(first) is not None)
    assert met | {39} == set(range(40))


def test_scrolling_without_a_pause_does_not_accumulate_cards(cards: RunCards, timeline: Timeline) -> None:
    cards.show(Transcripts(RUNS))
    most = 0
    for number in range(190, 0, -2):
        timeline.reveal(number)
        for _ in range(4):
            cards._on_turn()
        most = max(most, len(cards.cards))
    assert most <= 26

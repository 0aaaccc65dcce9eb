"""Choice of passages in the window between the search and the answer."""

import dataclasses

import pytest
from fakes import make_hit
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, FakeJob, shown_chat

from workbench.model.approval import CurationAsked, CurationGiven, PassageChoice
from workbench.model.hit import Hit
from workbench.model.run import RunBegan, RunEvent, RunStarted, TimedEvent, ToolCompleted, ToolStarted
from workbench.ui.chat.curation_card import CurationCard, CurationList
from workbench.ui.chat.pane import ChatPane
from workbench.ui.chat.transcript import Transcript
from workbench.ui.theme import Theme

FIRST, SECOND, THIRD, FOURTH = (make_hit(f"Passage {number} 港口.", chunk=number) for number in (1, 2, 3, 4))
ASKED = CurationAsked(1, "ferry", (FIRST, SECOND, THIRD))
SEARCH = ToolStarted("c1", "search_knowledge_base", '{"query": "ferry"}')


def made(qtbot: QtBot, asked: CurationAsked = ASKED) -> CurationCard:
    card = CurationCard(Theme(choice="light"), asked)
    qtbot.addWidget(card)
    card.show()
    return card


@pytest.fixture
def card(qtbot: QtBot) -> CurationCard:
    return made(qtbot)


def rows(card: CurationCard) -> CurationList:
    return card.findChildren(CurationList)[0]


def press(qtbot: QtBot, card: CurationCard, text: str) -> None:
    button = next(one for one in card.findChildren(QPushButton) if one.text() == text)
    # A card that was just added to the chat is scrolled into view after its layout.
    qtbot.waitUntil(lambda: button.visibleRegion().contains(button.rect().center()))
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def said(card: CurationCard) -> str:
    return " ".join(label.text() for label in card.findChildren(QLabel) if label.isVisibleTo(card))


def choice(qtbot: QtBot, card: CurationCard, button: str = "Answer with selected") -> PassageChoice:
    with qtbot.waitSignal(card.chosen) as chosen:
        press(qtbot, card, button)
    return chosen.args[1]  # type: ignore[no-any-return]


def ids(hits: tuple[Hit, ...]) -> list[int]:
    return [hit.chunk.id for hit in hits]


def test_a_row_reads_as_plain_text_without_its_heading(qtbot: QtBot) -> None:
    table = make_hit("## Fees\n| Berth | Euros |\n|---|---|\n| **North** | 9 |", chunk=1)
    table = dataclasses.replace(table, chunk=dataclasses.replace(table.chunk, headings=("Fees",)))
    card = made(qtbot, CurationAsked(1, "fees", (table,)))
    assert rows(card).item(0).text().splitlines()[1] == "Berth · Euros North · 9"


def test_only_ticked_passages_are_passed_on_in_the_order_of_the_list(qtbot: QtBot, card: CurationCard) -> None:
    card.focus()
    qtbot.keyClick(rows(card), Qt.Key.Key_Space)
    qtbot.keyClick(rows(card), Qt.Key.Key_End)
    qtbot.keyClick(rows(card), Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert ids(choice(qtbot, card).hits) == [3, 2]
    assert not card.isEnabled()


def test_answer_with_all_passes_on_every_found_passage_regardless_of_ticks(qtbot: QtBot, card: CurationCard) -> None:
    qtbot.keyClick(rows(card), Qt.Key.Key_Space)
    assert ids(choice(qtbot, card, "Answer with all").hits) == [1, 2, 3]


def test_the_count_follows_the_ticks(qtbot: QtBot, card: CurationCard) -> None:
    assert "3 of 3 passages, about 9 tokens." in said(card)
    qtbot.keyClick(rows(card), Qt.Key.Key_Space)
    assert "2 of 3 passages, about 6 tokens." in said(card)


def test_passages_that_exceed_the_context_window_show_a_warning(qtbot: QtBot) -> None:
    card = made(qtbot, CurationAsked(1, "ferry", (FIRST, SECOND), room=4))
    assert "about 4 fit in the context window, so sentences will be left out" in said(card)
    qtbot.keyClick(rows(card), Qt.Key.Key_Space)
    assert "about 3 of about 4 tokens" in said(card)


def test_e32_only_pinned_passages_are_ticked_when_no_passage_reaches_the_users_minimum_relevance(qtbot: QtBot) -> None:
    card = made(qtbot, CurationAsked(1, "ferry", (FIRST, SECOND), pinned=(1,), is_relevant=False))
    assert "No passage reaches the minimum relevance that you set" in said(card)
    assert ids(rows(card).chosen) == [1]


def test_e32_all_is_ticked_where_the_search_is_only_not_sure(qtbot: QtBot) -> None:
    card = made(qtbot, CurationAsked(1, "ferry", (FIRST, SECOND), is_sure=False))
    assert "may not answer the question" in said(card)
    assert ids(rows(card).chosen) == [1, 2]


def test_a_pinned_passage_is_labelled_and_returned_with_the_choice(qtbot: QtBot, card: CurationCard) -> None:
    rows(card).setCurrentRow(1)
    press(qtbot, card, "Pin")
    assert "pinned" in rows(card).item(1).text()
    assert choice(qtbot, card).pinned == (2,)


def test_surrounding_passages_are_inserted_next_to_their_passage_without_duplicates(
    qtbot: QtBot, card: CurationCard
) -> None:
    rows(card).setCurrentRow(1)
    with qtbot.waitSignal(card.around_wanted) as wanted:
        press(qtbot, card, "Add surrounding text")
    assert wanted.args == [SECOND]
    card.show_around({2: (FOURTH, THIRD)})
    card.show_around({2: (FOURTH, THIRD)})
    assert ids(rows(card).chosen) == [1, 4, 2, 3]


def chat_with_search(qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> tuple[ChatPane, FakeJob]:
    chat = shown_chat(qtbot, bridge, monkeypatch)
    chat.ask("When does the ferry go?")
    job = bridge.last("ask")
    job.emit(RunBegan(4, 9))
    events: tuple[RunEvent, ...] = (RunStarted("When does the ferry go?", "offline", "Offline"), SEARCH, ASKED)
    for number, event in enumerate(events):
        job.emit(TimedEvent(number, number / 10, event))
    qtbot.waitUntil(lambda: bool(chat.cards[0].findChildren(CurationCard)))
    return chat, job


def test_a_search_that_waits_is_answered_in_the_chat(
    qtbot: QtBot, qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = FakeBridge()
    chat, _job = chat_with_search(qtbot, bridge, monkeypatch)
    press(qtbot, chat.cards[0].findChildren(CurationCard)[0], "Answer with selected")
    chosen = bridge.last("choose_passages")
    assert (chosen.args, chosen.kwargs) == ((9, 1, (FIRST, SECOND, THIRD)), {"pinned": ()})


@pytest.mark.parametrize("written", ["", "And back?"])
def test_a_search_that_waits_takes_the_focus_only_from_the_empty_question_field(
    qtbot: QtBot, qapp: object, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    bridge = FakeBridge()
    chat = shown_chat(qtbot, bridge, monkeypatch)
    chat.focus_composer()
    chat.ask("When does the ferry go?")
    chat.question_field.setPlainText(written)
    job = bridge.last("ask")
    job.emit(RunBegan(4, 9))
    for number, event in enumerate((RunStarted("When?", "offline", "Offline"), SEARCH, ASKED)):
        job.emit(TimedEvent(number, number / 10, event))
    qtbot.waitUntil(lambda: bool(chat.cards[0].findChildren(CurationCard)))
    expected = chat.question_field if written else rows(chat.cards[0].findChildren(CurationCard)[0])
    assert chat.window().focusWidget() is expected


def test_the_neighbours_come_from_the_library(qtbot: QtBot, qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    bridge = FakeBridge()
    chat, _job = chat_with_search(qtbot, bridge, monkeypatch)
    card = chat.cards[0].findChildren(CurationCard)[0]
    press(qtbot, card, "Add surrounding text")
    bridge.last("passages_around").succeed((None, FOURTH))
    qtbot.waitUntil(lambda: ids(rows(card).chosen) == [1, 4, 2, 3])


def test_a_passage_is_shown_in_its_document(qtbot: QtBot, qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    chat, _job = chat_with_search(qtbot, FakeBridge(), monkeypatch)
    with qtbot.waitSignal(chat.citation_activated) as shown:
        press(qtbot, chat.cards[0].findChildren(CurationCard)[0], "Show in document")
    assert (shown.args[0].chunk, shown.args[0].quote) == (1, FIRST.chunk.text)


def test_only_what_is_asked_with_the_switch_on_waits(
    qtbot: QtBot, qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = FakeBridge()
    chat = shown_chat(qtbot, bridge, monkeypatch)
    chat.ask("When does the ferry go?")
    assert bridge.last("ask").kwargs["curator"] is None
    bridge.last("ask").end_cancelled()
    bridge.last("list_sessions").succeed([])
    chat.toggle_curation()
    chat.ask("When does the ferry go?")
    assert bridge.last("ask").kwargs["curator"] is not None


def test_the_step_shows_how_many_passages_were_chosen_and_the_card_disappears() -> None:
    transcript = Transcript("When does the ferry go?")
    given = CurationGiven(1, (4, 1), left_out=2, added=1)
    for number, event in enumerate((SEARCH, ASKED, given, ToolCompleted("c1", "search_knowledge_base", "[]", 2.0))):
        transcript.feed(TimedEvent(number, 0.1, event))
    assert (transcript.curation, transcript.waiting) == (None, False)
    assert transcript.steps[0].note == "2 of 4 passages chosen by you."

import gc
import weakref
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, shown_chat
from ui_runs import document, hit, run, run_events, session

from workbench.errors import NotFound
from workbench.model.claim import Claim, Doubt, Verdict
from workbench.model.document import DocumentStatus
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved
from workbench.model.profile import OFFLINE, ModelProfile
from workbench.model.run import ClaimsChecked, RunStatus, TimedEvent
from workbench.model.session import SessionInfo
from workbench.settings import Settings
from workbench.ui.chat.composer import Composer
from workbench.ui.chat.empty_state import EmptyState
from workbench.ui.chat.pane import ChatPane
from workbench.ui.chat.timeline import Timeline


@pytest.fixture
def bridge(qapp: object) -> FakeBridge:
    return FakeBridge()


@pytest.fixture
def chat(qtbot: QtBot, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch) -> ChatPane:
    return shown_chat(qtbot, bridge, monkeypatch)


def words(widget: object) -> str:
    return " ".join(label.text() for label in widget.findChildren(QLabel))  # type: ignore[attr-defined]


def test_question_is_asked_in_a_new_session(chat: ChatPane, bridge: FakeBridge) -> None:
    chat.ask("How did sales do?")
    job = bridge.last("ask")
    assert job.args == ("How did sales do?",)
    assert job.kwargs["session"] is None
    assert chat.running


def test_events_appear_while_the_run_is_in_progress(qtbot: QtBot, chat: ChatPane, bridge: FakeBridge) -> None:
    chat.ask("How did sales do?")
    for event in run_events()[:9]:
        bridge.last("ask").emit(event)
    qtbot.waitUntil(lambda: "Sales rose" in chat.cards[0]._answer.toPlainText())
    assert chat.cards[0].transcript.running


def test_finished_run_is_emitted_and_its_session_continues(qtbot: QtBot, chat: ChatPane, bridge: FakeBridge) -> None:
    chat.ask("How did sales do?")
    kept = run()
    with qtbot.waitSignals([chat.run_selected, chat.session_changed]):
        bridge.last("ask").succeed(kept)
    assert not chat.running
    assert chat.session == kept.session
    chat.ask("And then?")
    assert bridge.last("ask").kwargs["session"] == kept.session


def test_stop_cancels_the_job_and_fetches_what_was_kept(chat: ChatPane, bridge: FakeBridge) -> None:
    chat.ask("How did sales do?")
    job = bridge.last("ask")
    chat.stop()
    assert job.cancelled
    job.end_cancelled()
    bridge.last("list_sessions").succeed([SessionInfo(7, "x", "", "", 1)])
    bridge.last("open_session").succeed(session(run(status=RunStatus.CANCELLED)))
    assert not chat.running
    assert chat.session == 7
    assert "You stopped this answer" in words(chat.cards[0])


def test_a_stopped_answer_is_checked_after_the_stop_and_shows_the_result(chat: ChatPane, bridge: FakeBridge) -> None:
    chat.ask("How did sales do?")
    chat.stop()
    bridge.last("ask").end_cancelled()
    bridge.last("list_sessions").succeed([SessionInfo(7, "x", "", "", 1)])
    stopped = run("Sales rose [1]. Costs", status=RunStatus.CANCELLED)
    bridge.last("open_session").succeed(session(stopped))
    assert "What it had written is kept. Its last sentence may be unfinished." in words(chat.cards[0])
    check = bridge.last("check_stopped_answer")
    claims = (Claim(0, 15, "Sales rose.", Verdict.UNSUPPORTED, (Doubt.LITTLE_IN_PASSAGE,)),)
    event = TimedEvent(len(stopped.events), stopped.seconds, ClaimsChecked(claims))
    check.succeed(replace(stopped, events=(*stopped.events, event)))
    assert "the sentences before it were checked." in words(chat.cards[0])
    assert chat.cards[0].transcript.claims == claims


def test_a_stopped_answer_without_text_is_not_checked(chat: ChatPane, bridge: FakeBridge) -> None:
    chat.ask("How did sales do?")
    chat.stop()
    bridge.last("ask").end_cancelled()
    bridge.last("list_sessions").succeed([SessionInfo(7, "x", "", "", 1)])
    bridge.last("open_session").succeed(session(run("", status=RunStatus.CANCELLED)))
    assert "Nothing was written yet." in words(chat.cards[0])
    assert "check_stopped_answer" not in [job.name for job in bridge.jobs]


def test_escape_stops(qtbot: QtBot, chat: ChatPane, bridge: FakeBridge) -> None:
    chat.ask("How did sales do?")
    qtbot.keyClick(chat, Qt.Key.Key_Escape)
    assert bridge.last("ask").cancelled


def test_second_question_waits_in_the_field_while_one_is_answered(chat: ChatPane, bridge: FakeBridge) -> None:
    chat.ask("First?")
    chat.ask("Second?")
    assert [job.args for job in bridge.jobs if job.name == "ask"] == [("First?",)]
    assert chat.findChild(Composer).text == "Second?"


def test_error_of_the_library_is_shown_with_its_hint(chat: ChatPane, bridge: FakeBridge) -> None:
    chat.ask("How did sales do?")
    bridge.last("ask").fail(NotFound("There is no profile “x”.", "Choose another."))
    shown = words(chat.cards[0])
    assert "There is no profile “x”." in shown
    assert "Choose another." in shown


def test_bug_is_shown_as_one_calm_sentence(chat: ChatPane, bridge: FakeBridge) -> None:
    chat.ask("How did sales do?")
    bridge.last("ask").fail(KeyError("secret detail"))
    assert "internal error" in words(chat.cards[0])
    assert "secret detail" not in words(chat.cards[0])


def test_ask_again_makes_a_new_run_and_keeps_the_old(chat: ChatPane, bridge: FakeBridge) -> None:
    chat.open_session(session(run()))
    chat.cards[0].ask_again.emit("How did sales do?")
    assert len(chat.cards) == 2
    assert bridge.last("ask").kwargs["session"] == 7


def test_opening_a_session_shows_every_run(qtbot: QtBot, chat: ChatPane) -> None:
    with qtbot.waitSignal(chat.run_selected) as selected:
        chat.open_session(session(run(number=1), run("Margins held [2].", number=2)))
    assert [card.transcript.answer for card in chat.cards] == ["Sales rose [1].", "Margins held [2]."]
    assert selected.args[0].id == 2


def test_long_session_opens_at_its_end_and_is_there_wherever_one_scrolls(qtbot: QtBot, chat: ChatPane) -> None:
    chat.open_session(session(*(run(f"Answer {number}.", number=number) for number in range(60))))
    assert [card.transcript.answer for card in chat.cards][-1] == "Answer 59."
    bar = chat.findChild(Timeline).verticalScrollBar()
    assert 0 < bar.value() == bar.maximum()
    for share, number in ((0.5, 30), (0.0, 0), (1.0, 59)):
        bar.setValue(round(share * bar.maximum()))
        qtbot.waitUntil(lambda number=number: f"Answer {number}." in in_sight(chat))
        assert len(chat.cards) < 40


def in_sight(chat: ChatPane) -> list[str]:
    """Return the answers that are at least partly visible."""
    seen = (card for card in chat.cards if card.is_finished and not card.visibleRegion().isEmpty())
    return [card.transcript.answer for card in seen]


def test_tall_window_is_filled_without_scrolling(qtbot: QtBot, chat: ChatPane) -> None:
    chat.resize(600, 4000)
    chat.open_session(session(*(run(number=number) for number in range(6))))
    qtbot.waitUntil(lambda: len(chat.cards) == 6)


def test_run_continues_when_another_session_is_opened(chat: ChatPane, bridge: FakeBridge) -> None:
    chat.open_session(session(run()))
    chat.ask("More?")
    job = bridge.last("ask")
    chat.open_session(None)
    assert not chat.running
    assert not job.cancelled
    chat.open_session(session(run(), run(number=2, status=RunStatus.RUNNING, answer="")))
    assert chat.running
    assert [card.transcript.question for card in chat.cards] == ["How did sales do?", "More?"]


def test_end_of_a_run_elsewhere_does_not_touch_what_is_shown(qtbot: QtBot, chat: ChatPane, bridge: FakeBridge) -> None:
    chat.ask("Elsewhere?")
    job = bridge.last("ask")
    chat.open_session(None)
    with qtbot.waitSignal(chat.session_updated) as updated, qtbot.assertNotEmitted(chat.session_changed):
        job.succeed(run())
    assert updated.args == [7]
    assert chat.session is None
    assert chat.cards == ()


def test_activated_citation_is_emitted_to_listeners(qtbot: QtBot, chat: ChatPane) -> None:
    chat.open_session(session(run()))
    with qtbot.waitSignals([chat.run_selected, chat.citation_activated]):
        chat.cards[0]._answer.citation_activated.emit(run().citations[0])


def test_empty_state_follows_the_library(chat: ChatPane, bridge: FakeBridge) -> None:
    empty = chat.findChild(EmptyState)
    assert "Add documents" in words(empty)
    bridge.last("list_documents").succeed([document(1)])
    assert "Ask about your documents" in words(empty)
    bridge.domain_event.emit(DocumentsRemoved((1,)))
    assert "Add documents" in words(empty)
    bridge.domain_event.emit(DocumentChanged(document(2)))
    assert "Ask about your documents" in words(empty)


def test_a_change_of_settings_lists_no_documents_again(chat: ChatPane, bridge: FakeBridge) -> None:
    chat.refresh()
    asked = [job.name for job in bridge.jobs]
    assert (asked.count("list_documents"), asked.count("load_settings")) == (1, 2)


def test_failed_documents_cannot_be_asked_about(chat: ChatPane, bridge: FakeBridge) -> None:
    bridge.last("list_documents").succeed([replace(document(1), status=DocumentStatus.FAILED)])
    assert "Add documents" in words(chat.findChild(EmptyState))


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        (ModelProfile("m", "http://localhost:8080/v1", "qwen"), "qwen answers on this computer"),
        (
            ModelProfile("m", "https://api.example.org/v1", "big"),
            "at api.example.org answers. Your question and the passages",
        ),
    ],
)
def test_line_below_the_field_shows_where_the_question_is_sent(
    chat: ChatPane, bridge: FakeBridge, profile: ModelProfile, said: str
) -> None:
    bridge.last("load_settings").succeed(Settings(profile=profile.name))
    bridge.last("list_profiles").succeed([OFFLINE, profile])
    assert said in words(chat.findChild(Composer))


def test_line_below_the_field_is_empty_when_offline(chat: ChatPane) -> None:
    assert words(chat.findChild(Composer)).strip() == ""


def test_closed_cards_are_freed(qtbot: QtBot, chat: ChatPane) -> None:
    chat.open_session(session(run(), run(number=2)))
    gone = [weakref.ref(card) for card in chat.cards]
    chat.open_session(None)
    qtbot.wait(1)
    gc.collect()
    assert [ref() for ref in gone] == [None, None]


def test_only_the_streaming_card_is_drawn_again(qtbot: QtBot, chat: ChatPane, bridge: FakeBridge) -> None:
    chat.open_session(session(run()))
    old = chat.cards[0]
    drawn: list[object] = []
    old.refresh = lambda: drawn.append(1)  # type: ignore[method-assign]
    chat.ask("More?")
    for event in run_events("Long answer. " * 50, hit(1))[:9]:
        bridge.last("ask").emit(event)
    qtbot.waitUntil(lambda: "Long answer" in chat.cards[1]._answer.toPlainText())
    assert drawn == []

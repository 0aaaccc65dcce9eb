"""Approval of tool calls in the window."""

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, shown_chat
from ui_runs import run, session

from workbench.model.approval import Decision
from workbench.model.message import PromptSection
from workbench.model.run import (
    ApprovalAsked,
    ApprovalGiven,
    PromptAssembled,
    ReasoningStep,
    RunBegan,
    RunEvent,
    RunStarted,
    TimedEvent,
    ToolCompleted,
    ToolFailed,
    ToolStarted,
)
from workbench.ui.chat import presenter
from workbench.ui.chat.pane import ChatPane
from workbench.ui.chat.presenter import ApprovalWord
from workbench.ui.chat.step_row import ApprovalCard
from workbench.ui.chat.steps_panel import StepsPanel
from workbench.ui.chat.transcript import Transcript
from workbench.ui.theme import Theme

TOOLS = json.dumps(
    [
        {
            "name": "weather",
            "description": "Tells the weather of a place.",
            "parameters": {
                "type": "object",
                "properties": {"place": {"type": "string"}, "days": {"type": "integer"}},
                "required": ["place"],
            },
        }
    ]
)
ASKED = ApprovalAsked("c1", "weather", '{"place": "Paris"}', "Sends the place's name to Open-Meteo.")
BEFORE: tuple[RunEvent, ...] = (
    RunStarted("How is the weather?", "ollama", "Model"),
    PromptAssembled((PromptSection("Description", "You are."),), (), TOOLS),
    ASKED,
)


def timed(*events: RunEvent) -> list[TimedEvent]:
    return [TimedEvent(number, number / 10, event) for number, event in enumerate(events)]


def transcript_of(*events: RunEvent) -> Transcript:
    transcript = Transcript("How is the weather?")
    for event in timed(*events):
        transcript.feed(event)
    return transcript


@pytest.fixture
def card(qtbot: QtBot) -> ApprovalCard:
    made = ApprovalCard(Theme(choice="light"), ASKED, presenter.spec_of("weather", TOOLS))
    qtbot.addWidget(made)
    made.show()
    return made


def press(qtbot: QtBot, card: ApprovalCard, text: str) -> ApprovalWord:
    button = next(one for one in card.findChildren(QPushButton) if one.text().startswith(text))
    # On a busy machine the card may not have its place yet, and a click beside it is lost.
    qtbot.waitUntil(lambda: not button.visibleRegion().isEmpty())
    with qtbot.waitSignal(card.decided) as said:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    return said.args[0]  # type: ignore[no-any-return]


def field(card: ApprovalCard) -> QPlainTextEdit:
    return card.findChildren(QPlainTextEdit)[0]


def test_the_card_names_the_tool_its_purpose_and_what_is_sent(card: ApprovalCard) -> None:
    shown = " ".join(label.text() for label in card.findChildren(QLabel))
    assert "Allow the call of “weather”?" in shown
    assert "Tells the weather of a place." in shown
    assert "Sends the place's name to Open-Meteo." in shown
    assert json.loads(field(card).toPlainText()) == {"place": "Paris"}


def test_each_button_sends_its_decision(qtbot: QtBot, card: ApprovalCard) -> None:
    assert press(qtbot, card, "Approve") == ApprovalWord(ASKED, Decision.APPROVE)
    assert not card.isEnabled()
    card.setEnabled(True)
    assert press(qtbot, card, "Always") == ApprovalWord(ASKED, Decision.APPROVE, always=True)
    card.setEnabled(True)
    assert press(qtbot, card, "Deny") == ApprovalWord(ASKED, Decision.DENY)


def test_changed_arguments_are_passed_on(qtbot: QtBot, card: ApprovalCard) -> None:
    field(card).setPlainText('{"place": "Rome", "days": 2}')
    assert press(qtbot, card, "Approve as changed") == ApprovalWord(
        ASKED, Decision.EDIT, '{"place": "Rome", "days": 2}'
    )


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ('{"place": ', "not valid JSON"),
        ('["Rome"]', "must be a JSON object"),
        ("{}", "Missing required argument"),
        ('{"place": 5}', "must be a JSON string"),
        ('{"place": "Rome", "town": "Rome"}', "no argument town"),
    ],
)
def test_arguments_that_the_tool_does_not_take_cannot_be_approved(card: ApprovalCard, typed: str, problem: str) -> None:
    field(card).setPlainText(typed)
    assert problem in " ".join(label.text() for label in card.findChildren(QLabel))
    enabled = {one.text(): one.isEnabled() for one in card.findChildren(QPushButton)}
    assert enabled.pop("Deny")
    assert not any(enabled.values())


def test_the_card_can_be_used_by_keyboard_alone(qtbot: QtBot, card: ApprovalCard) -> None:
    card.focus()
    stops, widget = [], card.focusWidget()
    while widget is not None and len(stops) < 4:
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and card.isAncestorOf(widget):
            stops.append(widget.text() if isinstance(widget, QPushButton) else "arguments")
        widget = widget.nextInFocusChain()
    assert stops == ["Approve", "Deny", "Always in this session", "arguments"]
    shortcut = card.findChildren(QShortcut)[0]
    assert shortcut.key().toString() == "Ctrl+Return"
    with qtbot.waitSignal(card.decided):
        shortcut.activated.emit()


def test_a_call_is_approved_in_the_chat(qtbot: QtBot, qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    bridge = FakeBridge()
    chat: ChatPane = shown_chat(qtbot, bridge, monkeypatch)
    chat.ask("How is the weather?")
    job = bridge.last("ask")
    job.emit(RunBegan(4, 9))
    for event in timed(*BEFORE):
        job.emit(event)
    qtbot.waitUntil(lambda: bool(chat.cards[0].findChildren(ApprovalCard)))
    press(qtbot, chat.cards[0].findChildren(ApprovalCard)[0], "Approve")
    decided = bridge.last("decide_call")
    assert decided.args == (9, "c1", Decision.APPROVE, "")
    assert decided.kwargs == {"always": False}


def test_a_call_that_waits_unfolds_the_steps_and_the_card_goes_with_the_word(qtbot: QtBot) -> None:
    panel = StepsPanel(Theme(choice="dark"))
    qtbot.addWidget(panel)
    panel.show()
    transcript = transcript_of(*BEFORE[:2])
    panel.show_transcript(transcript)
    panel._header.click()
    transcript.feed(TimedEvent(2, 0.2, ASKED))
    panel.show_transcript(transcript)
    assert not panel.folded
    assert panel._rows[0].card is not None
    transcript.feed(TimedEvent(3, 0.3, ApprovalGiven("c1", Decision.APPROVE, ASKED.arguments)))
    panel.show_transcript(transcript)
    assert panel._rows[0].card is None


def test_an_approved_call_continues_in_the_same_step() -> None:
    given = ApprovalGiven("c1", Decision.EDIT, '{"place": "Rome"}')
    started = ToolStarted("c1", "weather", '{"place": "Rome"}')
    steps = transcript_of(*BEFORE, given, started, ToolCompleted("c1", "weather", "Sunny.", 12.0)).steps
    assert [(step.title, step.running, step.asked) for step in steps] == [("weather", False, None)]
    assert "with changed arguments" in steps[0].note
    assert "Rome" in steps[0].body
    assert "Sunny." in steps[0].body


def test_a_denied_call_is_shown_as_denied() -> None:
    given = ApprovalGiven("c1", Decision.DENY, ASKED.arguments)
    steps = transcript_of(*BEFORE, given, ToolFailed("c1", "weather", "Not allowed.", 0.0)).steps
    assert (steps[0].note, steps[0].failed, len(steps)) == ("Denied by you.", True, 1)


def test_a_call_waiting_for_approval_in_a_session_that_is_not_shown_is_reported(
    qtbot: QtBot, qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = FakeBridge()
    chat: ChatPane = shown_chat(qtbot, bridge, monkeypatch)
    chat.ask("How is the weather?")
    job = bridge.last("ask")
    job.emit(RunBegan(4, 9))
    chat.open_session(session(run()))
    with qtbot.waitSignal(chat.waits_elsewhere) as told:
        job.emit(TimedEvent(2, 0.2, ASKED))
    assert told.args == [4]


def test_c12_a_step_shows_what_it_came_to_and_its_reasoning_on_demand(qtbot: QtBot) -> None:
    panel = StepsPanel(Theme(choice="light"))
    qtbot.addWidget(panel)
    panel.show()
    thought = ReasoningStep("analyze", "Enough", "Both say so.", result="5,000", next_action="final_answer")
    panel.show_transcript(transcript_of(RunStarted("?", "p", "m"), thought))
    row = panel._rows[0]
    assert (row._summary.text(), row._summary.isVisible(), row._body.isVisible()) == ("5,000", True, False)
    panel._details.click()
    assert row._body.isVisible()
    assert row._body.text() == "Both say so.\n\nNext: final answer. Confidence: 80%."


def test_arguments_that_a_server_wrote_as_a_text_are_looked_at_inside() -> None:
    spec = presenter.spec_of("weather", TOOLS)
    assert presenter.problem(json.dumps('{"place": "Paris"}'), spec) == ""


def test_a_call_with_a_number_of_thousands_of_digits_is_a_step_like_any_other() -> None:
    arguments = '{"query": ' + "1" * 5000 + "}"
    assert transcript_of(ToolStarted("c1", "search_knowledge_base", arguments)).steps

"""Plans in the window: a checklist that fills, a card that asks for approval, a switch next to the question."""

from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from ui_fake_worker import FakeBridge, shown_chat

from workbench.agent.planning.plan_format import asked_about, parsed_plan, plan_of_json
from workbench.model.agent import Agent
from workbench.model.approval import Decision
from workbench.model.message import PromptSection, Usage
from workbench.model.profile import OFFLINE, ModelProfile
from workbench.model.run import (
    AnswerDiscarded,
    ApprovalGiven,
    Plan,
    PlanDelta,
    PlanMade,
    PlanStepEnded,
    PlanStepStarted,
    PlanWhen,
    PromptAssembled,
    RunCancelled,
    RunCompleted,
    RunEvent,
    RunStarted,
    StepState,
    TimedEvent,
    ToolCompleted,
    ToolStarted,
    TurnCompleted,
)
from workbench.settings import Settings
from workbench.ui.chat.answerer import Answerer
from workbench.ui.chat.plan_list import PlanCard, PlanList, PlanRow
from workbench.ui.chat.plan_option import PlanOption
from workbench.ui.chat.prompt_dialog import turn_names
from workbench.ui.chat.step_row import StepRow
from workbench.ui.chat.steps_panel import StepsPanel
from workbench.ui.chat.transcript import Transcript
from workbench.ui.theme import Theme

PLAN = Plan("Revenue and costs", ("Find the revenue", "Find the costs"), "Name both")
MADE: tuple[RunEvent, ...] = (
    RunStarted("Both?", "m", "Model"),
    PlanStepStarted(0),
    PlanDelta(0, "TASK: …"),
    TurnCompleted(1, Usage(), "stop", 5.0),
    PlanMade(PLAN),
)
FIRST: tuple[RunEvent, ...] = (
    PlanStepStarted(1),
    ToolStarted("a", "calculator", "{}"),
    ToolCompleted("a", "calculator", "5,000", 2.0),
    PlanDelta(1, "Revenue rose "),
    PlanDelta(1, "to 5,000 [1]."),
)
ENDED = PlanStepEnded(1, StepState.DONE, "Revenue rose to 5,000 [1].", 1234.0)
SECOND: tuple[RunEvent, ...] = (
    PlanStepStarted(2),
    ToolStarted("b", "calculator", "{}"),
    PlanStepEnded(2, StepState.FAILED, "The server is gone.", 3.0),
)
LAST = ToolStarted("c", "calculator", "{}")


def fed(*events: RunEvent) -> Transcript:
    transcript = Transcript("Both?")
    for number, event in enumerate(events):
        transcript.feed(TimedEvent(number, number / 10, event))
    return transcript


@pytest.fixture
def panel(qtbot: QtBot) -> StepsPanel:
    made = StepsPanel(Theme(choice="light"))
    qtbot.addWidget(made)
    made.resize(500, 400)
    made.show()
    return made


def listed(panel: StepsPanel) -> PlanList:
    made = panel.findChild(PlanList)
    assert isinstance(made, PlanList)
    return made


def tools_below(row: QWidget) -> int:
    return sum(one.isVisible() for one in row.findChildren(StepRow))


def texts(widget: QWidget) -> str:
    return " | ".join(one.text() for one in widget.findChildren(QLabel) if one.isVisible())


def test_the_panel_shows_that_a_plan_is_being_made(panel: StepsPanel) -> None:
    panel.show_transcript(fed(*MADE[:2]))
    assert "Making a plan…" in texts(panel)
    assert listed(panel).rows == ()


def test_e43_the_plan_is_a_checklist_that_is_filled_live(panel: StepsPanel) -> None:
    panel.show_transcript(fed(*MADE, *FIRST))
    first, second = listed(panel).rows
    assert [row.result.state for row in (first, second)] == [StepState.RUNNING, StepState.WAITING]
    assert first.visible_text == "Revenue rose to 5,000 [1]."
    assert first.accessibleName() == "Step 1: Find the revenue. running…"
    panel.show_transcript(fed(*MADE, *FIRST, ENDED, *SECOND))
    assert first.accessibleName() == "Step 1: Find the revenue. 1.2 s"
    assert second.accessibleName() == "Step 2: Find the costs. failed · 3 ms"
    assert second.visible_text == "The server is gone."
    assert "Revenue and costs" in texts(panel)


def test_e43_the_tool_calls_of_a_step_are_shown_below_the_step(panel: StepsPanel) -> None:
    panel.show_transcript(fed(ToolStarted("0", "calculator", "{}"), *MADE, *FIRST, ENDED, *SECOND, LAST))
    assert [tools_below(row) for row in listed(panel).rows] == [1, 1]
    rows = [one for one in panel.findChildren(StepRow) if one.parent() is listed(panel).parent()]
    above, below = sorted(rows, key=QWidget.y)
    assert above.step.call_id == "0"
    assert below.step.call_id == "c"
    assert above.y() < listed(panel).y() < below.y()


def test_e43_the_result_of_a_step_is_folded_and_can_be_unfolded_and_read(qtbot: QtBot, panel: StepsPanel) -> None:
    panel.show_transcript(fed(*MADE, *FIRST, ENDED))
    row = listed(panel).rows[0]
    assert row.visible_text == ""
    qtbot.mouseClick(row._toggle, Qt.MouseButton.LeftButton)
    assert row.visible_text == "Revenue rose to 5,000 [1]."
    assert row._toggle.accessibleName() == "Hide the result of step 1"


def test_all_details_unfold_the_steps_of_the_plan_too(qtbot: QtBot, panel: StepsPanel) -> None:
    panel.show_transcript(fed(*MADE, *FIRST, ENDED))
    panel._details.click()
    assert listed(panel).rows[0].visible_text == "Revenue rose to 5,000 [1]."


def test_text_beside_tool_calls_is_not_shown_as_the_result_of_the_step(panel: StepsPanel) -> None:
    panel.show_transcript(fed(*MADE, PlanStepStarted(1), PlanDelta(1, "I look."), AnswerDiscarded("I look.")))
    row = listed(panel).rows[0]
    assert row.visible_text == ""
    assert tools_below(row) == 1


@pytest.mark.parametrize("end", [RunCancelled("", (), 1.0), None])
def test_a_stopped_plan_runs_and_waits_no_more(panel: StepsPanel, end: RunEvent | None) -> None:
    transcript = fed(*MADE, *FIRST, *([end] if end else []))
    if end is None:
        transcript.cancel()
    panel.show_transcript(transcript, live=False)
    assert [row.result.state for row in listed(panel).rows] == [StepState.SKIPPED, StepState.SKIPPED]
    assert panel.title.startswith("Plan of 2 steps")


def test_going_back_in_an_answer_goes_back_in_its_plan(panel: StepsPanel) -> None:
    panel.show_transcript(fed(*MADE, *FIRST, ENDED, *SECOND), live=False)
    panel.show_transcript(fed(*MADE, *FIRST), live=False)
    first, second = listed(panel).rows
    assert (first.result.state, second.result.state) == (StepState.RUNNING, StepState.WAITING)
    assert (tools_below(first), tools_below(second)) == (1, 0)
    panel.show_transcript(fed(*MADE[:1]), live=False)
    assert not listed(panel).isVisible()


def test_the_panel_shows_that_the_answer_was_given_without_the_plan(panel: StepsPanel) -> None:
    given = ApprovalGiven("plan", Decision.DENY, "{}")
    panel.show_transcript(fed(*MADE, asked_about(PLAN), given))
    assert "Answered without this plan, at your request" in texts(panel)
    assert not panel.findChildren(PlanCard)


def test_both_themes_dress_a_step(qtbot: QtBot) -> None:
    theme = Theme(choice="light")
    row = PlanRow(theme, 1, "Find the revenue")
    qtbot.addWidget(row)
    before = row._icon.pixmap().toImage()
    theme.choose("dark")
    assert row._icon.pixmap().toImage() != before


@pytest.fixture
def card(qtbot: QtBot, panel: StepsPanel) -> PlanCard:
    panel.show_transcript(fed(*MADE, asked_about(PLAN)))
    made = listed(panel).card
    assert isinstance(made, PlanCard)
    return made


def press(qtbot: QtBot, panel: StepsPanel, card: PlanCard, text: str) -> tuple[Decision, str, bool]:
    button = next(one for one in card.findChildren(QPushButton) if one.text().startswith(text))
    with qtbot.waitSignal(panel.decided) as said:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert said.args is not None
    word = said.args[0]
    return word.decision, word.arguments, word.always


def test_a_plan_that_waits_can_be_carried_out_or_left(qtbot: QtBot, panel: StepsPanel, card: PlanCard) -> None:
    assert not any(row.isVisible() for row in listed(panel).rows)
    assert press(qtbot, panel, card, "Run the plan") == (Decision.APPROVE, "", False)
    assert not card.isEnabled()
    card.setEnabled(True)
    assert press(qtbot, panel, card, "Always") == (Decision.APPROVE, "", True)
    card.setEnabled(True)
    assert press(qtbot, panel, card, "Answer without")[0] is Decision.DENY


def test_a_plan_that_waits_can_be_changed(qtbot: QtBot, panel: StepsPanel, card: PlanCard) -> None:
    field = card.findChildren(QPlainTextEdit)[0]
    assert parsed_plan(field.toPlainText(), 9) == PLAN
    field.setPlainText("STEP1: Find the revenue\nSTEP2: Say it in euros")
    decision, arguments, _ = press(qtbot, panel, card, "Run the edited plan")
    assert decision is Decision.EDIT
    assert plan_of_json(arguments) == Plan("", ("Find the revenue", "Say it in euros"))


def test_a_text_without_a_step_cannot_be_carried_out(card: PlanCard) -> None:
    card.findChildren(QPlainTextEdit)[0].setPlainText("Whatever you like")
    assert not card._carry_out.isEnabled()
    assert "The plan has no steps" in texts(card)


def test_the_approval_card_disappears_after_the_decision(qtbot: QtBot, panel: StepsPanel, card: PlanCard) -> None:
    panel.show_transcript(fed(*MADE, asked_about(PLAN), ApprovalGiven("plan", Decision.APPROVE, "{}")))
    assert listed(panel).card is None
    assert all(row.isVisible() for row in listed(panel).rows)


MODEL = ModelProfile("m", "http://localhost:1/v1", "m")


def answered_by(profile: ModelProfile = MODEL, plan: str = "asked", agent: PlanWhen | None = None) -> Answerer:
    return Answerer(profile, Settings(plan=plan), Agent("a", plan=agent))


@pytest.mark.parametrize(
    ("answerer", "is_there", "is_on"),
    [
        (answered_by(), True, False),
        (answered_by(plan="always"), True, True),
        (answered_by(plan="never"), False, False),
        (answered_by(plan="never", agent=PlanWhen.ALWAYS), True, True),
        (answered_by(agent=PlanWhen.NEVER), False, False),
        (answered_by(OFFLINE), False, False),
    ],
)
def test_the_switch_is_there_where_plans_are_made(
    qtbot: QtBot, answerer: Answerer, is_there: bool, is_on: bool
) -> None:
    option = PlanOption()
    option.show_answerer(answerer)
    assert (option.isVisible(), option.isChecked()) == (is_there, is_on)


def test_e43_the_switch_holds_for_one_question(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    bridge = FakeBridge()
    chat = shown_chat(qtbot, bridge, monkeypatch)
    option = chat.findChild(PlanOption)
    assert isinstance(option, PlanOption)
    option.show_answerer(answered_by())

    def asked(question: str) -> object:
        chat.ask(question)
        job = bridge.last("ask")
        job.end_cancelled()
        bridge.last("list_sessions").succeed([])
        return job.kwargs["plan"]

    assert asked("Both?") is None
    option.trigger()
    assert asked("Both, by a plan?") is True
    assert asked("And now?") is None


def test_every_control_of_a_plan_has_a_name(panel: StepsPanel, card: PlanCard) -> None:
    named: Sequence[QWidget] = [*panel.findChildren(QPushButton), *card.findChildren(QPlainTextEdit)]
    assert len(named) > 2
    assert all(one.accessibleName() or (isinstance(one, QPushButton) and one.text()) for one in named)


def test_an_ended_run_shows_its_plan_folded(panel: StepsPanel) -> None:
    end = RunCompleted("Both.", (), False, Usage(), 2.0)
    panel.show_transcript(fed(*MADE, *FIRST, ENDED, *SECOND, end))
    assert panel.folded
    assert panel.title == "Plan of 2 steps · 2.0 s"


def test_the_prompts_of_a_planned_answer_are_called_by_its_steps() -> None:
    asked = PromptSection("Question", "Both?")
    parts = [(asked, PromptSection("Planning", "…")), (asked, PromptSection("Step 1", "…")), (asked,)]
    prompts = [PromptAssembled((), part, "") for part in parts]
    assert turn_names(prompts) == ["First turn: Planning", "Change 1: Step 1", "Change 2"]

"""Limits of an answer, shown next to its usage, while it runs and afterwards."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot
from ui_runs import run_events
from ui_runs import timed as timed_events

from workbench.model.approval import Decision
from workbench.model.exhaustive import Price
from workbench.model.message import ToolCall, Usage
from workbench.model.run import (
    ApprovalAsked,
    ApprovalGiven,
    Limit,
    Limits,
    RunEvent,
    RunFailed,
    RunStarted,
    TimedEvent,
    ToolStarted,
    TurnCompleted,
)
from workbench.ui.chat.run_progress import RunSpending
from workbench.ui.chat.run_wording import steps_title
from workbench.ui.chat.steps_panel import StepsPanel
from workbench.ui.chat.transcript import Transcript
from workbench.ui.theme import Theme

LIMITS = Limits(10, 5, 60.0, 32_000)
CALL = ToolCall("a", "search_knowledge_base", "{}")


def turn(number: int, calls: int = 0, usage: Usage | None = None, *, is_estimate: bool = False) -> TurnCompleted:
    return TurnCompleted(number, usage or Usage(2000, 50), "stop", 12.0, (CALL,) * calls, is_estimate=is_estimate)


def spending(*events: tuple[float, RunEvent], limits: Limits | None = LIMITS) -> RunSpending:
    made = RunSpending()
    made.feed(TimedEvent(0, 0.0, RunStarted("?", "m", "Model", limits=limits)))
    for number, (seconds, event) in enumerate(events, start=1):
        made.feed(TimedEvent(number, seconds, event))
    return made


def texts(made: RunSpending, seconds: float) -> list[str]:
    return [meter.text for meter in made.meters(seconds)]


def test_calls_rounds_time_and_tokens_are_counted_beside_their_limits() -> None:
    made = spending((1.0, turn(1, calls=2)), (3.0, turn(2, calls=4)))
    assert texts(made, 3.2) == ["6 of 10 tool calls", "2 of 5 rounds", "3.2 of 60 s", "4,100 of 32,000 tokens"]
    assert [meter.share for meter in made.meters(3.2)][:2] == [0.6, 0.4]


def test_token_counts_not_reported_by_a_server_are_shown_as_estimates() -> None:
    assert texts(spending((1.0, turn(1, is_estimate=True))), 1.0)[-1] == "≈ 2,050 of 32,000 tokens"


def test_an_answerer_that_is_no_model_has_no_tokens_and_an_old_run_no_meters() -> None:
    assert len(texts(spending(limits=replace(LIMITS, tokens=0)), 1.0)) == 3
    assert texts(spending(limits=None), 1.0) == []


def test_the_time_that_a_person_takes_does_not_count() -> None:
    asked = ApprovalAsked("a", "weather", "{}", "It sends something.")
    made = spending((2.0, asked))
    assert texts(made, 30.0)[2] == "2.0 of 60 s"
    made.feed(TimedEvent(9, 30.0, ApprovalGiven("a", Decision.APPROVE, "{}")))
    assert texts(made, 31.0)[2] == "3.0 of 60 s"


def test_the_cost_is_shown_when_a_price_is_set() -> None:
    made = spending((1.0, turn(1)), limits=replace(LIMITS, price=Price(1.0, 10.0)))
    assert texts(made, 1.0)[-1] == "cost 0.0025"
    assert made.meters(1.0)[-1].share is None


@pytest.mark.parametrize("calls", [10, 14])
def test_calls_beyond_the_limit_are_not_made_and_the_limit_is_named(calls: int) -> None:
    made = spending((1.0, turn(1, calls=calls)))
    assert texts(made, 1.0)[0] == "10 of 10 tool calls: limit reached"


def test_the_limit_that_ended_an_answer_is_named_in_the_header_too(qtbot: QtBot) -> None:
    transcript = Transcript("?")
    failed = RunFailed("The answer took longer than 60 seconds and was stopped.", "", "", (), 60.1, Limit.SECONDS)
    for number, event in enumerate((RunStarted("?", "m", "Model", limits=LIMITS), failed)):
        transcript.feed(TimedEvent(number, 60.1 * number, event))
    panel = StepsPanel(Theme(choice="light"))
    qtbot.addWidget(panel)
    panel.show_transcript(transcript, live=False)
    assert steps_title(transcript) == "0 steps · 1 min 0 s · time limit reached"
    assert panel._meters is not None
    assert "60.1 of 60 s: limit reached" in panel._meters.texts


def test_the_panel_has_meters_only_once_it_is_unfolded(qtbot: QtBot) -> None:
    transcript = Transcript("?")
    first, *others = run_events()
    assert isinstance(first.event, RunStarted)
    for timed in (replace(first, event=replace(first.event, limits=LIMITS)), *others):
        transcript.feed(timed)
    panel = StepsPanel(Theme(choice="light"))
    qtbot.addWidget(panel)
    panel.show_transcript(transcript)
    assert panel.folded
    assert panel._meters is None
    panel._on_header_clicked()
    assert panel._meters is not None
    assert panel._meters.texts[2] == "1.5 of 60 s"


def test_while_an_answer_is_made_the_meters_go_on(qtbot: QtBot) -> None:
    transcript = Transcript("?")
    panel = StepsPanel(Theme(choice="light"))
    qtbot.addWidget(panel)
    started = RunStarted("?", "m", "Model", limits=LIMITS)
    for timed in timed_events(started, turn(1, calls=1), ToolStarted("a", "search_knowledge_base", "{}")):
        transcript.feed(timed)
    panel.show_transcript(transcript)
    assert panel._meters is not None
    assert panel._meters.texts[:2] == ["1 of 10 tool calls", "1 of 5 rounds"]
    panel._since -= 30.0
    panel._on_tick()
    assert panel._meters.texts[2].startswith("30.")

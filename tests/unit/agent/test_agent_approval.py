"""Tool calls that wait for approval: approved, changed, denied, or without a user; and stopped meanwhile."""

import asyncio
import json
import time
from typing import Any

import pytest
from fakes import Recorder, ScriptedProvider, calls, says

from workbench.agent.agent_loop import AgentLoop, RunLimits, RunOutcome
from workbench.agent.base import ToolResult
from workbench.agent.references import RunReferences
from workbench.model.approval import Approval, ApprovalPolicy, AskBefore, Decision
from workbench.model.message import Role, ToolReach, ToolSpec
from workbench.model.run import (
    ApprovalAsked,
    ApprovalGiven,
    Notice,
    RunCancelled,
    RunCompleted,
    ToolFailed,
    ToolStarted,
)

SCHEMA = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
ASKS = ApprovalPolicy()


class Weather:
    """Tool that sends data away; keeps the arguments of its calls."""

    def __init__(self, name: str = "weather", reach: ToolReach = ToolReach.NETWORK) -> None:
        self.spec = ToolSpec(name, "Tells the weather.", SCHEMA, reach=reach, sends="Sends the place to a server.")
        self.called: list[dict[str, Any]] = []

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        self.called.append(arguments)
        return ToolResult(f"Sunny in {arguments['place']}.")


class Person:
    """Approver that gives scripted decisions in order."""

    def __init__(self, *words: Approval, remembered: str = "", after: float = 0) -> None:
        self._words = list(words)
        self._remembered = remembered
        self._after = after
        self.asked: list[ApprovalAsked] = []

    def remembers(self, tool: str) -> bool:
        return tool == self._remembered

    async def decide(self, asked: ApprovalAsked) -> Approval:
        self.asked.append(asked)
        await asyncio.sleep(self._after)
        if not self._words:
            await asyncio.Event().wait()
        return self._words.pop(0)


APPROVE, DENY = Approval(Decision.APPROVE), Approval(Decision.DENY)


def run(
    tool: Weather, person: Person | None, *wanted: Any, policy: ApprovalPolicy = ASKS, limits: RunLimits | None = None
) -> tuple[RunOutcome, Recorder, ScriptedProvider]:
    provider = ScriptedProvider(calls(*(wanted or (("weather", {"place": "Paris"}),))), says("Done."))
    runner = AgentLoop(provider, [tool], references=RunReferences(), policy=policy, limits=limits)
    recorder = Recorder()
    return asyncio.run(runner.run("How is it?", emit=recorder, approver=person)), recorder, provider


def told(provider: ScriptedProvider) -> str:
    return str(provider.requests[1].messages[-1].text)


def test_a_tool_call_waits_for_approval_and_continues_when_approved() -> None:
    tool, person = Weather(), Person(APPROVE)
    end, recorder, provider = run(tool, person)
    assert isinstance(end, RunCompleted)
    assert recorder.names[2:-3] == ["TurnCompleted", "ApprovalAsked", "ApprovalGiven", "ToolStarted", "ToolCompleted"]
    assert person.asked[0].reason == "Sends the place to a server."
    assert told(provider) == "Sunny in Paris."


def test_a_person_may_change_the_arguments_and_the_model_sees_what_was_called() -> None:
    tool = Weather()
    _, recorder, provider = run(tool, Person(Approval(Decision.EDIT, '{"place": "Rome"}')))
    assert tool.called == [{"place": "Rome"}]
    assert recorder.of(ApprovalGiven)[0].decision is Decision.EDIT
    assert json.loads(recorder.of(ToolStarted)[0].arguments) == {"place": "Rome"}
    assert json.loads(provider.requests[1].messages[-2].tool_calls[0].arguments) == {"place": "Rome"}


def test_arguments_that_a_person_changed_are_checked_like_any() -> None:
    tool = Weather()
    _, recorder, provider = run(tool, Person(Approval(Decision.EDIT, '{"town": "Rome"}')))
    assert tool.called == []
    assert "Missing required argument" in told(provider)
    assert recorder.of(ToolFailed)[0].tool == "weather"


def test_a_denied_tool_call_is_not_made_and_the_denial_is_sent_to_the_model() -> None:
    tool = Weather()
    end, recorder, provider = run(tool, Person(DENY))
    assert isinstance(end, RunCompleted)
    assert tool.called == []
    assert recorder.of(ToolStarted) == []
    assert "did not allow" in told(provider)
    assert recorder.of(ToolFailed)[0].message == told(provider)


def test_a_tool_call_without_an_approver_is_denied_and_the_user_is_notified_once() -> None:
    tool, twice = Weather(), [("weather", {"place": "Paris"}), ("weather", {"place": "Rome"})]
    _, recorder, provider = run(tool, None, *twice)
    assert tool.called == []
    assert "nobody is there" in told(provider)
    assert [notice.text for notice in recorder.of(Notice)] == [
        "“weather” was not called: it needs your consent, and there was no way to ask."
    ]


def test_a_tool_let_through_for_good_is_not_asked_about() -> None:
    tool = Weather()
    _, recorder, _ = run(tool, Person(remembered="weather"))
    assert tool.called == [{"place": "Paris"}]
    assert recorder.of(ApprovalAsked) == []


def test_a_call_that_cannot_be_made_is_nothing_to_ask_about() -> None:
    person = Person(APPROVE)
    _, _, provider = run(Weather(), person, ("weather", "{}"))
    assert person.asked == []
    assert "Missing required argument" in told(provider)


def test_several_calls_wait_side_by_side_and_are_answered_in_their_order() -> None:
    tool, person = Weather(), Person(APPROVE, DENY)
    _, _, provider = run(tool, person, ("weather", {"place": "Paris"}), ("weather", {"place": "Rome"}))
    results = [message.text for message in provider.requests[1].messages if message.role is Role.TOOL]
    assert results[0] == "Sunny in Paris."
    assert "did not allow" in results[1]
    assert len(person.asked) == 2


def test_waiting_does_not_count_against_the_time_limit() -> None:
    end, _, _ = run(Weather(), Person(APPROVE, after=0.3), limits=RunLimits(seconds=0.2))
    assert isinstance(end, RunCompleted)


def test_s16_stop_while_a_call_waits_takes_under_100_ms() -> None:
    async def scenario() -> tuple[Recorder, float]:
        recorder, waits = Recorder(), asyncio.Event()

        def emit(event: Any) -> None:
            recorder(event)
            if recorder.of(ApprovalAsked):
                waits.set()

        runner = AgentLoop(
            ScriptedProvider(calls(("weather", {"place": "Paris"}))),
            [Weather()],
            references=RunReferences(),
            policy=ASKS,
        )
        task = asyncio.create_task(runner.run("How?", emit=emit, approver=Person()))
        await asyncio.wait_for(waits.wait(), 5)
        await asyncio.sleep(0)
        began = time.perf_counter()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return recorder, time.perf_counter() - began

    recorder, seconds = asyncio.run(scenario())
    assert isinstance(recorder.events[-1], RunCancelled)
    assert seconds < 0.1


@pytest.mark.parametrize(
    ("default", "tools", "reach", "asks"),
    [
        (AskBefore.NEVER, {}, ToolReach.CHANGES, False),
        (AskBefore.NETWORK, {}, ToolReach.NETWORK, True),
        (AskBefore.NETWORK, {}, ToolReach.CHANGES, True),
        (AskBefore.NETWORK, {}, ToolReach.LOCAL, False),
        (AskBefore.ALWAYS, {}, ToolReach.LOCAL, True),
        (AskBefore.ALWAYS, {}, ToolReach.THOUGHT, False),
        (AskBefore.NEVER, {"weather": True}, ToolReach.LOCAL, True),
        (AskBefore.ALWAYS, {"weather": False}, ToolReach.NETWORK, False),
    ],
)
def test_the_approval_policy_determines_which_tool_calls_require_approval(
    default: AskBefore, tools: dict[str, bool], reach: ToolReach, asks: bool
) -> None:
    assert ApprovalPolicy(default, tools).asks(Weather(reach=reach).spec) is asks

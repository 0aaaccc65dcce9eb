"""Plans of whole runs: requested, made by a server's model, shown, stored, exported, continued, compared."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_servers import RawServer, Reply, chat_answer, chat_call, chat_delta, sse

from workbench import operations
from workbench.export.base import READING
from workbench.model.agent import Agent
from workbench.model.approval import Decision
from workbench.model.plan_state import PlanState
from workbench.model.profile import ModelProfile, WireApi
from workbench.model.run import (
    PLAN,
    ApprovalAsked,
    Notice,
    PlanDelta,
    PlanMade,
    PlanStepEnded,
    PlanWhen,
    Run,
    RunBegan,
    RunStatus,
    StepState,
    TimedEvent,
    ToolCompleted,
)
from workbench.operations import Library
from workbench.operations.questions.agent_session import planning_of
from workbench.settings import Settings
from workbench.worker.job import JobContext, Operation

RunIt = Callable[[Operation[Any]], Any]
SEARCH = "search_knowledge_base"
PLAN_TEXT = "TASK: Revenue and costs\nSTEP1: Find the revenue\nSTEP2: Find the costs\nFINISH: Name both"


@pytest.fixture
def report(tmp_path: Path, library: Library, run: RunIt) -> Library:
    revenue, costs = tmp_path / "revenue.md", tmp_path / "costs.md"
    revenue.write_text("# Revenue\n\nRevenue rose to 5,000 in 2024.\n")
    costs.write_text("# Costs\n\nCosts fell to 2,000 in 2024.\n")
    run(operations.add_documents(library, [revenue, costs]))
    return library


def called(call_id: str, query: str) -> Reply:
    return sse(chat_call(0, call_id, SEARCH, json.dumps({"query": query})), chat_delta("tool_calls"))


REPLIES = (
    chat_answer("TASK: Revenue and costs\nSTEP1: Find the rev", PLAN_TEXT.split("Find the rev", 1)[1]),
    called("a", "revenue"),
    chat_answer("Revenue rose to 5,000 [1]."),
    called("b", "costs"),
    chat_answer("Costs fell to 2,000 [2]."),
    chat_answer("Revenue rose to 5,000 [1] and costs fell to 2,000 [2]."),
)


def asked(library: Library, *replies: Reply, then: Callable[[Run], Operation[Any]] | None = None, **more: Any) -> Any:
    """Ask a model on loopback, then run another operation with the same server; return both results."""

    async def scenario() -> list[Any]:
        async with RawServer(*replies) as server:
            library.profiles.put(ModelProfile("m", server.base_url, "m", WireApi.CHAT))
            came = [await operations.ask(library, "Revenue and costs?", profile="m", **more)(JobContext())]
            if then is not None:
                came.append(await then(came[0])(JobContext()))
            return came

    return asyncio.run(scenario())


def events_of(run: Run, kind: type) -> list[Any]:
    return [timed.event for timed in run.events if isinstance(timed.event, kind)]


def test_e43_a_planned_answer_is_kept_with_every_step(report: Library, run: RunIt) -> None:
    (answered,) = asked(report, *REPLIES, plan=True)
    assert answered.status is RunStatus.COMPLETED
    assert [citation.valid for citation in answered.citations] == [True, True]
    assert answered.plan is not None
    assert answered.plan.steps == ("Find the revenue", "Find the costs")
    # Consecutive pieces are stored as one.
    assert events_of(answered, PlanDelta)[0].text == PLAN_TEXT
    assert run(operations.open_run(report, answered.id)) == answered
    standing = PlanState.of(timed.event for timed in answered.events)
    assert [(step.state, step.text) for step in standing.steps] == [
        (StepState.DONE, "Revenue rose to 5,000 [1]."),
        (StepState.DONE, "Costs fell to 2,000 [2]."),
    ]


def test_e43_a_planned_answer_is_exported_and_read_back(report: Library, run: RunIt, tmp_path: Path) -> None:
    (answered,) = asked(report, *REPLIES, plan=True)
    out = run(operations.export_session(report, answered.session, "md", tmp_path / "out.md", parts=READING))
    assert "**plan** Step 2: Find the costs" in out.read_text("utf-8")


def test_a_planned_answer_continues_from_a_step_and_is_compared_with_the_first(report: Library, run: RunIt) -> None:
    def fork(kept: Run) -> Operation[Run]:
        found = [timed for timed in kept.events if isinstance(timed.event, ToolCompleted)][1]
        return operations.fork_run(report, kept.id, found.number, result="Costs fell to 3,333.")

    end = (chat_answer("Costs fell to 3,333."), chat_answer("Costs fell to 3,333, says a changed result."))
    first, second = asked(report, *REPLIES, *end, plan=True, then=fork)
    assert second.status is RunStatus.COMPLETED
    assert [ended.result for ended in events_of(second, PlanStepEnded)][1] == "Costs fell to 3,333."
    told = {one.part: one.text for one in run(operations.diff_runs(report, first.id, second.id))}
    assert "+    Costs fell to 3,333." in told["Steps"]


def test_a_fork_with_another_question_plans_as_the_first_answer_did(report: Library) -> None:
    def fork(kept: Run) -> Operation[Run]:
        return operations.fork_run(report, kept.id, question="Costs and revenue?")

    _, second = asked(report, *REPLIES, *REPLIES, plan=True, then=fork)
    assert second.plan is not None


@pytest.mark.parametrize(
    ("decision", "arguments", "steps"),
    [
        (Decision.APPROVE, "", 2),
        (Decision.EDIT, '{"steps": ["Find the revenue", "Find the costs", "Add"]}', 3),
        (Decision.DENY, "", 0),
    ],
)
def test_a_plan_waits_for_the_decision_of_the_user_when_the_settings_require_it(
    report: Library, run: RunIt, decision: Decision, arguments: str, steps: int
) -> None:
    run(operations.put_setting(report, "plan_review", "yes"))
    numbers: list[int] = []

    async def scenario() -> Run:
        words: list[asyncio.Task[None]] = []

        def told(event: Any) -> None:
            if isinstance(event, RunBegan):
                numbers.append(event.run)
            elif isinstance(event, TimedEvent) and isinstance(event.event, ApprovalAsked):
                word = operations.decide_call(report, numbers[0], PLAN, decision, arguments)
                words.append(asyncio.get_running_loop().create_task(word(JobContext())))

        async with RawServer(REPLIES[0], chat_answer("Both are known.")) as server:
            report.profiles.put(ModelProfile("m", server.base_url, "m", WireApi.CHAT))
            asking = operations.ask(report, "Both?", profile="m", plan=True, approver=operations.in_person(report))
            return await asking(JobContext(told))

    answered = asyncio.run(scenario())
    assert answered.status is RunStatus.COMPLETED
    assert len(events_of(answered, PlanStepEnded)) == steps
    assert (answered.plan is not None) == bool(steps)


def test_offline_no_plan_is_made_and_this_is_reported_when_a_plan_was_requested(report: Library, run: RunIt) -> None:
    answered = run(operations.ask(report, "How high is the revenue?", plan=True))
    assert answered.status is RunStatus.COMPLETED
    assert not events_of(answered, PlanMade)
    assert any("Without a model, no plan is made" in notice.text for notice in events_of(answered, Notice))
    run(operations.put_setting(report, "plan", "always"))
    quiet = run(operations.ask(report, "How high is the revenue?"))
    assert not any("plans" in notice.text for notice in events_of(quiet, Notice))


@pytest.mark.parametrize(
    ("agent", "setting", "asked", "is_planned"),
    [
        (None, "asked", None, False),
        (None, "asked", True, True),
        (None, "always", None, True),
        (None, "always", False, False),
        (None, "never", True, False),
        (PlanWhen.ALWAYS, "never", None, True),
        (PlanWhen.NEVER, "always", None, False),
        (PlanWhen.ASKED, "always", None, False),
    ],
)
def test_e43_the_switch_of_a_question_the_agent_and_the_settings_decide_whether_to_plan(
    agent: PlanWhen | None, setting: str, asked: bool | None, is_planned: bool
) -> None:
    planning, told = planning_of(Agent("a", plan=agent), Settings(plan=setting), asked, offline=False)
    assert (planning is not None) == is_planned
    assert bool(told) == (bool(asked) and not is_planned)

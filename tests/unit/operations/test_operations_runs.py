"""Stored runs: waited for, listed, compared, continued without asking the model again."""

import asyncio
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_servers import RawServer, Reply, chat_answer, chat_call, chat_delta, sse, status

from workbench import operations
from workbench.agent.agent_loop import CHANGED_BY_HAND
from workbench.errors import NotFound, ToolError
from workbench.model.approval import Decision
from workbench.model.profile import ModelProfile, ToolCalling, WireApi
from workbench.model.run import (
    ApprovalAsked,
    Notice,
    ReasoningStep,
    Run,
    RunBegan,
    RunStatus,
    TimedEvent,
    ToolCompleted,
    ToolFailed,
    TurnCompleted,
)
from workbench.operations import Library
from workbench.worker.job import JobContext, Operation

RunIt = Callable[[Operation[Any]], Any]
SEARCH = "search_knowledge_base"


@pytest.fixture
def report(tmp_path: Path, library: Library, run: RunIt) -> Library:
    file = tmp_path / "report.md"
    file.write_text("# Annual report\n\nRevenue rose to 5,000 in 2024. Costs fell to 2,000.\n")
    run(operations.add_documents(library, [file]))
    return library


def called(call_id: str, name: str, arguments: dict[str, Any]) -> Reply:
    return sse(chat_call(0, call_id, name, json.dumps(arguments)), chat_delta("tool_calls"))


def asked(library: Library, *replies: Reply, then: Callable[[Run], Operation[Run]] | None = None, **more: Any) -> Any:
    """Ask a model on loopback, then run another operation with the same server; return the runs and the server."""

    async def scenario() -> tuple[list[Run], RawServer]:
        async with RawServer(*replies) as server:
            library.profiles.put(ModelProfile("m", server.base_url, "m", WireApi.CHAT))
            runs = [await operations.ask(library, "How much?", profile="m", **more)(JobContext())]
            if then is not None:
                runs.append(await then(runs[0])(JobContext()))
            return runs, server

    return asyncio.run(scenario())


def result_of(run: Run, tool: str) -> TimedEvent:
    return next(one for one in run.events if isinstance(one.event, ToolCompleted) and one.event.tool == tool)


def test_a_run_continues_from_a_changed_tool_result_without_asking_the_model_again(report: Library) -> None:
    def fork(kept: Run) -> Operation[Run]:
        step = result_of(kept, SEARCH)
        assert isinstance(step.event, ToolCompleted)
        return operations.fork_run(report, kept.id, step.number, result=step.event.result.replace("5,000", "7,777"))

    (first, second), server = asked(
        report,
        called("a", "think", {"title": "Plan", "thought": "Search."}),
        called("b", SEARCH, {"query": "revenue"}),
        chat_answer("It is 5,000 [1]."),
        called("c", "think", {"title": "Again", "thought": "Look."}),
        chat_answer("It is 7,777 [1]."),
        then=fork,
    )
    assert len(server.requests) == 5
    before, live = server.requests[2].json, server.requests[3].json
    assert live == json.loads(json.dumps(before).replace("5,000", "7,777"))
    assert (second.answer, second.parent, second.parent_event) == (
        "It is 7,777 [1].",
        first.id,
        result_of(first, SEARCH).number,
    )
    assert [citation.valid for citation in second.citations] == [True]
    assert "Step 2:" in server.requests[4].json["messages"][-1]["content"]
    assert [timed.number for timed in second.events] == sorted({timed.number for timed in second.events})
    assert [timed.event.round for timed in second.events if isinstance(timed.event, TurnCompleted)] == [1, 2, 3, 4]
    assert Notice(CHANGED_BY_HAND) in [timed.event for timed in second.events]
    assert second.seconds >= result_of(first, SEARCH).seconds


def test_a_run_forked_with_another_question_follows_the_conversation_before_the_run(report: Library) -> None:
    (first, second), server = asked(
        report,
        chat_answer("It is 5,000."),
        chat_answer("Costs fell."),
        then=lambda kept: operations.fork_run(report, kept.id, question="And costs?"),
    )
    assert (second.question, second.session, second.parent) == ("And costs?", first.session, first.id)
    assert [message["content"] for message in server.requests[1].json["messages"][1:]] == ["And costs?"]


def test_a_run_cannot_continue_from_a_step_that_is_not_a_tool_result(report: Library, run: RunIt) -> None:
    kept = run(operations.ask(report, "What was revenue?"))
    with pytest.raises(NotFound, match="not the result of a tool"):
        run(operations.fork_run(report, kept.id, 0, result="x"))
    with pytest.raises(ToolError):
        run(operations.fork_run(report, kept.id, 0))


def test_a_run_of_an_earlier_version_cannot_be_continued_from_a_tool_result(report: Library, run: RunIt) -> None:
    session = report.sessions.create().id
    old = report.sessions.start_run(session, "What?", "offline", "Offline")
    report.sessions.append_event(old, TimedEvent(3, 0.1, ToolCompleted("a", SEARCH, "found", 1.0)))
    with pytest.raises(NotFound, match="earlier version"):
        run(operations.fork_run(report, old, 3, result="x"))


def test_two_runs_are_compared_part_by_part(report: Library, run: RunIt) -> None:
    first = run(operations.ask(report, "What was revenue?"))
    same = run(operations.ask(report, "What was revenue?"))
    other = run(operations.ask(report, "What were costs?"))
    assert run(operations.diff_runs(report, first.id, same.id)) == []
    parts = {one.part: one.text for one in run(operations.diff_runs(report, first.id, other.id))}
    assert set(parts) == {"Question", "Said before", "Steps", "References", "Answer"}
    assert "-What was revenue?\n+What were costs?" in parts["Question"]


def test_runs_are_listed_newest_first_with_their_parents(report: Library, run: RunIt) -> None:
    first = run(operations.ask(report, "What was revenue?"))
    second = run(operations.fork_run(report, first.id, question="What were costs?"))
    third = run(operations.ask(report, "Else?"))
    listed = run(operations.list_runs(report))
    assert [(one.id, one.parent) for one in listed] == [(third.id, None), (second.id, first.id), (first.id, None)]
    assert [one.id for one in run(operations.list_runs(report, first.session))] == [second.id, first.id]
    with pytest.raises(NotFound):
        run(operations.list_runs(report, 99))


def waiting(library: Library, *words: tuple[Decision, str, bool]) -> tuple[Run, int]:
    """Ask a model that searches twice while every tool requires approval; return the run and the number of requests."""
    library.setting_values.put("ask_before_tools", "always")

    async def scenario() -> tuple[Run, int]:
        times, left, deciding, number = 0, list(words), set[asyncio.Task[None]](), 0

        def listen(event: Any) -> None:
            nonlocal times, number
            if isinstance(event, RunBegan):
                number = event.run
            if isinstance(event, TimedEvent) and isinstance(event.event, ApprovalAsked):
                times += 1
                decision, arguments, always = left.pop(0)
                say = operations.decide_call(library, number, event.event.call_id, decision, arguments, always=always)

                async def decide() -> None:
                    await say(JobContext())

                deciding.add(asyncio.create_task(decide()))

        replies = (called("a", SEARCH, {"query": "x"}), called("b", SEARCH, {"query": "revenue"}))
        async with RawServer(*replies, chat_answer("Done.")) as server:
            library.profiles.put(ModelProfile("m", server.base_url, "m", WireApi.CHAT))
            ask = operations.ask(library, "How much?", profile="m", approver=operations.in_person(library))
            run = await ask(JobContext(listen))
            await asyncio.gather(*deciding)
            return run, times

    return asyncio.run(scenario())


def test_a_waiting_run_continues_after_decide_call(report: Library) -> None:
    run, times = waiting(report, (Decision.EDIT, '{"query": "costs"}', False), (Decision.DENY, "", False))
    assert times == 2
    assert [reference.query for reference in run.references] == ["costs"]
    assert [one.event.call_id for one in run.events if isinstance(one.event, ToolFailed)] == ["b"]


def test_always_lets_the_tool_through_for_the_rest_of_the_session(report: Library) -> None:
    run, times = waiting(report, (Decision.APPROVE, "", True))
    assert times == 1
    assert [reference.query for reference in run.references] == ["x", "revenue"]


def test_a_call_that_does_not_wait_cannot_be_decided(report: Library, run: RunIt) -> None:
    with pytest.raises(NotFound):
        run(operations.decide_call(report, 1, "a", Decision.APPROVE))


def test_without_anybody_to_ask_a_call_is_denied(report: Library) -> None:
    report.setting_values.put("ask_before_tools", "always")
    (run,), _ = asked(report, called("a", SEARCH, {"query": "x"}), chat_answer("I could not."))
    assert run.references == ()
    assert any("there was no way to ask" in getattr(timed.event, "text", "") for timed in run.events)


def test_e40_the_detected_tool_calling_mode_is_stored_with_the_profile(report: Library) -> None:
    refusal = status(400, {"error": {"message": "m does not support tools"}})
    (run,), server = asked(report, refusal, chat_answer(f"TOOL: {SEARCH}(revenue)"), chat_answer("5,000 [1]."))
    assert (run.status, run.answer) == (RunStatus.COMPLETED, "5,000 [1].")
    assert report.profiles.get("m").detected_tools is ToolCalling.TEXT
    assert "tools" not in server.requests[-1].json


def test_c14_each_run_has_its_own_steps(report: Library, run: RunIt) -> None:
    first = run(operations.ask(report, "What was revenue?"))
    second = run(operations.ask(report, "What were costs?", session=first.session))
    kept = run(operations.open_session(report, first.session)).runs
    steps = [[one.event for one in each.events if isinstance(one.event, ReasoningStep)] for each in kept]
    assert [each.id for each in kept] == [first.id, second.id]
    assert all(len(each) == 2 for each in steps)
    assert "Step 1:" in str(result_of(second, "think").event)
    assert "Step 3:" not in str(result_of(second, "analyze").event)


def test_c5_every_reasoning_step_is_stored_with_its_run_and_all_arguments_of_the_tool(
    report: Library, run: RunIt
) -> None:
    thought = {"title": "Plan", "thought": "They want revenue.", "action": "search", "confidence": 0.9}
    judged = {"title": "Check", "result": "5,000", "analysis": "It answers.", "next_action": "final"}
    replies = (called("a", "think", thought), called("b", "analyze", judged), chat_answer("5,000."))
    (made,), _ = asked(report, *replies)
    (kept,) = run(operations.open_session(report, made.session)).runs
    steps = [dataclasses.asdict(one.event) for one in kept.events if isinstance(one.event, ReasoningStep)]
    common = {"action": "", "result": "", "next_action": "continue", "confidence": 0.8}
    assert steps == [
        {**common, "tool": "think", "title": "Plan", "reasoning": "They want revenue.", "action": "search"}
        | {"confidence": 0.9},
        {**common, "tool": "analyze", "title": "Check", "reasoning": "It answers.", "result": "5,000"}
        | {"next_action": "final_answer"},
    ]


def test_a_question_continues_from_the_chosen_answer(report: Library) -> None:
    def again(_first: Run) -> Operation[Run]:
        return operations.ask(report, "How much?", profile="m", session=1)

    (first, second), _ = asked(report, chat_answer("It is 5,000."), chat_answer("It is 7,777."), then=again)

    async def scenario() -> tuple[Run, str]:
        async with RawServer(chat_answer("So.")) as server:
            report.profiles.put(ModelProfile("m", server.base_url, "m", WireApi.CHAT))
            run = await operations.ask(report, "And then?", profile="m", session=1, after=first.id)(JobContext())
            return run, json.dumps(server.requests[0].json["messages"])

    third, told = asyncio.run(scenario())
    assert (third.parent, third.parent_event) == (first.id, None)
    assert "5,000" in told
    assert "7,777" not in told
    with pytest.raises(NotFound):
        asyncio.run(operations.ask(report, "And?", session=1, after=99)(JobContext()))
    assert second.parent is None

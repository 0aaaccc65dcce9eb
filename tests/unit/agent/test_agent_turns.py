"""Agent loop against a real server on loopback: tools by text, retries, and the server's view of a stop."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from fakes import Recorder, ScriptedProvider, calls, make_hit, run_to_end, runner_for, says, search_call, searching
from model_servers import (
    RawServer,
    Reply,
    chat_answer,
    chat_call,
    chat_delta,
    chat_usage,
    raw,
    silence,
    sse,
    status,
)

from workbench.agent.agent_loop import AgentLoop, RunLimits, RunOutcome
from workbench.agent.base import Approver
from workbench.agent.providers.openai_provider import OpenAIProvider
from workbench.agent.references import RunReferences
from workbench.agent.tool_loop import ToolCallProtocol
from workbench.agent.tools.toolbox import run_tools
from workbench.model.approval import Approval, ApprovalPolicy, AskBefore
from workbench.model.message import Usage
from workbench.model.profile import ModelProfile, ToolCalling, WireApi
from workbench.model.run import (
    AnswerDelta,
    ApprovalAsked,
    Notice,
    RunCancelled,
    RunCompleted,
    RunFailed,
    ToolStarted,
    TurnCompleted,
)

HIT = make_hit("Revenue rose to 5,000 in 2024. Costs fell.")
SEARCH = 'TOOL: search_knowledge_base("revenue (2024)")'
ASKED = "search_knowledge_base"


def runner_at(
    server: RawServer,
    manner: ToolCallProtocol | None = None,
    *,
    api: WireApi = WireApi.CHAT,
    limits: RunLimits | None = None,
    policy: ApprovalPolicy | None = None,
    retry_seconds: float = 0.01,
) -> AgentLoop:
    profile = ModelProfile("p", server.base_url, "m", api)
    references = RunReferences()
    return AgentLoop(
        OpenAIProvider(profile, retry_seconds=retry_seconds),
        run_tools(searching(HIT), references),
        references=references,
        limits=limits,
        manner=manner,
        policy=policy or ApprovalPolicy(AskBefore.NEVER),
    )


def answered(*replies: Reply, **more: Any) -> tuple[RunOutcome, Recorder, RawServer]:
    """Run against a server with these replies."""

    async def scenario() -> tuple[RunOutcome, Recorder, RawServer]:
        async with RawServer(*replies) as server:
            recorder = Recorder()
            runner = runner_at(server, more.pop("manner", None), **more)
            end = await runner.run("How much?", emit=recorder)
            await runner._provider.close()
            return end, recorder, server

    return asyncio.run(scenario())


REFUSALS = [
    status(400, {"error": {"message": "registry.ollama.ai/library/gemma:2b does not support tools"}}),
    status(400, {"message": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'}),
    status(500, {"error": {"message": "tools param requires --jinja flag"}}),
    status(404, {"error": {"message": "No endpoints found that support tool use."}}),
    status(400, {"error": {"message": "Unrecognized request argument supplied: tools"}}),
    status(
        422,
        {"detail": [{"loc": ["body", "tools"], "msg": "Extra inputs are not permitted", "type": "extra_forbidden"}]},
    ),
]


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize("api", [WireApi.CHAT, WireApi.AUTO])
def test_e40_a_server_that_refuses_tools_is_asked_by_text(refusal: Reply, api: WireApi) -> None:
    learnt: list[ToolCalling] = []
    end, recorder, server = answered(
        *([status(404, {"error": "no such page"})] if api is WireApi.AUTO else []),
        refusal,
        chat_answer("I look.\n", SEARCH[:9], SEARCH[9:]),
        chat_answer("It rose [1]."),
        manner=ToolCallProtocol(remember=learnt.append),
        api=api,
    )
    assert isinstance(end, RunCompleted)
    assert end.answer == "It rose [1]."
    assert [citation.valid for citation in end.citations] == [True]
    assert learnt == [ToolCalling.TEXT]
    assert any("by text" in notice.text for notice in recorder.of(Notice))
    assert ["tools" in request.json for request in server.requests[-3:]] == [True, False, False]
    prompt, *_, results = server.requests[-1].json["messages"]
    assert "<tool_protocol>" in prompt["content"]
    assert results["role"] == "user"
    assert "Revenue rose to 5,000" in results["content"]


def test_e40_a_profile_set_to_text_never_declares_tools() -> None:
    end, recorder, server = answered(
        chat_answer(SEARCH), chat_answer("It rose [1]."), manner=ToolCallProtocol(ToolCalling.TEXT)
    )
    assert isinstance(end, RunCompleted)
    assert all("tools" not in request.json for request in server.requests)
    assert recorder.of(Notice) == []
    assert [turn.by_text for turn in recorder.of(TurnCompleted)] == [True, True]


def test_e40_a_profile_set_to_native_reports_the_refusal_of_tools_by_the_server() -> None:
    end, _, server = answered(REFUSALS[0], manner=ToolCallProtocol(ToolCalling.NATIVE))
    assert isinstance(end, RunFailed)
    assert "does not support tools" in end.message
    assert len(server.requests) == 1


def test_e42_the_text_of_a_call_never_reaches_the_answer() -> None:
    _, recorder, _ = answered(
        chat_answer("I look.\n", *SEARCH), chat_answer("It rose [1]."), manner=ToolCallProtocol(ToolCalling.TEXT)
    )
    assert "".join(delta.text for delta in recorder.of(AnswerDelta)) == "I look.\nIt rose [1]."
    assert [started.arguments for started in recorder.of(ToolStarted)] == ['{"query": "revenue (2024)"}']


def test_e42_an_unknown_tool_called_by_text_is_reported_to_the_model() -> None:
    end, _, server = answered(
        chat_answer("TOOL：股票（茅台）"), chat_answer("No."), manner=ToolCallProtocol(ToolCalling.TEXT)
    )
    assert isinstance(end, RunCompleted)
    assert "There is no tool named '股票'" in server.requests[1].json["messages"][-1]["content"]


def test_text_that_was_held_back_is_kept_when_the_stream_is_cut() -> None:
    cut = sse(chat_delta(content="Said.\nTOOL: unknown(half"), done=False)
    end, _, _ = answered(cut, manner=ToolCallProtocol(ToolCalling.TEXT))
    assert isinstance(end, RunFailed)
    assert end.answer == "Said.\nTOOL: unknown(half"


def test_a_turn_cut_before_its_first_word_is_asked_for_again_even_after_a_tool_ran() -> None:
    call = sse(chat_call(0, "a", ASKED, '{"query": "x"}'), chat_delta("tool_calls"))
    end, recorder, server = answered(call, sse(done=False), chat_answer("It rose [1]."))
    assert isinstance(end, RunCompleted)
    assert len(recorder.of(ToolStarted)) == 1
    assert server.requests[1].body == server.requests[2].body
    assert any("asked again" in notice.text for notice in recorder.of(Notice))


@pytest.mark.parametrize("piece", [chat_delta(content="It"), chat_delta(reasoning_content="Hm")])
def test_a_turn_cut_after_its_first_word_is_not_asked_for_again(piece: dict[str, Any]) -> None:
    end, _, server = answered(sse(piece, done=False))
    assert isinstance(end, RunFailed)
    assert len(server.requests) == 1


def test_a_turn_that_is_cut_twice_fails() -> None:
    end, _, server = answered(sse(done=False))
    assert isinstance(end, RunFailed)
    assert len(server.requests) == 2


def test_s15_each_turn_reports_its_token_usage_and_its_finish_reason() -> None:
    call = sse(chat_call(0, "a", ASKED, '{"query": "x"}'), chat_delta("tool_calls"), chat_usage(900, 20))
    end, recorder, _ = answered(call, chat_answer("It rose [1]."))
    first, second = recorder.of(TurnCompleted)
    assert (first.round, first.finish, first.usage, first.is_estimate) == (1, "tool_calls", Usage(900, 20), False)
    assert [call.name for call in first.tool_calls] == [ASKED]
    assert (second.round, second.finish, second.is_estimate) == (2, "stop", True)
    assert (second.usage.input_tokens or 0) > 900
    assert isinstance(end, RunCompleted)
    assert end.usage == Usage(900, 20)


def test_s13_near_its_token_limit_the_model_is_instructed_to_answer() -> None:
    provider = ScriptedProvider(calls(search_call("x")), says("It rose [1]."))
    end, recorder = run_to_end(runner_for(provider, searching(HIT), limits=RunLimits(tokens=4_000)))
    assert isinstance(end, RunCompleted)
    assert "no tool calls left" in provider.requests[1].messages[0].text
    assert any("4,000 tokens" in notice.text for notice in recorder.of(Notice))


def test_s13_a_model_that_keeps_calling_tools_at_its_token_limit_fails() -> None:
    provider = ScriptedProvider(calls(search_call("x")))
    end, _ = run_to_end(runner_for(provider, limits=RunLimits(tokens=4_000)))
    assert isinstance(end, RunFailed)
    assert "4,000 tokens" in end.message
    assert len(provider.requests) == 2


def test_s13_an_answer_without_end_is_stopped_by_the_limit_of_tokens_and_kept() -> None:
    endless = sse(*(chat_delta(content=f"word{number} ") for number in range(5_000)), done=False)
    end, _, _ = answered(endless, limits=RunLimits(tokens=5_000))
    assert isinstance(end, RunFailed)
    assert "5,000 tokens" in end.message
    assert end.answer.startswith("word0 word1")
    assert 500 < len(end.answer.split()) < 5_000


class Waits:
    """Approver that never decides."""

    def remembers(self, tool: str) -> bool:
        return False

    async def decide(self, asked: ApprovalAsked) -> Approval:
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]


PHASES: list[tuple[str, Reply, Callable[[Recorder], bool]]] = [
    ("before the headers", silence, lambda recorder: len(recorder.events) == 2),
    (
        "before the first word",
        raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", then=silence),
        lambda recorder: len(recorder.events) == 2,
    ),
    (
        "while it answers",
        sse(chat_delta(content="A"), done=False, then=silence),
        lambda recorder: bool(recorder.of(AnswerDelta)),
    ),
]


@pytest.mark.parametrize(("phase", "reply", "reached"), PHASES, ids=[phase[0] for phase in PHASES])
def test_s16_a_stop_takes_under_100_ms_and_the_server_sees_it(
    phase: str, reply: Reply, reached: Callable[[Recorder], bool]
) -> None:
    async def scenario() -> tuple[Recorder, float]:
        async with RawServer(reply) as server:
            recorder, there = Recorder(), asyncio.Event()

            def emit(event: Any) -> None:
                recorder(event)
                if reached(recorder):
                    there.set()

            task = asyncio.create_task(runner_at(server).run("How?", emit=emit))
            await asyncio.wait_for(asyncio.gather(there.wait(), server.asked.wait()), 5)
            began = asyncio.get_running_loop().time()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(server.hung_up.wait(), 1)
            return recorder, asyncio.get_running_loop().time() - began

    recorder, seconds = asyncio.run(scenario())
    assert isinstance(recorder.events[-1], RunCancelled)
    assert seconds < 0.1


def test_s16_a_stop_while_a_call_waits_for_a_person_takes_under_100_ms() -> None:
    async def scenario() -> tuple[Recorder, float]:
        async with RawServer(sse(chat_call(0, "a", ASKED, '{"query": "x"}'), chat_delta("tool_calls"))) as server:
            recorder, waits = Recorder(), asyncio.Event()

            def emit(event: Any) -> None:
                recorder(event)
                if recorder.of(ApprovalAsked):
                    waits.set()

            approver: Approver = Waits()
            runner = runner_at(server, policy=ApprovalPolicy(AskBefore.ALWAYS))
            task = asyncio.create_task(runner.run("How?", emit=emit, approver=approver))
            await asyncio.wait_for(waits.wait(), 5)
            began = asyncio.get_running_loop().time()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return recorder, asyncio.get_running_loop().time() - began

    recorder, seconds = asyncio.run(scenario())
    assert isinstance(recorder.events[-1], RunCancelled)
    assert seconds < 0.1


def test_deeply_nested_arguments_are_reported_to_the_model() -> None:
    provider = ScriptedProvider(calls((ASKED, "[" * 100_000)), says("Fine."))
    end, _ = run_to_end(runner_for(provider))
    assert isinstance(end, RunCompleted)
    assert "nested too deeply" in provider.requests[1].messages[-1].text

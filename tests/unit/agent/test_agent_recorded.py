"""Replay of a stored run: a model receives exactly the messages that it was sent then."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from fakes import Recorder, ScriptedProvider, calls, found, make_hit, says, search_call, searching

from workbench.agent.agent_loop import AgentLoop
from workbench.agent.built_in_agent import REFUSAL_EN, UNKNOWN_EN
from workbench.agent.references import RunReferences
from workbench.agent.run_log import replay_until
from workbench.agent.tool_loop import ToolCallProtocol
from workbench.agent.tools.search import SearchFunction
from workbench.agent.tools.toolbox import run_tools
from workbench.errors import RetrievalError
from workbench.model.approval import Approval, ApprovalPolicy, AskBefore, Decision
from workbench.model.hit import Coverage, SearchResult
from workbench.model.message import TextDelta, TurnEnd
from workbench.model.profile import ToolCalling
from workbench.model.run import ApprovalAsked, Certainty, Run, RunCompleted, RunStatus, ToolCompleted

HIT = make_hit("Revenue rose to 5,000 in 2024.")


class Changes:
    """Approver that changes the search query."""

    def remembers(self, tool: str) -> bool:
        return False

    async def decide(self, asked: ApprovalAsked) -> Approval:
        return Approval(Decision.EDIT, '{"query": "changed"}')


def kept(
    provider: ScriptedProvider,
    calling: ToolCalling = ToolCalling.AUTO,
    search: SearchFunction | None = None,
    **more: Any,
) -> Run:
    """Answer a question and return the run as it would be stored."""
    references, recorder = RunReferences(), Recorder()
    tools = run_tools(search or searching(HIT), references)
    runner = AgentLoop(provider, tools, references=references, manner=ToolCallProtocol(calling), **more)
    asyncio.run(runner.run("How much?", emit=recorder, approver=Changes()))
    empty: tuple[Any, ...] = ()
    return Run(
        1, 1, "How much?", "p", "m", RunStatus.COMPLETED, "", False, "", 0.0, empty, empty, tuple(recorder.timed)
    )


def last_result(run: Run) -> int:
    return max(timed.number for timed in run.events if isinstance(timed.event, ToolCompleted))


@pytest.mark.parametrize("policy", [AskBefore.NEVER, AskBefore.ALWAYS])
def test_the_messages_are_those_that_were_sent(policy: AskBefore) -> None:
    think = ("think", {"title": "Plan", "thought": "Search."})
    search = calls(search_call("a"), search_call("b"), ("no_such_tool", "{}"), beside="I look.")
    end = search[-1]
    assert isinstance(end, TurnEnd)
    item = {"type": "function_call", "call_id": end.tool_calls[0].id, "arguments": '{"query": "a"}'}
    search[-1] = TurnEnd(end.tool_calls, "tool_calls", provider_items=(item,))
    provider = ScriptedProvider(calls(think), search, says("Yes [1]."))
    run = kept(provider, policy=ApprovalPolicy(policy))
    number = last_result(run)
    event = run.events[number].event
    assert isinstance(event, ToolCompleted)
    recorded = replay_until(run, number, event.result)
    assert recorded.messages == provider.requests[2].messages[2:]
    assert (recorded.calls, len(recorded.turns), len(recorded.steps)) == (4, 2, 1)
    assert [reference.query for reference in recorded.references] == (
        ["a", "b"] if policy is AskBefore.NEVER else ["changed", "changed"]
    )


def test_only_the_turns_up_to_the_step_are_kept() -> None:
    provider = ScriptedProvider(calls(search_call("a")), calls(search_call("b")), says("Yes [1]."))
    run = kept(provider)
    first = next(timed.number for timed in run.events if isinstance(timed.event, ToolCompleted))
    recorded = replay_until(run, first, "nothing")
    assert [message.text for message in recorded.messages] == ["", "nothing"]
    assert [reference.query for reference in recorded.references] == ["a"]


def test_calls_made_by_text_are_kept_like_any() -> None:
    provider = ScriptedProvider([TextDelta("I look.\nTOOL: search_knowledge_base(a)"), TurnEnd()], says("It rose [1]."))
    run = kept(provider, ToolCalling.TEXT)
    recorded = replay_until(run, last_result(run), "nothing")
    assert [call.arguments for call in recorded.messages[0].tool_calls] == ['{"query": "a"}']
    assert recorded.messages[0].text == "I look.\n"


@pytest.mark.logs_warnings
@pytest.mark.parametrize("fails", [False, True])
def test_what_could_not_be_searched_before_the_step_is_still_known_after_it(fails: bool) -> None:
    async def search(query: str) -> SearchResult:
        if fails:
            raise RetrievalError("The index cannot be read.", "Index again.")
        return replace(found(query=query), coverage=Coverage(3, waiting=1))

    think = ("think", {"title": "Plan", "thought": "Search."})
    provider = ScriptedProvider(calls(search_call("a")), calls(think), says(REFUSAL_EN))
    run = kept(provider, search=search)
    recorded = replay_until(run, last_result(run), "Thought.")
    references = RunReferences()
    loop = AgentLoop(ScriptedProvider(says(REFUSAL_EN)), run_tools(search, references), references=references)
    end = asyncio.run(loop.run("How much?", emit=Recorder(), recorded=recorded))
    assert isinstance(end, RunCompleted)
    assert (end.certainty, end.answer) == (Certainty.UNKNOWN, UNKNOWN_EN)

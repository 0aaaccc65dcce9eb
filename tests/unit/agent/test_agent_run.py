"""Agent loop: events, tool calls, limits, failures."""

import asyncio
import json
import logging
from dataclasses import replace

import pytest
from fakes import (
    Recorder,
    ScriptedProvider,
    calls,
    found,
    make_hit,
    run_to_end,
    runner_for,
    says,
    search_call,
    searching,
)

from workbench.agent.agent_loop import RunLimits
from workbench.agent.base import ToolResult
from workbench.errors import ModelStreamCut, RetrievalError, ToolError
from workbench.model.agent import Agent
from workbench.model.hit import Coverage, SearchResult
from workbench.model.message import ProviderNote, ReasoningDelta, Role, TextDelta, ToolSpec, TurnEnd, Usage
from workbench.model.run import (
    AnswerDelta,
    AnswerDiscarded,
    Certainty,
    ModelReasoning,
    Notice,
    ReasoningCompleted,
    ReasoningStep,
    ReferencesFound,
    RunCompleted,
    RunFailed,
    ToolCompleted,
    ToolFailed,
    ToolStarted,
)
from workbench.settings import Settings

HIT = make_hit("Revenue rose to 5,000 in 2024. Costs fell.")


class FailingTool:
    spec = ToolSpec("fails", "Fails.", {"type": "object", "properties": {}, "required": []})

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def call(self, arguments: dict[str, object]) -> ToolResult:
        raise self._error


def test_c15_s15_think_search_analyze_answer_is_reproduced() -> None:
    provider = ScriptedProvider(
        calls(("think", {"title": "Plan", "thought": "Search for revenue."})),
        calls(search_call("revenue")),
        calls(("analyze", {"title": "Enough", "result": "5,000", "analysis": "Clear.", "next_action": "FINAL"})),
        says("Revenue rose ", "to 5,000 [1]."),
    )
    end, recorder = run_to_end(runner_for(provider, searching(HIT)))
    assert isinstance(end, RunCompleted)
    assert end.answer == "Revenue rose to 5,000 [1]."
    assert [citation.valid for citation in end.citations] == [True]
    assert [step.next_action for step in recorder.of(ReasoningStep)] == ["continue", "final_answer"]
    assert recorder.names == [
        *("RunStarted", "PromptAssembled"),
        *("TurnCompleted", "ToolStarted", "ToolCompleted", "ReasoningStarted", "ReasoningStep"),
        *("TurnCompleted", "ToolStarted", "ToolCompleted", "ReferencesFound"),
        *("TurnCompleted", "ToolStarted", "ToolCompleted", "ReasoningStep"),
        *("AnswerDelta", "AnswerDelta", "TurnCompleted", "ReasoningCompleted", "RunCompleted"),
    ]


def test_events_are_numbered_from_0_and_their_times_do_not_run_back() -> None:
    _, recorder = run_to_end(runner_for(ScriptedProvider(calls(search_call("x")), says("Yes."))))
    assert [timed.number for timed in recorder.timed] == list(range(len(recorder.timed)))
    seconds = [timed.seconds for timed in recorder.timed]
    assert seconds == sorted(seconds)


def test_s11_several_calls_of_one_turn_are_answered_in_their_order() -> None:
    slow_is_running = asyncio.Event()

    async def search(query: str) -> SearchResult:
        if query == "slow":
            await slow_is_running.wait()
        else:
            slow_is_running.set()  # ends only if the second call runs while the first one waits
        return await searching(make_hit(query, chunk=1 if query == "slow" else 2))(query)

    provider = ScriptedProvider(calls(search_call("slow"), search_call("quick")), says("Done."))
    _, recorder = run_to_end(runner_for(provider, search))
    results = [message for message in provider.requests[1].messages if message.role is Role.TOOL]
    assert [message.tool_call_id for message in results] == [
        "call_search_knowledge_base_0",
        "call_search_knowledge_base_1",
    ]
    numbers = [json.loads(message.text)[0]["meta_data"]["citation"] for message in results]
    assert numbers == [1, 2]
    assert [found.reference.query for found in recorder.of(ReferencesFound)] == ["slow", "quick"]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("search_the_web", "{}", "no tool named 'search_the_web'"),
        ("search_knowledge_base", '{"query": "rev', "not valid JSON"),
        ("search_knowledge_base", "{}", "Missing required argument of search_knowledge_base: query"),
        ("search_knowledge_base", '["query"]', "must be a JSON object"),
        ("search_knowledge_base", '{"query": 5}', "must be a JSON string"),
        ("search_knowledge_base", '{"query": " "}', "query is empty"),
    ],
)
def test_s12_an_invalid_tool_call_is_reported_to_the_model_and_the_run_continues(
    name: str, arguments: str, told: str
) -> None:
    provider = ScriptedProvider(calls((name, arguments)), says("Fine."))
    end, recorder = run_to_end(runner_for(provider, searching(HIT)))
    assert isinstance(end, RunCompleted)
    assert told in provider.requests[1].messages[-1].text
    assert [failed.tool for failed in recorder.of(ToolFailed)] == [name]


def test_arguments_encoded_twice_are_understood() -> None:
    provider = ScriptedProvider(calls(("search_knowledge_base", json.dumps('{"query": "revenue"}'))), says("Fine."))
    _, recorder = run_to_end(runner_for(provider, searching(HIT)))
    assert recorder.of(ReferencesFound)[0].reference.query == "revenue"


def test_s13_calls_beyond_the_limit_are_not_carried_out_even_within_one_turn() -> None:
    searched: list[str] = []

    async def search(query: str) -> SearchResult:
        searched.append(query)
        return await searching()(query)

    provider = ScriptedProvider(calls(*(search_call(str(n)) for n in range(3))), calls(search_call("3")), says("Done."))
    end, recorder = run_to_end(runner_for(provider, search, limits=RunLimits(tool_calls=2)))
    assert isinstance(end, RunCompleted)
    assert searched == ["0", "1"]
    assert all("limit reached" in failed.message for failed in recorder.of(ToolFailed))
    assert len(recorder.of(ToolFailed)) == 2
    assert len(recorder.of(Notice)) == 1
    assert "limit reached" in provider.requests[1].messages[-1].text


def test_s13_the_limits_in_force_are_those_of_the_settings_and_finite() -> None:
    assert RunLimits.of(Settings()) == RunLimits(tool_calls=20, rounds=10, seconds=300, tokens=500_000)


def test_s13_the_limits_of_an_agent_count_before_those_of_the_settings() -> None:
    agent = Agent("careful", rounds=3, tokens=9_000)
    assert RunLimits.of(Settings(), agent) == RunLimits(tool_calls=20, rounds=3, seconds=300, tokens=9_000)


def test_rounds_are_limited_and_the_last_round_instructs_the_model_to_answer() -> None:
    provider = ScriptedProvider(calls(search_call("again"), beside="Let me see."))
    end, recorder = run_to_end(runner_for(provider, limits=RunLimits(rounds=3)))
    assert isinstance(end, RunFailed)
    assert "3 rounds" in end.message
    assert len(provider.requests) == 3
    assert ["no tool calls left" in request.messages[0].text for request in provider.requests] == [False, False, True]
    assert len(recorder.of(ToolStarted)) == 2


def test_seconds_are_limited_and_the_text_so_far_is_kept() -> None:
    provider = ScriptedProvider([TextDelta("So far"), asyncio.Event().wait])
    end, _ = run_to_end(runner_for(provider, limits=RunLimits(seconds=0.05)))
    assert isinstance(end, RunFailed)
    assert "took longer" in end.message
    assert end.answer == "So far"


@pytest.mark.logs_warnings
def test_s14_an_error_in_a_tool_reaches_the_model_as_its_type_name_only(caplog: pytest.LogCaptureFixture) -> None:
    provider = ScriptedProvider(calls(("fails", {})), says("Fine."))
    with caplog.at_level(logging.ERROR):
        end, _ = run_to_end(runner_for(provider, extra_tools=[FailingTool(OSError("/home/me/secret"))]))
    assert isinstance(end, RunCompleted)
    assert provider.requests[1].messages[-1].text == "Error in fails: OSError"
    assert "Tool fails failed" in caplog.text


def test_a_tool_error_reaches_the_model_as_its_message() -> None:
    provider = ScriptedProvider(calls(("fails", {})), says("Fine."))
    run_to_end(runner_for(provider, extra_tools=[FailingTool(ToolError("Say it otherwise."))]))
    assert provider.requests[1].messages[-1].text == "Say it otherwise."


def test_c11_reasoning_is_announced_once_and_reported_completely_before_the_run_ends() -> None:
    think = ("think", {"title": "Plan", "thought": "Search."})
    _, recorder = run_to_end(runner_for(ScriptedProvider(calls(think, think), calls(think), says("Yes."))))
    assert recorder.names.count("ReasoningStarted") == 1
    assert recorder.names.index("ReasoningStarted") == recorder.names.index("ReasoningStep") - 1
    assert recorder.names[-2:] == ["ReasoningCompleted", "RunCompleted"]
    assert recorder.of(ReasoningCompleted)[0].steps == tuple(recorder.of(ReasoningStep))


def test_c11_no_reasoning_is_announced_where_no_thought_was_recorded() -> None:
    _, recorder = run_to_end(runner_for(ScriptedProvider(calls(("think", {"title": "Plan"})), says("Yes."))))
    assert [failed.tool for failed in recorder.of(ToolFailed)] == ["think"]
    assert not {"ReasoningStarted", "ReasoningStep", "ReasoningCompleted"} & set(recorder.names)


def test_c13_text_beside_tool_calls_is_kept_in_the_steps_and_out_of_the_answer() -> None:
    provider = ScriptedProvider(calls(search_call("x"), beside="I will search."), says("Found it [1]."))
    end, recorder = run_to_end(runner_for(provider, searching(HIT)))
    assert isinstance(end, RunCompleted)
    assert end.answer == "Found it [1]."
    assert recorder.of(AnswerDiscarded) == [AnswerDiscarded("I will search.")]
    assert provider.requests[1].messages[2].text == "I will search."


def test_s15_reasoning_and_notes_of_the_provider_are_passed_on_and_usage_adds_up() -> None:
    provider = ScriptedProvider(
        [*calls(search_call("x"))[:-1], TurnEnd(calls(search_call("x"))[-1].tool_calls, usage=Usage(10, 2))],  # type: ignore[union-attr]
        [ReasoningDelta("Hm."), ProviderNote("Trying again."), TextDelta("Yes."), TurnEnd(usage=Usage(None, 3))],
    )
    end, recorder = run_to_end(runner_for(provider))
    assert isinstance(end, RunCompleted)
    assert end.usage == Usage(10, 5)
    assert recorder.of(ModelReasoning) == [ModelReasoning("Hm.")]
    assert recorder.of(Notice) == [Notice("Trying again.")]
    assert recorder.of(AnswerDelta) == [AnswerDelta("Yes.")]


def test_an_error_of_the_provider_fails_the_run_and_keeps_the_text_so_far() -> None:
    provider = ScriptedProvider([TextDelta("Half of"), ModelStreamCut("It ended early.", "Ask again.")])
    end, recorder = run_to_end(runner_for(provider))
    assert end == recorder.events[-1]
    assert isinstance(end, RunFailed)
    assert (end.message, end.hint, end.answer) == ("It ended early.", "Ask again.", "Half of")


def test_a_provider_that_ends_without_the_end_of_its_turn_is_a_cut_stream() -> None:
    end, _ = run_to_end(runner_for(ScriptedProvider([TextDelta("Half of")])))
    assert isinstance(end, RunFailed)
    assert end.answer == "Half of"


def test_a_bug_in_the_provider_ends_the_run_and_is_raised() -> None:
    recorder_of_bug: list[object] = []
    runner = runner_for(ScriptedProvider([ZeroDivisionError("bug")]))
    with pytest.raises(ZeroDivisionError):
        asyncio.run(runner.run("Why?", emit=recorder_of_bug.append))
    assert isinstance(recorder_of_bug[-1].event, RunFailed)  # type: ignore[attr-defined]


def test_an_answer_cut_at_the_length_limit_is_kept_with_a_notice() -> None:
    end, recorder = run_to_end(runner_for(ScriptedProvider(says("A long", finish="length"))))
    assert isinstance(end, RunCompleted)
    assert "cut off" in recorder.of(Notice)[0].text


@pytest.mark.parametrize("finish", ["stop", "length"])
def test_an_empty_answer_is_a_failure(finish: str) -> None:
    end, _ = run_to_end(runner_for(ScriptedProvider(says(" \n", finish=finish))))
    assert isinstance(end, RunFailed)
    assert "without an answer" in end.message


def test_a_filtered_answer_is_a_failure_that_keeps_the_text() -> None:
    end, _ = run_to_end(runner_for(ScriptedProvider(says("I can", finish="content_filter"))))
    assert isinstance(end, RunFailed)
    assert "filter" in end.message
    assert end.answer == "I can"


@pytest.mark.parametrize("answer", ["Your documents hold nothing about this.", "**暂无相关知识**。"])
def test_e36_the_agreed_sentence_is_a_refusal(answer: str) -> None:
    end, _ = run_to_end(runner_for(ScriptedProvider(calls(search_call("x")), says(answer))))
    assert isinstance(end, RunCompleted)
    assert end.refused


@pytest.mark.logs_warnings
def test_s23_a_failed_search_never_becomes_an_honest_refusal(caplog: pytest.LogCaptureFixture) -> None:
    async def search(query: str) -> SearchResult:
        raise RetrievalError("The index cannot be read: password hunter2.", "Index again.")

    provider = ScriptedProvider(calls(search_call("x")), says("暂无相关知识"))
    with caplog.at_level(logging.WARNING):
        end, recorder = run_to_end(runner_for(provider, search))
    assert isinstance(end, RunCompleted)
    assert not end.refused
    assert provider.requests[1].messages[-1].text == "Error searching knowledge base: RetrievalError"
    assert "A search failed" in caplog.text
    assert len(recorder.of(Notice)) == 2


def test_e32_a_refusal_is_not_final_while_documents_are_still_to_be_read() -> None:
    async def search(query: str) -> SearchResult:
        return replace(found(query=query), coverage=Coverage(3, waiting=1))

    provider = ScriptedProvider(calls(search_call("x")), says("暂无相关知识"))
    end, recorder = run_to_end(runner_for(provider, search))
    assert isinstance(end, RunCompleted)
    assert (end.certainty, end.refused) == (Certainty.UNKNOWN, False)
    assert "Not everything could be searched" in recorder.of(Notice)[-1].text


@pytest.mark.parametrize(
    ("question", "said", "kept"),
    [
        ("Why?", "**Your documents hold nothing about this.**", "Not found in what was read so far."),
        ("为什么？", "暂无相关知识。", "在目前已读取的内容中没有找到。"),
        ("Why?", "I looked twice. Your documents hold nothing about this.", None),
    ],
)
def test_a_refusal_of_the_model_becomes_not_found_so_far_where_something_is_unread(
    question: str, said: str, kept: str | None
) -> None:
    async def search(query: str) -> SearchResult:
        return replace(found(query=query), coverage=Coverage(3, failed=1))

    runner = runner_for(ScriptedProvider(calls(search_call("x")), says(said)), search)
    end = asyncio.run(runner.run(question, emit=Recorder()))
    assert isinstance(end, RunCompleted)
    assert (end.answer, end.certainty) == (kept or said, Certainty.UNKNOWN)


def test_an_answer_with_a_valid_citation_is_no_refusal() -> None:
    said = "Revenue rose to 5,000 [1]. On costs: Your documents hold nothing about this."
    end, _ = run_to_end(runner_for(ScriptedProvider(calls(search_call("x")), says(said)), searching(HIT)))
    assert isinstance(end, RunCompleted)
    assert not end.refused


def test_e37_an_invented_number_is_flagged() -> None:
    end, _ = run_to_end(runner_for(ScriptedProvider(calls(search_call("x")), says("It rose [1][9].")), searching(HIT)))
    assert isinstance(end, RunCompleted)
    assert [(citation.marker, citation.valid) for citation in end.citations] == [(1, True), (9, False)]


def test_a_chunk_found_twice_in_a_run_keeps_its_number() -> None:
    other = make_hit("Something else.", chunk=2)
    results = iter([(HIT,), (other, HIT)])

    async def search(query: str) -> SearchResult:
        return await searching(*next(results))(query)

    provider = ScriptedProvider(calls(search_call("a")), calls(search_call("b")), says("Yes."))
    _, recorder = run_to_end(runner_for(provider, search))
    numbers = [[hit.number for hit in event.reference.hits] for event in recorder.of(ReferencesFound)]
    assert numbers == [[1], [2, 1]]


def test_provider_items_go_back_unchanged() -> None:
    turn = calls(search_call("x"))[-1]
    assert isinstance(turn, TurnEnd)
    item = {"type": "reasoning", "id": "rs_1"}
    provider = ScriptedProvider([TurnEnd(turn.tool_calls, provider_items=(item,))], says("Yes."))
    _, recorder = run_to_end(runner_for(provider))
    assert provider.requests[1].messages[2].provider_items == (item,)
    assert len(recorder.of(ToolCompleted)) == 1

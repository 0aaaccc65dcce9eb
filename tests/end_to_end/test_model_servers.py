"""Whole agent runs against a scripted OpenAI-protocol server, through both wire formats."""

import asyncio
import time
from typing import Any

import pytest
from fakes import Recorder, make_hit, runner_for, searching
from model_servers import Aimock, why_no_aimock

from workbench.agent.agent_loop import RunOutcome
from workbench.agent.providers.connection_check import examine_openai
from workbench.agent.providers.openai_provider import OpenAIProvider
from workbench.model.hit import SearchResult
from workbench.model.message import Usage
from workbench.model.profile import ModelProfile, WireApi
from workbench.model.run import (
    AnswerDelta,
    ModelReasoning,
    Notice,
    ReasoningStep,
    ReferencesFound,
    RunCancelled,
    RunCompleted,
    RunFailed,
    TimedEvent,
    ToolFailed,
)

pytestmark = [pytest.mark.aimock, pytest.mark.skipif(bool(why_no_aimock()), reason=why_no_aimock() or "ready")]

HIT = make_hit("Revenue rose to 5,000 million in 2024. Costs fell.")
BOTH = pytest.mark.parametrize("api", [WireApi.CHAT, WireApi.RESPONSES])


def provider_at(aimock: Aimock, api: WireApi, **more: Any) -> OpenAIProvider:
    return OpenAIProvider(ModelProfile("scripted", aimock.base_url, "m", api), retry_seconds=0.01, **more)


def run(aimock: Aimock, api: WireApi, question: str, **more: Any) -> tuple[RunOutcome, Recorder]:
    async def search(query: str) -> SearchResult:
        other = make_hit("Costs fell by 3 %.", chunk=2)
        return await searching(other if query == "second" else HIT)(query)

    async def scenario() -> tuple[RunOutcome, Recorder]:
        provider, recorder = provider_at(aimock, api, **more), Recorder()
        try:
            return await runner_for(provider, search).run(question, emit=recorder), recorder
        finally:
            await provider.close()

    return asyncio.run(scenario())


@BOTH
def test_a_tool_round_trip_ends_in_an_answer_with_checked_citations(aimock: Aimock, api: WireApi) -> None:
    end, recorder = run(aimock, api, "round trip")
    assert isinstance(end, RunCompleted)
    assert [(citation.marker, citation.valid, citation.quote) for citation in end.citations] == [
        (1, True, "Revenue rose to 5,000 million in 2024."),
        (7, False, ""),
    ]
    assert len(recorder.of(ReferencesFound)) == 1


@BOTH
def test_c15_the_whole_loop(aimock: Aimock, api: WireApi) -> None:
    end, recorder = run(aimock, api, "full loop")
    assert isinstance(end, RunCompleted)
    assert [(step.tool, step.next_action) for step in recorder.of(ReasoningStep)] == [
        ("think", "continue"),
        ("analyze", "final_answer"),
    ]
    assert end.answer == "It rose to 5,000 million [1]."


@BOTH
def test_parallel_calls_of_one_turn(aimock: Aimock, api: WireApi) -> None:
    end, recorder = run(aimock, api, "parallel")
    assert isinstance(end, RunCompleted)
    assert [found.reference.query for found in recorder.of(ReferencesFound)] == ["first", "second"]
    assert [citation.valid for citation in end.citations] == [True, True]


@BOTH
@pytest.mark.parametrize("question", ["bad arguments", "unknown tool"])
def test_s12_a_wrong_call_does_not_end_the_run(aimock: Aimock, api: WireApi, question: str) -> None:
    end, recorder = run(aimock, api, question)
    assert isinstance(end, RunCompleted)
    assert end.answer == "I will do without."
    assert len(recorder.of(ToolFailed)) == 1


@BOTH
def test_rule_10_reasoning_is_shown_and_kept_out_of_the_answer(aimock: Aimock, api: WireApi) -> None:
    end, recorder = run(aimock, api, "reasoning")
    assert isinstance(end, RunCompleted)
    assert end.answer == "Five."
    assert "".join(piece.text for piece in recorder.of(ModelReasoning)) == "Let me see what they know."


@BOTH
def test_rule_9_characters_cut_in_two_arrive_whole(aimock: Aimock, api: WireApi) -> None:
    end, recorder = run(aimock, api, "unicode")
    assert isinstance(end, RunCompleted)
    assert end.answer == "收入增长 😀 naïve café 👩‍👩‍👧 end."
    assert len(recorder.of(AnswerDelta)) > 10


@BOTH
def test_e36_the_agreed_sentence_is_a_refusal(aimock: Aimock, api: WireApi) -> None:
    end, _ = run(aimock, api, "nothing known")
    assert isinstance(end, RunCompleted)
    assert end.refused


@BOTH
def test_usage_is_counted(aimock: Aimock, api: WireApi) -> None:
    end, _ = run(aimock, api, "usage")
    assert isinstance(end, RunCompleted)
    assert end.usage == Usage(11, 4)


@BOTH
@pytest.mark.parametrize("question", ["cut stream", "hang up"])
def test_rule_2_a_cut_stream_fails_the_run_and_keeps_the_text(aimock: Aimock, api: WireApi, question: str) -> None:
    end, _ = run(aimock, api, question)
    assert isinstance(end, RunFailed)
    assert "ended before the answer did" in end.message
    assert end.answer.startswith("This")


@BOTH
def test_an_answer_cut_off_at_the_length_limit_is_reported(aimock: Aimock, api: WireApi) -> None:
    end, recorder = run(aimock, api, "length limit")
    assert isinstance(end, RunCompleted)
    assert "cut off" in recorder.of(Notice)[-1].text


@BOTH
def test_a_filtered_answer_fails(aimock: Aimock, api: WireApi) -> None:
    end, _ = run(aimock, api, "filtered")
    assert isinstance(end, RunFailed)
    assert end.answer == "I can"


@BOTH
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("status 400", "refused the request: bad request"),
        ("status 401", "requires a key"),
        ("status 403", "does not let you use it"),
        ("status 404", "no model named “m”"),
        ("status 413", "too long for the model"),
        ("status 422", "refused the request: wrong shape"),
        ("context too long", "too long for the model"),
        ("limited for 5 minutes", "limiting requests"),
    ],
)
def test_an_error_that_a_retry_cannot_fix_fails_at_once_with_an_error_message(
    aimock: Aimock, api: WireApi, question: str, said: str
) -> None:
    end, recorder = run(aimock, api, question)
    assert isinstance(end, RunFailed)
    assert said in end.message
    assert end.hint
    assert recorder.of(Notice) == []


@BOTH
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("status 408", "failed (error 408)"),
        ("status 409", "refused the request: in conflict"),
        ("status 429", "limiting requests"),
        *((f"status {code}", f"failed (error {code})") for code in (500, 502, 503, 504, 529)),
    ],
)
def test_a_temporary_error_is_retried_twice_visibly_to_the_user_and_fails_with_an_error_message(
    aimock: Aimock, api: WireApi, question: str, said: str
) -> None:
    end, recorder = run(aimock, api, question)
    assert isinstance(end, RunFailed)
    assert said in end.message
    assert end.hint
    assert ["Trying again" in notice.text for notice in recorder.of(Notice)] == [True, True]


@BOTH
def test_the_error_hint_shows_the_user_how_long_a_rate_limit_lasts(aimock: Aimock, api: WireApi) -> None:
    end, _ = run(aimock, api, "limited for 5 minutes")
    assert isinstance(end, RunFailed)
    assert end.hint == "Ask again in 300 seconds."


@BOTH
def test_two_rounds_of_parallel_calls(aimock: Aimock, api: WireApi) -> None:
    # aimock counts a call as a turn in one format, and all calls of a turn as one in the other.
    end, recorder = run(aimock, api, f"two rounds by {api}")
    assert isinstance(end, RunCompleted)
    assert [found.reference.query for found in recorder.of(ReferencesFound)] == ["revenue", "costs", "revenue 2024"]
    assert [step.title for step in recorder.of(ReasoningStep)] == ["Plan"]
    assert end.answer == "Revenue rose [1]."


@BOTH
def test_a_model_that_starts_slowly_is_waited_for(aimock: Aimock, api: WireApi) -> None:
    end, _ = run(aimock, api, "slow start")
    assert isinstance(end, RunCompleted)
    assert end.answer == "Here at last."
    assert end.seconds >= 0.7


@BOTH
def test_reasoning_streams_in_every_round_and_a_call_may_follow_it(aimock: Aimock, api: WireApi) -> None:
    end, recorder = run(aimock, api, "thinks aloud")
    assert isinstance(end, RunCompleted)
    assert "".join(piece.text for piece in recorder.of(ModelReasoning)) == "I should search for it first.There it is."
    assert [citation.valid for citation in end.citations] == [True]


@BOTH
def test_429_then_ok_is_retried_in_sight_of_the_user(aimock: Aimock, api: WireApi) -> None:
    aimock.control("POST", "/error", {"status": 429, "body": {"error": {"message": "slow down"}}})
    end, recorder = run(aimock, api, "reasoning")
    assert isinstance(end, RunCompleted)
    assert "Trying again" in recorder.of(Notice)[0].text


@BOTH
def test_stop_takes_less_than_100_ms_and_keeps_the_text(aimock: Aimock, api: WireApi) -> None:
    async def scenario() -> tuple[float, Recorder]:
        provider, recorder, arrived = provider_at(aimock, api), Recorder(), asyncio.Event()

        def emit(event: TimedEvent) -> None:
            recorder(event)
            if isinstance(event.event, AnswerDelta):
                arrived.set()

        task = asyncio.create_task(runner_for(provider).run("long story", emit=emit))
        try:
            await asyncio.wait_for(arrived.wait(), 10)
            began = time.perf_counter()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return time.perf_counter() - began, recorder
        finally:
            await provider.close()

    seconds, recorder = asyncio.run(scenario())
    assert isinstance(recorder.events[-1], RunCancelled)
    assert recorder.events[-1].answer.startswith("Once")
    assert seconds < 0.1


def test_auto_finds_the_responses_api(aimock: Aimock) -> None:
    remembered: list[WireApi] = []
    end, _ = run(aimock, WireApi.AUTO, "round trip", remember_api=remembered.append)
    assert isinstance(end, RunCompleted)
    assert remembered == [WireApi.RESPONSES]


def test_a_profile_is_tested_thing_by_thing(aimock: Aimock) -> None:
    counted = {"match": {"userMessage": "Count from one"}, "response": {"content": "one two three"}, "chunkSize": 4}
    aimock.control("POST", "/fixtures", {"fixtures": [counted]})
    report = asyncio.run(examine_openai(ModelProfile("p", aimock.base_url, "m"), "", lambda _found: None))
    words = [one.words for one in report.abilities]
    assert f"127.0.0.1:{aimock.port} can be reached; it runs on this computer." in words
    assert any(one.startswith("“m” answers (Responses)") for one in words)
    assert "The answer appears while it is written." in words

"""Stop: a run can be cancelled anywhere, within 100 ms, and keeps the answer so far."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

import pytest
from fakes import Recorder, ScriptedProvider, calls, make_hit, runner_for, says, search_call, searching

from workbench.agent.agent_loop import AgentLoop
from workbench.agent.base import ToolResult
from workbench.model.hit import SearchResult
from workbench.model.message import ModelEvent, ModelRequest, TextDelta, ToolSpec
from workbench.model.run import RunCancelled, ToolStarted

HIT = make_hit("Revenue rose to 5,000 in 2024.")


async def forever() -> None:
    await asyncio.Event().wait()


def stop_when(runner: AgentLoop, reached: Callable[[Recorder], bool]) -> tuple[Recorder, float]:
    """Run until reached, cancel, and return the recorded events and the duration of the cancellation."""

    async def scenario() -> tuple[Recorder, float]:
        recorder, arrived = Recorder(), asyncio.Event()

        def emit(event: object) -> None:
            recorder(event)  # type: ignore[arg-type]
            if reached(recorder):
                arrived.set()

        task = asyncio.create_task(runner.run("How much?", emit=emit))
        await asyncio.wait_for(arrived.wait(), 5)
        await asyncio.sleep(0)
        began = time.perf_counter()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return recorder, time.perf_counter() - began

    return asyncio.run(scenario())


def said(text: str) -> Callable[[Recorder], bool]:
    return lambda recorder: getattr(recorder.events[-1], "text", None) == text


def test_s16_stop_while_the_model_is_silent_keeps_the_text_and_its_citations() -> None:
    provider = ScriptedProvider(calls(search_call("x")), [TextDelta("It rose to 5,000 [1]."), forever])
    recorder, seconds = stop_when(runner_for(provider, searching(HIT)), said("It rose to 5,000 [1]."))
    end = recorder.events[-1]
    assert isinstance(end, RunCancelled)
    assert end.answer == "It rose to 5,000 [1]."
    assert [citation.valid for citation in end.citations] == [True]
    assert seconds < 0.1


def test_s16_stop_before_the_first_word() -> None:
    recorder, seconds = stop_when(runner_for(ScriptedProvider([forever])), lambda recorder: bool(recorder.events))
    assert recorder.names == ["RunStarted", "PromptAssembled", "RunCancelled"]
    assert seconds < 0.1


def test_s16_stop_during_a_search_cancels_the_search() -> None:
    cancelled = []

    async def search(query: str) -> SearchResult:
        try:
            return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]
        except asyncio.CancelledError:
            cancelled.append(query)
            raise

    provider = ScriptedProvider(calls(search_call("a"), search_call("b")), says("Never."))
    recorder, seconds = stop_when(runner_for(provider, search), lambda recorder: len(recorder.of(ToolStarted)) == 2)
    assert isinstance(recorder.events[-1], RunCancelled)
    assert sorted(cancelled) == ["a", "b"]
    assert seconds < 0.1


def test_s16_stop_does_not_wait_for_a_tool_that_will_not_end() -> None:
    class Stubborn:
        spec = ToolSpec("stubborn", "Goes on.", {"type": "object", "properties": {}})

        async def call(self, arguments: dict[str, object]) -> ToolResult:
            end = asyncio.get_running_loop().time() + 0.4
            while (left := end - asyncio.get_running_loop().time()) > 0:
                with suppress(asyncio.CancelledError):
                    await asyncio.sleep(left)
            return ToolResult("late")

    provider = ScriptedProvider(calls(("stubborn", {})), says("Never."))
    runner = runner_for(provider, extra_tools=[Stubborn()])
    recorder, seconds = stop_when(runner, lambda recorder: bool(recorder.of(ToolStarted)))
    assert isinstance(recorder.events[-1], RunCancelled)
    assert seconds < 0.1


def test_a_stop_closes_the_stream_of_the_provider() -> None:
    closed = []

    class Watching(ScriptedProvider):
        async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
            try:
                yield TextDelta("A")
                await forever()
            finally:
                closed.append(True)

    stop_when(runner_for(Watching([])), said("A"))
    assert closed == [True]


@pytest.mark.parametrize("turns", [1, 2])
def test_no_event_is_emitted_after_the_end_of_a_cancelled_run(turns: int) -> None:
    waits: list[Callable[[], Awaitable[None]]] = [forever]
    script = [calls(search_call("x"))] * (turns - 1) + [[TextDelta("A"), *waits]]
    recorder, _ = stop_when(runner_for(ScriptedProvider(*script), searching(HIT)), said("A"))
    assert recorder.names.count("RunCancelled") == 1
    assert recorder.names[-1] == "RunCancelled"

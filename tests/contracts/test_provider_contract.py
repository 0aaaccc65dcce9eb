"""Contract of every model provider."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from fakes import NoWords, ScriptedProvider, says
from model_servers import RawServer, Reply, chat_answer, responses_answer, status

from workbench.agent.base import ModelProvider
from workbench.agent.offline.provider import OfflineProvider
from workbench.agent.providers.openai_provider import OpenAIProvider
from workbench.errors import ModelBusy, ModelError
from workbench.model.message import Message, ModelEvent, ModelRequest, Role, TextDelta, TurnEnd
from workbench.model.profile import ModelProfile, WireApi
from workbench.retrieval.answer_sentences import SentenceRanker

ASK = ModelRequest((Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "How much?")))
REMOTE = ["scripted", "chat", "responses", "auto"]
KINDS = [*REMOTE, "offline"]


@asynccontextmanager
async def opened(kind: str, behaviour: str, asked: asyncio.Event | None = None) -> AsyncIterator[ModelProvider]:
    """Open a provider of a kind that answers, fails, or stays silent; a silent one sets asked at the first request."""

    async def say_nothing(*_request: object) -> None:
        assert asked is not None
        asked.set()
        await asyncio.Event().wait()

    if kind == "offline":
        yield OfflineProvider(SentenceRanker(None, NoWords()))
        return
    if kind == "scripted":
        turns = {"answers": says("Five."), "fails": [ModelBusy("Busy.", "Wait.")], "is silent": [say_nothing]}
        yield ScriptedProvider(turns[behaviour])
        return
    replies: dict[str, Reply] = {
        "answers": chat_answer("Five.") if kind == "chat" else responses_answer("Five."),
        "fails": status(429, "slow", retry_after="300"),
        "is silent": say_nothing,
    }
    async with RawServer(replies[behaviour]) as server:
        provider = OpenAIProvider(ModelProfile("p", server.base_url, "m", WireApi(kind)))
        try:
            yield provider
        finally:
            await provider.close()


async def events_of(provider: ModelProvider) -> list[ModelEvent]:
    return [event async for event in provider.stream(ASK)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_turn_ends_with_exactly_one_turn_end(kind: str) -> None:
    async def scenario() -> list[ModelEvent]:
        async with opened(kind, "answers") as provider:
            return await events_of(provider)

    events = asyncio.run(scenario())
    assert [isinstance(event, TurnEnd) for event in events].count(True) == 1
    assert isinstance(events[-1], TurnEnd)
    assert "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.mark.parametrize("kind", KINDS)
def test_a_provider_can_be_asked_again(kind: str) -> None:
    async def scenario() -> tuple[int, int]:
        async with opened(kind, "answers") as provider:
            return len(await events_of(provider)), len(await events_of(provider))

    first, second = asyncio.run(scenario())
    assert first == second


@pytest.mark.parametrize("kind", REMOTE)
def test_a_failure_is_a_model_error_with_a_sentence_and_a_hint(kind: str) -> None:
    async def scenario() -> None:
        async with opened(kind, "fails") as provider:
            await events_of(provider)

    with pytest.raises(ModelError) as caught:
        asyncio.run(scenario())
    assert caught.value.message.endswith((".", "slow"))
    assert caught.value.hint


@pytest.mark.parametrize("kind", REMOTE)
def test_cancelling_ends_the_stream_within_100_ms(kind: str) -> None:
    async def scenario() -> float:
        asked = asyncio.Event()
        async with opened(kind, "is silent", asked) as provider:
            task = asyncio.create_task(events_of(provider))
            await asyncio.wait_for(asked.wait(), 5)
            began = time.perf_counter()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return time.perf_counter() - began

    assert asyncio.run(scenario()) < 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_a_provider_reports_its_mode_and_closing_it_twice_is_harmless(kind: str) -> None:
    async def scenario() -> str:
        async with opened(kind, "answers") as provider:
            await provider.close()
            await provider.close()
            return provider.mode

    assert asyncio.run(scenario())

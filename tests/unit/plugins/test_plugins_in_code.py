"""Retrievers in this process may be slow or fail: the search does not wait for them."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from workbench.errors import RetrieverFailed
from workbench.model.extensions import RetrieverQuestion, RetrieverState
from workbench.plugins.custom_retriever import CodeRetriever
from workbench.plugins.retriever_results import RetrieverPassages
from workbench.plugins.threads import MOST_ABANDONED

QUESTION = RetrieverQuestion("frozen harbour", 2, "reader")


def ask(retriever: CodeRetriever, seconds: float = 5.0) -> RetrieverPassages:
    async def asked() -> RetrieverPassages:
        await retriever.start(seconds)
        try:
            return await retriever.ask(QUESTION, seconds=seconds, characters=1000)
        finally:
            await retriever.close(seconds)

    return asyncio.run(asked())


def texts(thing: Any) -> list[str]:
    return [passage.text for passage in ask(CodeRetriever("notes", thing)).passages]


@pytest.fixture
def held() -> Iterator[threading.Event]:
    """Yield an event that blocks a retriever for the duration of the test."""
    event = threading.Event()
    yield event
    event.set()


def test_a7_a_retriever_without_num_documents_has_its_result_cut_here() -> None:
    assert texts(lambda query: [query, "two", "three"]) == ["frozen harbour", "two"]


def test_a10_async_retrievers_are_awaited() -> None:
    async def retrieve(query: str, num_documents: int | None = None) -> list[str]:
        await asyncio.sleep(0)
        return [query]

    assert texts(retrieve) == ["frozen harbour"]
    assert texts(lambda query, num_documents: retrieve(query, num_documents)) == ["frozen harbour"]


def test_a_retriever_that_is_an_asynchronous_generator_is_iterated() -> None:
    async def retrieve(query: str) -> AsyncIterator[str]:
        yield query
        yield "more"

    assert texts(retrieve) == ["frozen harbour", "more"]


def test_a11_the_example_finds_the_whole_query_only() -> None:
    documents = [{"title": "Python", "content": "Python is a language."}]

    def retrieve(query: str, num_documents: int | None = None, **kwargs: Any) -> list[dict[str, str]] | None:
        found = [one for one in documents if query.lower() in f"{one['title']} {one['content']}".lower()]
        return found[:num_documents] if found else None

    retriever = CodeRetriever("docs", retrieve)

    async def both() -> list[int]:
        asked = [RetrieverQuestion("Python"), RetrieverQuestion("Tell me about Python.")]
        given = [await retriever.ask(one, seconds=5, characters=100) for one in asked]
        return [len(one.passages) for one in given]

    assert asyncio.run(both()) == [1, 0]


def test_d4_it_is_initialized_once_and_closed_once_on_the_same_loop() -> None:
    calls: list[tuple[str, int]] = []

    class Gateway:
        async def initialize(self) -> None:
            calls.append(("initialize", id(asyncio.get_running_loop())))

        async def retrieve(self, query: str, agent_id: str) -> list[str]:
            calls.append(("retrieve", id(asyncio.get_running_loop())))
            return []

        async def close(self) -> None:
            calls.append(("close", id(asyncio.get_running_loop())))

    retriever = CodeRetriever("letters", Gateway())

    async def life() -> None:
        for _ in range(2):
            await retriever.start(5)
            await retriever.ask(QUESTION, seconds=5, characters=100)
        await retriever.close(5)

    asyncio.run(life())
    assert [name for name, _ in calls] == ["initialize", "retrieve", "retrieve", "close"]
    assert len({loop for _, loop in calls}) == 1


@pytest.mark.logs_warnings
def test_d4_one_that_failed_to_get_ready_is_not_asked_and_is_closed_nevertheless() -> None:
    closed = []

    class Gateway:
        def initialize(self) -> None:
            raise ConnectionError("secret@host")

        def retrieve(self, query: str, agent_id: str) -> list[str]:
            raise AssertionError("it must not be asked")

        def close(self) -> None:
            closed.append(True)

    retriever = CodeRetriever("letters", Gateway())
    with pytest.raises(RetrieverFailed, match=r"cannot be used\. It could not start: ConnectionError") as failed:
        ask(retriever)
    assert "secret" not in str(failed.value)
    assert retriever.info.state is RetrieverState.FAILED
    assert closed == [True]


def test_d4_getting_ready_has_a_time_limit(held: threading.Event) -> None:
    class Gateway:
        def initialize(self) -> None:
            held.wait()

        def retrieve(self, query: str, agent_id: str) -> None: ...

        def close(self) -> None: ...

    retriever = CodeRetriever("letters", Gateway())
    with pytest.raises(RetrieverFailed, match="was not ready within"):
        ask(retriever, 0.05)
    held.set()


@pytest.mark.parametrize("is_async", [False, True])
def test_d13_the_deadline_holds_against_code_that_blocks_its_thread(held: threading.Event, is_async: bool) -> None:
    def blocks(query: str) -> None:
        held.wait(20)

    async def blocks_its_loop(query: str) -> None:
        held.wait(20)

    retriever = CodeRetriever("slow", blocks_its_loop if is_async else blocks)

    async def timed() -> float:
        began = time.monotonic()
        with pytest.raises(RetrieverFailed, match=r"“slow” took longer than 0\.05 seconds") as late:
            await retriever.ask(QUESTION, seconds=0.05, characters=100)
        assert late.value.kind == "TimeoutError"
        return time.monotonic() - began

    assert asyncio.run(timed()) < 5
    held.set()
    asyncio.run(retriever.close(5))


def test_d13_a_loop_that_is_blocked_does_not_hold_up_the_next_question(held: threading.Event) -> None:
    async def blocks_once(query: str) -> str:
        if query == "block":
            held.wait(20)
        return query

    retriever = CodeRetriever("slow", blocks_once)

    async def asked() -> RetrieverPassages:
        with pytest.raises(RetrieverFailed):
            await retriever.ask(RetrieverQuestion("block"), seconds=0.05, characters=100)
        return await retriever.ask(RetrieverQuestion("next"), seconds=5, characters=100)

    assert asyncio.run(asked()).passages[0].text == "next"
    held.set()
    asyncio.run(retriever.close(5))


def test_d13_one_that_always_hangs_is_asked_no_more(held: threading.Event) -> None:
    calls = []

    def hangs(query: str) -> None:
        calls.append(query)
        held.wait(20)

    retriever = CodeRetriever("slow", hangs)

    async def asked() -> list[str]:
        told = []
        for _ in range(MOST_ABANDONED + 2):
            with pytest.raises(RetrieverFailed) as failed:
                await retriever.ask(QUESTION, seconds=0.02, characters=100)
            told.append(failed.value.message)
        return told

    assert "is still busy" in asyncio.run(asked())[-1]
    assert len(calls) == MOST_ABANDONED


@pytest.mark.parametrize("error", [ValueError("password=hunter2"), SystemExit(3), RecursionError()])
def test_d14_an_exception_in_a_retriever_is_reported_by_type_and_line_only(error: BaseException) -> None:
    def retrieve(query: str) -> None:
        raise error

    with pytest.raises(RetrieverFailed) as failed:
        ask(CodeRetriever("notes", retrieve))
    assert "hunter2" not in str(failed.value)
    assert failed.value.kind == type(error).__name__


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_one_that_ends_its_own_loop_is_asked_on_another(capfd: pytest.CaptureFixture[str]) -> None:
    async def exits_once(query: str) -> str:
        if query == "exit":
            raise SystemExit(3)
        return query

    retriever = CodeRetriever("notes", exits_once)

    async def asked() -> RetrieverPassages:
        with pytest.raises(RetrieverFailed):
            await retriever.ask(RetrieverQuestion("exit"), seconds=5, characters=100)
        return await retriever.ask(RetrieverQuestion("next"), seconds=5, characters=100)

    assert asyncio.run(asked()).passages[0].text == "next"
    asyncio.run(retriever.close(5))
    assert "Event loop is closed" not in capfd.readouterr().err


def test_an_error_in_a_retriever_is_reported_with_its_line() -> None:
    def retrieve(query: str) -> str:
        return {"a": 1}["b"]  # type: ignore[return-value]

    line = retrieve.__code__.co_firstlineno + 1
    with pytest.raises(RetrieverFailed, match=f"KeyError in test_plugins_in_code.py, line {line}"):
        ask(CodeRetriever("notes", retrieve))


def test_an_exception_while_iterating_the_results_of_a_retriever_is_a_failure_too() -> None:
    def retrieve(query: str) -> Iterator[str]:
        yield "one"
        raise ValueError

    with pytest.raises(RetrieverFailed, match="ValueError"):
        ask(CodeRetriever("notes", retrieve))


def test_a7_a_retriever_that_cannot_be_called_reports_the_reason_before_it_is_queried() -> None:
    retriever = CodeRetriever("notes", lambda text: text)
    assert retriever.info.state is RetrieverState.FAILED
    assert "query" in retriever.info.problem


def test_d20_one_retriever_serves_agents_differently() -> None:
    class PerAgent:
        async def initialize(self) -> None: ...

        async def retrieve(self, *, query: str, agent_id: str) -> list[str]:
            return [f"for {agent_id}"]

        async def close(self) -> None: ...

    assert texts(PerAgent()) == ["for reader"]


def test_d21_the_guides_pattern_works_as_written() -> None:
    class Store:
        def __init__(self) -> None:
            self.client: list[str] | None = None

        async def initialize(self) -> None:
            self.client = ["ice", "snow"]

        async def retrieve(self, query: str, agent_id: str) -> list[str]:
            assert self.client is not None
            return self.client[:5]

        async def close(self) -> None:
            if self.client:
                self.client.clear()

    assert texts(Store()) == ["ice", "snow"]
    asyncio.run(CodeRetriever("store", Store()).close(5))


@pytest.mark.parametrize("is_async", [False, True])
def test_s16_stop_does_not_wait_for_a_retriever(held: threading.Event, is_async: bool) -> None:
    begun = threading.Event()

    def blocks(query: str) -> None:
        begun.set()
        held.wait(20)

    async def waits(query: str) -> None:
        begun.set()
        await asyncio.Event().wait()

    retriever = CodeRetriever("slow", waits if is_async else blocks)

    async def stopped() -> float:
        asking = asyncio.create_task(retriever.ask(QUESTION, seconds=20, characters=100))
        await asyncio.to_thread(begun.wait, 5)
        asked_to_stop = time.monotonic()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return time.monotonic() - asked_to_stop

    assert asyncio.run(stopped()) < 0.1
    held.set()
    asyncio.run(retriever.close(5))

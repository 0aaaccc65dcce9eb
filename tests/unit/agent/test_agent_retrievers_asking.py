"""Several retrievers asked concurrently: in order, within one budget; a failure is never taken for an empty result."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from workbench.agent.retrievers.retriever_registry import RetrieverLimits, ask_retrievers
from workbench.errors import RetrieverFailed
from workbench.model.extensions import RetrieverQuestion
from workbench.model.hit import SearchResult
from workbench.plugins.custom_retriever import CodeRetriever, NamedRetriever
from workbench.plugins.retriever_results import CUT


def ask(
    *things: tuple[str, Callable[..., Any]],
    query: str = "ice",
    seconds: float = 5.0,
    characters: int = 1000,
    unknown: tuple[str, ...] = (),
) -> SearchResult:
    retrievers = [CodeRetriever(name, thing) for name, thing in things]

    async def ready(retriever: NamedRetriever) -> None:
        await retriever.start(5)

    async def asked() -> SearchResult:
        limits = RetrieverLimits(seconds, characters)
        try:
            return await ask_retrievers(retrievers, RetrieverQuestion(query), limits, ready=ready, unknown=unknown)
        finally:
            for retriever in retrievers:
                await retriever.close(5)

    return asyncio.run(asked())


def found(result: SearchResult) -> list[tuple[str, str]]:
    return [(hit.origin, hit.chunk.text) for hit in result.hits]


def gives(value: Any) -> Callable[[str], Any]:
    def retrieve(query: str) -> Any:
        return value

    return retrieve


def fails(query: str) -> None:
    raise PermissionError("password=hunter2")


def test_d12_retrievers_run_concurrently_and_their_results_keep_the_order_of_the_list() -> None:
    both = threading.Barrier(2, timeout=5)

    def first(query: str) -> str:
        both.wait()
        return "from the first"

    def second(query: str) -> str:
        both.wait()
        return "from the second"

    assert found(ask(("one", first), ("two", second))) == [("one", "from the first"), ("two", "from the second")]


def test_d12_no_retriever_is_asked_when_the_query_is_empty() -> None:
    assert ask(("notes", fails), query=" ").hits == ()


@pytest.mark.logs_warnings
def test_d12_an_unknown_retriever_name_is_reported_and_the_other_retrievers_are_asked() -> None:
    result = ask(("notes", gives("frozen")), unknown=("nothing",))
    assert found(result) == [("notes", "frozen")]
    assert result.notes == ("There is no retriever “nothing”.",)


@pytest.mark.logs_warnings
def test_d13_a_late_one_is_named_and_left_out() -> None:
    held = threading.Event()

    def slow(query: str) -> None:
        held.wait(20)

    result = ask(("slow", slow), ("quick", gives("frozen")), seconds=0.1)
    held.set()
    assert found(result) == [("quick", "frozen")]
    assert result.notes == ("The retriever “slow” took longer than 0.1 seconds and was left out.",)


@pytest.mark.logs_warnings
def test_d14_one_that_raises_costs_the_others_nothing() -> None:
    result = ask(("bad", fails), ("good", gives(["frozen"])))
    assert found(result) == [("good", "frozen")]
    assert result.notes[0].startswith("The retriever “bad” failed: PermissionError in test_agent_retrievers_asking.py")
    assert "hunter2" not in result.notes[0]


def test_d14_a_result_without_text_is_reported_with_the_name_of_the_retriever() -> None:
    assert ask(("odd", gives([1, "frozen"]))).notes == (
        "The retriever “odd” gave something of type int, which holds no text.",
    )


@pytest.mark.logs_warnings
def test_d15_the_passage_that_crosses_the_budget_is_cut_and_the_rest_dropped() -> None:
    result = ask(("one", gives(["a" * 900])), ("two", gives(["b" * 900, "c"])), characters=1000)
    assert found(result) == [("one", "a" * 900), ("two", f"{'b' * 100} {CUT}")]
    assert result.notes == ("The retrievers gave more than 1,000 characters; the rest was left out.",)


@pytest.mark.logs_warnings
def test_d15_one_oversized_passage_does_not_give_nothing() -> None:
    result = ask(("one", gives(["a" * 900, "b" * 10])), characters=800)
    assert found(result) == [("one", f"{'a' * 800} {CUT}")]
    assert len(result.notes) == 1


@pytest.mark.logs_warnings
def test_s22_a_failure_is_raised_with_its_original_error_type_when_there_are_no_results() -> None:
    with pytest.raises(RetrieverFailed) as failed:
        ask(("bad", fails), ("empty", gives([])))
    assert failed.value.kind == "PermissionError"
    assert "hunter2" not in str(failed.value)


@pytest.mark.logs_warnings
def test_s23_an_agent_all_of_whose_retrievers_are_unknown_found_not_simply_nothing() -> None:
    with pytest.raises(RetrieverFailed, match="There is no retriever “nothing”"):
        ask(unknown=("nothing",))


def test_s20_a_retriever_that_returns_nothing_gives_no_hits() -> None:
    assert ask(("empty", gives(None))).hits == ()


@pytest.mark.logs_warnings
def test_one_that_is_still_getting_ready_is_left_out_and_ready_for_the_next_question() -> None:
    ready_now = threading.Event()

    class Slow:
        def initialize(self) -> None:
            ready_now.wait(20)

        def retrieve(self, query: str, agent_id: str) -> str:
            return "frozen"

        def close(self) -> None: ...

    retriever = CodeRetriever("slow", Slow())
    starting: list[asyncio.Task[None]] = []

    async def ready(one: NamedRetriever) -> None:
        if not starting:
            starting.append(asyncio.create_task(one.start(20)))
        await asyncio.shield(starting[0])

    async def asked() -> SearchResult:
        with pytest.raises(RetrieverFailed, match="is still starting"):
            await ask_retrievers([retriever], RetrieverQuestion("ice"), RetrieverLimits(0.05), ready=ready)
        ready_now.set()
        result = await ask_retrievers([retriever], RetrieverQuestion("ice"), RetrieverLimits(5), ready=ready)
        await retriever.close(5)
        return result

    assert found(asyncio.run(asked())) == [("slow", "frozen")]

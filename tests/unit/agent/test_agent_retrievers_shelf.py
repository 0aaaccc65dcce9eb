"""Retrievers by name, from any source."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.agent.retrievers.retriever_registry import RetrieverLimits, RetrieverRegistry
from workbench.model.extensions import RetrieverKind, RetrieverQuestion, RetrieverState
from workbench.plugins.plugin_consent import PluginConsentFile
from workbench.plugins.registry import Registry


def retrieve(query: str, num_documents: int | None = None) -> list[str]:
    return [f"found {query}"]


class Counting:
    def __init__(self) -> None:
        self.calls: list[str] = []
        self.ready = threading.Event()

    async def initialize(self) -> None:
        self.calls.append("initialize")
        self.ready.set()

    async def retrieve(self, *, query: str, agent_id: str) -> list[str]:
        self.calls.append("retrieve")
        return [query]

    async def close(self) -> None:
        self.calls.append("close")


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[RetrieverRegistry]:
    packages: Registry[Any] = Registry("workbench.test")
    packages.register("packaged", retrieve)
    consents = PluginConsentFile(tmp_path / "allowed.json")
    shelf = RetrieverRegistry(tmp_path / "plugins", consents, RetrieverLimits, lambda: 1024, packages)
    yield shelf
    shelf.close()


def ask(shelf: RetrieverRegistry, *wanted: Any) -> list[tuple[str, str]]:
    result = asyncio.run(shelf.ask(wanted, RetrieverQuestion("ice")))
    return [(hit.origin, hit.chunk.text) for hit in result.hits]


def test_d3_several_are_registered_in_one_breath(shelf: RetrieverRegistry) -> None:
    assert shelf.register("one", retrieve).register("two", retrieve) is shelf
    assert [name for name, _ in ask(shelf, "two", "one")] == ["two", "one"]


def test_d3_a_name_is_taken_once(shelf: RetrieverRegistry) -> None:
    shelf.register("notes", retrieve)
    with pytest.raises(ValueError, match="registered already"):
        shelf.register("notes", retrieve)


def test_d3_after_the_first_question_it_is_too_late(shelf: RetrieverRegistry) -> None:
    ask(shelf, "packaged")
    with pytest.raises(RuntimeError, match="too late"):
        shelf.register("notes", retrieve)


def test_d4_every_registered_one_is_initialized_and_closed_once(shelf: RetrieverRegistry) -> None:
    asked, not_asked = Counting(), Counting()
    shelf.register("asked", asked).register("not asked", not_asked)

    async def twice() -> None:
        for _ in range(2):
            await shelf.ask(["asked"], RetrieverQuestion("ice"))
        assert await asyncio.to_thread(not_asked.ready.wait, 5)

    asyncio.run(twice())
    shelf.close()
    assert asked.calls == ["initialize", "retrieve", "retrieve", "close"]
    assert not_asked.calls == ["initialize", "close"]


def test_d12_the_same_name_twice_is_asked_once(shelf: RetrieverRegistry) -> None:
    counting = Counting()
    shelf.register("notes", counting)
    ask(shelf, "notes", "packaged", "notes")
    assert counting.calls.count("retrieve") == 1


def test_a5_a_package_offers_the_retriever_itself(shelf: RetrieverRegistry) -> None:
    assert ask(shelf, "packaged") == [("packaged", "found ice")]


def test_a_retriever_that_an_agent_carries_needs_no_name(shelf: RetrieverRegistry) -> None:
    assert ask(shelf, retrieve) == [("retrieve", "found ice")]


def test_a7_the_problem_of_a_signature_is_shown_before_anything_is_asked(shelf: RetrieverRegistry) -> None:
    shelf.register("notes", lambda text: text)
    info = next(one for one in shelf.infos() if one.name == "notes")
    assert (info.kind, info.state) == (RetrieverKind.CODE, RetrieverState.FAILED)
    assert "query" in info.problem


def test_how_long_the_last_answer_took_is_known(shelf: RetrieverRegistry) -> None:
    ask(shelf, "packaged")
    assert [one.milliseconds is not None for one in shelf.infos()] == [True]

"""A function of a script as a tool of agents: the schema for the model, and the arguments of its calls."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes import ScriptedProvider, calls, says

import workbench
from workbench.embedding.base import Embedder
from workbench.model.run import Notice, ToolCompleted, ToolFailed


@pytest.fixture
def library(
    tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch, warm_readers: None
) -> Iterator[workbench.Library]:
    monkeypatch.setattr("workbench.operations.library.models.SearchModels.embedder", lambda _models: embedder)
    with workbench.open_library(tmp_path / "library") as library:
        library.put_profile(workbench.ModelProfile("model", "http://127.0.0.1:9/v1", "m"))
        yield library


def gulls(harbour: str, year: int = 2024) -> dict[str, Any]:
    """Counts the gulls of a harbour."""
    return {"harbour": harbour, "year": year, "gulls": 12}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that asks an agent with these tools, answered by a script; the provider has the requests."""

    def ask(library: workbench.Library, name: str, *arguments: dict[str, Any]) -> tuple[list[Any], ScriptedProvider]:
        provider = ScriptedProvider(calls(*((name, one) for one in arguments)), says("Twelve."))
        monkeypatch.setattr("workbench.agent.providers.provider_factory.provider_for", lambda *_, **__: provider)
        told: list[Any] = []
        agent = workbench.Agent("clerk", profile="model", tools=(name,), knowledge=False)
        assert library.ask("How many gulls?", agent=agent, on_event=told.append).status == "completed"
        return told, provider

    return ask


def ended(events: list[Any]) -> list[str]:
    return [one.result for one in events if isinstance(one, ToolCompleted)]


def test_an_agents_model_calls_a_function(library: workbench.Library, asked: Any) -> None:
    library.use_tool(gulls)
    events, provider = asked(library, "gulls", {"harbour": "Lindhamn", "year": "1893"})
    assert ended(events) == ['{"harbour": "Lindhamn", "year": 1893, "gulls": 12}']
    (spec,) = [tool for tool in provider.requests[0].tools if tool.name == "gulls"]
    assert spec.description == "Counts the gulls of a harbour."
    assert spec.parameters["properties"] == {"harbour": {"type": "string"}, "year": {"type": "integer"}}
    assert spec.parameters["required"] == ["harbour"]


def test_an_asynchronous_function_is_awaited(library: workbench.Library, asked: Any) -> None:
    async def later(harbour: str) -> str:
        """Counts the gulls, after a moment."""
        await asyncio.sleep(0)
        return f"12 at {harbour}"

    library.use_tool(later)
    assert ended(asked(library, "later", {"harbour": "Lindhamn"})[0]) == ["12 at Lindhamn"]


@pytest.mark.logs_warnings
def test_an_exception_raised_by_a_function_reaches_the_model_as_its_type_only(
    library: workbench.Library, asked: Any
) -> None:
    def fails() -> str:
        """Fails."""
        raise OSError("/home/someone/secret")

    events, provider = asked(library.use_tool(fails), "fails", {})
    assert [one.message for one in events if isinstance(one, ToolFailed)] == ["Error in fails: OSError"]
    assert provider.requests[1].messages[-1].text == "Error in fails: OSError"


def test_a_function_that_takes_too_long_is_left(library: workbench.Library, asked: Any) -> None:
    over = threading.Event()

    def hangs() -> str:
        """Hangs."""
        over.wait(30)
        return "late"

    try:
        _events, provider = asked(library.use_tool(hangs, seconds=0.05), "hangs", {})
        assert provider.requests[1].messages[-1].text == "hangs took longer than 0.05 seconds and was given up."
    finally:
        over.set()


def test_a_function_that_changes_something_waits_for_a_person(library: workbench.Library, asked: Any) -> None:
    called: list[str] = []

    def send(to: str) -> None:
        """Sends a letter."""
        called.append(to)

    events, _provider = asked(library.use_tool(send, reach="changes"), "send", {"to": "x"})
    assert called == []
    assert "“send” was not called" in next(one.text for one in events if isinstance(one, Notice))


def test_a_tool_is_known_by_one_name_and_needs_words(library: workbench.Library) -> None:
    library.use_tool(gulls).use_tool(gulls, name="terns")
    for name in ("gulls", "calculator"):
        with pytest.raises(ValueError, match="there already"):
            library.use_tool(gulls, name=name)
    with pytest.raises(ValueError, match="cannot be called"):
        library.use_tool(gulls, name="the gulls")
    with pytest.raises(ValueError, match="docstring"):
        library.use_tool(lambda: "12", name="silent")


def test_a_tool_of_a_script_is_offered_to_agents(library: workbench.Library) -> None:
    from workbench.operations.questions.agents import agent_choices, missing_of_agent

    agent = workbench.Agent("clerk", tools=("gulls",))
    opened = library._awaited._opened
    missing = library._waiter.result(missing_of_agent(opened, agent), None)
    assert missing == ["There is no tool “gulls” here yet."]
    library.use_tool(gulls)
    assert library._waiter.result(missing_of_agent(opened, agent), None) == []
    assert "gulls" in [one.name for one in library._waiter.result(agent_choices(opened), None).tools]

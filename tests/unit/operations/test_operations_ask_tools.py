"""Questions to an agent with tools: the tools respect the scope of the run, and the passages they read can be cited."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fakes import ScriptedProvider, calls, says

from workbench import operations
from workbench.model.agent import Agent
from workbench.model.profile import ModelProfile
from workbench.model.run import Notice, Run, RunStatus, ToolCompleted, ToolFailed
from workbench.operations import Library
from workbench.worker.job import Operation

Run_ = Callable[[Operation[Any]], Any]


@pytest.fixture
def asked(library: Library, run: Run_, papers: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """Return a function that asks an agent with tools, answered by a script; the run may see only the harbour."""
    run(operations.add_documents(library, [papers / "harbour.md"], knowledge_base="sea"))
    run(operations.add_documents(library, [papers / "港口.txt"], knowledge_base="land"))
    library.profiles.put(ModelProfile("model", "http://127.0.0.1:9/v1", "m"))

    def ask(tools: tuple[str, ...], *turns: Any) -> Run:
        provider = ScriptedProvider(*turns)
        provider.counts = None  # type: ignore[attr-defined]
        monkeypatch.setattr("workbench.agent.providers.provider_factory.provider_for", lambda *_, **__: provider)
        agent = Agent("clerk", profile="model", tools=tools, knowledge_bases=("sea",))
        kept: Run = run(operations.ask(library, "What about the harbour?", agent=agent))
        assert kept.status is RunStatus.COMPLETED, kept.error
        return kept

    return ask


def of(run: Run, kind: type[Any]) -> list[Any]:
    return [timed.event for timed in run.events if isinstance(timed.event, kind)]


def test_a_passage_read_by_a_tool_is_cited_and_stored_with_the_run(asked: Callable[..., Run]) -> None:
    run = asked(
        ("read_document", "calculator"),
        calls(("read_document", {"document": "harbour.md"}), ("calculator", {"expression": "1987 - 1900"})),
        says("The ferry Aurora stayed in port for nine days [1]."),
    )
    (citation,) = run.citations
    assert (citation.valid, citation.document_name) == (True, "harbour.md")
    assert "nine days" in citation.quote
    assert run.references[0].query.startswith("read “harbour.md”")
    assert "1987 - 1900 = 87" in [ended.result for ended in of(run, ToolCompleted)]


def test_b25_tools_see_the_knowledge_bases_of_the_agent_only(asked: Callable[..., Run]) -> None:
    run = asked(
        ("list_documents", "read_document"),
        calls(("list_documents", {}), ("read_document", {"document": "港口.txt"})),
        says("It is not there."),
    )
    assert "港口" not in of(run, ToolCompleted)[0].result
    assert "There is no document “港口.txt”" in of(run, ToolFailed)[0].message


def test_e44_a_network_tool_that_is_off_is_reported_to_the_model_and_the_user(asked: Callable[..., Run]) -> None:
    run = asked(("weather",), calls(("weather", {"place": "Lund"})), says("I could not look it up."))
    (failed,) = of(run, ToolFailed)
    assert "this program is offline" in failed.message
    assert any("“Weather” was not used" in notice.text for notice in of(run, Notice))


def test_missing_tools_are_reported_and_the_run_continues(asked: Callable[..., Run]) -> None:
    run = asked(("oracle", "files.*", "calculator"), calls(("calculator", {"expression": "2*3"})), says("Six."))
    told = [notice.text for notice in of(run, Notice)]
    assert "There is no tool “oracle” here; the answer was made without it." in told
    assert "There is no tool server “files” here; the answer was made without it." in told
    assert run.answer == "Six."

"""Notes added by a model: only if an agent names the tool, with the user's consent, and marked as the model's."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from fakes import ScriptedProvider, calls, says

from workbench import operations
from workbench.agent.base import Approver
from workbench.agent.built_in_agent import BUILT_IN
from workbench.agent.tools.add_to_knowledge import ADD_TO_KNOWLEDGE, MOST_CHARACTERS
from workbench.model.agent import Agent
from workbench.model.approval import Approval, Decision
from workbench.model.document import DocumentStatus, Origin
from workbench.model.profile import ModelProfile
from workbench.model.run import ApprovalAsked, Run, ToolCompleted, ToolFailed
from workbench.operations import Library
from workbench.worker.job import Operation

Run_ = Callable[[Operation[Any]], Any]
NOTE = {"title": "The keeper", "text": "Ottilia Brandt kept the lighthouse for 31 years."}


class Saying(Approver):
    """Approver that gives one decision for every call."""

    def __init__(self, word: Approval) -> None:
        self.word = word
        self.asked: list[ApprovalAsked] = []

    def remembers(self, tool: str) -> bool:
        return False

    async def decide(self, asked: ApprovalAsked) -> Approval:
        self.asked.append(asked)
        return self.word


@pytest.fixture
def asked(library: Library, run: Run_, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """Return a function that asks an agent whose model adds a note and then answers; decision is for the approver."""
    library.profiles.put(ModelProfile("model", "http://127.0.0.1:9/v1", "m"))

    def ask(person: Approver | None, note: dict[str, Any] = NOTE, **more: Any) -> Run:
        provider = ScriptedProvider(calls((ADD_TO_KNOWLEDGE, note)), says("It is kept."))
        provider.counts = None  # type: ignore[attr-defined]
        monkeypatch.setattr("workbench.agent.providers.provider_factory.provider_for", lambda *_, **__: provider)
        agent = Agent("clerk", profile="model", tools=(ADD_TO_KNOWLEDGE,), **more)
        approver = (lambda _session, _run: person) if person else None
        kept: Run = run(operations.ask(library, "Please keep that.", agent=agent, approver=approver))
        return kept

    return ask


def of(run: Run, kind: type[Any]) -> list[Any]:
    return [timed.event for timed in run.events if isinstance(timed.event, kind)]


def test_b31_no_agent_can_add_to_the_library_unless_it_names_the_tool() -> None:
    assert ADD_TO_KNOWLEDGE not in (*BUILT_IN.tools, *Agent("new").tools)


def test_b31_a_note_is_added_where_the_user_lets_it_and_is_marked_as_a_models(
    asked: Callable[..., Run], library: Library, run: Run_
) -> None:
    person = Saying(Approval(Decision.APPROVE))
    answer = asked(person)
    assert "your knowledge base “default”" in person.asked[0].reason
    assert "The keeper (written by a model)" in of(answer, ToolCompleted)[0].result
    [note] = library.documents.list()
    assert (note.name, note.origin) == ("The keeper (written by a model)", Origin.NOTE)
    assert note.status is DocumentStatus.READY
    [hit] = run(operations.search(library, "Who kept the lighthouse?")).hits
    assert "Ottilia Brandt" in hit.chunk.text


def test_b31_the_user_may_change_what_is_added(asked: Callable[..., Run], library: Library) -> None:
    edited = json.dumps({"title": "Keeper", "text": "Ottilia Brandt kept the lighthouse."})
    asked(Saying(Approval(Decision.EDIT, arguments=edited)))
    [note] = library.documents.list()
    assert library.documents.text(note.id) == "Ottilia Brandt kept the lighthouse.\n"


@pytest.mark.parametrize("person", [Saying(Approval(Decision.DENY)), None], ids=["denied", "nobody there"])
def test_b31_without_consent_nothing_is_added(
    asked: Callable[..., Run], library: Library, person: Approver | None
) -> None:
    answer = asked(person)
    assert answer.answer == "It is kept."
    assert of(answer, ToolFailed)
    assert library.documents.list() == []


def test_b31_it_goes_to_the_knowledge_base_that_the_agent_searches(
    asked: Callable[..., Run], library: Library, run: Run_
) -> None:
    run(operations.add_knowledge_base(library, "sea"))
    asked(Saying(Approval(Decision.APPROVE)), knowledge_bases=("sea",))
    assert [note.knowledge_base for note in library.documents.list()] == ["sea"]


def test_b31_the_same_note_twice_is_one(asked: Callable[..., Run], library: Library) -> None:
    person = Saying(Approval(Decision.APPROVE))
    asked(person)
    again = asked(person, {**NOTE, "title": "Another"})
    assert "“The keeper (written by a model)”" in of(again, ToolCompleted)[0].result
    assert len(library.documents.list()) == 1


@pytest.mark.parametrize(
    ("text", "said"), [(" \n", "nothing to save"), ("a" * (MOST_CHARACTERS + 1), "longer than 20,000")]
)
def test_b31_an_empty_or_overlong_note_is_reported_to_the_model(
    asked: Callable[..., Run], library: Library, text: str, said: str
) -> None:
    answer = asked(Saying(Approval(Decision.APPROVE)), {"title": "t", "text": text})
    assert said in of(answer, ToolFailed)[0].message
    assert library.documents.list() == []

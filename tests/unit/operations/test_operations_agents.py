"""Agents: listed, changed, removed, and asked; their searches, prompts and permitted tools."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes import ScriptedProvider, calls, says

from workbench import operations
from workbench.agent.built_in_agent import BUILT_IN
from workbench.errors import NotFound, RetrievalError, SettingError
from workbench.model.agent import Agent, ReferencesFormat
from workbench.model.custom_metadata import checked_metadata
from workbench.model.filter import Condition, Operator
from workbench.model.profile import ModelProfile
from workbench.model.run import Notice, RunStatus
from workbench.operations import Library
from workbench.operations.questions.agent_session import allowed_filter, for_retrievers
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.worker.job import Operation

Run = Callable[[Operation[Any]], Any]
NOTHING = filter_of_text("")


@pytest.fixture
def filled(library: Library, run: Run, papers: Path) -> Library:
    run(operations.add_documents(library, [papers / "harbour.md"], knowledge_base="Sea"))
    run(operations.add_documents(library, [papers / "港口.txt"], knowledge_base="港"))
    return library


@pytest.fixture
def scripted(library: Library, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ScriptedProvider]:
    """Let a script answer for the profile "model" and return it with all requests."""

    def answer(*turns: Any) -> ScriptedProvider:
        provider = ScriptedProvider(*turns)
        provider.counts = None  # type: ignore[attr-defined]

        def provider_for(profile: ModelProfile, **_more: object) -> ScriptedProvider:
            assert profile.name == "model"
            return provider

        monkeypatch.setattr("workbench.agent.providers.provider_factory.provider_for", provider_for)
        return provider

    library.profiles.put(ModelProfile("model", "http://127.0.0.1:9/v1", "m"))
    return answer


def test_the_built_in_agent_comes_first_and_stays(library: Library, run: Run) -> None:
    run(operations.put_agent(library, Agent("A clerk")))
    assert [agent.name for agent in run(operations.list_agents(library))] == ["default", "A clerk"]
    assert run(operations.get_agent(library, "default")) == BUILT_IN
    with pytest.raises(SettingError, match="built in"):
        run(operations.put_agent(library, replace(BUILT_IN, role="x")))


def test_a_copy_has_a_free_name_and_all_else(library: Library, run: Run) -> None:
    first, second = (run(operations.copy_agent(library, "default")) for _ in range(2))
    assert (first.name, second.name) == ("My agent", "My agent 2")
    assert replace(first, name="default") == BUILT_IN


def test_the_setting_follows_an_agent_that_is_renamed_or_removed_and_comes_back(library: Library, run: Run) -> None:
    run(operations.put_agent(library, Agent("A")))
    run(operations.put_setting(library, "agent", "A"))
    run(operations.put_agent(library, Agent("B"), renamed="A"))
    assert run(operations.load_settings(library)).agent == "B"
    gone = run(operations.remove_agent(library, "B"))
    assert run(operations.load_settings(library)).agent == "default"
    run(operations.restore_agent(library, gone, is_asked=True))
    assert run(operations.load_settings(library)).agent == "B"


def test_an_agent_cannot_take_the_name_of_another(library: Library, run: Run) -> None:
    for name in ("A", "B"):
        run(operations.put_agent(library, Agent(name)))
    with pytest.raises(SettingError, match="already"):
        run(operations.put_agent(library, Agent("B", role="x"), renamed="A"))
    assert [agent.name for agent in library.agents.list()] == ["A", "B"]


def test_a_filter_that_cannot_be_read_is_refused(library: Library, run: Run) -> None:
    with pytest.raises(RetrievalError):
        run(operations.put_agent(library, Agent("A", filter="pages>soon")))


def test_a_run_remembers_its_agent_and_the_offline_answerer_works_under_every_one(filled: Library, run: Run) -> None:
    agents = [
        BUILT_IN,
        Agent("Ahead", search_knowledge=False, add_knowledge_to_context=True),
        Agent("Both", add_knowledge_to_context=True, references_format=ReferencesFormat.YAML),
        Agent("Message", system_message="Mine.", agentic_filters=True),
        Agent("Bare", build_context=False, think=False, analyze=False),
    ]
    for agent in agents:
        kept = run(operations.ask(filled, "When did the harbour freeze?", agent=agent))
        assert (kept.status, kept.agent) == (RunStatus.COMPLETED, agent.name)
        assert "1987" in kept.answer
        assert kept.citations[0].valid


def test_the_user_is_notified_that_the_offline_answerer_follows_no_instructions(filled: Library, run: Run) -> None:
    kept = run(operations.ask(filled, "When did the harbour freeze?", agent=Agent("Pirate", role="a pirate")))
    told = [timed.event.text for timed in kept.events if isinstance(timed.event, Notice)]
    assert any("no instructions are followed: of the agent “Pirate”" in text for text in told)


def test_the_agent_of_the_settings_is_asked_and_its_profile_answers(
    filled: Library, run: Run, scripted: Callable[..., ScriptedProvider]
) -> None:
    provider = scripted(says("Aye."))
    run(operations.put_agent(filled, Agent("Pirate", role="a pirate", profile="model")))
    run(operations.put_setting(filled, "agent", "Pirate"))
    kept = run(operations.ask(filled, "When?"))
    assert (kept.agent, kept.profile, kept.answer) == ("Pirate", "model", "Aye.")
    assert "a pirate" in provider.requests[0].messages[0].text


def test_s1_the_exact_prompt_is_kept_with_the_run(
    filled: Library, run: Run, scripted: Callable[..., ScriptedProvider]
) -> None:
    provider = scripted(says("Aye."))
    kept = run(operations.ask(filled, "When?", agent=Agent("Pirate", role="a pirate"), profile="model"))
    (told,) = filled.sessions.run(kept.id).prompts
    assert "".join(section.text for section in told.sections) == provider.requests[0].messages[0].text
    assert [tool["name"] for tool in json.loads(told.tools)] == ["think", "analyze", "search_knowledge_base"]


@pytest.mark.parametrize(
    ("agent", "tools"),
    [
        (Agent("a"), ["think", "analyze", "search_knowledge_base"]),
        (Agent("a", search_knowledge=False, analyze=False), ["think"]),
        (Agent("a", knowledge=False), ["think", "analyze"]),
        (Agent("a", think=False, analyze=False, tools=("calculator",)), ["calculator", "search_knowledge_base"]),
    ],
)
def test_s7_s10_c1_the_tools_are_those_of_the_agent_and_the_search_comes_last(
    filled: Library, run: Run, scripted: Callable[..., ScriptedProvider], agent: Agent, tools: list[str]
) -> None:
    provider = scripted(says("Aye."))
    run(operations.ask(filled, "When?", agent=agent, profile="model"))
    assert [tool.name for tool in provider.requests[0].tools] == tools


def test_s4_the_user_can_be_named_in_the_texts_of_an_agent(
    filled: Library, run: Run, scripted: Callable[..., ScriptedProvider]
) -> None:
    provider = scripted(says("Aye."))
    agent = Agent("a", role="the clerk of {user_id}", dependencies={"city": "Kyoto"})
    run(operations.ask(filled, "{city}?", agent=agent, profile="model", user="Lee"))
    messages = provider.requests[0].messages
    assert "the clerk of Lee" in messages[0].text
    assert messages[-1].text == "Kyoto?"


def test_a_missing_tool_of_an_agent_is_reported(
    filled: Library, run: Run, scripted: Callable[..., ScriptedProvider]
) -> None:
    scripted(says("Aye."))
    kept = run(operations.ask(filled, "When?", agent=Agent("a", tools=("juggler",)), profile="model"))
    assert any("juggler" in timed.event.text for timed in kept.events if isinstance(timed.event, Notice))


def test_b24_a_model_narrows_its_searches_and_receives_the_list_of_filters(
    filled: Library, run: Run, scripted: Callable[..., ScriptedProvider]
) -> None:
    search = ("search_knowledge_base", {"query": "harbour", "filters": {"format": "text"}})
    provider = scripted(calls(search), says("Nothing."))
    agent = Agent("a", agentic_filters=True, filter="format:markdown,text")
    kept = run(operations.ask(filled, "harbour?", agent=agent, profile="model"))
    assert "- format: " in provider.requests[0].messages[0].text
    assert "1987" not in provider.requests[1].messages[-1].text
    assert kept.filter == "format=markdown,text"


def test_b27_the_keys_of_the_users_metadata_are_sent_to_the_model_and_narrow_its_searches(
    filled: Library, run: Run, scripted: Callable[..., ScriptedProvider]
) -> None:
    given = {
        one.id: checked_metadata({"dept": "hr" if one.format == "text" else "it"}) for one in filled.documents.list()
    }
    filled.custom_metadata.put(given)
    search = ("search_knowledge_base", {"query": "harbour", "filters": {"dept": "hr"}})
    unknown = ("search_knowledge_base", {"query": "harbour", "filters": {"depth": "hr"}})
    provider = scripted(calls(search), calls(unknown), says("Nothing."))
    kept = run(operations.ask(filled, "harbour?", agent=Agent("a", agentic_filters=True), profile="model"))
    assert "- dept: metadata that the documents were given" in provider.requests[0].messages[0].text
    assert {json.loads(hit.hit.meta_data)["dept"] for one in kept.references for hit in one.hits} <= {"hr"}
    assert "There is no filter “depth”" in provider.requests[2].messages[-1].text


def test_b6_an_agent_may_set_how_many_passages_a_search_returns(filled: Library, run: Run) -> None:
    kept = run(operations.ask(filled, "harbour 港口", agent=Agent("a", num_documents=1)))
    assert [len(reference.hits) for reference in kept.references] == [1]


def test_a2_a_retriever_is_asked_in_the_librarys_stead(
    filled: Library, run: Run, scripted: Callable[..., ScriptedProvider]
) -> None:
    given: list[Any] = []

    def mine(query: str, num_documents: int | None = None, filters: Any = None) -> list[dict[str, Any]]:
        given.extend((query, num_documents, filters))
        return [{"content": "From elsewhere.", "name": "Elsewhere"}]

    provider = scripted(calls(("search_knowledge_base", {"query": "harbour"})), says("So [1]."))
    asked = operations.ask(
        filled,
        "harbour?",
        agent="default",
        profile="model",
        filter=filter_of_text("tag:law dept:hr"),
        retrievers=[mine],
    )
    kept = run(asked)
    assert given == ["harbour", 10, {"tag": "law", "dept": "hr"}]
    (result,) = json.loads(provider.requests[1].messages[-1].text)
    assert result["content"] == "From elsewhere."
    assert kept.citations[0].origin


def scope(library: Library, agent: Agent, base: str | None = None, typed: str = "") -> Any:
    return allowed_filter(library, agent, base, filter_of_text(typed))


def test_b25_the_restrictions_of_the_agent_and_the_filters_of_the_user_both_apply(filled: Library) -> None:
    agent = Agent("a", knowledge_bases=("Sea", "港"), filter="format:pdf")
    assert scope(filled, agent, "Sea", "tag:law").knowledge_base == "Sea"
    both = scope(filled, agent, None, "tag:law")
    assert both.where == (
        Condition("knowledge_base", Operator.IN, ("Sea", "港")),
        Condition("format", Operator.EQ, ("pdf",)),
        Condition("tag", Operator.EQ, ("law",)),
    )
    assert scope(filled, Agent("a", knowledge_bases=("港",))).knowledge_base == "港"


def test_an_agent_of_two_knowledge_bases_finds_in_both_and_nowhere_else(filled: Library, run: Run) -> None:
    agent = Agent("a", knowledge_bases=("Sea", "default"))
    assert "1987" in run(operations.ask(filled, "When did the harbour freeze?", agent=agent)).answer
    assert run(operations.ask(filled, "港口的水深是多少？", agent=agent)).refused


def test_a_knowledge_base_that_the_agent_does_not_search_or_that_is_missing_is_reported(
    filled: Library, run: Run
) -> None:
    with pytest.raises(RetrievalError, match="does not search “港”"):
        run(operations.ask(filled, "When?", agent=Agent("a", knowledge_bases=("Sea",)), knowledge_base="港"))
    with pytest.raises(NotFound, match="searches “Gone”"):
        run(operations.ask(filled, "When?", agent=Agent("a", knowledge_bases=("Gone",))))
    assert run(operations.list_sessions(filled)) == []


def test_a12_retrievers_are_given_equalities_as_a_dict_and_all_else_as_a_list() -> None:
    assert for_retrievers(NOTHING) is None
    assert for_retrievers(filter_of_text("tag:law format:pdf", "Sea")) == {
        "knowledge_base": "Sea",
        "tag": "law",
        "format": "pdf",
    }
    assert for_retrievers(filter_of_text("pages>3")) == [{"op": "GT", "key": "pages", "value": "3"}]

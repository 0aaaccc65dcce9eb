"""Text arguments of scripts: choices by value, one text where several are possible, and the errors for mistakes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fakes import ScriptedProvider, says

import workbench


def test_a_choice_may_be_written_as_a_text() -> None:
    agent = workbench.Agent(
        "a", system_role="developer", references_format="YAML", ask_before_tools="never", plan="asked"
    )
    assert agent.system_role is workbench.SystemRole.DEVELOPER
    assert agent.references_format is workbench.ReferencesFormat.YAML
    assert (agent.ask_before_tools, agent.plan) == (workbench.AskBefore.NEVER, workbench.PlanWhen.ASKED)
    assert workbench.ModelProfile("m", "http://127.0.0.1:9/v1", "m", api="chat").api is workbench.WireApi.CHAT


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: workbench.Agent("a", system_role="user"), "'user'. Choose one of 'system', 'developer'"),
        (lambda: workbench.Agent("a", references_format="xml"), "Choose one of 'json', 'yaml'"),
        (lambda: workbench.Agent("a", plan="sometimes"), "Choose one of 'never', 'asked', 'always'"),
        (lambda: workbench.Agent("a", rounds=0), "from 1 on"),
        (lambda: workbench.ModelProfile("m", api="rest"), "Choose one of 'auto', 'responses', 'chat'"),
    ],
)
def test_another_choice_is_refused_with_those_there_are(make: Callable[[], Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        make()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"model": "llama"}, "no option 'model'. Did you mean 'profile'"),
        ({"instruction": "Be brief."}, "Did you mean 'instructions'"),
        ({"markdown": "no"}, "'markdown' must be True or False, not 'no'"),
        ({"num_documents": "5"}, "'num_documents' must be a whole number or None"),
        ({"tools": [print]}, "use_tool"),
        ({"instructions": divmod}, "without parameters"),
    ],
)
def test_an_unknown_option_or_a_wrong_type_raises_an_error_that_explains_it(options: dict[str, Any], told: str) -> None:
    with pytest.raises(TypeError, match=told):
        workbench.Agent("a", **options)


def test_a_single_text_is_accepted_where_several_are_possible() -> None:
    agent = workbench.Agent("a", instructions="Be brief.", tools="calculator", knowledge_bases=["work", "home"])
    assert (agent.instructions, agent.tools) == (("Be brief.",), ("calculator",))
    assert agent.knowledge_bases == ("work", "home")


@pytest.mark.parametrize(
    "instructions", ["Answer in rhyme.", ["Answer in rhyme."], lambda: "Answer in rhyme.", lambda agent: [agent.role]]
)
def test_instructions_reach_the_model_whole(
    library: workbench.Library, monkeypatch: pytest.MonkeyPatch, instructions: Any
) -> None:
    provider = ScriptedProvider(says("Yes."))
    monkeypatch.setattr("workbench.agent.providers.provider_factory.provider_for", lambda *_, **__: provider)
    library.put_profile(workbench.ModelProfile("model", "http://127.0.0.1:9/v1", "m", api="chat"))
    agent = workbench.Agent(
        "a", "", "", "Answer in rhyme.", instructions, profile="model", knowledge=False, use_instruction_tags=True
    )
    library.ask("May I?", agent=agent)
    assert "<instructions>\nAnswer in rhyme.\n</instructions>" in provider.requests[0].messages[0].text


def test_a_function_is_called_for_each_question(library: workbench.Library) -> None:
    called: list[int] = []
    agent = workbench.Agent("a", instructions=lambda: called.append(1) or "Be brief.")
    library.ask("When?", agent=agent)
    library.ask("Why?", agent=agent)
    assert len(called) == 2


def test_an_invalid_argument_of_a_method_is_reported_with_the_valid_options(library: workbench.Library) -> None:
    with pytest.raises(TypeError, match=r"no option 'top_k'. Did you mean 'k'\? Its options are 'question', 'k'"):
        library.search("When?", top_k=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'k' must be a whole number or None, not '3'"):
        library.search("When?", k="3")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'local', 'network', 'changes'"):
        library.use_tool(len, reach="far")


def test_a_missing_tool_or_retriever_of_an_agent_is_reported_with_the_available_ones(
    library: workbench.Library,
) -> None:
    with pytest.raises(workbench.NotFound, match=r"no tool “gulls” here yet.* There are tools: calculator"):
        library.ask("When?", agent=workbench.Agent("a", tools="gulls"))
    with pytest.raises(workbench.NotFound, match="no retriever “minutes”"):
        library.ask("When?", retrievers="minutes")


def test_a_library_is_opened_with_its_options_and_used_while_it_is_open(folder: Path) -> None:
    with pytest.raises(TypeError, match=r"no option 'readonly'\. Did you mean 'read_only'"):
        workbench.open_library(folder, readonly=True)  # type: ignore[call-arg]
    with workbench.open_library(folder) as library:
        pass
    with pytest.raises(workbench.LibraryError, match="closed"):
        library.search("When?")


@pytest.mark.parametrize(
    ("name", "told"),
    [("add_texts", "Here it is: add"), ("similarity_search", "search"), ("run", "ask"), ("nonsense", "no attribute")],
)
def test_a_method_name_of_another_python_library_is_reported_with_its_equivalent(
    library: workbench.Library, name: str, told: str
) -> None:
    for thing in (library, library.knowledge()):
        with pytest.raises(AttributeError, match=told):
            getattr(thing, name)
    assert not hasattr(library, name)


@pytest.mark.parametrize(("retriever", "told"), [(lambda q: [q], "query"), (object(), "retrieve")])
def test_a7_a_retriever_that_cannot_be_asked_is_refused_with_the_question(
    library: workbench.Library, retriever: Any, told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        library.ask("When?", retrievers=[retriever])


def test_an_error_shows_no_value_of_thousands_of_characters(library: workbench.Library) -> None:
    run = library.ask("When?")
    with pytest.raises(TypeError, match="not a Run"):
        library.sessions.export(run, "x.md")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not a Run"):
        library.disable_chunk(run)  # type: ignore[arg-type]

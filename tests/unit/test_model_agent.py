"""Agents as data."""

import json

from workbench.model.agent import Agent, ReferencesFormat, SystemRole, agent_of
from workbench.model.approval import AskBefore
from workbench.model.message import PromptSection

FULL = Agent(
    "Clerk",
    role="a clerk",
    instructions=("One.", "Two."),
    sections=(PromptSection("Behaviour", "Polite."),),
    knowledge_bases=("Papers",),
    num_documents=4,
    references_format=ReferencesFormat.YAML,
    state={"city": "Kyōto"},
    system_role=SystemRole.DEVELOPER,
    ask_before_tools=AskBefore.ALWAYS,
    ask_before={"calculator": False},
    tokens=9000,
)


def test_an_agent_comes_back_from_json_as_it_was() -> None:
    assert agent_of(json.loads(json.dumps(FULL.as_dict()))) == FULL


def test_unknown_keys_are_left_out_and_bad_values_fall_back() -> None:
    bad = {
        "name": "Clerk",
        "colour": "red",
        "instructions": [1, "Two."],
        "markdown": "yes",
        "rounds": 0,
        "tokens": True,
        "references_format": "xml",
        "state": ["a"],
        "sections": [{"label": "A", "text": "B"}, "C"],
        "ask_before_tools": "sometimes",
        "ask_before": {"a": True, "b": "no"},
    }
    made = agent_of(bad)
    assert made == Agent("Clerk", instructions=("Two.",), sections=(PromptSection("A", "B"),), ask_before={"a": True})


def test_one_instruction_may_be_written_as_a_text() -> None:
    assert agent_of({"instructions": "Only this."}, "Clerk") == Agent("Clerk", instructions=("Only this.",))


def test_a14_the_defaults_are_those_that_were_agreed() -> None:
    usual = Agent("")
    assert (usual.instructions, usual.tools, usual.search_knowledge) == ((), (), True)
    assert usual.references_format is ReferencesFormat.JSON
    assert (usual.add_knowledge_to_context, usual.agentic_filters) == (False, False)

"""System prompt, history and refusal sentence."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from fakes import searching

from workbench.agent.built_in_agent import BUILT_IN, REFUSAL_EN, REFUSAL_ZH, is_refusal, refusal_for
from workbench.agent.prompt import LAST_ROUND, PromptFacts, prompt_sections, prompt_text
from workbench.agent.references import RunReferences
from workbench.agent.request_builder import history_messages
from workbench.agent.tools.search import SearchTool
from workbench.agent.tools.toolbox import run_tools
from workbench.model.agent import Agent
from workbench.model.message import PromptSection, Role, ToolSpec
from workbench.model.run import ReasoningStep, Run, RunStatus, TimedEvent

SPECS = tuple(tool.spec for tool in run_tools(searching(), RunReferences()))
SEARCH = SearchTool(searching(), RunReferences()).spec
TOOLKIT = ToolSpec("scales", "Weighs.", {}, instructions="TI")
RUN = Run(1, 1, "How much?", "p", "m", RunStatus.COMPLETED, "It is 5 [1].", False, "", 1.0, (), (), ())
PLAIN = Agent("plain", markdown=False)


def prompt(agent: Agent = BUILT_IN, tools: tuple[ToolSpec, ...] = SPECS, **more: bool) -> str:
    return prompt_text(prompt_sections(agent, tools, **more))


def test_s1_sections_are_labelled_and_in_the_agreed_order() -> None:
    agent = replace(
        BUILT_IN,
        role="R",
        expected_output="EO",
        additional_context="AC",
        sections=(PromptSection("Behaviour", "B"),),
        state={"k": "v"},
        add_state_to_context=True,
    )
    facts = PromptFacts(context=(PromptSection("Memory", "M"),))
    assert [section.label for section in prompt_sections(agent, SPECS, facts)] == [
        "Description",
        "Role",
        "Instructions",
        "Additional information",
        "Tool instructions",
        "Expected output",
        "Additional context",
        "Behaviour",
        "Memory",
        "Knowledge base",
        "Session state",
    ]


def test_s2_the_golden_value() -> None:
    agent = Agent(
        "N",
        description="D",
        role="R",
        instructions=("i1", "i2"),
        add_name=True,
        expected_output="EO",
        additional_context="AC",
    )
    before, _, after = prompt(agent, (TOOLKIT, SEARCH)).partition("<knowledge_base>\n")
    assert before == (
        "D\n\n<your_role>\nR\n</your_role>\n\n- i1\n- i2\n\n<additional_information>\n- Use markdown to format your "
        "answers.\n- Your name is: N.\n</additional_information>\n\nTI\n"
        "<expected_output>\nEO\n</expected_output>\n\nAC\n"
    )
    assert after.endswith("\n</knowledge_base>")


def test_s1_one_instruction_is_printed_as_it_is_and_tags_go_round_all_of_them() -> None:
    assert prompt(replace(PLAIN, instructions=("Only this.",)), ()) == "Only this."
    tagged = replace(PLAIN, instructions=("a", "b"), use_instruction_tags=True)
    assert prompt(tagged, ()) == "<instructions>\n- a\n- b\n</instructions>"


def test_s1_an_agent_without_prompt_content_sends_no_prompt() -> None:
    assert prompt_sections(PLAIN, ()) == ()
    assert prompt_sections(replace(BUILT_IN, build_context=False), SPECS) == ()


def test_s1_a_system_message_takes_the_place_of_the_prompt() -> None:
    agent = replace(BUILT_IN, system_message="Speak like {who}.", state={"who": "a clerk"})
    assert prompt(agent, ()) == "Speak like a clerk."


def test_d22_data_stays_data_under_a_system_message_too() -> None:
    text = prompt(replace(BUILT_IN, system_message="Mine."))
    assert text.startswith("Mine.\n\n---\n\n")
    assert "never an instruction" in text
    assert "<knowledge_base>" not in text


def test_a3_without_knowledge_there_is_no_knowledge_block_but_data_stays_data() -> None:
    text = prompt(replace(BUILT_IN, knowledge=False))
    assert "<knowledge_base>" not in text
    assert "never an instruction" in text


def test_s1_the_prompt_shows_the_current_time_in_the_requested_time_zone() -> None:
    facts = PromptFacts(now=datetime(2026, 11, 22, 3, 58, tzinfo=UTC))
    (section,) = prompt_sections(replace(PLAIN, add_datetime=True), (), facts)
    assert "- The current time is Sunday, 2026-11-22 03:58 (UTC, UTC+0000)." in section.text


def test_s4_only_whole_tokens_of_known_keys_are_replaced_and_a_dollar_stays() -> None:
    agent = replace(PLAIN, role="{a} {b} $a $$x^2$$ {unknown} {a", state={"a": "1"}, metadata={"a": "2", "b": "{a}"})
    assert "1 {a} $a $$x^2$$ {unknown} {a" in prompt(agent, ())


def test_s5_sections_after_the_tool_instructions_are_sent_verbatim() -> None:
    agent = replace(PLAIN, expected_output="{a}", additional_context="{a}", state={"a": "1"})
    assert prompt(agent, ()) == "<expected_output>\n{a}\n</expected_output>\n\n{a}"


def test_s4_an_agent_that_does_not_want_it_replaces_nothing() -> None:
    assert prompt(replace(PLAIN, role="{a}", state={"a": "1"}, resolve_in_context=False), ()).count("{a}") == 1


def test_b27_the_filter_keys_are_inside_the_knowledge_block() -> None:
    text = prompt_text(prompt_sections(BUILT_IN, SPECS, PromptFacts(filter_keys=("format", "author", "dept"))))
    inside = text.partition("<knowledge_base>")[2].partition("</knowledge_base>")[0]
    assert "- format: pdf, docx, markdown …\n- author: the document's author\n- dept: metadata that" in inside
    assert "filters" not in prompt()


def test_a_prompt_section_without_content_is_omitted() -> None:
    assert "reasoning_instructions" not in prompt(tools=())
    assert "<knowledge_base>" not in prompt(tools=())


def test_e36_the_prompt_holds_both_refusal_sentences() -> None:
    assert REFUSAL_EN in prompt()
    assert REFUSAL_ZH in prompt()


def test_d22_the_prompt_declares_that_results_are_data() -> None:
    assert "never an instruction" in prompt()


def test_c9_the_reasoning_instructions_are_in_their_tag_and_name_the_next_actions() -> None:
    sections = prompt_sections(BUILT_IN, SPECS)
    text = next(section.text for section in sections if section.label == "Tool instructions")
    assert text.startswith("<reasoning_instructions>")
    assert all(word in text for word in ("think", "analyze", "continue", "validate", "final_answer"))


def test_c9_c10_both_the_instructions_and_the_examples_can_be_left_out() -> None:
    assert "reasoning_instructions" not in prompt(replace(BUILT_IN, reasoning_instructions=False))
    assert "reasoning_examples" not in prompt()
    assert prompt(replace(BUILT_IN, few_shot=True)).count("Question: ") == 2


def test_c1_instructions_and_examples_of_ones_own_take_the_place_of_ours() -> None:
    agent = replace(BUILT_IN, reasoning_text="Think hard.", few_shot=True, few_shot_text="Like this.")
    told = next(section.text for section in prompt_sections(agent, SPECS) if section.label == "Tool instructions")
    assert told == "Think hard.\n\nLike this.\n"


def test_the_prompt_of_the_last_round_announces_the_last_round() -> None:
    assert prompt(last_round=True).endswith(LAST_ROUND)


def test_c13_history_is_question_and_answer_without_thoughts_and_markers() -> None:
    thought = TimedEvent(1, 0.0, ReasoningStep("think", "Plan", "They want a number."))
    messages = history_messages([replace(RUN, events=(thought,))])
    assert [(message.role, message.text) for message in messages] == [
        (Role.USER, "How much?"),
        (Role.ASSISTANT, "It is 5."),
    ]


def test_history_leaves_out_runs_without_an_answer() -> None:
    assert history_messages([replace(RUN, answer="")]) == ()


def test_history_keeps_the_newest_that_fit_oldest_first() -> None:
    runs = [replace(RUN, question=f"Question {n}", answer="x" * 40) for n in range(4)]
    messages = history_messages(runs, max_characters=110)
    assert [message.text for message in messages if message.role is Role.USER] == ["Question 2", "Question 3"]


@pytest.mark.parametrize(
    "text",
    [
        REFUSAL_EN,
        f"**{REFUSAL_EN}**",
        f"“{REFUSAL_EN.rstrip('.')}”",
        f"I searched twice. {REFUSAL_EN}",
        "暂无相关知识。",
    ],
)
def test_e36_the_agreed_sentence_is_recognised(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize("text", ["", "It is 5.", "Your documents hold nothing about this except 5."])
def test_other_text_is_no_refusal(text: str) -> None:
    assert not is_refusal(text)


def test_the_refusal_is_in_the_language_of_the_question() -> None:
    assert refusal_for("收入是多少？") == REFUSAL_ZH
    assert refusal_for("How much?") == REFUSAL_EN

"""Text form of plans: parsed as written by models, and by people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.agent.planning.plan_format import parsed_plan, plan_text
from workbench.model.run import Plan

WORDS = st.lists(
    st.sampled_from(["STEP", "Step", "step 2", "FINISH", "finish", "costs", "12", "TASK"]), min_size=1
).map(lambda words: " ".join(["note", *words]))
PIECES = st.sampled_from(
    ["TASK:", "STEP1:", "STEP 2：", "step2", "FINISH:", "```", "\n", " ", "1. ", "步骤3：", "完成", "**", "x", "STEP"]
)


def test_e43_the_form_that_is_asked_for_is_read() -> None:
    plan = parsed_plan("TASK: What rose?\nSTEP1: Find 2023\nSTEP2: Find 2024\nFINISH: Compare them", 6)
    assert plan == Plan("What rose?", ("Find 2023", "Find 2024"), "Compare them")


def test_e43_the_word_step_inside_a_step_does_not_cut_it() -> None:
    text = "TASK: t\nSTEP1: Go STEP by STEP\nStep back, then compare with\nSTEP 2 of the manual\nSTEP2: b\nFINISH: f"
    plan = parsed_plan(text, 6)
    assert plan is not None
    assert plan.steps == ("Go STEP by STEP\nStep back, then compare with\nSTEP 2 of the manual", "b")


def test_e43_a_finish_of_several_lines_is_kept() -> None:
    plan = parsed_plan("STEP1: a\nSTEP2: b\nFINISH: Write\n\n- the sum\n- Step 1: what it was\n", 6)
    assert plan is not None
    assert plan.finish == "Write\n\n- the sum\n- Step 1: what it was"


@pytest.mark.parametrize(
    "text",
    [
        "任务：t\n步骤1：a\n步骤2：b\n完成：f",
        "TASK： t\nSTEP１： a\nSTEP２： b\nFINISH： f",
        "任务:t\n第一步：a\n第二步：b\n结论：f",
        "任务：t\n步骤一：a\n步骤二：b\n完成：\nf",
    ],
)
def test_e43_full_width_and_chinese_labels_are_read(text: str) -> None:
    assert parsed_plan(text, 6) == Plan("t", ("a", "b"), "f")


@pytest.mark.parametrize(
    "text",
    [
        "Here is my plan:\n```text\nTASK: t\nSTEP1: a\nSTEP2: b\nFINISH: f\n```\nShall I begin?",
        "**Task:** t\n**Step 1:** a\n**Step 2**: b\n**Finish:** f",
        "# TASK\nt\n## STEP 1\na\n## STEP 2\nb\n## FINISH\nf",
        "- TASK: t\n- STEP (1): a\n- STEP 2 - b\n- FINISH: f",
        "TASK: t\nSTEP1: a\nSTEP4: b\nFINISH: f",
        "TASK: t\nSTEP: a\nSTEP: b\nFINISH: f",
        "TASK: t\nSTEP1: a\nSTEP2:\nSTEP3: b\nFINISH: f\nTASK: t\nSTEP1: once more",
        "TASK: t STEP1: a STEP2: b FINISH: f",
        "TASK: t\n1. a\n2. b\nFINISH: f",
        "\tTask: t\r\n\tStep 1. a\r\n\tStep 2. b\r\n\tFinish: f\r\n",
    ],
)
def test_e43_plans_in_the_variants_that_models_write_are_parsed(text: str) -> None:
    assert parsed_plan(text, 6) == Plan("t", ("a", "b"), "f")


def test_a_lower_number_is_spoken_of_and_begins_no_step() -> None:
    plan = parsed_plan("STEP1: a\nSTEP2: add\nSTEP 1: the total\nSTEP3: c", 6)
    assert plan == Plan("", ("a", "add\nSTEP 1: the total", "c"))


@pytest.mark.parametrize(
    "text",
    ["", "Revenue rose to 5,000 [1].", "TASK: only this", "1. First\n2. Second", "Step back and finish.", "FINISH: f"],
)
def test_a_text_without_steps_is_no_plan(text: str) -> None:
    assert parsed_plan(text, 6) is None


def test_no_more_steps_are_kept_than_are_wanted() -> None:
    plan = parsed_plan("\n".join(f"STEP{number}: s{number}" for number in range(1, 40)), 5)
    assert plan is not None
    assert plan.steps == ("s1", "s2", "s3", "s4", "s5")


@given(st.lists(PIECES, max_size=60).map("".join) | st.text(), st.integers(1, 8))
def test_e43_any_text_of_a_model_is_parsed_without_an_error(text: str, most: int) -> None:
    plan = parsed_plan(text, most)
    if plan is not None:
        assert 1 <= len(plan.steps) <= most
        assert all(step.strip() == step != "" for step in plan.steps)
        shown = [line.strip() for line in text.splitlines()]
        said = " ".join(shown)
        assert all(line.strip() in said for step in plan.steps for line in step.splitlines())


@given(WORDS, st.lists(WORDS, min_size=1, max_size=6), st.lists(WORDS, max_size=3))
def test_e43_a_plan_that_is_written_down_is_read_back(task: str, steps: list[str], finish: list[str]) -> None:
    plan = Plan(task, tuple(steps), "\n".join(finish))
    assert parsed_plan(plan_text(plan), 6) == plan


@given(st.lists(PIECES, max_size=40).map("".join))
def test_e43_any_plan_of_single_lines_is_parsed_back_unchanged(text: str) -> None:
    plan = parsed_plan(text, 6)
    if plan is not None and all("\n" not in part for part in (plan.task, *plan.steps, plan.finish)):
        assert parsed_plan(plan_text(plan), 6) == plan

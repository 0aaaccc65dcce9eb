"""The tools think and analyze."""

import asyncio
from typing import Any

import pytest

from workbench.agent.base import ToolResult
from workbench.agent.tools.reasoning import AnalyzeTool, ReasoningSteps, ThinkTool, next_action
from workbench.errors import ToolError
from workbench.model.run import ReasoningStep

THOUGHT = {"title": "Plan", "thought": "Search twice."}
ANALYSIS = {"title": "Look", "result": "5,000", "analysis": "Clear."}


def call(tool: ThinkTool | AnalyzeTool, arguments: dict[str, Any]) -> ToolResult:
    return asyncio.run(tool.call(arguments))


def test_c2_required_and_optional_arguments_are_declared() -> None:
    steps = ReasoningSteps()
    think, analyze = ThinkTool(steps).spec.parameters, AnalyzeTool(steps).spec.parameters
    assert think["required"] == ["title", "thought"]
    assert list(think["properties"]) == ["title", "thought", "action", "confidence"]
    assert analyze["required"] == ["title", "result", "analysis"]
    assert list(analyze["properties"]) == ["title", "result", "analysis", "next_action", "confidence"]
    for declared in (think["properties"], analyze["properties"]):
        types = {name: field["type"] for name, field in declared.items()}
        assert types == dict.fromkeys(declared, "string") | {"confidence": "number"}
    defaults = {name: field["default"] for name, field in analyze["properties"].items() if "default" in field}
    assert defaults == {"next_action": "continue", "confidence": 0.8}
    assert think["properties"]["confidence"]["default"] == 0.8


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        ("validate", "validate"),
        ("VALIDATE", "validate"),
        ("final", "final_answer"),
        ("Final_Answer", "final_answer"),
        (" finalize ", "final_answer"),
        ("continue", "continue"),
        ("reset", "continue"),
        ("dance", "continue"),
        ("", "continue"),
    ],
)
def test_c3_next_action_is_mapped(word: str, meaning: str) -> None:
    assert next_action(word) == meaning


def test_c3_think_always_continues() -> None:
    result = call(ThinkTool(ReasoningSteps()), {**THOUGHT, "next_action": "final"})
    assert result.events[0].next_action == "continue"  # type: ignore[union-attr]


@pytest.mark.parametrize(("given", "kept"), [(7, 1.0), (-0.5, 0.0), ("0.9", 0.9), (0, 0.0), (True, 1.0)])
def test_c4_confidence_is_clamped(given: object, kept: float) -> None:
    result = call(ThinkTool(ReasoningSteps()), {**THOUGHT, "confidence": given})
    assert result.events[0].confidence == kept  # type: ignore[union-attr]


def test_c4_a_clamped_confidence_is_flagged() -> None:
    assert "7 is outside 0 to 1" in call(ThinkTool(ReasoningSteps()), {**THOUGHT, "confidence": 7}).text
    assert "outside" not in call(ThinkTool(ReasoningSteps()), {**THOUGHT, "confidence": 1}).text


def test_c6_the_result_lists_all_steps_with_result_and_next_action() -> None:
    steps = ReasoningSteps()
    call(ThinkTool(steps), {**THOUGHT, "action": "search"})
    result = call(AnalyzeTool(steps), {**ANALYSIS, "next_action": "finalize", "confidence": 0.9})
    assert result.text == (
        "Step 1:\nTitle: Plan\nReasoning: Search twice.\nAction: search\nNext action: continue\nConfidence: 0.8\n\n"
        "Step 2:\nTitle: Look\nReasoning: Clear.\nResult: 5,000\nNext action: final_answer\nConfidence: 0.9"
    )


def test_c7_there_is_one_record_with_the_default_confidence() -> None:
    steps = ReasoningSteps()
    result = call(AnalyzeTool(steps), ANALYSIS)
    assert result.events == tuple(steps.steps)
    assert steps.steps == [ReasoningStep("analyze", "Look", "Clear.", "", "5,000", "continue", 0.8)]


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        (ThinkTool, {**THOUGHT, "confidence": "very"}, "Error recording thought: confidence must be a number"),
        (ThinkTool, {**THOUGHT, "confidence": float("nan")}, "Error recording thought: confidence"),
        (AnalyzeTool, {**ANALYSIS, "result": {"a": 1}}, "Error recording analysis: result must be text"),
    ],
)
def test_c8_an_argument_error_is_reported_to_the_model(
    tool: type[ThinkTool], arguments: dict[str, Any], told: str
) -> None:
    with pytest.raises(ToolError, match=told):
        call(tool(ReasoningSteps()), arguments)


def test_c14_a_second_run_begins_at_step_1() -> None:
    call(ThinkTool(ReasoningSteps()), THOUGHT)
    assert call(ThinkTool(ReasoningSteps()), THOUGHT).text.startswith("Step 1:")

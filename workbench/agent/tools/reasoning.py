"""think and analyze: a model's reasoning as steps, shown to the user but not part of the answer."""

import math
from collections.abc import Sequence
from typing import Any

from workbench.agent.base import ToolResult
from workbench.errors import ToolError
from workbench.model.message import ToolReach, ToolSpec
from workbench.model.run import ReasoningStep

THINK = "think"
ANALYZE = "analyze"
DEFAULT_CONFIDENCE = 0.8

_CONTINUE, _VALIDATE, _FINAL_ANSWER = "continue", "validate", "final_answer"
_NEXT_ACTIONS = {
    "validate": _VALIDATE,
    "final": _FINAL_ANSWER,
    "final_answer": _FINAL_ANSWER,
    "finalize": _FINAL_ANSWER,
}

_TEXT = {"type": "string"}
_CONFIDENCE = {"type": "number", "description": "How sure you are, from 0 to 1.", "default": DEFAULT_CONFIDENCE}


class ReasoningSteps:
    """Record of the reasoning steps of one run, shared by both tools; a new run begins at step 1."""

    def __init__(self) -> None:
        self.steps: list[ReasoningStep] = []

    def resume(self, steps: Sequence[ReasoningStep]) -> None:
        """Replace the steps with those of the run that this one continues."""
        self.steps[:] = steps

    def record(self, step: ReasoningStep, *, note: str = "") -> ToolResult:
        """Add a step and return all steps so far as the tool's result."""
        self.steps.append(step)
        listed = "\n\n".join(_as_text(number, step) for number, step in enumerate(self.steps, start=1))
        return ToolResult(f"{listed}\n\n{note}".strip(), events=(step,))


class ThinkTool:
    """Tool that records a thought before acting."""

    def __init__(self, steps: ReasoningSteps) -> None:
        self._steps = steps

    @property
    def steps(self) -> ReasoningSteps:
        """Record to which the tool adds its steps."""
        return self._steps

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            THINK,
            "Use this to think through the question step by step before you act. It is not shown as an answer.",
            {
                "type": "object",
                "properties": {
                    "title": {**_TEXT, "description": "A few words for this step."},
                    "thought": {**_TEXT, "description": "Your reasoning."},
                    "action": {**_TEXT, "description": "What you will do next."},
                    "confidence": _CONFIDENCE,
                },
                "required": ["title", "thought"],
            },
            reach=ToolReach.THOUGHT,
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Record a thought; the next action is always to continue."""
        try:
            confidence, note = _confidence(arguments.get("confidence"))
            step = ReasoningStep(
                tool=THINK,
                title=_text(arguments, "title"),
                reasoning=_text(arguments, "thought"),
                action=_text(arguments, "action"),
                confidence=confidence,
            )
        except ValueError as error:
            raise ToolError(f"Error recording thought: {error}") from error
        return self._steps.record(step, note=note)


class AnalyzeTool:
    """Tool that records the analysis of a result and the next action."""

    def __init__(self, steps: ReasoningSteps) -> None:
        self._steps = steps

    @property
    def steps(self) -> ReasoningSteps:
        """Record to which the tool adds its steps."""
        return self._steps

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            ANALYZE,
            "Use this to judge the results you got and to decide what to do next.",
            {
                "type": "object",
                "properties": {
                    "title": {**_TEXT, "description": "A few words for this step."},
                    "result": {**_TEXT, "description": "What the last action gave."},
                    "analysis": {**_TEXT, "description": "What it shows, and what is missing."},
                    "next_action": {
                        **_TEXT,
                        "description": "continue, validate or final_answer.",
                        "default": _CONTINUE,
                    },
                    "confidence": _CONFIDENCE,
                },
                "required": ["title", "result", "analysis"],
            },
            reach=ToolReach.THOUGHT,
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Record an analysis; final_answer is only recorded, the run ends when the model stops calling tools."""
        try:
            confidence, note = _confidence(arguments.get("confidence"))
            step = ReasoningStep(
                tool=ANALYZE,
                title=_text(arguments, "title"),
                reasoning=_text(arguments, "analysis"),
                result=_text(arguments, "result"),
                next_action=next_action(_text(arguments, "next_action")),
                confidence=confidence,
            )
        except ValueError as error:
            raise ToolError(f"Error recording analysis: {error}") from error
        return self._steps.record(step, note=note)


def next_action(word: str) -> str:
    """Normalise the next action that a model named; unknown words mean to continue."""
    return _NEXT_ACTIONS.get(word.strip().casefold(), _CONTINUE)


def _text(arguments: dict[str, Any], name: str) -> str:
    value = arguments.get(name)
    if value is None:
        return ""
    if isinstance(value, (dict, list)):
        raise ValueError(f"{name} must be text")
    return str(value).strip()


def _confidence(value: object) -> tuple[float, str]:
    """Return the confidence clamped to 0 to 1, and a note if it was changed."""
    if value is None:
        return DEFAULT_CONFIDENCE, ""
    try:
        given = float(value) if isinstance(value, (int, float, str)) else math.nan
    except ValueError:
        given = math.nan
    if math.isnan(given):
        raise ValueError("confidence must be a number from 0 to 1")
    clamped = min(1.0, max(0.0, given))
    note = f"The confidence {given:g} is outside 0 to 1 and was recorded as {clamped:g}." if clamped != given else ""
    return clamped, note


def _as_text(number: int, step: ReasoningStep) -> str:
    lines = [
        ("Title", step.title),
        ("Reasoning", step.reasoning),
        ("Action", step.action),
        ("Result", step.result),
        ("Next action", step.next_action),
        ("Confidence", f"{step.confidence:g}"),
    ]
    return "\n".join([f"Step {number}:", *(f"{label}: {text}" for label, text in lines if text)])

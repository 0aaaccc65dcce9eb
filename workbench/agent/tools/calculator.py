"""calculator: arithmetic, exact where it can be."""

import asyncio
from typing import Any

from workbench.agent.base import ToolResult
from workbench.agent.calculation.grammar import evaluate
from workbench.agent.calculation.writing import written
from workbench.agent.tools.offer import ToolContext, ToolOffer
from workbench.errors import ToolError
from workbench.language import mark
from workbench.model.message import ToolSpec

CALCULATOR = "calculator"


class CalculatorTool:
    """Works out one expression."""

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            CALCULATOR,
            "Works out an arithmetic expression exactly (计算). Use it for every calculation rather than doing it in"
            " your head. Knows + - * / // % ^ ( ) !, percentages (15% of 80; 200 + 10%), 2e3, pi, e, and functions such"
            " as sqrt, log, ln, exp, sin (radians), round(x, places), min, max, sum, mean.",
            {
                "type": "object",
                "properties": {
                    "expression": {"type": "string", "description": "For example: (1,234.5 - 987) / 987 * 100"}
                },
                "required": ["expression"],
                "additionalProperties": False,
            },
            aliases=("计算", "计算器", "calculate"),
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Return "expression = value".

        Raises:
            ToolError: With a sentence that names what is wrong with the expression, and where.
        """
        expression = str(arguments["expression"]).strip()
        try:
            # The first approximation imports mpmath; large powers take some milliseconds.
            value = await asyncio.to_thread(evaluate, expression)
        except ToolError as error:
            raise ToolError(f"“{_shortened(expression)}” cannot be worked out: {error.message}") from error
        return ToolResult(f"{_shortened(expression)} {written(value)}")


def _shortened(expression: str) -> str:
    line = " ".join(expression.split())
    return line if len(line) <= 200 else f"{line[:199]}…"


def _make(_context: ToolContext) -> CalculatorTool:
    return CalculatorTool()


OFFER = ToolOffer(
    CALCULATOR,
    mark("Calculator"),
    mark("Works out arithmetic exactly, so that no figure is guessed."),
    "calculator",
    _make,
)

"""calculator: the arithmetic tool, and the text of its results."""

import asyncio
from fractions import Fraction
from typing import Any

from workbench.agent.base import ToolResult
from workbench.agent.calculation.expressions import evaluate
from workbench.agent.calculation.numbers import Value, approximate, context, exclusive, is_exact
from workbench.agent.tools.offer import ToolContext, ToolOffer
from workbench.errors import ToolError
from workbench.language import mark
from workbench.model.message import ToolSpec

CALCULATOR = "calculator"


class CalculatorTool:
    """Tool that evaluates one arithmetic expression."""

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
            ToolError: The expression is invalid; the message states the error and its position.
        """
        expression = str(arguments["expression"]).strip()
        try:
            # The first approximation imports mpmath; large powers take some milliseconds.
            value = await asyncio.to_thread(evaluate, expression)
        except ToolError as error:
            raise ToolError(f"“{_shorten(expression)}” cannot be calculated: {error.message}") from error
        return ToolResult(f"{_shorten(expression)} {written(value)}")


def _shorten(expression: str) -> str:
    line = " ".join(expression.split())
    return line if len(line) <= 200 else f"{line[:199]}…"


def _make(_context: ToolContext) -> CalculatorTool:
    return CalculatorTool()


OFFER = ToolOffer(
    CALCULATOR,
    mark("Calculator"),
    mark("Calculates exactly, so that no figure is guessed."),
    "calculator",
    _make,
)


SHOWN = 15
_MOST_DECIMALS = 60


@exclusive
def written(value: Value) -> str:
    """Format a value, for example "= 0.3", "= 1/3 ≈ 0.333333333333333", "≈ 1.4142135623731"."""
    if not is_exact(value):
        return f"≈ {_format_rounded(value)}"
    if value.denominator == 1:
        return f"= {value.numerator}"
    decimal = _format_terminating(value)
    if decimal:
        return f"= {decimal}"
    fraction = f"= {value.numerator}/{value.denominator} " if value.denominator < 10_000 else ""
    return f"{fraction}≈ {_format_rounded(approximate(value))}"


def _format_terminating(value: Fraction) -> str:
    """Return a fraction as a terminating decimal; empty if it does not terminate, or only after many places."""
    rest, places = value.denominator, 0
    twos = fives = 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest != 1 or places > _MOST_DECIMALS:
        return ""
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' * (value < 0)}{digits[:-places]}.{digits[-places:]}"


def _format_rounded(value: Value) -> str:
    return str(context().nstr(value, SHOWN, min_fixed=-7, max_fixed=18)).removesuffix(".0").replace(".0e", "e")

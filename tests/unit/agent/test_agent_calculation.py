"""E-41: the calculator evaluates the notation of people and models exactly, and reports the place of other input."""

import asyncio
import math
import re
import subprocess
import sys
import time
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.agent.calculation.expressions import evaluate
from workbench.agent.calculation.numbers import FUNCTIONS, CalculationError
from workbench.agent.tools.calculator import CalculatorTool, written
from workbench.errors import ToolError


def worked_out(expression: str) -> str:
    return written(evaluate(expression))


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("2e3", "= 2000"),
        ("2^3", "= 8"),
        ("2**3**2", "= 512"),
        ("９+1", "= 10"),
        ("（1＋2）×３÷4", "= 2.25"),
        ("0.1+0.2", "= 0.3"),
        ("sin(3)+1", "≈ 1.14112000805987"),
        ("-2^2", "= -4"),
        ("2^-2", "= 0.25"),
        ("17 % 5", "= 2"),
        ("17 mod 5", "= 2"),
        ("-7 // 2", "= -4"),
        ("1/3", "= 1/3 ≈ 0.333333333333333"),
        ("1,234.5 * 2", "= 2469"),
        ("1 + 2 = ?", "= 3"),
        ("3² + 4²", "= 25"),
        ("√16", "= 4"),
        ("8^(1/3)", "= 2"),
        ("log(1000) + log(8, 2) + ln(1)", "= 6"),
        ("round(2.5) + round(-2.345; 2)", "= 0.65"),
        ("sin(pi) + floor(sqrt(2)^2)", "= 2"),
        ("5! + factorial(3)", "= 126"),
        ("max(1, 234) - min(3;2)", "= 232"),
        ("10^-70", "≈ 1e-70"),
    ],
)
def test_e41_notations_that_people_use_are_calculated(expression: str, result: str) -> None:
    assert worked_out(expression) == result


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("15% of 80", "= 12"),
        ("80的15%", "= 12"),
        ("10%", "= 0.1"),
        ("200 + 10%", "= 220"),
        ("200 - 10%", "= 180"),
        ("100 + 5% + 5%", "= 110.25"),
        ("200 * 10%", "= 20"),
        ("100 + 50% * 2", "= 101"),
        ("5 + (10%)", "= 5.1"),
        ("50% - 0.2", "= 0.3"),
    ],
)
def test_e41_percentages_are_those_of_a_pocket_calculator(expression: str, result: str) -> None:
    assert worked_out(expression) == result


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("1 + foo(2)", "“foo” at character 5 is not known"),
        ("import os", "“import” at character 1 is not known"),
        ("1 $ 2", "“$” at character 3"),
        ("4 + 1/0", "Division by zero at character 6"),
        ("5 % 0", "Division by zero"),
        ("2pi", "An operator is missing before “pi” at character 2"),
        ("(1 + 2", "The parenthesis at character 1 is not closed"),
        ("1 + 2)", "“)” at character 6 is out of place"),
        ("1 + * 2", "A number is missing before “*” at character 5"),
        ("1 +", "ends where a number is missing"),
        ("3,14", "a decimal point is written “.”"),
        ("max(1,234)", "may be one number or several arguments"),
        ("sqrt(-1)", "no real square root (“sqrt” at character 1)"),
        ("(0-8)^0.5", "no real power"),
        ("tan(pi/2)", "tan is not defined there"),
        ("log(0)", "only defined for numbers above 0"),
        ("sqrt(1, 2)", "takes 1 argument, not 2"),
        ("1.5!", "must be a whole number"),
        ("", "There is nothing to calculate"),
    ],
)
def test_e41_anything_else_is_refused_with_its_place(expression: str, words: str) -> None:
    with pytest.raises(CalculationError) as refused:
        evaluate(expression)
    assert words in refused.value.message


@pytest.mark.parametrize(
    "expression",
    [
        "9**9**9**9",
        "9^9999999",
        "(10^3000)*(10^3000)",
        "1e999999999999",
        "factorial(99999)",
        "1000!!",
        "exp(10^9)",
        "exp(exp(exp(9)))",
        "2.5^(2.5^20)",
        "pi^20000",
        "(" * 500 + "1" + ")" * 500,
        "-" * 900 + "1",
        "1+" * 600 + "1",
        "1/9^9^9",
        "sin(10^3000)",
        "round(1/3; 99999)",
    ],
)
def test_e41_expressions_that_would_take_forever_are_rejected_immediately(expression: str) -> None:
    began = time.process_time()
    with pytest.raises(CalculationError):
        evaluate(expression)
    assert time.process_time() - began < 0.5


_NUMBERS = st.one_of(
    st.integers(0, 10_000).map(str),
    st.decimals(0, 1000, places=3, allow_nan=False, allow_infinity=False).map(lambda number: f"{number:f}"),
)
_EXPRESSIONS = st.recursive(
    _NUMBERS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" + ", " - ", "*", " / ", " // ", "%"]), inner).map(
            lambda parts: f"({parts[0]}){parts[1]}({parts[2]})"
        ),
        inner.map(lambda one: f"-({one})"),
        inner.map(lambda one: f"abs({one})"),
        inner.map(lambda one: f"({one})**2"),
    ),
    max_leaves=12,
)


def _reference(expression: str) -> Fraction:
    """Evaluate the expression with Python's own grammar, each number as a fraction."""
    exact = re.sub(r"(?<![\w*])\d+(?:\.\d+)?", lambda number: f"Fraction('{number.group()}')", expression)
    value: Fraction | int = eval(exact, {"Fraction": Fraction, "abs": abs})  # of hypothesis only
    return Fraction(value)


@settings(deadline=None)  # the machine may be busy
@given(_EXPRESSIONS)
def test_e41_random_expressions_match_exact_fraction_arithmetic(expression: str) -> None:
    try:
        expected = _reference(expression)
    except ZeroDivisionError:
        with pytest.raises(CalculationError, match="Division by zero"):
            evaluate(expression)
        return
    assert evaluate(expression) == expected


@settings(deadline=None)  # the machine may be busy
@given(st.text(alphabet="0123456789.,+-*/%^()!eEpisqrtmax√²的 ＋（９of", max_size=40))
def test_e41_no_text_makes_it_fail_in_any_other_way(text: str) -> None:
    with suppress(CalculationError):
        assert worked_out(text).startswith(("= ", "≈ "))


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "atan", "exp", "ln", "sqrt", "cbrt", "log2", "log10"])
@settings(deadline=None)  # the machine may be busy
@given(st.decimals("0.01", 50, places=3))
def test_e41_functions_agree_with_the_mathematics_library(name: str, value: object) -> None:
    theirs = {"ln": math.log}.get(name) or getattr(math, name)
    ours = float(FUNCTIONS[name].call([Fraction(str(value))]))
    # The reference receives the nearest double: close to a pole of the tangent, its rounding error is magnified.
    rounded = float(str(value))
    off = max(abs(theirs(near) - theirs(rounded)) for near in (math.nextafter(rounded, 0), math.nextafter(rounded, 99)))
    assert ours == pytest.approx(theirs(rounded), rel=1e-12, abs=1e-12 + off)


def test_e40_the_tool_gives_expression_and_value_and_is_found_by_its_chinese_name() -> None:
    tool = CalculatorTool()
    assert asyncio.run(tool.call({"expression": "(1+2)*3"})).text == "(1+2)*3 = 9"
    assert "计算" in tool.spec.aliases


_AT_ONCE = """
import asyncio
from workbench.agent.tools.calculator import CalculatorTool

async def main():
    asked = ("sin(3)+1", "pi*2", "sqrt(2)*3", "ln(10)") * 4
    for answer in await asyncio.gather(*(CalculatorTool().call({"expression": one}) for one in asked)):
        print(answer.text)

asyncio.run(main())
"""


def test_e40_the_calculations_of_one_turn_do_not_disturb_one_another() -> None:
    # In a separate process: the first calculations of a process used to create a context each.
    ran = subprocess.run([sys.executable, "-c", _AT_ONCE], capture_output=True, text=True, check=True)
    right = [
        "sin(3)+1 ≈ 1.14112000805987",
        "pi*2 ≈ 6.28318530717959",
        "sqrt(2)*3 ≈ 4.24264068711929",
        "ln(10) ≈ 2.30258509299405",
    ]
    assert ran.stdout.splitlines() == right * 4


def test_s14_an_expression_that_the_tool_rejects_reaches_the_model_as_a_sentence() -> None:
    with pytest.raises(ToolError, match="“1/0” cannot be calculated: Division by zero at character 2"):
        asyncio.run(CalculatorTool().call({"expression": "1/0"}))

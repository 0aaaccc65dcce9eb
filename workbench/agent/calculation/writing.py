"""A value as text: exact where it can be written so, else to 15 significant digits, and said to be so."""

from fractions import Fraction

from workbench.agent.calculation.numbers import Value, approximate, context, exclusive, is_exact

SHOWN = 15
_MOST_DECIMALS = 60


@exclusive
def written(value: Value) -> str:
    """Return "= 0.3", "= 1/3 ≈ 0.333333333333333", "≈ 1.4142135623731"."""
    if not is_exact(value):
        return f"≈ {_rounded(value)}"
    if value.denominator == 1:
        return f"= {value.numerator}"
    decimal = _terminating(value)
    if decimal:
        return f"= {decimal}"
    fraction = f"= {value.numerator}/{value.denominator} " if value.denominator < 10_000 else ""
    return f"{fraction}≈ {_rounded(approximate(value))}"


def _terminating(value: Fraction) -> str:
    """Return a fraction that ends as a decimal; empty for one that does not, or only after many places."""
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


def _rounded(value: Value) -> str:
    return str(context().nstr(value, SHOWN, min_fixed=-7, max_fixed=18)).removesuffix(".0").replace(".0e", "e")

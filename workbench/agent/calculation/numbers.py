"""Exact and approximate numbers of the calculator, and the functions and constants that an expression may name."""

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from workbench.errors import ToolError

if TYPE_CHECKING:
    from mpmath.ctx_mp import MPContext


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Value: TypeAlias = Any
"""A Fraction, or an mpmath number if there is no exact value."""

DIGITS = 50
"""Number of digits of an approximation; 15 of them are shown."""

MOST_BITS = 13_000
"""Maximum size of numerator and denominator, about 3,900 digits: Python itself refuses to write more than 4,300."""


class CalculationError(ToolError):
    """An error in an expression: the message names the error and its position, and goes to the model."""


_LOCK = threading.RLock()


def exclusive(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Return a function that only one thread at a time runs; it may call other exclusive functions.

    A model may request several calculations at once, each on its own thread. A context of mpmath raises its precision
    while it works, does not accept numbers of another context, and caches π and logarithms for all contexts without a
    lock. One context per thread would therefore not be enough.
    """

    @wraps(function)
    def wrapper(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with _LOCK:
            return function(*args, **kwargs)

    return wrapper


@cache
def context() -> "MPContext":
    """Return the program's mpmath context with its own precision; only for exclusive functions.

    The import takes 0.1 s, so it is deferred until the first use.
    """
    from mpmath import mp

    own = mp.clone()
    own.dps = DIGITS
    return own


def is_exact(value: Value) -> bool:
    """Return whether a value is a fraction of whole numbers."""
    return isinstance(value, Fraction)


def approximate(value: Value) -> Value:
    """Return a value as an mpmath number."""
    return context().mpf(value.numerator) / value.denominator if is_exact(value) else value


def check_value(value: Value) -> Value:
    """Return the value if it is a real number within the size limit.

    Raises:
        CalculationError: It is not.
    """
    if isinstance(value, Fraction):
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS:
            raise too_large()
        return value
    own = context()
    if not isinstance(value, own.mpf) or own.isnan(value):
        raise CalculationError("The result is not a real number.")
    if own.isinf(value) or (value and abs(own.mag(value)) > MOST_BITS):
        raise too_large()
    return value


def too_large() -> CalculationError:
    """Return the error for a number beyond the size limit."""
    return CalculationError("The result is too large to be worked out: it would have more than 3,900 digits.")


def power(base: Value, exponent: Value) -> Value:
    """Return base to the power of exponent; the size of the result is estimated first.

    Raises:
        CalculationError: The result is too large or not a real number, or 0 has a negative exponent.
    """
    if not base and exponent < 0:
        raise CalculationError("Division by zero: 0 to a negative power.")
    if _bits(base) * abs(approximate(exponent)) > MOST_BITS:
        raise too_large()
    if is_exact(exponent) and exponent.denominator == 1:
        return check_value(base ** int(exponent))
    root = _exact_root(base, exponent)
    if root is not None:
        return root
    if base < 0:
        raise CalculationError("A negative number has no real power with a fraction as exponent.")
    return check_value(context().power(approximate(base), approximate(exponent)))


def _bits(base: Value) -> Value:
    """Return the maximum number of bits that each further power of a number adds."""
    if is_exact(base):
        if abs(base.numerator) <= 1 and base.denominator == 1:
            return 0
        return max(abs(base.numerator).bit_length(), base.denominator.bit_length())
    own = context()
    return abs(own.log(abs(base), 2)) if base else 0


def _exact_root(base: Value, exponent: Value) -> Fraction | None:
    """Return base ** exponent if that is a fraction, as for 8 ** (1/3)."""
    if not (is_exact(base) and is_exact(exponent)) or base < 0 or exponent.denominator > 64:
        return None
    above = _whole_root(base.numerator, exponent.denominator)
    below = _whole_root(base.denominator, exponent.denominator)
    if above is None or below is None:
        return None
    return Fraction(above, below) ** int(exponent.numerator)


def _whole_root(number: int, degree: int) -> int | None:
    # Not round(): it converts to a float, which ends at 1e308 and has 16 digits.
    root = context().nint(context().root(number, degree)) if number else 0
    # 50 digits are not enough for the root of a longer number: the result is then approximate.
    return int(root) if int(root) ** degree == number else None


LARGEST_FACTORIAL = 1000
_MOST_PLACES = 100
_LARGEST_ANGLE = 10**15


@dataclass(frozen=True, slots=True)
class Function:
    """A function, with the minimum and maximum number of its arguments."""

    call: Callable[[Sequence[Value]], Value]
    fewest: int
    most: int


def constant(name: str) -> Value | None:
    """Return a constant's value; None if there is no constant of that name."""
    own = context()
    return {"pi": +own.pi, "π": +own.pi, "e": +own.e, "tau": 2 * own.pi, "τ": 2 * own.pi}.get(name)


def _sqrt(arguments: Sequence[Value]) -> Value:
    if arguments[0] < 0:
        raise CalculationError("A negative number has no real square root.")
    return power(arguments[0], Fraction(1, 2))


def _cbrt(arguments: Sequence[Value]) -> Value:
    value = arguments[0]
    return -power(-value, Fraction(1, 3)) if value < 0 else power(value, Fraction(1, 3))


def _angle(name: str) -> Callable[[Sequence[Value]], Value]:
    def call(arguments: Sequence[Value]) -> Value:
        own = context()
        angle = approximate(arguments[0])
        if abs(angle) > _LARGEST_ANGLE:
            raise CalculationError(f"The angle of {name} is too large; it is in radians.")
        if not angle:
            return Fraction(int(name == "cos"))
        sine, cosine = (_round_noise(getattr(own, one)(angle)) for one in ("sin", "cos"))
        if name == "tan" and not cosine:
            raise CalculationError("tan is not defined there.")
        return {"sin": sine, "cos": cosine}[name] if name != "tan" else check_value(sine / cosine)

    return call


def _round_noise(value: Value) -> Value:
    """Return 0 for a value that is 0 except for the last digits of π: sin(pi) is 0, not 1e-51."""
    return Fraction(0) if abs(value) < context().mpf(10) ** -(DIGITS - 18) else value


def _inverse(name: str) -> Callable[[Sequence[Value]], Value]:
    def call(arguments: Sequence[Value]) -> Value:
        value = approximate(arguments[0])
        if name != "atan" and abs(value) > 1:
            raise CalculationError(f"{name} is only defined from -1 to 1.")
        return Fraction(0) if not value and name != "acos" else getattr(context(), name)(value)

    return call


def _logarithm(base: Value | None) -> Callable[[Sequence[Value]], Value]:
    def call(arguments: Sequence[Value]) -> Value:
        value, to = arguments[0], arguments[1] if len(arguments) > 1 else base
        if value <= 0 or (to is not None and (to <= 0 or to == 1)):
            raise CalculationError("A logarithm is only defined for numbers above 0, to a base above 0 that is not 1.")
        own = context()
        found = own.log(approximate(value)) if to is None else own.log(approximate(value), approximate(to))
        if value == 1:
            return Fraction(0)
        nearest = Fraction(int(own.nint(found)))
        # log(1000) is 3, not 2.99…: the result is exact if the power confirms it.
        whole = to is not None and is_exact(value) and is_exact(to) and abs(nearest) < 10_000
        return nearest if whole and power(to, nearest) == value else found

    return call


def _exp(arguments: Sequence[Value]) -> Value:
    if abs(arguments[0]) > 9_000:
        raise too_large()
    return Fraction(1) if not arguments[0] else context().exp(approximate(arguments[0]))


def _round(arguments: Sequence[Value]) -> Value:
    """Round half away from zero, as people do, to a number of decimal places."""
    places = _require_whole(arguments[1], "The number of decimal places") if len(arguments) > 1 else 0
    if abs(places) > _MOST_PLACES:
        raise CalculationError(f"A number is rounded to at most {_MOST_PLACES} places.")
    shift = Fraction(10) ** places
    scaled = _fraction(abs(arguments[0])) * shift
    whole = math.floor(scaled + Fraction(1, 2))
    return Fraction(whole if arguments[0] >= 0 else -whole) / shift


def _floor(arguments: Sequence[Value]) -> Value:
    return Fraction(math.floor(_fraction(arguments[0])))


def _ceil(arguments: Sequence[Value]) -> Value:
    return Fraction(math.ceil(_fraction(arguments[0])))


def _trunc(arguments: Sequence[Value]) -> Value:
    return Fraction(math.trunc(_fraction(arguments[0])))


def _fraction(value: Value) -> Fraction:
    if is_exact(value):
        return Fraction(value)
    whole = context().nint(value)
    # A whole number except for rounding noise: floor(sqrt(2)^2) is 2.
    if abs(value - whole) < context().mpf(10) ** -(DIGITS - 18):
        return Fraction(int(whole))
    mantissa, exponent = value.man_exp
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def factorial(arguments: Sequence[Value]) -> Value:
    """Return n! for whole numbers up to 1,000."""
    number = _require_whole(arguments[0], "What a factorial is taken of")
    if number < 0:
        raise CalculationError("A negative number has no factorial.")
    if number > LARGEST_FACTORIAL:
        raise CalculationError(f"A factorial is worked out up to {LARGEST_FACTORIAL:,}.")
    return Fraction(math.factorial(number))


def _gcd(arguments: Sequence[Value]) -> Value:
    return Fraction(math.gcd(*(_require_whole(one, "Each argument of gcd") for one in arguments)))


def _lcm(arguments: Sequence[Value]) -> Value:
    return Fraction(math.lcm(*(_require_whole(one, "Each argument of lcm") for one in arguments)))


def _mean(arguments: Sequence[Value]) -> Value:
    return add_values(arguments) / len(arguments)


def add_values(values: Sequence[Value]) -> Value:
    """Return the sum, exact if all values are."""
    if all(map(is_exact, values)):
        return sum(values, Fraction(0))
    return context().fsum(map(approximate, values))


def _least(arguments: Sequence[Value]) -> Value:
    return min(arguments, key=approximate)


def _greatest(arguments: Sequence[Value]) -> Value:
    return max(arguments, key=approximate)


def _require_whole(value: Value, what: str) -> int:
    if not is_exact(value) or value.denominator != 1:
        raise CalculationError(f"{what} must be a whole number.")
    return int(value)


_MANY = 200

FUNCTIONS: dict[str, Function] = {
    "sqrt": Function(_sqrt, 1, 1),
    "cbrt": Function(_cbrt, 1, 1),
    "sin": Function(_angle("sin"), 1, 1),
    "cos": Function(_angle("cos"), 1, 1),
    "tan": Function(_angle("tan"), 1, 1),
    "asin": Function(_inverse("asin"), 1, 1),
    "acos": Function(_inverse("acos"), 1, 1),
    "atan": Function(_inverse("atan"), 1, 1),
    "log": Function(_logarithm(Fraction(10)), 1, 2),
    "lg": Function(_logarithm(Fraction(10)), 1, 1),
    "log10": Function(_logarithm(Fraction(10)), 1, 1),
    "log2": Function(_logarithm(Fraction(2)), 1, 1),
    "ln": Function(_logarithm(None), 1, 1),
    "exp": Function(_exp, 1, 1),
    "abs": Function(lambda arguments: abs(arguments[0]), 1, 1),
    "round": Function(_round, 1, 2),
    "floor": Function(_floor, 1, 1),
    "ceil": Function(_ceil, 1, 1),
    "trunc": Function(_trunc, 1, 1),
    "min": Function(_least, 1, _MANY),
    "max": Function(_greatest, 1, _MANY),
    "sum": Function(add_values, 1, _MANY),
    "mean": Function(_mean, 1, _MANY),
    "average": Function(_mean, 1, _MANY),
    "gcd": Function(_gcd, 1, _MANY),
    "lcm": Function(_lcm, 1, _MANY),
    "factorial": Function(factorial, 1, 1),
    "fact": Function(factorial, 1, 1),
}

"""Numbers that are exact while they can be, approximate to 50 digits where they cannot, and never too large."""

import threading
from collections.abc import Callable
from fractions import Fraction
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from workbench.errors import ToolError

if TYPE_CHECKING:
    from mpmath.ctx_mp import MPContext

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Value: TypeAlias = Any
"""A Fraction, or an mpmath number where there is no exact value."""

DIGITS = 50
"""Of an approximation; 15 of them are shown."""

MOST_BITS = 13_000
"""Of numerator and denominator, about 3,900 digits: Python itself refuses to write more than 4,300."""


class CalculationError(ToolError):
    """A sentence that names what is wrong and where; its text goes to the model."""


_LOCK = threading.RLock()


def exclusive(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Return a function that only one thread at a time runs; it may call others of its kind.

    A model may ask for several calculations at once, each on a thread of its own. A context of mpmath has a precision
    that it raises while it works, numbers of another context are no numbers to it, and what mpmath remembers of π and
    logarithms is shared by all contexts, without a lock: a context a thread would not do.
    """

    @wraps(function)
    def alone(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with _LOCK:
            return function(*args, **kwargs)

    return alone


@cache
def context() -> "MPContext":
    """Return mpmath's mathematics with our precision, one for the program; only for functions that are exclusive.

    The import takes 0.1 s, so only when it is first needed.
    """
    from mpmath import mp

    own = mp.clone()
    own.dps = DIGITS
    return own


def is_exact(value: Value) -> bool:
    """Whether a value is a fraction of whole numbers."""
    return isinstance(value, Fraction)


def approximate(value: Value) -> Value:
    """Return a value as mpmath has it."""
    return context().mpf(value.numerator) / value.denominator if is_exact(value) else value


def checked(value: Value) -> Value:
    """Return a value that is a real number of bearable size.

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
    """Return the error for a number beyond the limit."""
    return CalculationError("The result is too large to be worked out: it would have more than 3,900 digits.")


def power(base: Value, exponent: Value) -> Value:
    """Return base to the exponent; its size is told before it is worked out.

    Raises:
        CalculationError: It is too large, not a real number, or 0 to a negative exponent.
    """
    if not base and exponent < 0:
        raise CalculationError("Division by zero: 0 to a negative power.")
    if _bits(base) * abs(approximate(exponent)) > MOST_BITS:
        raise too_large()
    if is_exact(exponent) and exponent.denominator == 1:
        return checked(base ** int(exponent))
    root = _exact_root(base, exponent)
    if root is not None:
        return root
    if base < 0:
        raise CalculationError("A negative number has no real power with a fraction as exponent.")
    return checked(context().power(approximate(base), approximate(exponent)))


def _bits(base: Value) -> Value:
    """Return how many bits each further power of a number adds at most."""
    if is_exact(base):
        if abs(base.numerator) <= 1 and base.denominator == 1:
            return 0
        return max(abs(base.numerator).bit_length(), base.denominator.bit_length())
    own = context()
    return abs(own.log(abs(base), 2)) if base else 0


def _exact_root(base: Value, exponent: Value) -> Fraction | None:
    """Return base ** exponent where that is a fraction, as 8 ** (1/3) is."""
    if not (is_exact(base) and is_exact(exponent)) or base < 0 or exponent.denominator > 64:
        return None
    above = _whole_root(base.numerator, exponent.denominator)
    below = _whole_root(base.denominator, exponent.denominator)
    if above is None or below is None:
        return None
    return Fraction(above, below) ** int(exponent.numerator)


def _whole_root(number: int, degree: int) -> int | None:
    # Not round(): that goes by way of a float, which ends at 1e308 and has 16 digits.
    root = context().nint(context().root(number, degree)) if number else 0
    # 50 digits cannot tell the root of a longer number: then it is approximate.
    return int(root) if int(root) ** degree == number else None

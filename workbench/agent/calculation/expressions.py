"""Tokenizer and evaluator of arithmetic expressions, with operator precedence and located errors.

Precedence from lowest to highest: + and -; *, /, //, % or mod (remainder), of or 的; a sign; ^ and ** (right
associative); ! and % (percent).

A % that is followed by a value is the remainder (17 % 5 = 2), any other is a percentage: 15% of 80 = 12. A bare
percentage that is added or subtracted is relative to the value before it, as on a pocket calculator: 200 + 10% = 220.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from itertools import takewhile
from typing import NoReturn

from workbench.agent.calculation.numbers import (
    FUNCTIONS,
    CalculationError,
    Value,
    approximate,
    check_value,
    constant,
    exclusive,
    factorial,
    is_exact,
    power,
)

LONGEST = 1000
"""Maximum number of characters of an expression."""

_LARGEST_EXPONENT = 3_900

# Characters that are replaced one by one with an equivalent, so that every offset stays the same.
_EQUIVALENTS = str.maketrans(
    {chr(0xFF01 + offset): chr(0x21 + offset) for offset in range(94)}
    | dict.fromkeys("×✕✖⋅·∙∗", "*")
    | dict.fromkeys("÷∕⁄", "/")
    | dict.fromkeys("−–—﹣", "-")
    | dict.fromkeys("\u3000\u00a0\u202f\u2009\t\n\r", " ")
    | dict.fromkeys("、；;", ";")
    | dict.fromkeys("[{【〔", "(")
    | dict.fromkeys("]}】〕", ")")
    | {"＝": "="}
)
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True))

_NUMBER = re.compile(
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d*)?|\d+(?:\.\d*)?|\.\d+)(?:[eE](?P<exponent>[+-]?\d+))?", re.ASCII
)
_NAME = re.compile(r"[^\W\d_][\w]*")
_SIGN = re.compile(r"\*\*|//|[-+*/%^()!√,;的]")


class ExpressionTokenKind(Enum):
    """Kind of a token."""

    NUMBER = "number"
    NAME = "name"
    SIGN = "sign"
    END = "end"


@dataclass(frozen=True, slots=True)
class ExpressionToken:
    """A token of an expression.

    Attributes:
        text: The text; for SIGN and NAME in the form that the grammar uses.
        place: 0-based offset in the original text.
        value: Value of a NUMBER.
        grouped: True if its digits are grouped with commas: in a list of arguments it is ambiguous with two numbers.
    """

    kind: ExpressionTokenKind
    text: str
    place: int
    value: Fraction = Fraction(0)
    grouped: bool = False


def tokens(expression: str) -> list[ExpressionToken]:
    """Return the tokens of an expression; the last is END.

    Raises:
        CalculationError: The expression is too long, or a character or a number in it is invalid.
    """
    if len(expression) > LONGEST:
        raise CalculationError(f"The expression is longer than {LONGEST:,} characters.")
    return list(_tokens(expression.translate(_EQUIVALENTS)))


def _tokens(text: str) -> Iterator[ExpressionToken]:
    # A trailing equals sign and question mark are not part of the expression: "1 + 2 = ?"
    end = len(re.sub(r"\s*=\s*\??\s*$", "", text))
    place = 0
    while place < end:
        character = text[place]
        if character == " ":
            place += 1
        elif digits := _read_superscript(text, place):
            yield ExpressionToken(ExpressionTokenKind.SIGN, "^", place)
            yield ExpressionToken(ExpressionTokenKind.NUMBER, digits, place, Fraction(digits))
            place += len(digits)
        elif match := _NUMBER.match(text, place, end):
            yield _number(match)
            place = match.end()
        elif match := _SIGN.match(text, place, end):
            yield ExpressionToken(ExpressionTokenKind.SIGN, match.group(), place)
            place = match.end()
        elif match := _NAME.match(text, place, end):
            name = match.group().partition("的")[0]
            yield ExpressionToken(ExpressionTokenKind.NAME, name.casefold(), place)
            place += len(name)
        else:
            raise CalculationError(f"“{character}” at character {place + 1} is no part of a calculation.")
    yield ExpressionToken(ExpressionTokenKind.END, "", end)


def _number(match: re.Match[str]) -> ExpressionToken:
    place, digits, exponent = match.start(), match["digits"], match["exponent"] or "0"
    if len(exponent.lstrip("+-0")) > 5 or abs(int(exponent)) > _LARGEST_EXPONENT:
        raise CalculationError(f"“{match.group()}” at character {place + 1} is too large to be worked out.")
    value = Fraction(digits.replace(",", "")) * Fraction(10) ** int(exponent)
    return ExpressionToken(ExpressionTokenKind.NUMBER, match.group(), place, value, "," in digits)


def _read_superscript(text: str, place: int) -> str:
    """Return the superscript digits at a position as normal ones: 3² is 3^2."""
    return "".join(_SUPERSCRIPTS[character] for character in takewhile(_SUPERSCRIPTS.__contains__, text[place:]))


_DEEPEST = 60
_PRODUCTS = ("*", "/", "//", "%", "的")
_WORDS = ("of", "mod")
_OPENERS = ("(", "√")


@exclusive
def evaluate(expression: str) -> Value:
    """Return the value of an expression; only one thread evaluates at a time.

    Raises:
        CalculationError: The message is a sentence that names the error and its position.
    """
    return _ExpressionParser(tokens(expression)).whole()


class _ExpressionParser:
    """Recursive descent parser that evaluates one expression."""

    def __init__(self, read: list[ExpressionToken]) -> None:
        self._tokens = read
        self._index = 0
        self._depth = 0
        # True if the last value is a percentage and nothing else, for 200 + 10%.
        self._bare_percent = False

    def whole(self) -> Value:
        if len(self._tokens) == 1:
            raise CalculationError("There is nothing to calculate.")
        value = self._sum()
        if self._next.kind is not ExpressionTokenKind.END:
            self._unexpected()
        return value

    @property
    def _next(self) -> ExpressionToken:
        return self._tokens[self._index]

    def _take(self) -> ExpressionToken:
        token = self._next
        self._index += token.kind is not ExpressionTokenKind.END
        return token

    def _at(self, *signs: str) -> bool:
        return self._next.kind is ExpressionTokenKind.SIGN and self._next.text in signs

    def _sum(self) -> Value:
        value = self._product()
        while self._at("+", "-"):
            sign = self._take()
            right = self._product()
            if self._bare_percent:
                right = _apply(sign, lambda left, part: left * part, value, right)
            value = _apply(sign, _ADDING[sign.text], value, right)
            self._bare_percent = False
        return value

    def _product(self) -> Value:
        value = self._signed()
        while self._at(*_PRODUCTS) or (self._next.kind is ExpressionTokenKind.NAME and self._next.text in _WORDS):
            sign = self._take()
            right = self._signed()
            value = _apply(sign, _MULTIPLYING[sign.text], value, right)
            self._bare_percent = False
        return value

    def _signed(self) -> Value:
        if self._at("+", "-"):
            sign = self._take()
            with_sign = self._nested(self._signed)
            self._bare_percent = False
            return -with_sign if sign.text == "-" else with_sign
        return self._power()

    def _power(self) -> Value:
        base = self._postfixed()
        if not self._at("^", "**"):
            return base
        sign = self._take()
        exponent = self._nested(self._signed)
        self._bare_percent = False
        return _apply(sign, power, base, exponent)

    def _postfixed(self) -> Value:
        value = self._atom()
        self._bare_percent = False
        while self._at("!") or (self._at("%") and not self._value_follows()):
            sign = self._take()
            self._bare_percent = sign.text == "%"
            value = value / 100 if sign.text == "%" else _run_located(sign, partial(factorial, [value]))
        return value

    def _value_follows(self) -> bool:
        after = self._tokens[self._index + 1]
        if after.kind is ExpressionTokenKind.NAME:
            return after.text not in _WORDS
        return after.kind is ExpressionTokenKind.NUMBER or (
            after.kind is ExpressionTokenKind.SIGN and after.text in _OPENERS
        )

    def _atom(self) -> Value:
        token = self._take()
        if token.kind is ExpressionTokenKind.NUMBER:
            return token.value
        if token.kind is ExpressionTokenKind.NAME:
            return self._evaluate_name(token)
        if token.text == "√":
            return _run_located(token, partial(FUNCTIONS["sqrt"].call, [self._nested(self._postfixed)]))
        if token.text == "(" and token.kind is ExpressionTokenKind.SIGN:
            value = self._nested(self._sum)
            self._close(token)
            return value
        if token.kind is ExpressionTokenKind.END:
            raise CalculationError("The expression ends where a number is missing.")
        raise CalculationError(f"A number is missing before “{token.text}” at character {token.place + 1}.")

    def _evaluate_name(self, token: ExpressionToken) -> Value:
        if token.text in FUNCTIONS and self._at("("):
            return self._call(token)
        value = constant(token.text)
        if value is not None:
            return value
        if token.text in FUNCTIONS:
            raise CalculationError(f"“{token.text}” at character {token.place + 1} needs its arguments in parentheses.")
        raise CalculationError(
            f"“{token.text}” at character {token.place + 1} is not known. The functions are {', '.join(FUNCTIONS)}; the"
            " constants are pi, e and tau."
        )

    def _call(self, token: ExpressionToken) -> Value:
        opening = self._take()
        first = self._index
        arguments = [] if self._at(")") else [self._nested(self._sum)]
        while self._at(",", ";"):
            self._take()
            arguments.append(self._nested(self._sum))
        self._close(opening)
        self._refuse_grouped(token, self._tokens[first : self._index])
        function = FUNCTIONS[token.text]
        if not function.fewest <= len(arguments) <= function.most:
            expected = f"{function.fewest}" if function.fewest == function.most else f"{function.fewest} or more"
            raise CalculationError(
                f"“{token.text}” at character {token.place + 1} takes {expected} argument{'s' * (expected != '1')}, not"
                f" {len(arguments)}."
            )
        return _run_located(token, lambda: check_value(function.call(arguments)))

    def _refuse_grouped(self, function: ExpressionToken, inside: list[ExpressionToken]) -> None:
        for token in inside:
            if token.grouped:
                raise CalculationError(
                    f"“{token.text}” at character {token.place + 1} may be one number or several arguments of"
                    f" {function.text}: write it without commas, or put “;” between arguments."
                )

    def _close(self, opening: ExpressionToken) -> None:
        if self._at(")"):
            self._take()
        elif self._next.kind is ExpressionTokenKind.END:
            raise CalculationError(f"The parenthesis at character {opening.place + 1} is not closed.")
        else:
            self._unexpected()

    def _nested(self, read: Callable[[], Value]) -> Value:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise CalculationError(f"The expression is nested more than {_DEEPEST} levels deep.")
        value = read()
        self._depth -= 1
        return value

    def _unexpected(self) -> NoReturn:
        token = self._next
        place = f"“{token.text}” at character {token.place + 1}"
        if token.kind is not ExpressionTokenKind.SIGN or token.text in _OPENERS:
            raise CalculationError(f"An operator is missing before {place}.")
        if token.text == ",":
            raise CalculationError(
                f"The comma at character {token.place + 1} is out of place: commas part thousands, as in 1,234.5, or"
                " arguments of a function; a decimal point is written “.”."
            )
        raise CalculationError(f"{place} is out of place.")


def _apply(sign: ExpressionToken, operation: Callable[[Value, Value], Value], left: Value, right: Value) -> Value:
    if is_exact(left) != is_exact(right):
        left, right = approximate(left), approximate(right)
    return _run_located(sign, lambda: check_value(operation(left, right)))


def _run_located(token: ExpressionToken, work: Callable[[], Value]) -> Value:
    """Run a step of the calculation, and add its position to the message of an error."""
    try:
        return work()
    except ZeroDivisionError as error:
        raise CalculationError(f"Division by zero at character {token.place + 1} (“{token.text}”).") from error
    except CalculationError as error:
        if " at character " in error.message:
            raise
        raise CalculationError(
            f"{error.message.rstrip('.')} (“{token.text}” at character {token.place + 1})."
        ) from error


def _floored(left: Value, right: Value) -> Value:
    return Fraction(math.floor(left / right)) if is_exact(left) else _floor(left / right)


def _floor(value: Value) -> Value:
    return FUNCTIONS["floor"].call([value])


def _remainder(left: Value, right: Value) -> Value:
    return left - right * _floored(left, right)


_ADDING: dict[str, Callable[[Value, Value], Value]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
}
_MULTIPLYING: dict[str, Callable[[Value, Value], Value]] = {
    "*": lambda left, right: left * right,
    "of": lambda left, right: left * right,
    "的": lambda left, right: left * right,
    "/": lambda left, right: left / right,
    "//": _floored,
    "%": _remainder,
    "mod": _remainder,
}

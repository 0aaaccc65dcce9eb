"""Characters -> tokens, each with its place in the text as it was given."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import takewhile

from workbench.agent.calculation.numbers import CalculationError

LONGEST = 1000
"""Characters of an expression."""

_LARGEST_EXPONENT = 3_900

# Signs that stand for another one, character by character, so that every place stays where it was.
_MEANT = str.maketrans(
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
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True))

_NUMBER = re.compile(
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d*)?|\d+(?:\.\d*)?|\.\d+)(?:[eE](?P<exponent>[+-]?\d+))?", re.ASCII
)
_NAME = re.compile(r"[^\W\d_][\w]*")
_SIGN = re.compile(r"\*\*|//|[-+*/%^()!√,;的]")


class Kind(Enum):
    """What a token is."""

    NUMBER = "number"
    NAME = "name"
    SIGN = "sign"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of an expression.

    Attributes:
        text: As it is meant, for SIGN and NAME in the form that the grammar knows.
        place: 0-based, in the text as given.
        value: Of a NUMBER.
        grouped: Its digits were grouped with commas: among arguments nobody can tell that from two numbers.
    """

    kind: Kind
    text: str
    place: int
    value: Fraction = Fraction(0)
    grouped: bool = False


def tokens(expression: str) -> list[Token]:
    """Return the tokens; the last is END.

    Raises:
        CalculationError: With the place of what cannot be read.
    """
    if len(expression) > LONGEST:
        raise CalculationError(f"The expression is longer than {LONGEST:,} characters.")
    return list(_tokens(expression.translate(_MEANT)))


def _tokens(text: str) -> Iterator[Token]:
    # What is asked for after the expression is not part of it: "1 + 2 = ?"
    end = len(re.sub(r"\s*=\s*\??\s*$", "", text))
    place = 0
    while place < end:
        character = text[place]
        if character == " ":
            place += 1
        elif digits := _raised(text, place):
            yield Token(Kind.SIGN, "^", place)
            yield Token(Kind.NUMBER, digits, place, Fraction(digits))
            place += len(digits)
        elif match := _NUMBER.match(text, place, end):
            yield _number(match)
            place = match.end()
        elif match := _SIGN.match(text, place, end):
            yield Token(Kind.SIGN, match.group(), place)
            place = match.end()
        elif match := _NAME.match(text, place, end):
            name = match.group().partition("的")[0]
            yield Token(Kind.NAME, name.casefold(), place)
            place += len(name)
        else:
            raise CalculationError(f"“{character}” at character {place + 1} is no part of a calculation.")
    yield Token(Kind.END, "", end)


def _number(match: re.Match[str]) -> Token:
    place, digits, exponent = match.start(), match["digits"], match["exponent"] or "0"
    if len(exponent.lstrip("+-0")) > 5 or abs(int(exponent)) > _LARGEST_EXPONENT:
        raise CalculationError(f"“{match.group()}” at character {place + 1} is too large to be worked out.")
    value = Fraction(digits.replace(",", "")) * Fraction(10) ** int(exponent)
    return Token(Kind.NUMBER, match.group(), place, value, "," in digits)


def _raised(text: str, place: int) -> str:
    """Return the digits that stand there as superscripts: 3² is 3^2."""
    return "".join(_RAISED[character] for character in takewhile(_RAISED.__contains__, text[place:]))

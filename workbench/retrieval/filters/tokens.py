"""The text of a filter -> its parts, each with its place."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from workbench.errors import RetrievalError
from workbench.language import mark
from workbench.model.filter_expression import Operator

# Input methods for Chinese type these; people paste the curly ones.
_TOKEN = re.compile(
    r"""
      (?P<open>[(（])
    | (?P<close>[)）])
    | (?P<key>[^\W\d]\w*)\s*(?P<sign>!=|>=|<=|[:：=<>≥≤≠])\s*
    | (?P<minus>-(?=[^\s)）]))
    | ["“”](?P<quoted>(?:\\.|[^"“”\\])*)["“”]
    | (?P<open_quote>["“”])
    | (?P<word>[^\s()（）"“”]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_VALUE = re.compile(
    r"""["“”](?P<quoted>(?:\\.|[^"“”\\])*)["“”] | (?P<open_quote>["“”]) | (?P<word>[^\s()（）"“”,，]+)""",
    re.VERBOSE | re.DOTALL,
)
_COMMA = re.compile(r"[,，]")
_SIGNS = {"：": ":", "≥": ">=", "≤": "<=", "≠": "!="}
COMPARED = {
    "=": Operator.EQ,
    "!=": Operator.NEQ,
    ">": Operator.GT,
    ">=": Operator.GTE,
    "<": Operator.LT,
    "<=": Operator.LTE,
}
"""The operator of each sign but the colon, whose operator depends on the key."""
WORDS = ("AND", "OR", "NOT")


class Part(Enum):
    """The kind of a token."""

    OPEN = auto()
    CLOSE = auto()
    AND = auto()
    OR = auto()
    NOT = auto()
    CONDITION = auto()
    WORD = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Value:
    """One value: its words, and whether a star stood before or behind them."""

    text: str
    starts: bool = False
    contains: bool = False
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Token:
    """One part of a filter, at a 0-based place of its text.

    Attributes:
        place: Where it begins.
        key: What stands before the sign of a CONDITION.
        sign: “:”, or one of COMPARED.
        values: What stands behind it; the word of a WORD.
    """

    part: Part
    place: int
    key: str = ""
    sign: str = ""
    values: tuple[Value, ...] = ()


def tokens(text: str) -> list[Token]:
    """Return the parts of a text, END last.

    Raises:
        RetrievalError: A quotation mark is not closed, or a value is missing.
    """
    found: list[Token] = []
    place = _past_space(text, 0)
    while place < len(text):
        match = _TOKEN.match(text, place)
        assert match is not None  # every character but a space begins one of them
        token, place = _token(text, match)
        found.append(token)
        place = _past_space(text, place)
    return [*found, Token(Part.END, len(text))]


def fault(what: str, place: int, hint: str) -> RetrievalError:
    """Return the error for something wrong at a place of the text."""
    return RetrievalError(f"{what} (character {place + 1}).", hint)


def _token(text: str, match: re.Match[str]) -> tuple[Token, int]:
    place = match.start()
    if match["open_quote"]:
        raise _open_quote(place)
    if match["key"]:
        sign = _SIGNS.get(match["sign"], match["sign"])
        values, end = _values(text, match.end(), f"{match['key']}{sign}")
        return Token(Part.CONDITION, place, match["key"], sign, values), end
    if match["quoted"] is not None:
        value = Value(_unescaped(match["quoted"]), quoted=True)
        return Token(Part.WORD, place, values=(value,)), match.end()
    if match["word"]:
        if match["word"] in WORDS:
            return Token(Part[match["word"]], place), match.end()
        return Token(Part.WORD, place, values=(_bare(match["word"]),)), match.end()
    part = Part.OPEN if match["open"] else Part.CLOSE if match["close"] else Part.NOT
    return Token(part, place), match.end()


def _values(text: str, place: int, before: str) -> tuple[tuple[Value, ...], int]:
    """Read values with commas between them; no space stands around a comma."""
    values: list[Value] = []
    while True:
        value, place = _value(text, place, before)
        values.append(value)
        comma = _COMMA.match(text, place)
        if comma is None:
            return tuple(values), place
        place = comma.end()


def _value(text: str, place: int, before: str) -> tuple[Value, int]:
    star = text.startswith('*"', place)
    match = _VALUE.match(text, place + star)
    if match is None:
        hint = mark("Write one behind it, for example format:pdf or year:2024.")
        raise fault(mark(f"“{before}” has no value"), place, hint)
    if match["open_quote"]:
        raise _open_quote(match.start())
    if match["quoted"] is None:
        return _bare(match["word"]), match.end()
    end = match.end() + text.startswith("*", match.end())
    return Value(_unescaped(match["quoted"]), end > match.end(), star, quoted=True), end


def _bare(word: str) -> Value:
    """Return a word that is not in quotation marks; its stars say what it is a part of."""
    text = word.strip("*")
    if not text:
        return Value(word)
    return Value(text, starts=word.endswith("*"), contains=word.startswith("*"))


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def _open_quote(place: int) -> RetrievalError:
    hint = mark("Write a second one behind the words that belong together.")
    return fault(mark("A quotation mark is not closed"), place, hint)


def _past_space(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place

"""Text syntax of filters (“format:pdf year>=2020 -draft”): tokenizer, parser, writer and completion at the cursor.

word "two words"          in the document's name, title or folder
key:value                 a free text contains it; a tag, format, folder ... equals it; a date or number equals it;
                          a value of your own metadata equals it
key:a,b                   one of them            key:value*  key:*part*   begins with it, contains it
key=value key!=value      exactly that, or not   key:""      the document has no value there
key>value >= < <=         numbers, dates         key:2020..2023  page:3..  year:..2020   from, to
a b, a AND b, a OR b, NOT a, -a, ( )             AND binds closer than OR
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from workbench.errors import RetrievalError
from workbench.language import mark
from workbench.model.filter import (
    DEEPEST,
    FILTER_KEYS,
    AllOf,
    AnyOf,
    ChunkFilter,
    Condition,
    Expression,
    Kind,
    Not,
    Operator,
    canonical_key,
    custom_keys,
    date_of,
    known_keys,
    number_of,
    too_deep,
)

_WRITING_SIGNS = {
    Operator.EQ: "=",
    Operator.NEQ: "!=",
    Operator.IN: "=",
    Operator.GT: ">",
    Operator.GTE: ">=",
    Operator.LT: "<",
    Operator.LTE: "<=",
}
_BARE = re.compile(r"[^\s()（）\"“”,，*:：=<>!≥≤≠.\\-][^\s()（）\"“”,，*:：=<>!≥≤≠\\]*")


def text_of(filter: ChunkFilter) -> str:
    """Return a text that filter_of_text() parses into the same conditions; it lacks the knowledge base."""
    return " ".join(_format_expression(expression) for expression in filter.where)


def _format_expression(expression: Expression) -> str:
    match expression:
        case Condition():
            return _format_condition(expression)
        case Not(part):
            return f"-{_format_expression(part)}"
        case AllOf(parts):
            return f"({' '.join(map(_format_expression, parts))})"
        case AnyOf(parts):
            return f"({' OR '.join(map(_format_expression, parts))})"


def _format_condition(condition: Condition) -> str:
    key, operator, values = condition.key, condition.operator, condition.values
    if operator in _WRITING_SIGNS:
        joined = ",".join(map(quote_value, values))
        is_usual = operator is Operator.EQ and not _is_free_text(key)
        return f"{key}{':' if is_usual else _WRITING_SIGNS[operator]}{joined}"
    value = quote_value(values[0])
    if operator is Operator.STARTSWITH:
        return f"{key}:{value}*"
    if key == "called":
        return f'"{value}"' if value in WORDS else value
    return f"{key}:{value}" if _is_free_text(key) else f"{key}:*{value}"


def _is_free_text(key: str) -> bool:
    return key in FILTER_KEYS and FILTER_KEYS[key].kind is Kind.TEXT


def quote_value(text: str) -> str:
    """Return a value as a filter spells it: in quotation marks if it needs them."""
    if _BARE.fullmatch(text) and ".." not in text:
        return text
    escaped = re.sub(r'(["“”\\])', r"\\\1", text)
    return f'"{escaped}"'


# Chinese input methods produce the full-width characters; pasted text contains curly quotation marks.
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
"""Operators by sign, except for the colon, whose operator depends on the key."""
WORDS = ("AND", "OR", "NOT")


class FilterTokenKind(Enum):
    """Kind of a token."""

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
    """Value of a condition, with flags for a star after it (starts) or before it (contains)."""

    text: str
    starts: bool = False
    contains: bool = False
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class FilterToken:
    """Token of a filter.

    Attributes:
        place: 0-based offset of its first character in the text.
        key: Key of a CONDITION.
        sign: “:”, or one of COMPARED.
        values: Values after the sign; the word of a WORD.
    """

    part: FilterTokenKind
    place: int
    key: str = ""
    sign: str = ""
    values: tuple[Value, ...] = ()


def tokens(text: str) -> list[FilterToken]:
    """Return the tokens of a text, END last.

    Raises:
        RetrievalError: A quotation mark is not closed, or a value is missing.
    """
    found: list[FilterToken] = []
    place = _skip_space(text, 0)
    while place < len(text):
        match = _TOKEN.match(text, place)
        assert match is not None  # every character except white space begins a token
        token, place = _token(text, match)
        found.append(token)
        place = _skip_space(text, place)
    return [*found, FilterToken(FilterTokenKind.END, len(text))]


def fault(what: str, place: int, hint: str) -> RetrievalError:
    """Return the error for a fault at an offset of the text."""
    return RetrievalError(f"{what} (character {place + 1}).", hint)


def _token(text: str, match: re.Match[str]) -> tuple[FilterToken, int]:
    place = match.start()
    if match["open_quote"]:
        raise _open_quote_error(place)
    if match["key"]:
        sign = _SIGNS.get(match["sign"], match["sign"])
        values, end = _read_values(text, match.end(), f"{match['key']}{sign}")
        return FilterToken(FilterTokenKind.CONDITION, place, match["key"], sign, values), end
    if match["quoted"] is not None:
        value = Value(_unescape(match["quoted"]), quoted=True)
        return FilterToken(FilterTokenKind.WORD, place, values=(value,)), match.end()
    if match["word"]:
        if match["word"] in WORDS:
            return FilterToken(FilterTokenKind[match["word"]], place), match.end()
        return FilterToken(FilterTokenKind.WORD, place, values=(_bare_value(match["word"]),)), match.end()
    part = FilterTokenKind.OPEN if match["open"] else FilterTokenKind.CLOSE if match["close"] else FilterTokenKind.NOT
    return FilterToken(part, place), match.end()


def _read_values(text: str, place: int, before: str) -> tuple[tuple[Value, ...], int]:
    """Read values separated by commas without white space."""
    values: list[Value] = []
    while True:
        value, place = _read_value(text, place, before)
        values.append(value)
        comma = _COMMA.match(text, place)
        if comma is None:
            return tuple(values), place
        place = comma.end()


def _read_value(text: str, place: int, before: str) -> tuple[Value, int]:
    star = text.startswith('*"', place)
    match = _VALUE.match(text, place + star)
    if match is None:
        hint = mark("Write one after it, for example format:pdf or year:2024.")
        raise fault(mark(f"“{before}” has no value"), place, hint)
    if match["open_quote"]:
        raise _open_quote_error(match.start())
    if match["quoted"] is None:
        return _bare_value(match["word"]), match.end()
    end = match.end() + text.startswith("*", match.end())
    return Value(_unescape(match["quoted"]), end > match.end(), star, quoted=True), end


def _bare_value(word: str) -> Value:
    """Return a word without quotation marks; its stars become the flags of the value."""
    text = word.strip("*")
    if not text:
        return Value(word)
    return Value(text, starts=word.endswith("*"), contains=word.startswith("*"))


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def _open_quote_error(place: int) -> RetrievalError:
    hint = mark("Add a second one after the words that belong together.")
    return fault(mark("A quotation mark is not closed"), place, hint)


def _skip_space(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


_LONGEST = 10_000
_RANGE = ".."


def filter_of_text(
    text: str,
    knowledge_base: str | None = None,
    *,
    others: Collection[str] = frozenset(),
    custom: Collection[str] | None = None,
) -> ChunkFilter:
    """Return the filter that a text describes; a blank text filters nothing.

    Args:
        text: Text as typed.
        knowledge_base: The only knowledge base that may be searched.
        others: Further keys that the caller handles; their values are used unchanged.
        custom: Keys of the user's metadata; None if the caller does not know them, and any key is accepted: the search
            reports an unknown one.

    Raises:
        RetrievalError: It cannot be parsed: the message names the position, the hint states what to write.
    """
    if len(text) > _LONGEST:
        raise RetrievalError("The filter is too long.", f"Write at most {_LONGEST} characters.")
    found = tokens(text)
    if len(found) == 1:
        return ChunkFilter(knowledge_base)
    expression = _FilterParser(found, others, custom).whole()
    where = expression.parts if isinstance(expression, AllOf) else (expression,)
    return ChunkFilter(knowledge_base, where)


class _FilterParser:
    """Recursive descent parser; each method reads the construct in its name and returns its expression."""

    def __init__(self, found: Sequence[FilterToken], others: Collection[str], custom: Collection[str] | None) -> None:
        self._found = found
        self._others = others
        self._custom = custom
        self._next = 0

    def whole(self) -> Expression:
        expression = self._alternatives(0)
        if not self._at(FilterTokenKind.END):
            raise fault(mark("A bracket is closed that was not opened"), self._token.place, mark("Take it out."))
        return expression

    @property
    def _token(self) -> FilterToken:
        return self._found[self._next]

    def _at(self, *parts: FilterTokenKind) -> bool:
        return self._token.part in parts

    def _alternatives(self, depth: int) -> Expression:
        parts = [self._sequence(depth)]
        while self._at(FilterTokenKind.OR):
            self._next += 1
            parts.append(self._sequence(depth))
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _sequence(self, depth: int) -> Expression:
        parts = [self._operand(depth)]
        while not self._at(FilterTokenKind.OR, FilterTokenKind.CLOSE, FilterTokenKind.END):
            if self._at(FilterTokenKind.AND):
                self._next += 1
            parts.append(self._operand(depth))
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _operand(self, depth: int) -> Expression:
        token = self._token
        if depth > DEEPEST:
            raise too_deep()
        if token.part is FilterTokenKind.NOT:
            self._next += 1
            return Not(self._operand(depth + 1))
        if token.part is FilterTokenKind.OPEN:
            return self._group(depth)
        if token.part is FilterTokenKind.CONDITION:
            self._next += 1
            return _make_condition(token, self._others, self._custom)
        if token.part is FilterTokenKind.WORD:
            self._next += 1
            return _make_value_condition("called", token.values[0], _colon_operator("called"))
        hint = mark("Write a condition there, for example format:pdf.")
        raise fault(mark("Something is missing"), token.place, hint)

    def _group(self, depth: int) -> Expression:
        opened = self._token.place
        self._next += 1
        inner = self._alternatives(depth + 1)
        if not self._at(FilterTokenKind.CLOSE):
            raise fault(mark("A bracket is not closed"), opened, mark("Write “)” where it ends."))
        self._next += 1
        return inner


def _make_condition(token: FilterToken, others: Collection[str], custom: Collection[str] | None) -> Expression:
    key = canonical_key(token.key)
    if key in others and key not in FILTER_KEYS:
        return Condition(key, Operator.IN, tuple(value.text for value in token.values))
    if key not in FILTER_KEYS and custom is not None and key not in custom:
        from difflib import get_close_matches  # not needed at startup

        near = get_close_matches(token.key.casefold(), [*FILTER_KEYS, *custom], n=1)
        meant = mark(f"Did you mean “{near[0]}”?") + " " if near else ""
        hint = mark(f"The filters are {known_keys(custom)}. Words with a colon in them need quotation marks.")
        raise fault(mark(f"There is no filter “{token.key}”"), token.place, f"{meant}{hint}")
    try:
        return _make_comparison(key, token)
    except RetrievalError as error:
        raise RetrievalError(f"{error.message.rstrip('.')} (character {token.place + 1}).", error.hint) from error


def _make_comparison(key: str, token: FilterToken) -> Expression:
    values = token.values
    if token.sign == ":":
        if len(values) == 1:
            return _make_value_condition(key, values[0], _colon_operator(key))
        if all(_is_plain(key, value) for value in values):
            return Condition(key, Operator.IN, tuple(value.text for value in values))
        return AnyOf(tuple(_make_value_condition(key, value, _colon_operator(key)) for value in values))
    operator = COMPARED[token.sign]
    texts = tuple(value.text for value in values)
    if len(values) == 1:
        return Condition(key, operator, texts)
    if operator is Operator.EQ:
        return Condition(key, Operator.IN, texts)
    if operator is Operator.NEQ:
        return Not(Condition(key, Operator.IN, texts))
    raise RetrievalError(f"“{token.key}{token.sign}” takes one value.", "Write one without a comma.")


def _colon_operator(key: str) -> Operator:
    """Return the operator of the colon for a key."""
    return Operator.CONTAINS if key in FILTER_KEYS and FILTER_KEYS[key].kind is Kind.TEXT else Operator.EQ


def _is_plain(key: str, value: Value) -> bool:
    """Return True if a value after a colon must be equal as a whole."""
    return _colon_operator(key) is Operator.EQ and not (value.starts or value.contains or _is_range(key, value))


def _is_range(key: str, value: Value) -> bool:
    if value.quoted or _RANGE not in value.text:
        return False
    if key in FILTER_KEYS:
        return FILTER_KEYS[key].kind in (Kind.NUMBER, Kind.DATE)
    # A text under a key of the user's own metadata may contain dots.
    ends = [end for end in value.text.split(_RANGE, 1) if end]
    return bool(ends) and all(number_of(end) is not None or date_of(end) is not None for end in ends)


def _make_value_condition(key: str, value: Value, operator: Operator) -> Expression:
    if _is_range(key, value):
        return _make_range_condition(key, *value.text.split(_RANGE, 1))
    if not value.text:
        operator = Operator.EQ
    elif value.contains:
        operator = Operator.CONTAINS
    elif value.starts:
        operator = Operator.STARTSWITH
    return Condition(key, operator, (value.text,))


def _make_range_condition(key: str, first: str, last: str) -> Expression:
    ends = [
        Condition(key, operator, (value,)) for operator, value in ((Operator.GTE, first), (Operator.LTE, last)) if value
    ]
    if not ends:
        raise RetrievalError(f"The range of “{key}” has no end.", f"Write one, for example {key}:2..5.")
    return ends[0] if len(ends) == 1 else AllOf(tuple(ends))


MOST = 12
_FARTHEST = 1000
"""Number of characters before the cursor that are scanned: scanning a filter of 10,000 takes 0.7 s per letter."""
# The word that ends at the cursor: a key and its sign, complete values, and a partial one.
_PARTIAL = re.compile(
    r"(?:(?P<key>[^\W\d]\w*)(?:!=|>=|<=|[:：=<>])(?:(?:\"[^\"]*\"|[^\s()\",，]*)[,，])*)?"
    r"(?P<begun>\"[^\"]*|[^\s()\",，:：=<>]*)\Z"
)


@dataclass(frozen=True, slots=True)
class Completion:
    """Options that may replace text[start:cursor]."""

    start: int
    options: tuple[str, ...] = ()

    def applied(self, text: str, cursor: int, option: str) -> tuple[str, int]:
        """Return the text with an option inserted, and the new position of the cursor."""
        # After a complete value the next condition follows; after a key's colon its value.
        is_key = option.endswith(":")
        inserted = option if is_key else f"{option} "
        rest = text[cursor:] if is_key else text[cursor:].lstrip()
        return text[: self.start] + inserted + rest, self.start + len(inserted)


def completion(text: str, cursor: int, values: Mapping[str, Sequence[str]]) -> Completion:
    """Return the options at the cursor: keys, or values of the key before the colon.

    Args:
        text: Filter typed so far.
        cursor: Offset of the cursor.
        values: Values in use, by key.
    """
    match = _PARTIAL.search(text, max(0, cursor - _FARTHEST), cursor)
    assert match is not None  # the last group may be empty
    partial = match["begun"].lstrip('"').casefold()
    start = match.start("begun")
    if match["key"]:
        known = values.get(canonical_key(match["key"]), ())
        first = [value for value in known if value.casefold().startswith(partial)]
        then = [value for value in known if partial in value.casefold() and value not in first]
        return Completion(start, tuple(quote_value(value) for value in (*first, *then)[:MOST]))
    bare = partial.lstrip("-")
    if not bare or match["begun"].startswith('"'):
        return Completion(start)
    return Completion(
        start + partial.index(bare),
        tuple(f"{key}:" for key in (*FILTER_KEYS, *custom_keys(values)) if key != "called" and key.startswith(bare)),
    )

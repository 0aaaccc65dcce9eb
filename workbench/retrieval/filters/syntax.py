"""The text of a filter -> its tree: “format:pdf year>=2020 tag:tax -draft (folder:a OR folder:b)”.

word "two words"          in the document's name, title or folder
key:value                 a free text contains it; a tag, format, folder ... is it; a date or number is that;
                          a value of your own metadata is it
key:a,b                   one of them            key:value*  key:*part*   begins with it, contains it
key=value key!=value      exactly that, or not   key:""      the document says nothing there
key>value >= < <=         numbers, dates         key:2020..2023  page:3..  year:..2020   from, to
a b, a AND b, a OR b, NOT a, -a, ( )             AND binds closer than OR
"""

from collections.abc import Collection, Sequence

from workbench.errors import RetrievalError
from workbench.language import mark
from workbench.model.filter import ChunkFilter
from workbench.model.filter_expression import DEEPEST, AllOf, AnyOf, Condition, Expression, Not, Operator, too_deep
from workbench.model.filter_keys import FILTER_KEYS, Kind, canonical_key, date_of, known_keys, number_of
from workbench.retrieval.filters.tokens import COMPARED, Part, Token, Value, fault, tokens

_LONGEST = 10_000
_RANGE = ".."


def filter_of_text(
    text: str,
    knowledge_base: str | None = None,
    *,
    others: Collection[str] = frozenset(),
    custom: Collection[str] | None = None,
) -> ChunkFilter:
    """Return the filter that a text asks for; a blank one filters nothing.

    Args:
        text: What was typed.
        knowledge_base: The only one that may be searched.
        others: Further keys that the caller knows; their values are taken as they are.
        custom: The keys of the user's metadata; None where the caller does not know them, and any will do: the search
            tells of one that there is not.

    Raises:
        RetrievalError: It cannot be understood: the message names the place, the hint says what to write.
    """
    if len(text) > _LONGEST:
        raise RetrievalError("The filter is too long.", f"Write at most {_LONGEST} characters.")
    found = tokens(text)
    if len(found) == 1:
        return ChunkFilter(knowledge_base)
    expression = _Parser(found, others, custom).whole()
    where = expression.parts if isinstance(expression, AllOf) else (expression,)
    return ChunkFilter(knowledge_base, where)


class _Parser:
    """Goes over the tokens once, from left to right; each method reads what its name says and returns its tree."""

    def __init__(self, found: Sequence[Token], others: Collection[str], custom: Collection[str] | None) -> None:
        self._found = found
        self._others = others
        self._custom = custom
        self._next = 0

    def whole(self) -> Expression:
        expression = self._alternatives(0)
        if not self._at(Part.END):
            raise fault(mark("A bracket is closed that was not opened"), self._token.place, mark("Take it out."))
        return expression

    @property
    def _token(self) -> Token:
        return self._found[self._next]

    def _at(self, *parts: Part) -> bool:
        return self._token.part in parts

    def _alternatives(self, depth: int) -> Expression:
        parts = [self._sequence(depth)]
        while self._at(Part.OR):
            self._next += 1
            parts.append(self._sequence(depth))
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _sequence(self, depth: int) -> Expression:
        parts = [self._operand(depth)]
        while not self._at(Part.OR, Part.CLOSE, Part.END):
            if self._at(Part.AND):
                self._next += 1
            parts.append(self._operand(depth))
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _operand(self, depth: int) -> Expression:
        token = self._token
        if depth > DEEPEST:
            raise too_deep()
        if token.part is Part.NOT:
            self._next += 1
            return Not(self._operand(depth + 1))
        if token.part is Part.OPEN:
            return self._group(depth)
        if token.part is Part.CONDITION:
            self._next += 1
            return _condition(token, self._others, self._custom)
        if token.part is Part.WORD:
            self._next += 1
            return _one_value("called", token.values[0], _part_of("called"))
        hint = mark("Write a condition there, for example format:pdf.")
        raise fault(mark("Something is missing"), token.place, hint)

    def _group(self, depth: int) -> Expression:
        opened = self._token.place
        self._next += 1
        inner = self._alternatives(depth + 1)
        if not self._at(Part.CLOSE):
            raise fault(mark("A bracket is not closed"), opened, mark("Write “)” where it ends."))
        self._next += 1
        return inner


def _condition(token: Token, others: Collection[str], custom: Collection[str] | None) -> Expression:
    key = canonical_key(token.key)
    if key in others and key not in FILTER_KEYS:
        return Condition(key, Operator.IN, tuple(value.text for value in token.values))
    if key not in FILTER_KEYS and custom is not None and key not in custom:
        from difflib import get_close_matches  # not on the way to the window

        near = get_close_matches(token.key.casefold(), [*FILTER_KEYS, *custom], n=1)
        meant = mark(f"Did you mean “{near[0]}”?") + " " if near else ""
        hint = mark(f"The filters are {known_keys(custom)}. Words with a colon in them need quotation marks.")
        raise fault(mark(f"There is no filter “{token.key}”"), token.place, f"{meant}{hint}")
    try:
        return _compared(key, token)
    except RetrievalError as error:
        raise RetrievalError(f"{error.message.rstrip('.')} (character {token.place + 1}).", error.hint) from error


def _compared(key: str, token: Token) -> Expression:
    values = token.values
    if token.sign == ":":
        if len(values) == 1:
            return _one_value(key, values[0], _part_of(key))
        if all(_is_plain(key, value) for value in values):
            return Condition(key, Operator.IN, tuple(value.text for value in values))
        return AnyOf(tuple(_one_value(key, value, _part_of(key)) for value in values))
    operator = COMPARED[token.sign]
    texts = tuple(value.text for value in values)
    if len(values) == 1:
        return Condition(key, operator, texts)
    if operator is Operator.EQ:
        return Condition(key, Operator.IN, texts)
    if operator is Operator.NEQ:
        return Not(Condition(key, Operator.IN, texts))
    raise RetrievalError(f"“{token.key}{token.sign}” takes one value.", "Write one without a comma.")


def _part_of(key: str) -> Operator:
    """Return what the colon means."""
    return Operator.CONTAINS if key in FILTER_KEYS and FILTER_KEYS[key].kind is Kind.TEXT else Operator.EQ


def _is_plain(key: str, value: Value) -> bool:
    """Tell whether a value behind a colon is meant whole."""
    return _part_of(key) is Operator.EQ and not (value.starts or value.contains or _is_range(key, value))


def _is_range(key: str, value: Value) -> bool:
    if value.quoted or _RANGE not in value.text:
        return False
    if key in FILTER_KEYS:
        return FILTER_KEYS[key].kind in (Kind.NUMBER, Kind.DATE)
    # A text under a key of the user's own may have dots in it.
    ends = [end for end in value.text.split(_RANGE, 1) if end]
    return bool(ends) and all(number_of(end) is not None or date_of(end) is not None for end in ends)


def _one_value(key: str, value: Value, operator: Operator) -> Expression:
    if _is_range(key, value):
        return _range(key, *value.text.split(_RANGE, 1))
    if not value.text:
        operator = Operator.EQ
    elif value.contains:
        operator = Operator.CONTAINS
    elif value.starts:
        operator = Operator.STARTSWITH
    return Condition(key, operator, (value.text,))


def _range(key: str, first: str, last: str) -> Expression:
    ends = [
        Condition(key, operator, (value,)) for operator, value in ((Operator.GTE, first), (Operator.LTE, last)) if value
    ]
    if not ends:
        raise RetrievalError(f"The range of “{key}” has no end.", f"Write one, for example {key}:2..5.")
    return ends[0] if len(ends) == 1 else AllOf(tuple(ends))

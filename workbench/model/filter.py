"""Filters of a search: keys, the tree of conditions, and the number of documents and passages that pass."""

import calendar
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto

from workbench.errors import RetrievalError
from workbench.language import mark
from workbench.model.document import Origin

DEEPEST = 10
MOST_VALUES = 10_000
MOST_CONDITIONS = 300


class Operator(StrEnum):
    """Comparison operator of a condition."""

    EQ = "EQ"
    NEQ = "NEQ"
    IN = "IN"
    GT = "GT"
    GTE = "GTE"
    LT = "LT"
    LTE = "LTE"
    CONTAINS = "CONTAINS"
    STARTSWITH = "STARTSWITH"


_WHOLE = (Operator.EQ, Operator.NEQ, Operator.IN, Operator.GT, Operator.GTE, Operator.LT, Operator.LTE)
_MAY_BE_NOTHING = (Operator.EQ, Operator.NEQ, Operator.IN)
_PARTS = (Operator.CONTAINS, Operator.STARTSWITH)


@dataclass(frozen=True, slots=True)
class Condition:
    """Comparison of one key with one value, or with several for IN.

    For a document with several keywords or tags one match is enough; NEQ is the opposite of EQ, so that none may match.
    The value "" means a missing value: EQ "" finds documents without an author. All other conditions except NEQ and NOT
    fail for a missing value.

    A key that is not in FILTER_KEYS is one of the user's own metadata, whose values are compared by their type: a text,
    a number or a date. If the library has no such key, nothing is found, and this is reported: dropping the condition
    would find more than was requested.

    Attributes:
        key: One of FILTER_KEYS, an alias of it, or a key of the user's own metadata.
        operator: The comparison operator.
        values: Texts; numbers and dates as written.
    """

    key: str
    operator: Operator
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        # The only place that normalises keys and values for comparison.
        key = canonical_key(self.key)
        object.__setattr__(self, "key", key)
        _check_operator(key, self.operator, self.values)
        if key not in FILTER_KEYS:
            check_length(key, self.values)
            return
        is_whole = self.operator in _WHOLE
        object.__setattr__(self, "values", tuple(checked_value(key, value, is_whole=is_whole) for value in self.values))


@dataclass(frozen=True, slots=True)
class AllOf:
    """Conjunction: all parts must hold; without parts it is true."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Disjunction: one part must hold; without parts it is false."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Negation of a part."""

    part: "Expression"


Expression = Condition | AllOf | AnyOf | Not


def conditions_of(expression: Expression) -> Iterator[Condition]:
    """Yield the conditions of a tree from left to right."""
    match expression:
        case Condition():
            yield expression
        case Not(part):
            yield from conditions_of(part)
        case AllOf(parts) | AnyOf(parts):
            for one in parts:
                yield from conditions_of(one)


def check_size(expressions: tuple[Expression, ...]) -> None:
    """Reject trees that are too deep or too big.

    Raises:
        RetrievalError: The filter is nested deeper than 10 levels, or has too many conditions or values.
    """
    for expression in expressions:
        _check_depth(expression, DEEPEST)
    conditions = [condition for expression in expressions for condition in conditions_of(expression)]
    if len(conditions) > MOST_CONDITIONS:
        raise RetrievalError(f"The filter has {len(conditions)} conditions.", f"Use at most {MOST_CONDITIONS}.")
    if sum(len(condition.values) for condition in conditions) > MOST_VALUES:
        raise RetrievalError("The filter names too many values.", f"Name at most {MOST_VALUES}.")


def too_deep() -> RetrievalError:
    """Return the error for a filter that is nested too deep."""
    return RetrievalError(
        f"The filter is nested deeper than {DEEPEST} levels.", "Write it with fewer brackets inside brackets."
    )


def _check_depth(expression: Expression, left: int) -> None:
    if isinstance(expression, Condition):
        return
    if left == 0:
        raise too_deep()
    for part in (expression.part,) if isinstance(expression, Not) else expression.parts:
        _check_depth(part, left - 1)


def _check_operator(key: str, operator: Operator, values: tuple[str, ...]) -> None:
    if operator is not Operator.IN and len(values) != 1:
        raise RetrievalError(f"The filter “{key}” takes one value with {operator}.", "Use IN for several.")
    if operator not in _MAY_BE_NOTHING and not values[0]:
        raise RetrievalError(f"The filter “{key}” has no value to compare with.", f"Write one after “{key}”.")
    if operator in _PARTS and key in FILTER_KEYS and FILTER_KEYS[key].kind is Kind.NUMBER:
        raise RetrievalError(f"The filter “{key}” must be a number.", f"Compare it, for example {key}:3 or {key}>=3.")


@dataclass(frozen=True, slots=True)
class ChunkFilter:
    """Filter in which the knowledge base and all expressions must hold. No restriction is ever dropped or widened.

    Attributes:
        knowledge_base: Its exact name; None means every knowledge base.
        where: Expressions, each at most 10 levels deep; retrieval/filters creates them from dicts, lists and text.
    """

    knowledge_base: str | None = None
    where: tuple[Expression, ...] = ()

    def __post_init__(self) -> None:
        check_size(self.where)

    @property
    def is_empty(self) -> bool:
        """True if nothing is filtered."""
        return self.knowledge_base is None and not self.where

    @property
    def custom_keys(self) -> tuple[str, ...]:
        """The keys that are not built in: those of the user's metadata, and unknown ones."""
        keys = (condition.key for expression in self.where for condition in conditions_of(expression))
        return tuple(dict.fromkeys(key for key in keys if key not in FILTER_KEYS))

    def problem(self, there: Sequence[str]) -> str:
        """Return the message for a filter that finds nothing because it has an unknown key; empty if there is none.

        Args:
            there: The keys of the user's metadata in the library.
        """
        unknown = [key for key in self.custom_keys if key not in there]
        if not unknown:
            return ""
        listed = ", ".join(f"“{key}”" for key in unknown)
        return mark(f"There is no filter {listed}, so nothing was searched. The filters are {known_keys(there)}.")

    def restricted(self, *expressions: Expression) -> "ChunkFilter":
        """Return the filter with additional expressions that must hold."""
        return ChunkFilter(self.knowledge_base, (*self.where, *expressions))

    def widened(self, is_known: Callable[[str], bool]) -> "ChunkFilter":
        """Return a filter that passes all that this one could pass if only the values of some keys were known.

        Args:
            is_known: Returns whether the value of a key is known; conditions on the other keys are left out.
        """
        return ChunkFilter(self.knowledge_base, tuple(_widened(one, is_known) for one in self.where))


EVERYTHING = ChunkFilter()


def _widened(expression: Expression, is_known: Callable[[str], bool]) -> Expression:
    match expression:
        case AllOf(parts):
            return AllOf(tuple(_widened(one, is_known) for one in parts))
        case AnyOf(parts):
            # Without parts it is false, whatever is known.
            return AnyOf(tuple(_widened(one, is_known) for one in parts))
        case _:
            return expression if all(is_known(one.key) for one in conditions_of(expression)) else AllOf(())


LONGEST_VALUE = 1000
_DATE = re.compile(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2})(?:[T ](\d\d(?::\d\d(?::\d\d)?)?)(?:\.\d+)?Z?)?)?)?")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")


class Kind(Enum):
    """Type of a key's values: texts compare without regard to case, numbers and dates by value."""

    TEXT = auto()
    """Free text of which users remember a part: “title:harbour” means that it contains the word."""
    NAME = auto()
    """Name from a small set, matched as a whole: “tag:law”."""
    NUMBER = auto()
    DATE = auto()
    """ISO 8601. A year or a month matches every date in it."""


@dataclass(frozen=True, slots=True)
class FilterKey:
    """Filter key.

    Attributes:
        kind: Type of its values.
        help: A few words for users who choose a key.
        others: Aliases of the key.
        spellings: Mapping of alternative spellings to values.
        among: The only permitted values; empty if there is no restriction.
    """

    kind: Kind
    help: str
    others: tuple[str, ...] = ()
    spellings: dict[str, str] = field(default_factory=dict)
    among: tuple[str, ...] = ()


FILTER_KEYS: dict[str, FilterKey] = {
    "called": FilterKey(Kind.TEXT, mark("a word in the name, the title or the folder")),
    "knowledge_base": FilterKey(Kind.NAME, mark("the knowledge base"), ("kb", "base")),
    "document": FilterKey(Kind.NUMBER, mark("the document's number in the library"), ("id",)),
    "name": FilterKey(Kind.TEXT, mark("the file's name"), ("file",)),
    "title": FilterKey(Kind.TEXT, mark("the document's title")),
    "author": FilterKey(Kind.TEXT, mark("the document's author"), ("by",)),
    "format": FilterKey(
        Kind.NAME,
        mark("pdf, docx, markdown …"),
        ("type",),
        {"md": "markdown", "txt": "text", "htm": "html", "jpg": "jpeg", "tif": "tiff"},
    ),
    "page": FilterKey(Kind.NUMBER, mark("the page, slide or sheet")),
    "pages": FilterKey(Kind.NUMBER, mark("how many pages the document has")),
    "path": FilterKey(Kind.TEXT, mark("where the file is, or its address")),
    "created": FilterKey(Kind.DATE, mark("when it was written: 2024, 2024-05, 2024-05-31"), ("date", "year")),
    "modified": FilterKey(Kind.DATE, mark("when it was last changed")),
    "added": FilterKey(Kind.DATE, mark("when it was added to the library")),
    "keyword": FilterKey(Kind.NAME, mark("a keyword of the document"), ("keywords",)),
    "tag": FilterKey(Kind.NAME, mark("a tag that you added"), ("tags",)),
    "passage_tag": FilterKey(Kind.NAME, mark("a tag that you added to a passage"), ("chunk_tag",)),
    "folder": FilterKey(Kind.NAME, mark("a folder with everything in it")),
    "language": FilterKey(Kind.NAME, mark("en, zh, de …"), ("lang",)),
    "origin": FilterKey(Kind.NAME, mark(", ").join(Origin), (), {}, tuple(Origin)),
}
_CANONICAL = {other: name for name, key in FILTER_KEYS.items() for other in (name, *key.others)}


def canonical_key(typed: str) -> str:
    """Return the key for a name or an alias, in lower case: one of FILTER_KEYS, else one of the user's own metadata."""
    small = typed.casefold()
    return _CANONICAL.get(small, small)


def custom_keys(keys: Iterable[str]) -> tuple[str, ...]:
    """Return the keys that belong to the user's own metadata."""
    return tuple(key for key in keys if key not in FILTER_KEYS)


def known_keys(custom: Iterable[str] = ()) -> str:
    """Return the keys as listed in a sentence, those of the user's own metadata last."""
    return ", ".join((*(name for name in FILTER_KEYS if name != "called"), *custom))


def checked_value(name: str, value: str, *, is_whole: bool) -> str:
    """Return a value in the form used for comparison.

    Args:
        name: An existing key.
        value: The given value; empty means a missing value of the document.
        is_whole: The value is matched as a whole, not as a part or a beginning.

    Raises:
        RetrievalError: The value is invalid for the key.
    """
    key = FILTER_KEYS[name]
    check_length(name, (value,))
    if not value:
        return value
    if key.kind is Kind.NUMBER:
        return _number(name, value)
    if key.kind is Kind.DATE and is_whole:
        return _date(name, value)
    if name == "folder":
        value = value.strip("/") or value
    if is_whole:
        value = key.spellings.get(value.casefold(), value)
        if key.among and value.casefold() not in key.among:
            raise RetrievalError(f"There is no {name} “{value}”.", f"Write one of {', '.join(key.among)}.")
    return value


def check_length(name: str, values: Iterable[str]) -> None:
    """Reject values that are too long.

    Raises:
        RetrievalError: A value has more than 1,000 characters.
    """
    if any(len(value) > LONGEST_VALUE for value in values):
        raise RetrievalError(
            f"The value of the filter “{name}” is too long.", f"Write at most {LONGEST_VALUE} characters."
        )


def number_of(text: str) -> float | None:
    """Parse a text as a number; return None if it is none."""
    text = text.strip()
    return float(text) if text.isascii() and _NUMBER.fullmatch(text) else None


def date_of(text: str) -> str | None:
    """Parse a text as a date in the form used for comparison, with the given precision; return None if it is none."""
    match = _DATE.fullmatch(text.strip()) if text.isascii() else None
    if match is None:
        return None
    year, month, day, time = match.groups()
    is_month = month is None or 1 <= int(month) <= 12
    if not is_month or not int(year) or (day and not 1 <= int(day) <= calendar.monthrange(int(year), int(month))[1]):
        return None
    return "-".join(part.zfill(2) for part in (year, month, day) if part) + (f"T{time}" if time else "")


def _number(name: str, value: str) -> str:
    number = number_of(value)
    if number is None:
        raise RetrievalError(f"The filter “{name}” cannot be “{value}”.", f"Give a number, for example {name}:3.")
    return str(int(number)) if number.is_integer() else repr(number)


def _date(name: str, value: str) -> str:
    date = date_of(value)
    if date is None:
        raise RetrievalError(
            f"The filter “{name}” cannot be “{value}”.", f"Give a date, for example {name}:2024 or {name}:2024-05-31."
        )
    return date


@dataclass(frozen=True, slots=True)
class FilterExtent:
    """Number of documents and passages that pass a filter; passages are counted after a document was read."""

    documents: int
    passages: int

    @property
    def sentence(self) -> str:
        """The same as a sentence."""
        if not self.documents:
            return mark("No document matches this filter.")
        documents, passages = f"{self.documents:,}", f"{self.passages:,}"
        if passages == "1":
            one = mark("Searches 1 document with 1 passage.")
            return one if documents == "1" else mark(f"Searches {documents} documents with 1 passage.")
        one = mark(f"Searches 1 document with {passages} passages.")
        return one if documents == "1" else mark(f"Searches {documents} documents with {passages} passages.")

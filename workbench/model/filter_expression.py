"""The tree of a filter: conditions on one key each, put together with AND, OR and NOT."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from workbench.errors import RetrievalError
from workbench.model.filter_keys import FILTER_KEYS, Kind, canonical_key, check_length, checked_value

DEEPEST = 10
MOST_VALUES = 10_000
MOST_CONDITIONS = 300


class Operator(StrEnum):
    """How a condition compares."""

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
    """One key compared with one value, or with several for IN.

    Of a document with several keywords or tags one that fits is enough; NEQ is the opposite of EQ, so that none may
    be it. The value "" stands for what a document does not say: EQ "" finds documents without an author. Everything
    else but NEQ and NOT fails where a document says nothing.

    A key that is none of FILTER_KEYS is one of the user's own metadata, whose values compare as what each of them is: a
    text, a number or a date. Where the library has none of that name nothing is found, which is told: to drop the
    condition would find more than was asked for.

    Attributes:
        key: One of FILTER_KEYS, another word for it, or a key of the user's own metadata.
        operator: How it compares.
        values: Texts; numbers and dates as they are written.
    """

    key: str
    operator: Operator
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        # The one place in which keys and values get the form that they are compared in.
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
    """Every part must hold; one without parts always does."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One part must hold; one without parts never does."""

    parts: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part must not hold."""

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
    """Refuse trees that are too deep or too big.

    Raises:
        RetrievalError: Such a filter is nested deeper than 10 levels, or has too many conditions or values.
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
        raise RetrievalError(f"The filter “{key}” is a number.", f"Compare it, for example {key}:3 or {key}>=3.")

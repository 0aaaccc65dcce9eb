"""A filter -> its text, for people; syntax.py reads it back as the same filter."""

import re

from workbench.model.filter import ChunkFilter
from workbench.model.filter_expression import AllOf, AnyOf, Condition, Expression, Not, Operator
from workbench.model.filter_keys import FILTER_KEYS, Kind
from workbench.retrieval.filters.tokens import WORDS

_SIGNS = {
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
    """Return what filter_of_text reads as the same conditions; the knowledge base is not in it."""
    return " ".join(_written(expression) for expression in filter.where)


def _written(expression: Expression) -> str:
    match expression:
        case Condition():
            return _condition(expression)
        case Not(part):
            return f"-{_written(part)}"
        case AllOf(parts):
            return f"({' '.join(map(_written, parts))})"
        case AnyOf(parts):
            return f"({' OR '.join(map(_written, parts))})"


def _condition(condition: Condition) -> str:
    key, operator, values = condition.key, condition.operator, condition.values
    if operator in _SIGNS:
        joined = ",".join(map(quoted, values))
        is_usual = operator is Operator.EQ and not _is_free_text(key)
        return f"{key}{':' if is_usual else _SIGNS[operator]}{joined}"
    value = quoted(values[0])
    if operator is Operator.STARTSWITH:
        return f"{key}:{value}*"
    if key == "called":
        return f'"{value}"' if value in WORDS else value
    return f"{key}:{value}" if _is_free_text(key) else f"{key}:*{value}"


def _is_free_text(key: str) -> bool:
    return key in FILTER_KEYS and FILTER_KEYS[key].kind is Kind.TEXT


def quoted(text: str) -> str:
    """Return a value as it stands in a filter: in quotation marks where it needs them."""
    if _BARE.fullmatch(text) and ".." not in text:
        return text
    escaped = re.sub(r'(["“”\\])', r"\\\1", text)
    return f'"{escaped}"'

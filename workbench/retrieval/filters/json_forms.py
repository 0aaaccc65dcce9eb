"""Filters as dicts and lists of scripts and JSON, and several filters merged into one.

    {"format": "pdf", "tag": ["law", "tax"]}                       all must hold; a list: one of them
    [{"op": "GTE", "key": "created", "value": "2020"}, ...]         all must hold
    {"op": "AND" | "OR", "conditions": [...]}   {"op": "NOT", "condition": ...}   {"op": "IN", "key": ..., "values": []}

Objects with a to_dict() that returns such a form, like the filter expressions of other libraries, are accepted too.
"""

import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workbench.errors import RetrievalError
from workbench.language import mark
from workbench.model.custom_metadata import decimal, iso_date
from workbench.model.filter import DEEPEST, AllOf, AnyOf, ChunkFilter, Condition, Expression, Not, Operator, too_deep

Form = Any
"""A dict, a list or an expression; an empty one filters nothing."""

_HINT = mark('Give a dict like {"format": "pdf"} or a list of {"op": "GTE", "key": "created", "value": "2020"}.')
_OPERATORS = {str(operator) for operator in Operator}


def filter_of(form: Form, knowledge_base: str | None = None) -> ChunkFilter:
    """Return the filter that a dict or list describes.

    Raises:
        RetrievalError: The form is invalid, or a key cannot have that value; no part of it is ever ignored.
    """
    return ChunkFilter(knowledge_base, expressions_of(form))


def filter_of_json(text: str, knowledge_base: str | None = None) -> ChunkFilter:
    """Return the filter that a JSON text describes.

    Raises:
        RetrievalError: As in filter_of(), or the text is not JSON.
    """
    try:
        form = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RetrievalError("The filter is not JSON.", _HINT) from error
    return filter_of(form, knowledge_base)


def expressions_of(form: Form) -> tuple[Expression, ...]:
    """Return the conditions of a form, all of which must hold.

    Raises:
        RetrievalError: As in filter_of().
    """
    form = _to_plain(form)
    if form is None:
        return ()
    if isinstance(form, Mapping):
        return (_operation(form, DEEPEST),) if "op" in form else _equalities(form)
    if isinstance(form, Condition | AllOf | AnyOf | Not):
        return (form,)
    return tuple(_expression(one, DEEPEST) for one in _to_list(form))


def form_of(filter: ChunkFilter) -> list[dict[str, Any]]:
    """Return the conditions as a JSON-serializable list that filter_of() reads; it lacks the knowledge base."""
    return [_to_form(expression) for expression in filter.where]


def _equalities(form: Mapping[Any, Any]) -> tuple[Expression, ...]:
    return tuple(_equality(str(key), value) for key, value in form.items())


def _equality(key: str, value: object) -> Expression:
    if isinstance(value, list | tuple | set | frozenset):
        return Condition(key, Operator.IN, tuple(_to_text(one) for one in value))
    return Condition(key, Operator.EQ, (_to_text(value),))


def _expression(form: Form, left: int) -> Expression:
    form = _to_plain(form)
    if isinstance(form, Condition | AllOf | AnyOf | Not):
        return form
    if not isinstance(form, Mapping):
        raise RetrievalError("A part of the filter is not a condition.", _HINT)
    if "op" in form:
        return _operation(form, left)
    if set(form) == {"key", "value"}:
        return _equality(str(form["key"]), form["value"])
    parts = _equalities(form)
    return parts[0] if len(parts) == 1 else AllOf(parts)


def _operation(form: Mapping[str, Any], left: int) -> Expression:
    if left < 0:
        raise too_deep()
    operator = str(form["op"]).upper()
    if operator in ("AND", "OR"):
        parts = tuple(_expression(one, left - 1) for one in _to_list(_get_field(form, "conditions")))
        return AllOf(parts) if operator == "AND" else AnyOf(parts)
    if operator == "NOT":
        return Not(_expression(_get_field(form, "condition"), left - 1))
    if operator not in _OPERATORS:
        raise RetrievalError(
            f"There is no filter operator “{form['op']}”.", f"Use one of {', '.join(Operator)}, AND, OR, NOT."
        )
    key = str(_get_field(form, "key"))
    if operator == Operator.IN:
        return Condition(key, Operator.IN, tuple(_to_text(one) for one in _to_list(_get_field(form, "values"))))
    return Condition(key, Operator(operator), (_to_text(_get_field(form, "value")),))


def _get_field(form: Mapping[str, Any], name: str) -> Any:
    if name not in form:
        raise RetrievalError(f"The filter operator “{form['op']}” lacks its “{name}”.", _HINT)
    return form[name]


def _to_list(form: Form) -> Sequence[Any]:
    if isinstance(form, str | bytes | Mapping) or not isinstance(form, Iterable):
        raise RetrievalError("A filter must be a dict or a list.", _HINT)
    return list(form)


def _to_plain(form: Form) -> Form:
    convert = getattr(form, "to_dict", None)
    return convert() if callable(convert) else form


def _to_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime.date):
        return iso_date(value)
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise RetrievalError(f"“{value}” cannot be the value of a filter.", "Give a text, a number or a date.")
    return decimal(value) if isinstance(value, float) else str(value)


def _to_form(expression: Expression) -> dict[str, Any]:
    match expression:
        case AllOf(parts):
            return {"op": "AND", "conditions": [_to_form(part) for part in parts]}
        case AnyOf(parts):
            return {"op": "OR", "conditions": [_to_form(part) for part in parts]}
        case Not(part):
            return {"op": "NOT", "condition": _to_form(part)}
        case Condition(key, Operator.IN, values):
            return {"op": "IN", "key": key, "values": list(values)}
        case Condition(key, operator, values):
            return {"op": operator.value, "key": key, "value": values[0]}


def merged(agent: Form, run: Form) -> Form:
    """Return the form that applies to a run of an agent that has its own filter.

    If both are dicts, the run's values override the agent's; a run's dict replaces an agent's list. A run's list is
    added to the agent's list or dict: both apply.

    Raises:
        RetrievalError: One of them is not a filter.
    """
    if not run:
        return agent
    if not agent:
        return run
    if _is_dict(agent) and _is_dict(run):
        return {**agent, **run}
    if _is_dict(run):
        return run
    return [*expressions_of(agent), *expressions_of(run)]


def with_model_filter(user: ChunkFilter, given: object) -> ChunkFilter:
    """Return the user's filter combined with a model's: both must hold, so that the model can only find less.

    Args:
        user: Filter of the user or of the agent's author.
        given: Filter as the model wrote it: a list of {"key", "value"}, a dict of keys and values, an operation of the
            forms above, any of these as JSON text; or nothing.

    Raises:
        RetrievalError: It cannot be parsed. An unknown key is not an error: the search finds nothing and reports why.
    """
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip() else None
        except (ValueError, RecursionError) as error:
            raise RetrievalError("The filters cannot be read.", 'Give a list of {"key": ..., "value": ...}.') from error
    if isinstance(given, Mapping) and set(given) == {"key", "value"}:
        given = [given]
    return user.restricted(*expressions_of(given)) if given else user


def _is_dict(form: Any) -> bool:
    return isinstance(form, Mapping) and "op" not in form

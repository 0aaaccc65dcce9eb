"""The nouns as JSON values and back, led by the dataclasses' own fields, so that none can be forgotten.

A dataclass becomes an object with its field names, a tuple an array, an enum its value. A union of dataclasses (the run
events) is told apart by "type", the class's name; it is written for run events only.
"""

import dataclasses
import functools
import math
from enum import Enum
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from workbench.errors import ExportError
from workbench.model.run import RunEvent

_TAGGED = frozenset(get_args(RunEvent))


def to_json(value: object) -> Any:
    """Return the value as objects, arrays, strings, numbers, true, false and null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"type": type(value).__name__, **fields} if type(value) in _TAGGED else fields
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        # JSON has no such number.
        return None
    return value


def from_json(kind: Any, value: Any) -> Any:
    """Return the value of that type; the opposite of to_json.

    Raises:
        ExportError: The value does not fit the type.
    """
    try:
        return _read(kind, value)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        name = getattr(kind, "__name__", str(kind))
        raise ExportError(f"This is not a {name} of a session export: {error!r}.", "Was the file changed?") from error


def _read(kind: Any, value: Any) -> Any:
    origin, choices = get_origin(kind), get_args(kind)
    if origin is tuple:
        return tuple(_read(choices[0], item) for item in value)
    if origin is dict:
        return {key: _read(choices[1], item) for key, item in value.items()}
    if origin in (Union, UnionType):
        return _read_union(choices, value)
    if kind is Any:
        return value
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        types = _field_types(kind)
        optional = {name for name in types if name not in value and _has_default(kind, name)}
        return kind(**{name: _read(types[name], value[name]) for name in types if name not in optional})
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if kind is float:
        return math.nan if value is None else float(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"{value!r} where a {kind.__name__} belongs")
    return value


def _read_union(choices: tuple[Any, ...], value: Any) -> Any:
    if value is None and type(None) in choices:
        return None
    real = [choice for choice in choices if choice is not type(None)]
    if len(real) == 1:
        return _read(real[0], value)
    by_name = {choice.__name__: choice for choice in real}
    return _read(by_name[value["type"]], value)


def _has_default(kind: Any, name: str) -> bool:
    """Whether a field may be missing: an earlier version of the program did not have it."""
    field = kind.__dataclass_fields__[name]
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


@functools.cache
def _field_types(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}

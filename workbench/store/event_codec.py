"""Frozen dataclasses <-> JSON, by their fields: what is read back equals what was written.

Fields that a later version added take their defaults; fields that it dropped are ignored.
"""

import types
import typing
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, TypeVar, get_args, get_origin

from workbench.model.run import RunEvent

T = TypeVar("T")

EVENT_TYPES: dict[str, type] = {kind.__name__: kind for kind in get_args(RunEvent)}


def encoded(value: Any) -> Any:
    """Return what json.dumps takes: dataclasses as objects, tuples as lists, enums as their values."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return {field.name: encoded(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple | list):
        return [encoded(item) for item in value]
    if isinstance(value, dict):
        return {key: encoded(item) for key, item in value.items()}
    return value


def decoded(kind: type[T], value: Any) -> T:
    """Return the value of that type that encoded was given.

    Raises:
        KeyError: A field without a default is missing.
    """
    hint: Any = kind
    result: T = _decoder(hint)(value)
    return result


def decoded_event(type_name: str, value: Any) -> RunEvent:
    """Return the run event of that type name.

    Raises:
        KeyError: There is no such event.
    """
    event: RunEvent = _decoder(EVENT_TYPES[type_name])(value)
    return event


@lru_cache(maxsize=256)
def _decoder(hint: Any) -> Callable[[Any], Any]:
    """Return the function that decodes values of one type hint; made once, since a run has hundreds of values."""
    origin = get_origin(hint)
    if origin is tuple:
        item = _decoder(get_args(hint)[0])
        return lambda value: tuple(item(part) for part in value)
    if origin is dict:
        item = _decoder(get_args(hint)[1])
        return lambda value: {key: item(part) for key, part in value.items()}
    if origin in (typing.Union, types.UnionType):
        # The model's only unions are "X | None".
        item = _decoder(next(part for part in get_args(hint) if part is not type(None)))
        return lambda value: None if value is None else item(value)
    if isinstance(hint, type) and is_dataclass(hint):
        return _dataclass_decoder(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    if hint is float:
        # JSON does not tell 1.0 from 1 in every writer.
        return float
    return lambda value: value


def _dataclass_decoder(kind: type) -> Callable[[Any], Any]:
    hints = typing.get_type_hints(kind)
    parts = [
        (field.name, _decoder(hints[field.name]), field.default is MISSING and field.default_factory is MISSING)
        for field in fields(kind)
    ]

    def decode(value: Any) -> Any:
        return kind(**{name: part(value[name]) for name, part, required in parts if required or name in value})

    return decode

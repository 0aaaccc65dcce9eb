"""JSON codec of sessions, after resources/schema/session-1.schema.json.

The number in the schema's name increases when a field changes its meaning or is removed; new fields do not change it.

A dataclass becomes an object with its field names, a tuple an array, an enum its value. The members of a union of
dataclasses (the run events) are distinguished by "type", the class name, which is written for run events only.
"""

import dataclasses
import functools
import json
import math
import re
from collections.abc import Callable
from enum import Enum
from types import UnionType
from typing import Any, ClassVar, Union, get_args, get_origin, get_type_hints

from workbench.errors import ExportError
from workbench.export.base import READING, ExportContext
from workbench.language import mark
from workbench.model.run import Run, RunEvent
from workbench.model.session import Part, Parts, Session, SessionInfo

SCHEMA = "knowledge-workbench/session/1"

# Escaped in JSON strings: lone surrogates cannot be encoded as UTF-8; the others make a text editor show another order
# than the file's, or a line break that is not in it.
_ESCAPED = re.compile("[\ud800-\udfff\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")


class JsonExporter:
    """Exporter of JSON files."""

    format: ClassVar[str] = "json"
    suffix: ClassVar[str] = ".json"
    title: ClassVar[str] = "JSON"
    description: ClassVar[str] = mark("Everything that was recorded, for programs.")
    offered: ClassVar[Parts] = READING | {Part.PROMPTS}
    usual: ClassVar[Parts] = READING | {Part.PROMPTS}

    def render(self, session: Session, context: ExportContext) -> bytes:
        """Return the whole file, UTF-8."""
        content = {
            "schema": SCHEMA,
            "program": {"name": "Knowledge Workbench", "version": context.version},
            "exported": context.exported,
            "library": context.library,
            "session": to_json(session.info),
            "runs": [to_json(run) for run in session.runs],
        }
        return as_json(content)


def as_json(content: Any) -> bytes:
    """Return content as UTF-8 JSON, with misleading characters escaped."""
    text = json.dumps(content, ensure_ascii=False, indent=2)
    return (_ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n").encode("utf-8")


def read_session(data: bytes) -> Session:
    """Return the session of a JSON export, equal to the exported one.

    Raises:
        ExportError: The bytes are not a JSON export, or have another schema version.
    """
    try:
        content: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ExportError("This file is not JSON.", "Choose a file that was exported as JSON.") from error
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        raise ExportError(
            f"This file is not a session in the form {SCHEMA}.", "A later version of the program may have written it."
        )
    return Session(
        info=from_json(SessionInfo, content.get("session")), runs=from_json(tuple[Run, ...], content.get("runs"))
    )


_TAGGED = frozenset(get_args(RunEvent))


def to_json(value: object) -> Any:
    """Return the value as JSON-compatible dicts, lists and scalars."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"type": type(value).__name__, **fields} if type(value) in _TAGGED else fields
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        # JSON has no infinity and no NaN.
        return None
    return value


def from_json(kind: Any, value: Any) -> Any:
    """Return a value of type kind from JSON data; the inverse of to_json.

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
    """Return True if a field may be missing, because an earlier version of the program did not write it."""
    field = kind.__dataclass_fields__[name]
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


@functools.cache
def _field_types(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def rewritten(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return the value with change applied to every dataclass in it, the inner ones first.

    Unchanged parts are not copied, because a session of 500 questions has a million values.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        inner = {name: rewritten(inside, change) for name, inside in fields.items()}
        changed = {name: inside for name, inside in inner.items() if inside is not fields[name]}
        return change(dataclasses.replace(value, **changed) if changed else value)
    if isinstance(value, tuple):
        made = [rewritten(item, change) for item in value]
        return tuple(made) if any(new is not old for new, old in zip(made, value, strict=True)) else value
    return value

"""Metadata of the user's own: any key with a text, a number, a date or a list of these, on any document.

A key of another spelling (“Dept”, “dept”) is the same key. What a document's file says (front matter, a sidecar file)
is replaced when the file is read again; what the user gave stays.
"""

import datetime
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from workbench.errors import MetadataError
from workbench.language import mark
from workbench.model.filter import FILTER_KEYS, LONGEST_VALUE, Operator, canonical_key, date_of, known_keys, number_of
from workbench.model.metadata import SEPARATOR, CustomField, CustomFields, CustomSource, CustomValue, ValueKind
from workbench.model.visible import visible_name

LONGEST_KEY = 60
MOST_KEYS = 100
"""Keys of one document."""
MOST_VALUES = 200
"""Values of one list."""

_KEY = re.compile(r"[^\W\d]\w*")
# What JSON filters say themselves, what the typed syntax does, and what only the list of documents can be asked for.
_WORDS = frozenset({"op", "key", "value", "values", "condition", "conditions", "and", "or", "not", "status", "is"})
# Typed without quotation marks, “007” and an account number of 20 digits are no numbers.
_TYPED_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,15})?")
_TYPED_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?Z?)?)?)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR = re.compile(r"\s*([^=]*?)\s*=(.*)", re.DOTALL)


def checked_key(key: str) -> str:
    """Return a key as it is kept.

    Raises:
        MetadataError: It cannot be a key, or every document has a field of that name already.
    """
    name = key.strip().casefold()
    if not _KEY.fullmatch(name) or len(name) > LONGEST_KEY:
        near = _near(name)
        meant = mark(f"Write “{near}”.") + " " if _KEY.fullmatch(near) and near != name else ""
        hint = mark(f"A key is a word of at most {LONGEST_KEY} letters, digits and “_” that begins with a letter.")
        raise MetadataError(f"“{key[:LONGEST_KEY]}” cannot be a key of metadata.", f"{meant}{hint}")
    if is_reserved(name):
        raise MetadataError(
            f"“{name}” cannot be a key of metadata of your own: the program uses it itself.",
            f"Choose another, for example “my_{name}”. In use are {known_keys()}.",
        )
    return name


def is_reserved(key: str) -> bool:
    """Tell whether a key, in lower case, means something already."""
    return key in _WORDS or canonical_key(key) in FILTER_KEYS


def checked_metadata(given: Mapping[str, object], source: CustomSource = CustomSource.USER) -> CustomFields:
    """Return metadata as they are kept; None as a value, or an empty list, gives a field without values.

    A text is a date where it is written as one (2024-05, 2024-05-31), and no number; see typed_value for that.

    Raises:
        MetadataError: A key or a value cannot be.
    """
    fields: dict[str, CustomField] = {}
    for name, value in given.items():
        key = checked_key(name)
        is_list = isinstance(value, list | tuple | set | frozenset)
        given_values: Iterable[object] = value if is_list else () if value is None else (value,)  # type: ignore[assignment]
        values = tuple(dict.fromkeys(_checked_value(key, one) for one in given_values))
        if len(values) > MOST_VALUES:
            raise MetadataError(f"“{key}” has {len(values)} values.", f"Give at most {MOST_VALUES}.")
        fields[key] = CustomField(key, values, is_list and bool(values), source)
    if len(fields) > MOST_KEYS:
        raise MetadataError(f"These are {len(fields)} keys for one document.", f"Give at most {MOST_KEYS}.")
    return tuple(fields.values())


def metadata_in_file(
    given: Mapping[str, object], source: CustomSource = CustomSource.FILE
) -> tuple[CustomFields, list[str]]:
    """Return what a file says under keys that are not the program's own, and sentences on what was left out.

    Spaces and hyphens in keys become underscores: “due-date” is “due_date”.
    """
    fields: dict[str, CustomField] = {}
    told: list[str] = []
    for name, value in given.items():
        key = _near(name)
        if is_reserved(key) or value is None or value == "":
            continue
        try:
            if len(fields) == MOST_KEYS and key not in fields:
                raise MetadataError(f"It has more than {MOST_KEYS} keys.")
            (field,) = checked_metadata({key: value}, source)
            if field.values:
                fields[key] = field
        except MetadataError as error:
            told.append(mark(f"Metadata left out: {error.message}"))
    return tuple(fields.values()), told


def typed_value(text: str) -> object:
    """Return what a person means who types a value: a number, a date, a list with “;” between, or the text itself."""
    text = text.strip()
    if text[:1] == "[" and text[-1:] == "]":
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return found if isinstance(found, list) else text
    if SEPARATOR in text:
        return [typed_value(part) for part in text.split(SEPARATOR) if part.strip()]
    return TypedNumber(text) if _TYPED_NUMBER.fullmatch(text) else text


class TypedNumber(str):
    """A number as it was typed: “12.50” stays that, and compares as 12.5."""

    __slots__ = ()


def typed_pair(text: str) -> tuple[str, object]:
    """Return key and value of “key=value”; nothing behind the sign takes the key away.

    Raises:
        MetadataError: It is no such pair.
    """
    match = _PAIR.fullmatch(text)
    if match is None:
        raise MetadataError(f"“{text}” is not metadata.", "Write key=value, for example dept=hr.")
    return match[1], typed_value(match[2]) if match[2].strip() else None


def typed_pairs(texts: Iterable[str]) -> dict[str, object]:
    """Return several “key=value”; those of one key are a list.

    Raises:
        MetadataError: One of them is no such pair.
    """
    found: dict[str, object] = {}
    for text in texts:
        key, value = typed_pair(text)
        if key in found:
            before = found[key]
            value = [
                *(before if isinstance(before, list) else [before]),
                *(value if isinstance(value, list) else [value]),
            ]
        found[key] = value
    return found


def replaced(before: CustomFields, given: Iterable[CustomField]) -> CustomFields:
    """Return what a document says after the user gave these; a field without values takes the key away."""
    fields = {field.key: field for field in before}
    for field in given:
        was = fields.pop(field.key, None)
        # What the file says would come back when it is read again.
        if field.values or (was is not None and (was.source is not CustomSource.USER or not was.values)):
            fields[field.key] = field
    return tuple(sorted(fields.values(), key=lambda one: one.key))


def read_again(before: CustomFields, read: Iterable[CustomField]) -> CustomFields:
    """Return what a document says after its file was read, and what is beside it.

    What the user gave goes before what is beside the file, and that before what the file says itself.
    """
    last = sorted(read, key=lambda one: one.source is CustomSource.BESIDE)
    users = [one for one in before if one.source is CustomSource.USER]
    fields = {field.key: field for field in (*last, *users)}
    return tuple(sorted(fields.values(), key=lambda one: one.key))


_ORDER: Mapping[Operator, Callable[[Any, Any], bool]] = {
    Operator.GT: lambda one, other: bool(one > other),
    Operator.GTE: lambda one, other: bool(one >= other),
    Operator.LT: lambda one, other: bool(one < other),
    Operator.LTE: lambda one, other: bool(one <= other),
}


def passes(values: Sequence[CustomValue], operator: Operator, wanted: Sequence[str]) -> bool:
    """Tell whether one of the values of a key meets a condition, as store/filtering.py has it in SQL.

    Args:
        values: Of the key; none where the document says nothing.
        operator: Any but NEQ, which is the opposite of EQ.
        wanted: As the filter writes them.
    """
    if "" in wanted and not values and operator in (Operator.EQ, Operator.IN):
        return True
    # No value has a lone surrogate in it (_checked_value): nothing is before or after it either.
    sound = [one for one in wanted if one and not _SURROGATE.search(one)]
    return any(_meets(value, operator, one) for value in values for one in sound)


def _meets(value: CustomValue, operator: Operator, wanted: str) -> bool:
    text, wanted_text = value.text.casefold(), wanted.casefold()
    if operator is Operator.CONTAINS:
        return wanted_text in text
    if operator is Operator.STARTSWITH:
        return text.startswith(wanted_text)
    one: Any = text
    other: Any = wanted_text
    if value.kind is ValueKind.NUMBER:
        number = number_of(wanted)
        if number is None:
            return False
        one, other = float(value.text), number
    elif value.kind is ValueKind.DATE:
        date = date_of(wanted)
        if date is None:
            return False
        one, other = value.text[: len(date)], date
    return _ORDER[operator](one, other) if operator in _ORDER else bool(one == other)


def _near(name: str) -> str:
    """Return the key that a heading of a file most likely means."""
    return re.sub(r"[\s\-]+", "_", name.strip().casefold())


def _checked_value(key: str, value: object) -> CustomValue:
    if isinstance(value, bool):
        return CustomValue(ValueKind.TEXT, str(value).lower())
    if isinstance(value, TypedNumber):
        return CustomValue(ValueKind.NUMBER, str(value))
    if isinstance(value, int | float):
        return _number(key, value)
    if isinstance(value, datetime.date):
        return CustomValue(ValueKind.DATE, iso_date(value))
    if not isinstance(value, str):
        raise MetadataError(f"“{key}” cannot have such a value.", "Give a text, a number, a date or a list of these.")
    text = visible_name(" ".join(value.split())).encode("utf-8", "replace").decode()
    if not text:
        raise MetadataError(f"The value of “{key}” is empty.", "Write one, or take the key away.")
    if len(text) > LONGEST_VALUE:
        raise MetadataError(f"The value of “{key}” is too long.", f"Write at most {LONGEST_VALUE} characters.")
    date = date_of(text) if _TYPED_DATE.fullmatch(text) else None
    return CustomValue(ValueKind.DATE, date) if date else CustomValue(ValueKind.TEXT, text)


def _number(key: str, value: float) -> CustomValue:
    if isinstance(value, int) and value.bit_length() <= 256:
        # Beyond 15 digits a number would not be told from the next one.
        return CustomValue(ValueKind.NUMBER if abs(value) < 10**15 else ValueKind.TEXT, str(value))
    if isinstance(value, int) or not math.isfinite(value) or abs(value) >= 1e15:
        raise MetadataError(f"The number of “{key}” is too large.", "Give one of at most 15 digits before the point.")
    return CustomValue(ValueKind.NUMBER, decimal(value))


def decimal(value: float) -> str:
    """Return a number in digits, to 15 places."""
    return f"{value:.15f}".rstrip("0").rstrip(".")


def iso_date(value: datetime.date) -> str:
    """Return a date or a time as the library keeps them: without their zone, in UTC."""
    if isinstance(value, datetime.datetime):
        value = value.astimezone(datetime.UTC).replace(tzinfo=None) if value.tzinfo else value
        return value.isoformat(timespec="seconds")
    return value.isoformat()

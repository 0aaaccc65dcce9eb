"""Custom metadata: any key with a text, a number, a date or a list of these, on any document.

Keys that differ only in case (“Dept”, “dept”) are the same. Metadata from a document's file (front matter, a sidecar
file) is replaced when the file is read again; metadata from the user stays.
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
"""Maximum number of keys per document."""
MOST_VALUES = 200
"""Maximum number of values in a list."""

_KEY = re.compile(r"[^\W\d]\w*")
# Words of JSON filters, of the typed syntax, and of filters for the list of documents only.
_WORDS = frozenset({"op", "key", "value", "values", "condition", "conditions", "and", "or", "not", "status", "is"})
# If typed without quotation marks, “007” and an account number of 20 digits are no numbers.
_TYPED_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,15})?")
_TYPED_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?Z?)?)?)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR = re.compile(r"\s*([^=]*?)\s*=(.*)", re.DOTALL)


def checked_key(key: str) -> str:
    """Return a key in its stored form.

    Raises:
        MetadataError: It is invalid, or the name of a built-in field.
    """
    name = key.strip().casefold()
    if not _KEY.fullmatch(name) or len(name) > LONGEST_KEY:
        normalised = _normalise_key(name)
        meant = mark(f"Write “{normalised}”.") + " " if _KEY.fullmatch(normalised) and normalised != name else ""
        hint = mark(f"A key is a word of at most {LONGEST_KEY} letters, digits and “_” that begins with a letter.")
        raise MetadataError(f"“{key[:LONGEST_KEY]}” cannot be a key of metadata.", f"{meant}{hint}")
    if is_reserved(name):
        raise MetadataError(
            f"“{name}” cannot be one of your metadata keys: the program uses it itself.",
            f"Choose another, for example “my_{name}”. In use are {known_keys()}.",
        )
    return name


def is_reserved(key: str) -> bool:
    """Return whether a key, in lower case, already has a meaning."""
    return key in _WORDS or canonical_key(key) in FILTER_KEYS


def checked_metadata(given: Mapping[str, object], source: CustomSource = CustomSource.USER) -> CustomFields:
    """Return metadata in its stored form; None as a value, or an empty list, gives a field without values.

    A text written like a date (2024-05, 2024-05-31) becomes a date, but never a number; see typed_value for that.

    Raises:
        MetadataError: A key or a value is invalid.
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
        raise MetadataError(
            f"The document would have {len(fields)} keys, which is too many.", f"Give at most {MOST_KEYS}."
        )
    return tuple(fields.values())


def metadata_in_file(
    given: Mapping[str, object], source: CustomSource = CustomSource.FILE
) -> tuple[CustomFields, list[str]]:
    """Return a file's metadata under keys other than built-in ones, and messages about what was left out.

    Spaces and hyphens in keys become underscores: “due-date” is “due_date”.
    """
    fields: dict[str, CustomField] = {}
    messages: list[str] = []
    for name, value in given.items():
        key = _normalise_key(name)
        if is_reserved(key) or value is None or value == "":
            continue
        try:
            if len(fields) == MOST_KEYS and key not in fields:
                raise MetadataError(f"It has more than {MOST_KEYS} keys.")
            (field,) = checked_metadata({key: value}, source)
            if field.values:
                fields[key] = field
        except MetadataError as error:
            messages.append(mark(f"Metadata left out: {error.message}"))
    return tuple(fields.values()), messages


def typed_value(text: str) -> object:
    """Return the value that a person typed: a number, a date, a list separated by “;”, or the text itself."""
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
    """Number as typed: “12.50” is kept, and compares as 12.5."""

    __slots__ = ()


def typed_pair(text: str) -> tuple[str, object]:
    """Return key and value of “key=value”; an empty value removes the key.

    Raises:
        MetadataError: The text is not such a pair.
    """
    match = _PAIR.fullmatch(text)
    if match is None:
        raise MetadataError(f"“{text}” is not metadata.", "Write key=value, for example dept=hr.")
    return match[1], typed_value(match[2]) if match[2].strip() else None


def typed_pairs(texts: Iterable[str]) -> dict[str, object]:
    """Return several “key=value” as a dict; values of the same key form a list.

    Raises:
        MetadataError: One of the texts is not such a pair.
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
    """Return a document's metadata with the user's changes; a field without values removes the key."""
    fields = {field.key: field for field in before}
    for field in given:
        was = fields.pop(field.key, None)
        # A removed value from the file must be recorded, or it would come back when the file is read again.
        if field.values or (was is not None and (was.source is not CustomSource.USER or not was.values)):
            fields[field.key] = field
    return tuple(sorted(fields.values(), key=lambda one: one.key))


def read_again(before: CustomFields, read: Iterable[CustomField]) -> CustomFields:
    """Return a document's metadata after its file and the sidecar files were read.

    Values of the user take precedence over those of sidecar files, and these over the file itself.
    """
    last = sorted(read, key=lambda one: one.source is CustomSource.SIDECAR)
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
    """Return whether one of the values of a key meets a condition, as store/filtering.py does in SQL.

    Args:
        values: Values of the key; empty if the document has none.
        operator: Any but NEQ, which is the opposite of EQ.
        wanted: Values as written in the filter.
    """
    if "" in wanted and not values and operator in (Operator.EQ, Operator.IN):
        return True
    # No value contains a lone surrogate (_checked_value), so nothing sorts before or after it either.
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


def _normalise_key(name: str) -> str:
    """Return the key that a name in a file most likely means."""
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
        raise MetadataError(f"The value of “{key}” is empty.", "Enter a value, or remove the key.")
    if len(text) > LONGEST_VALUE:
        raise MetadataError(f"The value of “{key}” is too long.", f"Write at most {LONGEST_VALUE} characters.")
    date = date_of(text) if _TYPED_DATE.fullmatch(text) else None
    return CustomValue(ValueKind.DATE, date) if date else CustomValue(ValueKind.TEXT, text)


def _number(key: str, value: float) -> CustomValue:
    if isinstance(value, int) and value.bit_length() <= 256:
        # Beyond 15 digits a float could not be distinguished from its neighbours.
        return CustomValue(ValueKind.NUMBER if abs(value) < 10**15 else ValueKind.TEXT, str(value))
    if isinstance(value, int) or not math.isfinite(value) or abs(value) >= 1e15:
        raise MetadataError(
            f"The number of “{key}” is too large.", "Enter a number with at most 15 digits before the decimal point."
        )
    return CustomValue(ValueKind.NUMBER, decimal(value))


def decimal(value: float) -> str:
    """Return a number in decimal notation, to 15 places."""
    return f"{value:.15f}".rstrip("0").rstrip(".")


def iso_date(value: datetime.date) -> str:
    """Return a date or a time in its stored form: without a time zone, in UTC."""
    if isinstance(value, datetime.datetime):
        value = value.astimezone(datetime.UTC).replace(tzinfo=None) if value.tzinfo else value
        return value.isoformat(timespec="seconds")
    return value.isoformat()

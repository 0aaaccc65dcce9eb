"""Editable metadata of a document: checked fields and tags, and values of custom fields."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from workbench.errors import MetadataError

FIELDS = ("title", "author", "created", "modified", "keywords", "language")
"""The fields of Metadata, in the order in which they are shown."""

_LONGEST = 1000
_LONGEST_TAG = 60
# A year, a month or a day; only a day may be followed by a time.
_DATE = re.compile(
    r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?"
)

Value = str | tuple[str, ...]


def checked_fields(fields: Mapping[str, object]) -> dict[str, Value]:
    """Return the fields in their stored form: stripped texts, keywords without duplicates.

    Raises:
        MetadataError: There is no such field, or the value is invalid.
    """
    return {name: _check_field(name, value) for name, value in fields.items()}


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return stripped tags in their order, without duplicates that differ only in case.

    Raises:
        MetadataError: A tag is blank, too long, or contains a comma.
    """
    found: dict[str, str] = {}
    for tag in tags:
        name = " ".join(tag.split())
        if not name or len(name) > _LONGEST_TAG or "," in name or not name.isprintable():
            raise MetadataError(
                f"“{tag}” cannot be a tag.",
                f"A tag has 1 to {_LONGEST_TAG} characters and no comma, for example “law”.",
            )
        found.setdefault(name.casefold(), name)
    return tuple(found.values())


def _check_field(name: str, value: object) -> Value:
    if name not in FIELDS:
        raise MetadataError(f"There is no field “{name}” to edit.", f"The fields are {', '.join(FIELDS)}.")
    if name == "keywords":
        given = value.split(",") if isinstance(value, str) else value
        if not isinstance(given, Iterable):
            raise MetadataError("Keywords are words.", "Separate them with commas.")
        words = (" ".join(str(word).split()) for word in given)
        return tuple(dict.fromkeys(word[:_LONGEST] for word in words if word))
    text = " ".join(str(value).split())
    if len(text) > _LONGEST:
        raise MetadataError(f"The {name} is too long.", f"Write at most {_LONGEST} characters.")
    if name == "title" and not text:
        raise MetadataError("A document needs a title.", "Enter a title.")
    if name in ("created", "modified") and text and not _DATE.fullmatch(text):
        raise MetadataError(f"“{text}” is not a date.", "Write it like 2024, 2024-05 or 2024-05-31.")
    return text


SEPARATOR = ";"
"""Separator between the values of a typed list."""


class ValueKind(StrEnum):
    """Type of a value: texts compare without regard to case, numbers and dates by value."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"


class CustomSource(StrEnum):
    """Source of a value."""

    USER = "user"
    SIDECAR = "beside"
    """A file next to the document's: a sidecar file, a table of its folder."""
    FILE = "file"


@dataclass(frozen=True, slots=True)
class CustomValue:
    """Value as written: a number in digits, a date as ISO 8601 (at least a year and a month)."""

    kind: ValueKind
    text: str

    @property
    def plain(self) -> str | int | float:
        """The value for JSON; dates are texts there."""
        if self.kind is not ValueKind.NUMBER:
            return self.text
        number = float(self.text)
        return int(number) if number.is_integer() else number


@dataclass(frozen=True, slots=True)
class CustomField:
    """Key with its values in a document.

    Attributes:
        key: In lower case.
        values: One, or those of a list; none if the user removed the values of the file.
        is_list: It was given as a list; one match is enough for a filter.
        source: Source of the values.
    """

    key: str
    values: tuple[CustomValue, ...]
    is_list: bool = False
    source: CustomSource = CustomSource.USER

    @property
    def plain(self) -> Any:
        """The value or the list of values for JSON."""
        return [value.plain for value in self.values] if self.is_list else self.values[0].plain

    @property
    def written(self) -> str:
        """The value as it is typed; custom_metadata.typed_value() parses it."""
        return f"{SEPARATOR} ".join(value.text for value in self.values)


CustomFields = tuple[CustomField, ...]


@dataclass(frozen=True, slots=True)
class MetadataImport:
    """Result of importing metadata from a table.

    Attributes:
        before: Former metadata of each changed document, as accepted by put_metadata.
        unknown: Names in the table without a document.
        told: Sentences on values that were left out.
    """

    before: dict[int, CustomFields]
    unknown: tuple[str, ...] = ()
    told: tuple[str, ...] = ()

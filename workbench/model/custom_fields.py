"""Metadata of the user's own, as a document has them: keys with a text, a number, a date or a list of these."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

SEPARATOR = ";"
"""Stands between the values of a list where one is typed."""


class ValueKind(StrEnum):
    """How a value compares: a text without regard to case, a number and a date as what they are."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"


class CustomSource(StrEnum):
    """Who gave a value."""

    USER = "user"
    BESIDE = "beside"
    """A file beside the document's: a sidecar file, a table of its folder."""
    FILE = "file"


@dataclass(frozen=True, slots=True)
class CustomValue:
    """One value, as it is written: a number in digits, a date as ISO 8601 (a year and a month at least)."""

    kind: ValueKind
    text: str

    @property
    def plain(self) -> str | int | float:
        """The value as JSON has it; dates are texts there."""
        if self.kind is not ValueKind.NUMBER:
            return self.text
        number = float(self.text)
        return int(number) if number.is_integer() else number


@dataclass(frozen=True, slots=True)
class CustomField:
    """A key with what a document says under it.

    Attributes:
        key: In lower case.
        values: One, or those of a list; none where the user took away what the file says.
        is_list: It was given as a list, of which one value that fits is enough for a filter.
        source: Who gave it.
    """

    key: str
    values: tuple[CustomValue, ...]
    is_list: bool = False
    source: CustomSource = CustomSource.USER

    @property
    def plain(self) -> Any:
        """The value or the list of values as JSON has it."""
        return [value.plain for value in self.values] if self.is_list else self.values[0].plain

    @property
    def written(self) -> str:
        """The value as it is typed; custom_metadata.typed_value() reads it back."""
        return f"{SEPARATOR} ".join(value.text for value in self.values)


CustomFields = tuple[CustomField, ...]


@dataclass(frozen=True, slots=True)
class MetadataImport:
    """What a table gave.

    Attributes:
        before: The metadata of each document that it gave something to, as they were; put_metadata takes them.
        unknown: Names in the table of which there is no document.
        told: Sentences on values that were left out.
    """

    before: dict[int, CustomFields]
    unknown: tuple[str, ...] = ()
    told: tuple[str, ...] = ()

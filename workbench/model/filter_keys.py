"""What a filter can ask about: the keys, what kind of value each has, and how a value is written."""

import calendar
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto

from workbench.errors import RetrievalError
from workbench.language import mark
from workbench.model.document import Origin

LONGEST_VALUE = 1000
_DATE = re.compile(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2})(?:[T ](\d\d(?::\d\d(?::\d\d)?)?)(?:\.\d+)?Z?)?)?)?")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")


class Kind(Enum):
    """How the values of a key compare: all texts without regard to case, numbers and dates as what they are."""

    TEXT = auto()
    """Free text, of which people remember a part: “title:harbour” means that it contains the word."""
    NAME = auto()
    """One of a few names, meant whole: “tag:law”."""
    NUMBER = auto()
    DATE = auto()
    """ISO 8601. A year or a month is the whole of it."""


@dataclass(frozen=True, slots=True)
class FilterKey:
    """One key.

    Attributes:
        kind: How its values compare.
        help: A few words for people who choose a key.
        others: Other words for the same key.
        spellings: What people write for a value, and the value.
        among: The only values there are, or nothing where there can be any.
    """

    kind: Kind
    help: str
    others: tuple[str, ...] = ()
    spellings: dict[str, str] = field(default_factory=dict)
    among: tuple[str, ...] = ()


FILTER_KEYS: dict[str, FilterKey] = {
    "called": FilterKey(Kind.TEXT, mark("a word in the name, the title or the folder")),
    "knowledge_base": FilterKey(Kind.NAME, mark("the knowledge base"), ("kb", "base")),
    "document": FilterKey(Kind.NUMBER, mark("the document's number in the library"), ("id",)),
    "name": FilterKey(Kind.TEXT, mark("the file's name"), ("file",)),
    "title": FilterKey(Kind.TEXT, mark("the document's title")),
    "author": FilterKey(Kind.TEXT, mark("who wrote it"), ("by",)),
    "format": FilterKey(
        Kind.NAME,
        mark("pdf, docx, markdown …"),
        ("type",),
        {"md": "markdown", "txt": "text", "htm": "html", "jpg": "jpeg", "tif": "tiff"},
    ),
    "page": FilterKey(Kind.NUMBER, mark("the page, slide or sheet")),
    "pages": FilterKey(Kind.NUMBER, mark("how many pages the document has")),
    "path": FilterKey(Kind.TEXT, mark("where the file is, or its address")),
    "created": FilterKey(Kind.DATE, mark("when it was written: 2024, 2024-05, 2024-05-31"), ("date", "year")),
    "modified": FilterKey(Kind.DATE, mark("when it was changed last")),
    "added": FilterKey(Kind.DATE, mark("when it came into the library")),
    "keyword": FilterKey(Kind.NAME, mark("a keyword of the document"), ("keywords",)),
    "tag": FilterKey(Kind.NAME, mark("a tag that you gave"), ("tags",)),
    "passage_tag": FilterKey(Kind.NAME, mark("a tag that you gave to a passage"), ("chunk_tag",)),
    "folder": FilterKey(Kind.NAME, mark("a folder, with all below it")),
    "language": FilterKey(Kind.NAME, mark("en, zh, de …"), ("lang",)),
    "origin": FilterKey(Kind.NAME, mark(", ").join(Origin), (), {}, tuple(Origin)),
}
_CANONICAL = {other: name for name, key in FILTER_KEYS.items() for other in (name, *key.others)}


def canonical_key(typed: str) -> str:
    """Return the key that is meant, in lower case: one of FILTER_KEYS, else that of the user's own metadata."""
    small = typed.casefold()
    return _CANONICAL.get(small, small)


def custom_keys(keys: Iterable[str]) -> tuple[str, ...]:
    """Return those of some keys that are of the user's own metadata."""
    return tuple(key for key in keys if key not in FILTER_KEYS)


def known_keys(custom: Iterable[str] = ()) -> str:
    """Return the keys as a sentence names them, those of the user's own metadata last."""
    return ", ".join((*(name for name in FILTER_KEYS if name != "called"), *custom))


def checked_value(name: str, value: str, *, is_whole: bool) -> str:
    """Return a value as filters compare it.

    Args:
        name: A key that there is.
        value: What was given; nothing means that the document says nothing.
        is_whole: The value is meant whole, not as a part or a beginning.

    Raises:
        RetrievalError: The key cannot have that value.
    """
    key = FILTER_KEYS[name]
    check_length(name, (value,))
    if not value:
        return value
    if key.kind is Kind.NUMBER:
        return _number(name, value)
    if key.kind is Kind.DATE and is_whole:
        return _date(name, value)
    if name == "folder":
        value = value.strip("/") or value
    if is_whole:
        value = key.spellings.get(value.casefold(), value)
        if key.among and value.casefold() not in key.among:
            raise RetrievalError(f"There is no {name} “{value}”.", f"Write one of {', '.join(key.among)}.")
    return value


def check_length(name: str, values: Iterable[str]) -> None:
    """Refuse values that are too long.

    Raises:
        RetrievalError: One has more than 1,000 characters.
    """
    if any(len(value) > LONGEST_VALUE for value in values):
        raise RetrievalError(
            f"The value of the filter “{name}” is too long.", f"Write at most {LONGEST_VALUE} characters."
        )


def number_of(text: str) -> float | None:
    """Return the number that a text is; None where it is none."""
    text = text.strip()
    return float(text) if text.isascii() and _NUMBER.fullmatch(text) else None


def date_of(text: str) -> str | None:
    """Return the date that a text is as filters compare it, to the part that is said; None where it is none."""
    match = _DATE.fullmatch(text.strip()) if text.isascii() else None
    if match is None:
        return None
    year, month, day, time = match.groups()
    is_month = month is None or 1 <= int(month) <= 12
    if not is_month or not int(year) or (day and not 1 <= int(day) <= calendar.monthrange(int(year), int(month))[1]):
        return None
    return "-".join(part.zfill(2) for part in (year, month, day) if part) + (f"T{time}" if time else "")


def _number(name: str, value: str) -> str:
    number = number_of(value)
    if number is None:
        raise RetrievalError(f"The filter “{name}” cannot be “{value}”.", f"Give a number, for example {name}:3.")
    return str(int(number)) if number.is_integer() else repr(number)


def _date(name: str, value: str) -> str:
    date = date_of(value)
    if date is None:
        raise RetrievalError(
            f"The filter “{name}” cannot be “{value}”.", f"Give a date, for example {name}:2024 or {name}:2024-05-31."
        )
    return date

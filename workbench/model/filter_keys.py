"""What a filter can ask about: the keys, what kind of value each has, and how a value is written."""

import calendar
import re
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
    """Return the key that is meant; one that there is not comes back as it is."""
    return _CANONICAL.get(typed.casefold(), typed)


def known_keys() -> str:
    """Return the keys as a sentence names them."""
    return ", ".join(name for name in FILTER_KEYS if name != "called")


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
    if len(value) > LONGEST_VALUE:
        raise RetrievalError(
            f"The value of the filter “{name}” is too long.", f"Write at most {LONGEST_VALUE} characters."
        )
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


def _number(name: str, value: str) -> str:
    text = value.strip()
    if not (text.isascii() and _NUMBER.fullmatch(text)):
        raise RetrievalError(f"The filter “{name}” cannot be “{value}”.", f"Give a number, for example {name}:3.")
    number = float(text)
    return str(int(number)) if number.is_integer() else repr(number)


def _date(name: str, value: str) -> str:
    match = _DATE.fullmatch(value.strip()) if value.isascii() else None
    if match is not None:
        year, month, day, time = match.groups()
        is_month = month is None or 1 <= int(month) <= 12
        if is_month and int(year) and (day is None or 1 <= int(day) <= calendar.monthrange(int(year), int(month))[1]):
            return "-".join(part.zfill(2) for part in (year, month, day) if part) + (f"T{time}" if time else "")
    raise RetrievalError(
        f"The filter “{name}” cannot be “{value}”.", f"Give a date, for example {name}:2024 or {name}:2024-05-31."
    )

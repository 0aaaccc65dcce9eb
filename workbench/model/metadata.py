"""Which of a document's fields the user may write, and what may stand in them."""

import re
from collections.abc import Iterable, Mapping

from workbench.errors import MetadataError

FIELDS = ("title", "author", "created", "modified", "keywords", "language")
"""The fields of Metadata, in the order in which they are shown."""

_LONGEST = 1000
_LONGEST_TAG = 60
# A year, a month or a day, with a time behind a whole day.
_DATE = re.compile(
    r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?"
)

Value = str | tuple[str, ...]


def checked_fields(fields: Mapping[str, object]) -> dict[str, Value]:
    """Return the fields as they are kept: texts without spaces around them, keywords each once.

    Raises:
        MetadataError: There is no such field, or it cannot have that value.
    """
    return {name: _checked(name, value) for name, value in fields.items()}


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags without spaces around them, each once whatever its case, in their order.

    Raises:
        MetadataError: A tag is blank, too long, or has a comma in it.
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


def _checked(name: str, value: object) -> Value:
    if name not in FIELDS:
        raise MetadataError(f"There is no field “{name}” to edit.", f"The fields are {', '.join(FIELDS)}.")
    if name == "keywords":
        given = value.split(",") if isinstance(value, str) else value
        if not isinstance(given, Iterable):
            raise MetadataError("Keywords are words.", "Give them with commas between.")
        words = (" ".join(str(word).split()) for word in given)
        return tuple(dict.fromkeys(word[:_LONGEST] for word in words if word))
    text = " ".join(str(value).split())
    if len(text) > _LONGEST:
        raise MetadataError(f"The {name} is too long.", f"Write at most {_LONGEST} characters.")
    if name == "title" and not text:
        raise MetadataError("A document needs a title.", "Write what it is called.")
    if name in ("created", "modified") and text and not _DATE.fullmatch(text):
        raise MetadataError(f"“{text}” is not a date.", "Write it like 2024, 2024-05 or 2024-05-31.")
    return text

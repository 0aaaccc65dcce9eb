"""What a retriever returned or raised, made safe: passages of bounded size, and the type and line of an error.

The text of an exception may hold a path, a password or somebody's data; it goes to the terminal of its author and
nowhere else, not even into the log.
"""

import json
import re
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from typing import Any

from workbench.language import mark
from workbench.model.hit import OutsidePassage

MOST_PASSAGES = 1_000
"""Taken of one answer; more than any model reads."""

CUT = "[…]"
"""Stands where the rest of a passage was cut off."""

_NAME_CHARACTERS = 300
_ADDRESS_CHARACTERS = 2_000
_META_CHARACTERS = 4_000
_TEXTS = ("content", "text", "page_content", "chunk", "passage", "body")
_NAMES = ("name", "title", "document", "file")
_ADDRESSES = ("uri", "url", "source", "path")
_META = ("meta_data", "metadata", "meta")


@dataclass(frozen=True, slots=True)
class RetrieverPassages:
    """What a retriever gave, as passages.

    Attributes:
        notes: What was left out, to be read behind the retriever's name; none says what stood in it.
        is_cut: There was more than was to be taken.
    """

    passages: tuple[OutsidePassage, ...] = ()
    notes: tuple[str, ...] = ()
    is_cut: bool = False


def passages_of(value: Any, *, characters: int, most: int | None = None) -> RetrieverPassages:
    """Return passages of None, a text, a mapping, an object with a text, or anything that can be iterated over those.

    Args:
        value: What the retriever gave.
        characters: How much of it is taken; the passage that crosses this is cut and marked.
        most: How many passages are taken; None for as many as there are.

    Raises:
        Exception: Whatever iterating over it, or looking at it, raises.
    """
    limit = MOST_PASSAGES if most is None else min(most, MOST_PASSAGES)
    taken: list[OutsidePassage] = []
    foreign: dict[str, int] = {}
    left = characters
    is_cut = False
    for item in islice(_items(value), limit):
        passage = _passage(item)
        if passage is None:
            foreign[type(item).__name__] = foreign.get(type(item).__name__, 0) + 1
            continue
        if not passage.text.strip():
            continue
        if left <= 0:
            is_cut = True
            break
        taken.append(fitted(passage, left))
        is_cut = taken[-1].is_cut
        left -= len(passage.text)
    return RetrieverPassages(tuple(taken), tuple(_foreign_note(name, count) for name, count in foreign.items()), is_cut)


def fitted(passage: OutsidePassage, characters: int) -> OutsidePassage:
    """Return a passage cut to so many characters, marked where something is missing."""
    if len(passage.text) <= characters:
        return passage
    text = f"{passage.text[:characters].rstrip()} {CUT}"
    return OutsidePassage(text, passage.name, passage.meta_data, passage.uri, is_cut=True)


def _items(value: Any) -> Iterable[Any]:
    if value is None:
        return ()
    if isinstance(value, str | bytes | bytearray | Mapping) or not isinstance(value, Iterable) or _text_of(value):
        return (value,)
    return value


def _passage(item: Any) -> OutsidePassage | None:
    """Return one passage; None for what holds no text."""
    if item is None:
        return OutsidePassage("")
    if isinstance(item, str):
        return OutsidePassage(_clean(item))
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], int | float):
        # A document with its score, as LangChain's similarity_search_with_score gives it.
        return _passage(item[0])
    if isinstance(item, Mapping):
        return _of_fields({str(key): value for key, value in item.items()})
    if _text_of(item) is None:
        return None
    return _of_fields({name: getattr(item, name, None) for name in (*_TEXTS, *_NAMES, *_ADDRESSES, *_META)})


def _text_of(item: Any) -> str | None:
    """Return the text of a Document-like object of any library."""
    texts = (getattr(item, name, None) for name in _TEXTS)
    return next((text for text in texts if isinstance(text, str)), None)


def _of_fields(fields: dict[str, Any]) -> OutsidePassage:
    text_key = next((key for key in _TEXTS if isinstance(fields.get(key), str)), None)
    if text_key is None:
        # Question and answer, a row of a table: all of it is the text, as agno hands it to the model.
        said = {key: value for key, value in fields.items() if value is not None}
        return OutsidePassage(_clean(_as_json(said)) if said else "")
    meta_key = next((key for key in _META if isinstance(fields.get(key), Mapping)), None)
    name_key = next((key for key in _NAMES if isinstance(fields.get(key), str) and fields[key]), None)
    said_of_it = {str(key): value for key, value in fields[meta_key].items()} if meta_key else {}
    rest = {
        key: value
        for key, value in fields.items()
        if key not in (text_key, meta_key, name_key) and isinstance(value, str | int | float | bool | list | dict)
    }
    everything = {**rest, **said_of_it}
    addresses = (everything.get(key) for key in _ADDRESSES)
    address = next((one for one in addresses if isinstance(one, str) and one), "")
    return OutsidePassage(
        _clean(fields[text_key]),
        _clean(fields[name_key])[:_NAME_CHARACTERS] if name_key else "",
        _meta_data(everything),
        _clean(address)[:_ADDRESS_CHARACTERS],
    )


def _meta_data(fields: dict[str, Any]) -> str:
    """Return the fields as JSON, as many of them as there is room for."""
    kept: dict[str, Any] = {}
    left = _META_CHARACTERS
    for key, value in fields.items():
        written = _as_json(value)
        left -= len(key) + len(written)
        if left < 0:
            break
        kept[key] = json.loads(written)
    return _clean(json.dumps(kept, ensure_ascii=False)) if kept else ""


def _as_json(value: Any) -> str:
    """Return a value as JSON; what JSON does not know as its text, what refers to itself as its type."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=2, default=str, skipkeys=True)
    except (ValueError, RecursionError):
        return json.dumps(f"({type(value).__name__})")


def _clean(text: str) -> str:
    """Return a text that can be written as UTF-8: halves of surrogate pairs cannot."""
    return str(text).encode("utf-8", "replace").decode("utf-8")


def _foreign_note(name: str, count: int) -> str:
    if count == 1:
        return mark(f"gave something of type {name}, which holds no text")
    return mark(f"gave {count:,} things of type {name}, which hold no text")


@dataclass(frozen=True, slots=True)
class PluginFault:
    """What went wrong in somebody else's code.

    Attributes:
        kind: The name of the exception's type.
        place: File and line where it came from; empty where that is unknown.
        details: The whole traceback, for the author of the code.
    """

    kind: str
    place: str = ""
    details: str = ""

    @property
    def sentence(self) -> str:
        """Type and place, to end a sentence with."""
        return f"{self.kind} in {self.place}" if self.place else self.kind


def fault_of(error: BaseException, file: str = "") -> PluginFault:
    """Return what an exception says without its text.

    Args:
        error: What was raised.
        file: The file whose line is of interest; the innermost line if empty, or if that file has no part in it.
    """
    details = "".join(traceback.format_exception(error))
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return PluginFault(type(error).__name__, f"{PurePath(error.filename).name}, line {error.lineno}", details)
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if file and frame.filename == file]
    theirs = [frame for frame in frames if f"workbench{_SEPARATOR}plugins{_SEPARATOR}" not in frame.filename]
    place = next((f"{PurePath(one.filename).name}, line {one.lineno}" for one in reversed(ours or theirs)), "")
    return PluginFault(type(error).__name__, f"{place}{_missing(error)}", details)


def _missing(error: BaseException) -> str:
    """Return which module is not there: a name and nobody's secret, and what the author has to know."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    return f": there is no module “{name}”" if name and _MODULE.fullmatch(name) else ""


_MODULE = re.compile(r"[\w.]{1,100}")


_SEPARATOR = "/" if "/" in __file__ else "\\"

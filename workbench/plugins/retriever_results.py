"""Conversion of a retriever's results to bounded passages, and of exceptions to type and line.

The text of an exception may contain a path, a password or private data. It is only shown on the terminal of the
plug-in's author and is not written to the log.
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
"""Maximum number of passages of one result; more than any model reads."""

CUT = "[…]"
"""Mark at the end of a truncated passage."""

_NAME_CHARACTERS = 300
_ADDRESS_CHARACTERS = 2_000
_META_CHARACTERS = 4_000
_TEXTS = ("content", "text", "page_content", "chunk", "passage", "body")
_NAMES = ("name", "title", "document", "file")
_ADDRESSES = ("uri", "url", "source", "path")
_META = ("meta_data", "metadata", "meta")


@dataclass(frozen=True, slots=True)
class RetrieverPassages:
    """Passages from a retriever.

    Attributes:
        notes: Phrases about ignored results, to follow the retriever's name; they do not quote the results.
        is_cut: True if the results exceeded the character limit.
    """

    passages: tuple[OutsidePassage, ...] = ()
    notes: tuple[str, ...] = ()
    is_cut: bool = False


def passages_of(value: Any, *, characters: int, most: int | None = None) -> RetrieverPassages:
    """Return the passages of a result: None, a text, a mapping, an object with a text, or an iterable of these.

    Args:
        value: Return value of the retriever.
        characters: Maximum number of characters; the passage that exceeds it is truncated and marked.
        most: Maximum number of passages; None for MOST_PASSAGES.

    Raises:
        Exception: Any exception raised by iterating over the value or accessing it.
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
    """Return a passage truncated to a number of characters and marked if something is missing."""
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
    """Return the passage of an item; None if the item contains no text."""
    if item is None:
        return OutsidePassage("")
    if isinstance(item, str):
        return OutsidePassage(_clean(item))
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], int | float):
        # Document and score, as returned by LangChain's similarity_search_with_score.
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
        # A question with its answer or a table row: all fields become the text, as agno passes them to the model.
        given = {key: value for key, value in fields.items() if value is not None}
        return OutsidePassage(_clean(_as_json(given)) if given else "")
    meta_key = next((key for key in _META if isinstance(fields.get(key), Mapping)), None)
    name_key = next((key for key in _NAMES if isinstance(fields.get(key), str) and fields[key]), None)
    meta_data = {str(key): value for key, value in fields[meta_key].items()} if meta_key else {}
    rest = {
        key: value
        for key, value in fields.items()
        if key not in (text_key, meta_key, name_key) and isinstance(value, str | int | float | bool | list | dict)
    }
    everything = {**rest, **meta_data}
    addresses = (everything.get(key) for key in _ADDRESSES)
    address = next((one for one in addresses if isinstance(one, str) and one), "")
    return OutsidePassage(
        _clean(fields[text_key]),
        _clean(fields[name_key])[:_NAME_CHARACTERS] if name_key else "",
        _meta_data(everything),
        _clean(address)[:_ADDRESS_CHARACTERS],
    )


def _meta_data(fields: dict[str, Any]) -> str:
    """Return as many fields as fit into _META_CHARACTERS, as JSON."""
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
    """Return a value as JSON; unsupported objects become their str(), a circular structure its type."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=2, default=str, skipkeys=True)
    except (ValueError, RecursionError):
        return json.dumps(f"({type(value).__name__})")


def _clean(text: str) -> str:
    """Return a text that can be encoded as UTF-8: lone surrogates are replaced."""
    return str(text).encode("utf-8", "replace").decode("utf-8")


def _foreign_note(name: str, count: int) -> str:
    if count == 1:
        return mark(f"gave something of type {name}, which holds no text")
    return mark(f"returned {count:,} values of type {name}, which contain no text")


@dataclass(frozen=True, slots=True)
class PluginFault:
    """Exception of foreign code without its text.

    Attributes:
        kind: Name of the exception's type.
        place: File and line that raised it; empty if unknown.
        details: Full traceback, for the author of the code.
    """

    kind: str
    place: str = ""
    details: str = ""

    @property
    def sentence(self) -> str:
        """Type and place as the end of a sentence."""
        return f"{self.kind} in {self.place}" if self.place else self.kind


def fault_of(error: BaseException, file: str = "") -> PluginFault:
    """Return type, place and traceback of an exception.

    Args:
        error: The exception.
        file: File whose line is reported; the innermost line if empty, or if the file is not in the traceback.
    """
    details = "".join(traceback.format_exception(error))
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return PluginFault(type(error).__name__, f"{PurePath(error.filename).name}, line {error.lineno}", details)
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if file and frame.filename == file]
    theirs = [frame for frame in frames if f"workbench{_SEPARATOR}plugins{_SEPARATOR}" not in frame.filename]
    place = next((f"{PurePath(one.filename).name}, line {one.lineno}" for one in reversed(ours or theirs)), "")
    return PluginFault(type(error).__name__, f"{place}{_missing_module(error)}", details)


def _missing_module(error: BaseException) -> str:
    """Return a phrase with the name of a missing module, which is not private and helps the author."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    return f": there is no module “{name}”" if name and _MODULE.fullmatch(name) else ""


_MODULE = re.compile(r"[\w.]{1,100}")


_SEPARATOR = "/" if "/" in __file__ else "\\"

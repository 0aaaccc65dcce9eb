"""How values stand in the database: text that may lack a UTF-8 form, JSON, times."""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

from workbench.errors import LibraryDamaged
from workbench.model.visible import visible_name


def absolute_path(typed: str | Path) -> str:
    """Return a path as it is stored: absolute, without “..”, links left as they are.

    os.path, because Path.expanduser raises for a name that only begins like a home folder (“~$report.md”).
    """
    return os.path.abspath(os.path.expanduser(typed))


def real_path(path: str) -> str:
    """Return where a path leads through all links; the path itself where it cannot be followed."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path


def stored_text(text: str) -> str | bytes:
    """Return what to bind for a text: itself, or bytes where it has no UTF-8 form (some file names)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def stored_name(name: str) -> str | bytes:
    """Return what to bind for what people call a document: with every character spelt out that nobody would see."""
    return stored_text(visible_name(name))


def loaded_text(value: str | bytes) -> str:
    """Return the text that stored_text was given.

    Raises:
        LibraryDamaged: It is none.
    """
    if isinstance(value, str):
        return value
    try:
        return value.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        damaged(error)


@contextmanager
def undecoded(connection: sqlite3.Connection) -> Iterator[None]:
    """Give texts that are no UTF-8 any more as their bytes meanwhile, where SQLite's reader fails otherwise."""
    before, connection.text_factory = connection.text_factory, _text_or_bytes
    try:
        yield
    finally:
        connection.text_factory = before


def _text_or_bytes(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def folded(value: str | bytes) -> str | bytes:
    """Return a stored text as it is compared without regard to case; also an SQL function of that name."""
    return stored_text(loaded_text(value).casefold())


def stored_json(value: Any) -> str | bytes:
    """Return compact JSON, non-ASCII characters as they are."""
    return stored_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def loaded_json(value: str | bytes) -> Any:
    """Return the value that stored_json was given, tuples as lists.

    Raises:
        LibraryDamaged: It is none.
    """
    # Most lists of a document are empty: a search reads 14 documents, which took 0.5 ms of its 7.
    if value == "[]":
        return []
    try:
        return json.loads(loaded_text(value))
    except (ValueError, RecursionError) as error:
        damaged(error)


def damaged(error: Exception) -> NoReturn:
    """Say that what stands in the database is not what the program wrote.

    Raises:
        LibraryDamaged: Always.
    """
    raise LibraryDamaged(
        "Something that the library keeps cannot be read any more.",
        "Let the program repair it: “Check the library…”, or “workbench repair”. Nothing is deleted by that.",
    ) from error


def is_row_number(number: int) -> bool:
    """Tell whether a row can have this number: SQLite's are of 64 bits, what a person types need not be."""
    return 0 < number < 2**63


def now() -> str:
    """Return the time as ISO 8601 in UTC, to the microsecond so that it also orders."""
    return datetime.now(UTC).isoformat(timespec="microseconds")

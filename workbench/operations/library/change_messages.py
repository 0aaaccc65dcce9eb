"""Change messages: change requests from one program to another one that has the library open.

This module serialises, parses and validates them. Each message is a JSON object on its own line. A request:

    {"version": 4, "change": "Remove", "documents": [3], "for_good": false}

The responses are {"taken": true}, {"event": …} for each file, and finally one of {"done": …}, {"failed": …} or
{"stopped": true}.
"""

import base64
import dataclasses
import json
import os
import pickle
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from workbench import errors
from workbench.errors import LibraryError, WorkbenchError
from workbench.model.agent import Agent, agent_of
from workbench.model.egress import OfflineModeChoice
from workbench.model.embedder import EmbedderChangeProgress
from workbench.model.import_progress import FileDivided, FileFinished, FileOutcome
from workbench.model.memory import MemoryKind
from workbench.model.profile import ToolCalling, WireApi
from workbench.operations.library.document_changes import DOCUMENT_CHANGES, Change, Whole
from workbench.operations.library.library_changes import LIBRARY_CHANGES
from workbench.worker.child_messages import pack_value, unpack_value

T = TypeVar("T")

VERSION = 4
"""Version of the protocol, increased with each change of the messages: the programs may have different versions."""
LONGEST_MESSAGE = 1_000_000
"""Maximum size in bytes of a message to the program that writes: 10,000 long paths, or a note of 300 pages."""
_LARGEST_ID = 2**63 - 1
"""The largest integer in SQLite."""

_CHANGES = {one.__name__: one for one in (*DOCUMENT_CHANGES, *LIBRARY_CHANGES)}
_EVENTS = (FileFinished, FileDivided, EmbedderChangeProgress)
"""Events that are sent to the program that waits for a change."""


def message_of(change: Change[Any]) -> bytes:
    """Return the line that requests a change.

    Raises:
        LibraryError: It is longer than LONGEST_MESSAGE.
    """
    values = {one.name: getattr(change, one.name) for one in dataclasses.fields(change)}  # type: ignore[arg-type]
    line = line_of({"version": VERSION, "change": type(change).__name__, **values})
    if len(line) > LONGEST_MESSAGE:
        raise LibraryError(
            "This is too much to send at once to the program that has the library open.",
            "Do it in several steps, or close that program first.",
        )
    return line


def line_of(message: Mapping[str, object]) -> bytes:
    """Return a message serialised as a line of JSON."""
    return json.dumps(message, default=_plain).encode() + b"\n"


def object_of(line: bytes) -> dict[str, Any]:
    """Return the JSON object on a line; an empty one for anything else."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def change_of(said: Mapping[str, Any]) -> Change[Any]:
    """Return the change that a message requests, after validation of each value.

    Raises:
        LibraryError: It has another version, or it is not a valid request.
    """
    values = dict(said)
    if values.pop("version", None) != VERSION:
        raise other_version()
    kind = values.pop("change", None)
    change = _CHANGES.get(kind) if isinstance(kind, str) else None
    if change is None:
        raise not_understood()
    wanted = dataclasses.fields(change)  # type: ignore[arg-type]
    if {one.name for one in wanted} != values.keys():
        raise not_understood()
    try:
        return change(**{one.name: _CHECKS[one.type](values[one.name]) for one in wanted})
    except ValueError:
        # Without the message, and without “from”: they would contain the values, which may include a password.
        raise not_understood() from None


def event_message(event: object) -> dict[str, Any] | None:
    """Return the message for an event; None if the other program does not use this type."""
    if not isinstance(event, _EVENTS):
        return None
    return {"event": type(event).__name__, **dataclasses.asdict(event)}


def event_of(said: Mapping[str, Any]) -> FileFinished | FileDivided | EmbedderChangeProgress | None:
    """Return the event in a message; None if it is unknown or invalid."""
    values = {name: value for name, value in said.items() if name != "event"}
    try:
        if said["event"] == FileDivided.__name__:
            return FileDivided(**values)
        if said["event"] == EmbedderChangeProgress.__name__:
            return EmbedderChangeProgress(**values)
        if said["event"] == FileFinished.__name__:
            converted = {"outcome": FileOutcome(values["outcome"]), "closed_hosts": tuple(values["closed_hosts"])}
            return FileFinished(**{**values, **converted})
    except (TypeError, ValueError, KeyError):
        return None
    return None


def result_message(value: object) -> dict[str, Any]:
    """Return the message with the result of a change: plain values and data classes of the program."""
    return {"done": base64.b64encode(pack_value(value)).decode()}


def result_of(said: object) -> Any:
    """Return the result of a change.

    Raises:
        LibraryError: The result cannot be parsed. The change was made.
    """
    try:
        return unpack_value(base64.b64decode(str(said), validate=True))
    except (ValueError, pickle.PickleError):
        raise LibraryError(
            "The change was made, but its result cannot be read.", "Look at it in the program that made it."
        ) from None


def failure_message(error: BaseException) -> dict[str, Any]:
    """Return the message for an error: its sentences, or a general sentence without details for a bug."""
    if not isinstance(error, WorkbenchError):
        error = LibraryError(
            "The change was not completed: something went wrong inside the program that has the library open.",
            "The window of that program offers a problem report that you can attach to an issue.",
        )
    return {"failed": {"kind": type(error).__name__, "message": error.message, "hint": error.hint}}


def failure_of(said: object) -> WorkbenchError:
    """Return the error in a message, of the same class as in the other program."""
    values = said if isinstance(said, dict) else {}
    kind = getattr(errors, str(values.get("kind")), None)
    made = kind if isinstance(kind, type) and issubclass(kind, WorkbenchError) else WorkbenchError
    return made(str(values.get("message", "The change was not made.")), str(values.get("hint", "")))


def not_understood() -> LibraryError:
    """Return the error for an invalid request; nothing was changed."""
    return LibraryError(
        "The program that has the library open does not understand what it was asked for. Nothing was changed.",
        "If it was started before an update, close it and start it again.",
    )


def other_version() -> LibraryError:
    """Return the error for a request from a program of another version."""
    return LibraryError(
        "The program that has the library open is of another version than this one. Nothing was changed.",
        "Close it, start it again, and try once more.",
    )


def _plain(value: object) -> object:
    return value.as_dict() if isinstance(value, Agent) else os.fspath(value)  # type: ignore[call-overload]


def _text(value: object) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError
    value.encode()  # refuses lone surrogates: UnicodeEncodeError is a ValueError
    return value


def _path(value: object) -> Path:
    # Unlike _text, this allows surrogates: a file name may contain bytes that are not valid text.
    if not isinstance(value, str) or "\0" in value or not os.path.isabs(value):
        raise ValueError
    return Path(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _LARGEST_ID:
        raise ValueError
    return value


def _document(value: object) -> int:
    if (number := _whole(value)) <= 0:
        raise ValueError
    return number


def _agent(value: object) -> Agent:
    if not isinstance(value, dict):
        raise ValueError
    try:
        agent = agent_of(value)
    except (TypeError, AttributeError):
        raise ValueError from None
    _text(json.dumps(value, ensure_ascii=False))
    # agent_of drops what it does not accept.
    if agent.as_dict() != value:
        raise ValueError
    return agent


def _or_none(check: Callable[[object], T]) -> Callable[[object], T | None]:
    def checked(value: object) -> T | None:
        return None if value is None else check(value)

    return checked


def _one_of(choices: type[StrEnum]) -> Callable[[object], StrEnum]:
    def checked(value: object) -> StrEnum:
        return choices(_text(value))

    return checked


def _each(check: Callable[[object], T]) -> Callable[[object], tuple[T, ...]]:
    def checked(value: object) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise ValueError
        return tuple(map(check, value))

    return checked


def _texts_by_name(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError
    return {_text(name): _text(text) for name, text in value.items()}


_CHECKS: dict[Any, Callable[[object], Any]] = {
    str: _text,
    bool: _flag,
    int: _document,
    Whole: _whole,
    Path: _path,
    Agent: _agent,
    bool | None: _or_none(_flag),
    str | None: _or_none(_text),
    Whole | None: _or_none(_whole),
    Path | None: _or_none(_path),
    **{kind: _one_of(kind) for kind in (OfflineModeChoice, MemoryKind, ToolCalling, WireApi)},
    tuple[Path, ...]: _each(_path),
    tuple[str, ...]: _each(_text),
    tuple[int, ...]: _each(_document),
    dict[str, str]: _texts_by_name,
}
"""Validators by the type of a field; they convert its value in a message, and raise ValueError if it is invalid."""

"""Changes that one program has another one make, which holds the library.

What may be asked, checked, and its messages.

Each message is a JSON object on a line of its own. There goes one:

    {"version": 3, "change": "Remove", "documents": [3], "for_good": false}

Back come {"taken": true}, {"event": …} for each file, and at last one of {"done": …}, {"failed": …}, {"stopped": true}.
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
from workbench.model.egress import AirGapChoice
from workbench.model.embedder import EmbedderChangeProgress
from workbench.model.import_progress import FileDivided, FileFinished, FileOutcome
from workbench.model.memory import MemoryKind
from workbench.model.profile import ToolCalling, WireApi
from workbench.operations.library.document_changes import DOCUMENT_CHANGES, Change, Whole
from workbench.operations.library.library_changes import LIBRARY_CHANGES
from workbench.worker.safe_pickle import pack_value, unpack_value

T = TypeVar("T")

VERSION = 3
"""Grows with each change of the messages: the two programs may be of different versions."""
LONGEST_MESSAGE = 1_000_000
"""Bytes of a message to the program that writes: 10,000 long paths, or a note of 300 pages."""
_LARGEST_ID = 2**63 - 1
"""The largest whole number that SQLite takes."""

_CHANGES = {one.__name__: one for one in (*DOCUMENT_CHANGES, *LIBRARY_CHANGES)}
_EVENTS = (FileFinished, FileDivided, EmbedderChangeProgress)
"""What a program that waits for a change is told meanwhile."""


def message_of(change: Change[Any]) -> bytes:
    """Return the line that asks for a change.

    Raises:
        LibraryError: It is longer than a program takes.
    """
    values = {one.name: getattr(change, one.name) for one in dataclasses.fields(change)}  # type: ignore[arg-type]
    line = line_of({"version": VERSION, "change": type(change).__name__, **values})
    if len(line) > LONGEST_MESSAGE:
        raise LibraryError(
            "This is too much for one message to the program that has the library open.",
            "Do it in several steps, or close that program first.",
        )
    return line


def line_of(message: Mapping[str, object]) -> bytes:
    """Return a message as it is sent."""
    return json.dumps(message, default=_plain).encode() + b"\n"


def object_of(line: bytes) -> dict[str, Any]:
    """Return the JSON object on a line; an empty one for anything else."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def change_of(said: Mapping[str, Any]) -> Change[Any]:
    """Return the change that a message asks for, each value checked.

    Raises:
        LibraryError: It is of another version, or it asks for nothing that may be asked for.
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
        # Without its words, and without “from”: they would say what was sent, of which a password may be a part.
        raise not_understood() from None


def event_message(event: object) -> dict[str, Any] | None:
    """Return the message that tells of an event; None for one that the other program has no use for."""
    if not isinstance(event, _EVENTS):
        return None
    return {"event": type(event).__name__, **dataclasses.asdict(event)}


def event_of(said: Mapping[str, Any]) -> FileFinished | FileDivided | EmbedderChangeProgress | None:
    """Return the event that a message tells of; None for one that is not known here."""
    values = {name: value for name, value in said.items() if name != "event"}
    try:
        if said["event"] == FileDivided.__name__:
            return FileDivided(**values)
        if said["event"] == EmbedderChangeProgress.__name__:
            return EmbedderChangeProgress(**values)
        if said["event"] == FileFinished.__name__:
            told = {"outcome": FileOutcome(values["outcome"]), "closed_hosts": tuple(values["closed_hosts"])}
            return FileFinished(**{**values, **told})
    except (TypeError, ValueError, KeyError):
        return None
    return None


def result_message(value: object) -> dict[str, Any]:
    """Return the message that tells what a change came to: plain values and dataclasses of the program."""
    return {"done": base64.b64encode(pack_value(value)).decode()}


def result_of(said: object) -> Any:
    """Return what a change came to.

    Raises:
        LibraryError: It cannot be read. The change was made.
    """
    try:
        return unpack_value(base64.b64decode(str(said), validate=True))
    except (ValueError, pickle.PickleError):
        raise LibraryError(
            "The change was made, but what it came to cannot be read.", "Look at it in the program that made it."
        ) from None


def failure_message(error: BaseException) -> dict[str, Any]:
    """Return the message that tells of an error: its sentences, or of a bug that there is one and nothing of it."""
    if not isinstance(error, WorkbenchError):
        error = LibraryError(
            "The change was not made to its end: something went wrong inside the program that has the library open.",
            "That program's window shows what is worth knowing of it, to be attached to an issue.",
        )
    return {"failed": {"kind": type(error).__name__, "message": error.message, "hint": error.hint}}


def failure_of(said: object) -> WorkbenchError:
    """Return the error that a message tells of, of the same class as there."""
    values = said if isinstance(said, dict) else {}
    kind = getattr(errors, str(values.get("kind")), None)
    made = kind if isinstance(kind, type) and issubclass(kind, WorkbenchError) else WorkbenchError
    return made(str(values.get("message", "The change was not made.")), str(values.get("hint", "")))


def not_understood() -> LibraryError:
    """Return the error of a message that asks for nothing that may be asked for; nothing was done."""
    return LibraryError(
        "The program that has the library open does not understand what it was asked for. Nothing was changed.",
        "If it was started before an update, close it and start it again.",
    )


def other_version() -> LibraryError:
    """Return the error of a program that was asked by one of another version."""
    return LibraryError(
        "The program that has the library open is of another version than this one. Nothing was changed.",
        "Close it, start it again, and try once more.",
    )


def _plain(value: object) -> object:
    return value.as_dict() if isinstance(value, Agent) else os.fspath(value)  # type: ignore[call-overload]


def _text(value: object) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError
    value.encode()  # half a character is no text: UnicodeEncodeError is a ValueError
    return value


def _path(value: object) -> Path:
    # A file's name may be bytes that are no text.
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
    # What agent_of cannot take it leaves out.
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
    **{kind: _one_of(kind) for kind in (AirGapChoice, MemoryKind, ToolCalling, WireApi)},
    tuple[Path, ...]: _each(_path),
    tuple[str, ...]: _each(_text),
    tuple[int, ...]: _each(_document),
    dict[str, str]: _texts_by_name,
}
"""Type of a field -> what its value in a message must be; ValueError where it is not."""

"""Changes that one program has another one make, which holds the library: what may be asked, checked, and its messages.

Each message is a JSON object on a line of its own. There goes one:

    {"version": 2, "change": "Remove", "documents": [3], "for_good": false}

Back come {"taken": true}, {"event": …} for each file, and at last one of {"done": …}, {"failed": …}, {"stopped": true}.
"""

import dataclasses
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from workbench import errors
from workbench.errors import LibraryError, WorkbenchError
from workbench.model.custom_metadata import typed_pairs
from workbench.model.progress import FileDivided, FileFinished, FileOutcome
from workbench.operations.bin import empty_bin, restore_documents
from workbench.operations.documents import add_documents, remove_documents
from workbench.operations.library import Library
from workbench.operations.metadata import edit_metadata, give_metadata, tag_documents
from workbench.operations.notes import add_note, edit_note
from workbench.operations.steering import unlock_documents
from workbench.operations.topics import add_topics
from workbench.operations.web_pages import add_urls
from workbench.worker.job import JobContext, Operation

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

VERSION = 2
"""Grows with each change of the messages: the two programs may be of different versions."""
LONGEST_MESSAGE = 1_000_000
"""Bytes of a message to the program that writes: 10,000 long paths, or a note of 300 pages."""
_LARGEST_ID = 2**63 - 1
"""The largest whole number that SQLite takes."""


class Change(ABC, Generic[T_co]):
    """One change that may be asked for; its subclasses are dataclasses, whose fields are what a message says of it.

    Attributes:
        is_import: It reads documents, which may take long, and comes to what became of each: a list of FileFinished.
    """

    __slots__ = ()
    is_import: ClassVar[bool] = False

    @abstractmethod
    def operation(self, library: Library) -> Operation[T_co]:
        """Return the operation that makes the change, in the program that may write the library."""


@dataclass(frozen=True, slots=True)
class AddFiles(Change[list[FileFinished]]):
    """Files, folders and archives; the options are those of add_documents, metadata as “key=value”."""

    is_import = True
    paths: tuple[Path, ...]
    knowledge_base: str
    password: str = field(default="", repr=False)
    remember: bool = False
    rehash: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    follow_links: bool | None = None
    metadata: tuple[str, ...] = ()

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that adds them."""
        return add_documents(
            library,
            self.paths,
            knowledge_base=self.knowledge_base,
            password=self.password or None,
            remember_password=self.remember,
            check_contents=self.rehash,
            include=self.include,
            exclude=self.exclude,
            follow_links=self.follow_links,
            metadata=typed_pairs(self.metadata),
        )


@dataclass(frozen=True, slots=True)
class AddLinks(Change[list[FileFinished]]):
    """Pages of the web; whether one is fetched is up to allow_hosts, and to the gate of who makes the change.

    Metadata of one's own are “key=value”.
    """

    is_import = True
    links: tuple[str, ...]
    knowledge_base: str
    run_scripts: bool = False
    metadata: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that adds them."""
        add = add_urls(
            library,
            self.links,
            knowledge_base=self.knowledge_base,
            run_scripts=self.run_scripts,
            allow_hosts=self.allow_hosts,
        )
        return _with_metadata(library, add, self.metadata)


@dataclass(frozen=True, slots=True)
class AddTopics(Change[list[FileFinished]]):
    """Articles of the encyclopaedia that the settings of the library name; the gate holds for them as for links."""

    is_import = True
    topics: tuple[str, ...]
    knowledge_base: str
    metadata: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that adds them."""
        add = add_topics(library, self.topics, knowledge_base=self.knowledge_base, allow_hosts=self.allow_hosts)
        return _with_metadata(library, add, self.metadata)


@dataclass(frozen=True, slots=True)
class AddNote(Change[list[FileFinished]]):
    """A text in Markdown."""

    is_import = True
    text: str
    title: str
    knowledge_base: str

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that adds it."""
        return add_note(library, self.text, title=self.title, knowledge_base=self.knowledge_base)


@dataclass(frozen=True, slots=True)
class EditNote(Change[list[FileFinished]]):
    """Another text for a note."""

    is_import = True
    document: int
    text: str
    title: str

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that replaces it."""
        return edit_note(library, self.document, self.text, title=self.title)


@dataclass(frozen=True, slots=True)
class Unlock(Change[list[FileFinished]]):
    """A password for locked documents, for all of them where none are named."""

    is_import = True
    documents: tuple[int, ...]
    password: str = field(repr=False)
    remember: bool = False

    def operation(self, library: Library) -> Operation[list[FileFinished]]:
        """Return the operation that tries it."""
        return unlock_documents(library, self.password, self.documents or None, remember=self.remember)


@dataclass(frozen=True, slots=True)
class Remove(Change[None]):
    """Documents to the bin, or past it."""

    documents: tuple[int, ...]
    for_good: bool = False

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that removes them."""
        return remove_documents(library, self.documents, for_good=self.for_good)


@dataclass(frozen=True, slots=True)
class Restore(Change[list[int]]):
    """Documents back from the bin; comes to the ids of those that are back."""

    documents: tuple[int, ...]

    def operation(self, library: Library) -> Operation[list[int]]:
        """Return the operation that brings them back."""
        return restore_documents(library, self.documents)


@dataclass(frozen=True, slots=True)
class Delete(Change[int]):
    """Documents of the bin for good; comes to how many were deleted."""

    documents: tuple[int, ...]

    def operation(self, library: Library) -> Operation[int]:
        """Return the operation that deletes them."""
        return empty_bin(library, self.documents)


@dataclass(frozen=True, slots=True)
class Edit(Change[None]):
    """Fields of a document, tags for it and tags to be taken away."""

    document: int
    fields: dict[str, str]
    tag: tuple[str, ...] = ()
    untag: tuple[str, ...] = ()

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that writes them."""

        async def operation(context: JobContext) -> None:
            if self.fields:
                await edit_metadata(library, self.document, self.fields)(context)
            await tag_documents(library, [self.document], add=self.tag, remove=self.untag)(context)

        return operation


def _with_metadata(
    library: Library, add: Operation[list[FileFinished]], pairs: tuple[str, ...]
) -> Operation[list[FileFinished]]:
    """Return an operation that adds documents and gives them metadata."""

    async def operation(context: JobContext) -> list[FileFinished]:
        given = typed_pairs(pairs)
        files = await add(context)
        if given and (added := [one.document for one in files if one.document is not None]):
            await give_metadata(library, added, given)(context)
        return files

    return operation


_CHANGES: dict[str, type[Change[Any]]] = {
    one.__name__: one
    for one in (AddFiles, AddLinks, AddTopics, AddNote, EditNote, Unlock, Remove, Restore, Delete, Edit)
}
_EVENTS = (FileFinished, FileDivided)
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
    return json.dumps(message, default=os.fspath).encode() + b"\n"


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


def event_of(said: Mapping[str, Any]) -> FileFinished | FileDivided | None:
    """Return the event that a message tells of; None for one that is not known here."""
    values = {name: value for name, value in said.items() if name != "event"}
    try:
        if said["event"] == FileDivided.__name__:
            return FileDivided(**values)
        if said["event"] == FileFinished.__name__:
            told = {"outcome": FileOutcome(values["outcome"]), "closed_hosts": tuple(values["closed_hosts"])}
            return FileFinished(**{**values, **told})
    except (TypeError, ValueError, KeyError):
        return None
    return None


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


def _document(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= _LARGEST_ID:
        raise ValueError
    return value


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
    bool | None: lambda value: None if value is None else _flag(value),
    tuple[Path, ...]: _each(_path),
    tuple[str, ...]: _each(_text),
    tuple[int, ...]: _each(_document),
    dict[str, str]: _texts_by_name,
}
"""Type of a field -> what its value in a message must be; ValueError where it is not."""

"""In which order the documents stand, plain or as a tree of their folders; laying.py makes rows of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from operator import attrgetter
from typing import Any

from workbench.model.document import Document, DocumentStatus
from workbench.model.metadata import ValueKind
from workbench.ui.library.query import words_of


class Sort(StrEnum):
    """What the documents are ordered by."""

    ADDED = "added"
    NAME = "name"
    STATUS = "status"
    PAGES = "pages"
    CHUNKS = "chunks"
    CREATED = "created"
    MODIFIED = "modified"
    TAGS = "tags"
    AUTHOR = "author"
    FORMAT = "format"
    SIZE = "size"
    BASE = "knowledge_base"
    METADATA = "metadata"


OWN_KEY = "metadata."
"""Begins the name of the column of a key of the user's own metadata, and of what orders by it."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How the rows stand, by a Sort or by “metadata.KEY”; a tree only where there are folders."""

    sort: str = Sort.ADDED
    descending: bool = False
    tree: bool = True


@dataclass(frozen=True, slots=True)
class FolderRow:
    """A folder as a row of the flattened tree.

    Attributes:
        path: "Contracts/2024".
        depth: How many folders stand above it.
        documents: How many documents lie in it and below.
        expanded: Whether the rows below it are shown.
    """

    path: str
    depth: int
    documents: int
    expanded: bool

    @property
    def name(self) -> str:
        """Its own name, the last part of the path."""
        return self.path.rpartition("/")[2]


# What needs a look stands first.
_STATUS_ORDER = (
    DocumentStatus.FAILED,
    DocumentStatus.LOCKED,
    DocumentStatus.PARSING,
    DocumentStatus.EMBEDDING,
    DocumentStatus.INDEXED,
    DocumentStatus.QUEUED,
    DocumentStatus.READY,
)
_RANK = {status: rank for rank, status in enumerate(_STATUS_ORDER)}


_LAST = "\uffff"
"""Stands for nothing: a document without an author comes after those that have one."""

Key = Callable[[Document], Any]
_KEYS: Mapping[str, Key] = {
    Sort.NAME: words_of,
    Sort.STATUS: lambda document: _RANK[document.status],
    Sort.PAGES: attrgetter("pages"),
    Sort.CHUNKS: attrgetter("chunks"),
    Sort.CREATED: lambda document: document.metadata.created or _LAST,
    Sort.MODIFIED: lambda document: document.metadata.modified or _LAST,
    Sort.TAGS: lambda document: "\n".join(document.tags).casefold() or _LAST,
    Sort.AUTHOR: lambda document: document.metadata.author.casefold() or _LAST,
    Sort.FORMAT: attrgetter("format"),
    Sort.SIZE: attrgetter("size"),
    Sort.BASE: attrgetter("knowledge_base"),
    Sort.METADATA: lambda document: "\n".join(f"{one.key}: {one.written}" for one in document.custom) or _LAST,
}


def sort_key(sort: str) -> Key | None:
    """Return what documents are ordered by; None for the order in which they were added, which is that of their ids."""
    if sort.startswith(OWN_KEY):
        return partial(_own_value, sort.removeprefix(OWN_KEY))
    return _KEYS.get(sort)


def _own_value(key: str, document: Document) -> tuple[int, float, str]:
    """Return what documents are ordered by where that is a key of the user's own: numbers first, nothing last."""
    value = next((field.values[0] for field in document.custom if field.key == key), None)
    if value is None:
        return (2, 0.0, "")
    number = float(value.text) if value.kind is ValueKind.NUMBER else None
    return (1, 0.0, value.text.casefold()) if number is None else (0, number, "")


def depth_of(document: Document) -> int:
    """Return how many folders stand above a document in the tree."""
    return document.folder.count("/") + 1 if document.folder else 0

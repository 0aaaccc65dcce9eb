"""In which order the documents stand, plain or as a tree of their folders, flattened to rows."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from workbench.model.document import Document, DocumentStatus
from workbench.ui.library.query import Found


class Sort(StrEnum):
    """What the documents are ordered by."""

    ADDED = "added"
    NAME = "name"
    STATUS = "status"
    PAGES = "pages"


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How the rows stand; a tree only where there are folders."""

    sort: Sort = Sort.ADDED
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


Sorter = Callable[[Sequence[int]], Sequence[int]]


def sorter(arrangement: Arrangement, documents: Mapping[int, Document], words: Mapping[int, str]) -> Sorter:
    """Return what puts ids, given in ascending order, in the order wanted; what is equal stays as it is."""
    key: Callable[[int], Any] | None = None
    match arrangement.sort:
        case Sort.NAME:
            key = words.__getitem__
        case Sort.STATUS:

            def key(number: int) -> int:
                return _RANK[documents[number].status]

        case Sort.PAGES:

            def key(number: int) -> int:
                return documents[number].pages

    def sort(numbers: Sequence[int]) -> Sequence[int]:
        if key is None and not arrangement.descending:
            return numbers
        return sorted(numbers, key=key, reverse=arrangement.descending)

    return sort


@dataclass(slots=True)
class _Node:
    """A folder while the tree is built."""

    path: str
    folders: dict[str, "_Node"] = field(default_factory=dict)
    documents: list[int] = field(default_factory=list)

    def count(self) -> int:
        return len(self.documents) + sum(node.count() for node in self.folders.values())


def tree_rows(
    found: Found, documents: Mapping[int, Document], sort: Sorter, collapsed: Container[str]
) -> tuple[list[int], list[FolderRow]]:
    """Return the rows of the tree and its folders: a document is its id, folder i is -1 - i.

    Within a folder the folders come first, by name, then the documents, sorted, those found by name before the others.
    """
    root = _Node("")
    for shown in (found.named, found.below):
        for folder, numbers in _by_folder(shown, documents).items():
            _node(root, folder).documents.extend(sort(numbers))
    rows: list[int] = []
    folders: list[FolderRow] = []
    _flatten(root, 0, collapsed, rows, folders)
    return rows, folders


def _by_folder(shown: Sequence[int], documents: Mapping[int, Document]) -> dict[str, list[int]]:
    lists: dict[str, list[int]] = {}
    for number in shown:
        folder = documents[number].folder
        if folder in lists:
            lists[folder].append(number)
        else:
            lists[folder] = [number]
    return lists


def depth_of(document: Document) -> int:
    """Return how many folders stand above a document in the tree."""
    return document.folder.count("/") + 1 if document.folder else 0


def _node(root: _Node, folder: str) -> _Node:
    node = root
    for part in folder.split("/") if folder else ():
        path = f"{node.path}/{part}" if node.path else part
        node = node.folders.setdefault(part, _Node(path))
    return node


def _flatten(node: _Node, depth: int, collapsed: Container[str], rows: list[int], folders: list[FolderRow]) -> None:
    for name in sorted(node.folders, key=str.casefold):
        child = node.folders[name]
        expanded = child.path not in collapsed
        rows.append(-1 - len(folders))
        folders.append(FolderRow(child.path, depth, child.count(), expanded))
        if expanded:
            _flatten(child, depth + 1, collapsed, rows, folders)
    rows.extend(node.documents)

"""Columns and sort order of the table of documents, and the menu that shows or hides columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from workbench.language import language, mark, tr
from workbench.model.document import Document, DocumentStatus
from workbench.model.metadata import ValueKind
from workbench.ui.library.document_wording import (
    format_words,
    join_with_commas,
    metadata_words,
    second_line,
    size_words,
)
from workbench.ui.library.filter_query import words_of
from workbench.ui.localisation import day


class DocumentColumn(StrEnum):
    """What a column is about, which is what its heading orders by (Sort); the first stands always, and first."""

    NAME = "name"
    STATUS = "status"
    PAGES = "pages"
    CHUNKS = "chunks"
    ADDED = "added"
    CREATED = "created"
    MODIFIED = "modified"
    TAGS = "tags"
    AUTHOR = "author"
    FORMAT = "format"
    SIZE = "size"
    BASE = "knowledge_base"
    METADATA = "metadata"


@dataclass(frozen=True, slots=True)
class DocumentColumnKind:
    """How a column is headed, and what it says of a document.

    Attributes:
        title: Its heading, to be translated.
        text: What it says of a document; nothing where there is nothing to say.
        width: How wide it is at first, in pixels.
        is_number: Its texts stand at the right.
    """

    title: str
    text: Callable[[Document], str]
    width: int
    is_number: bool = False


def status_words(document: Document) -> str:
    """Return a document's state in few words; what is the matter, where something is."""
    return second_line(document) if document.status is not DocumentStatus.READY or document.reason else tr("Ready")


def _number(number: int) -> str:
    return f"{number:,}" if number else ""


def _added(document: Document) -> str:
    # 10 µs a date: a hundred documents of a screen share a few days.
    return _day(document.added[:13], language()) if document.added else ""


@lru_cache(maxsize=1024)
def _day(hour: str, _language: str) -> str:
    return day(f"{hour}:00:00" if len(hour) > 10 else hour)


KINDS: Mapping[DocumentColumn, DocumentColumnKind] = {
    DocumentColumn.NAME: DocumentColumnKind(mark("Name"), lambda one: one.name, 260),
    DocumentColumn.STATUS: DocumentColumnKind(mark("Status"), status_words, 130),
    DocumentColumn.PAGES: DocumentColumnKind(mark("Pages"), lambda one: _number(one.pages), 70, is_number=True),
    DocumentColumn.CHUNKS: DocumentColumnKind(mark("Chunks"), lambda one: _number(one.chunks), 80, is_number=True),
    DocumentColumn.ADDED: DocumentColumnKind(mark("Added"), _added, 110),
    DocumentColumn.CREATED: DocumentColumnKind(mark("Created"), lambda one: one.metadata.created[:10], 100),
    DocumentColumn.MODIFIED: DocumentColumnKind(mark("Modified"), lambda one: one.metadata.modified[:10], 100),
    DocumentColumn.TAGS: DocumentColumnKind(mark("Tags"), lambda one: join_with_commas(one.tags), 140),
    DocumentColumn.AUTHOR: DocumentColumnKind(mark("Author"), lambda one: one.metadata.author, 130),
    DocumentColumn.FORMAT: DocumentColumnKind(mark("Format"), lambda one: format_words(one.format), 90),
    DocumentColumn.SIZE: DocumentColumnKind(mark("Size"), lambda one: size_words(one.size), 90, is_number=True),
    DocumentColumn.BASE: DocumentColumnKind(mark("Knowledge base"), lambda one: one.knowledge_base, 130),
    DocumentColumn.METADATA: DocumentColumnKind(
        mark("Metadata"), lambda document: metadata_words(document.custom), 180
    ),
}


def column_kind(column: str) -> DocumentColumnKind:
    """Return how a column is headed and what it says: a Column, or one of a key of the user's own (OWN_KEY)."""
    return (
        KINDS[DocumentColumn(column)]
        if column in KINDS
        else DocumentColumnKind(column.removeprefix(OWN_KEY), _own(column), 110)
    )


@lru_cache(maxsize=256)
def _own(column: str) -> Callable[[Document], str]:
    key = column.removeprefix(OWN_KEY)
    return lambda document: next((field.written for field in document.custom if field.key == key), "")


FIRST = (
    DocumentColumn.NAME,
    DocumentColumn.STATUS,
    DocumentColumn.PAGES,
    DocumentColumn.CHUNKS,
    DocumentColumn.ADDED,
    DocumentColumn.TAGS,
)
NARROWEST, _WIDEST = 40, 2000


@dataclass(frozen=True)
class ColumnView:
    """Whether documents are shown as a table, with which columns in which order, and how wide those are."""

    is_table: bool = False
    columns: tuple[str, ...] = FIRST
    widths: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> ColumnView:
        """Return what str() of one was made of; the first view for what is none."""
        words = text.split()
        widths: dict[str, int] = {}
        for word in words[1:]:
            name, _, width = word.partition("=")
            if name in list(DocumentColumn) or name.startswith(OWN_KEY):
                widths[DocumentColumn(name) if name in KINDS else name] = (
                    min(_WIDEST, max(NARROWEST, int(width))) if width.isdecimal() else 0
                )
        if next(iter(widths), None) != DocumentColumn.NAME:
            return cls()
        return cls(words[0] == "table", tuple(widths), {one: width for one, width in widths.items() if width})

    def __str__(self) -> str:
        columns = (f"{one!s}={self.width(one)}" for one in self.columns)
        return " ".join(("table" if self.is_table else "list", *columns))

    def width(self, column: str) -> int:
        """Return how wide a column is."""
        return self.widths.get(column) or column_kind(column).width

    def toggled(self, column: str) -> ColumnView:
        """Return the view with a column more, at its usual place among the others, or with one less."""
        if column in self.columns:
            return ColumnView(self.is_table, tuple(one for one in self.columns if one != column), self.widths)
        order: list[str] = [*DocumentColumn, *(one for one in (*self.columns, column) if one not in KINDS)]
        before = [place for place, one in enumerate(self.columns, 1) if order.index(one) < order.index(column)]
        at = max(before, default=1)
        return ColumnView(self.is_table, (*self.columns[:at], column, *self.columns[at:]), self.widths)


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


class ColumnMenu(QMenu):
    """Ticked are those of the view it was told of last.

    Signals:
        toggled: A Column that is to be shown, or no longer.
    """

    toggled = Signal(object)

    def __init__(self, parent: QWidget, own_keys: Callable[[], Sequence[str]]) -> None:
        super().__init__(tr("Columns"), parent)
        self._own_keys = own_keys
        self._actions: dict[QAction, str] = {}
        self._view = ColumnView()
        # The name stands always.
        for column in list(DocumentColumn)[1:]:
            action = self.addAction(tr(KINDS[column].title))
            action.setCheckable(True)
            self._actions[action] = column
        self.aboutToShow.connect(self._offer_own_keys)
        self.triggered.connect(self._on_triggered)

    def show_view(self, view: ColumnView) -> None:
        """Tick the columns of a view."""
        self._view = view
        for action, column in self._actions.items():
            action.setChecked(column in view.columns)

    @Slot()
    def _offer_own_keys(self) -> None:
        shown = (one for one in self._view.columns if one.startswith(OWN_KEY))
        there = dict.fromkeys((*(f"{OWN_KEY}{key}" for key in self._own_keys()), *shown))
        for column in there:
            if column not in self._actions.values():
                action = self.addAction(column.removeprefix(OWN_KEY))
                action.setCheckable(True)
                self._actions[action] = column
        self.show_view(self._view)

    @Slot(QAction)
    def _on_triggered(self, action: QAction) -> None:
        self.toggled.emit(self._actions[action])

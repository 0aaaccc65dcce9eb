"""Columns and sort order of the table of documents, and the menu that shows or hides columns.

To add a column: a name in DocumentColumn, an entry in KINDS, and `make translations` for its heading.
"""

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
    """Column of the table, and the sort order that its heading selects; the name is always the first."""

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


SortKey = Callable[[Document], Any]


@dataclass(frozen=True, slots=True)
class DocumentColumnKind:
    """Heading, texts, sort key and width of a column.

    Attributes:
        title: Heading, to be translated.
        text: Callback that returns the text for a document; empty if there is none.
        sort_key: Callback that returns the value to sort documents by; None for the order of addition, which is the
            order of the ids.
        width: Initial width in pixels.
        is_number: Whether the texts are right-aligned.
    """

    title: str
    text: Callable[[Document], str]
    sort_key: SortKey | None
    width: int
    is_number: bool = False


def status_words(document: Document) -> str:
    """Return a document's state in a few words, or its problem if there is one."""
    return second_line(document) if document.status is not DocumentStatus.READY or document.reason else tr("Ready")


def _number(number: int) -> str:
    return f"{number:,}" if number else ""


def _added(document: Document) -> str:
    # Formatting a date takes 10 µs, and the hundred documents of a screen share a few days: results are cached.
    return _day(document.added[:13], language()) if document.added else ""


@lru_cache(maxsize=1024)
def _day(hour: str, _language: str) -> str:
    return day(f"{hour}:00:00" if len(hour) > 10 else hour)


# States that need attention come first.
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
"""Sort key of a missing value: in ascending order, a document without an author follows those that have one."""


def _by_metadata(document: Document) -> str:
    return "\n".join(f"{one.key}: {one.written}" for one in document.custom) or _LAST


KINDS: Mapping[DocumentColumn, DocumentColumnKind] = {
    DocumentColumn.NAME: DocumentColumnKind(mark("Name"), lambda one: one.name, words_of, 260),
    DocumentColumn.STATUS: DocumentColumnKind(mark("Status"), status_words, lambda one: _RANK[one.status], 130),
    DocumentColumn.PAGES: DocumentColumnKind(
        mark("Pages"), lambda one: _number(one.pages), attrgetter("pages"), 70, is_number=True
    ),
    DocumentColumn.CHUNKS: DocumentColumnKind(
        mark("Passages"), lambda one: _number(one.chunks), attrgetter("chunks"), 80, is_number=True
    ),
    DocumentColumn.ADDED: DocumentColumnKind(mark("Added"), _added, None, 110),
    DocumentColumn.CREATED: DocumentColumnKind(
        mark("Created"), lambda one: one.metadata.created[:10], lambda one: one.metadata.created or _LAST, 100
    ),
    DocumentColumn.MODIFIED: DocumentColumnKind(
        mark("Modified"), lambda one: one.metadata.modified[:10], lambda one: one.metadata.modified or _LAST, 100
    ),
    DocumentColumn.TAGS: DocumentColumnKind(
        mark("Tags"), lambda one: join_with_commas(one.tags), lambda one: "\n".join(one.tags).casefold() or _LAST, 140
    ),
    DocumentColumn.AUTHOR: DocumentColumnKind(
        mark("Author"), lambda one: one.metadata.author, lambda one: one.metadata.author.casefold() or _LAST, 130
    ),
    DocumentColumn.FORMAT: DocumentColumnKind(
        mark("Format"), lambda one: format_words(one.format), attrgetter("format"), 90
    ),
    DocumentColumn.SIZE: DocumentColumnKind(
        mark("Size"), lambda one: size_words(one.size), attrgetter("size"), 90, is_number=True
    ),
    DocumentColumn.BASE: DocumentColumnKind(
        mark("Knowledge base"), lambda one: one.knowledge_base, attrgetter("knowledge_base"), 130
    ),
    DocumentColumn.METADATA: DocumentColumnKind(
        mark("Metadata"), lambda document: metadata_words(document.custom), _by_metadata, 180
    ),
}


OWN_KEY = "metadata."
"""Prefix of the column name and sort order of a custom metadata key."""


@lru_cache(maxsize=256)
def column_kind(column: str) -> DocumentColumnKind:
    """Return the heading and text of a column: of a DocumentColumn, or of a custom metadata key (OWN_KEY)."""
    if column in KINDS:
        return KINDS[DocumentColumn(column)]
    key = column.removeprefix(OWN_KEY)
    return DocumentColumnKind(key, partial(_custom_text, key), partial(_custom_value, key), 110)


def _custom_text(key: str, document: Document) -> str:
    return next((field.written for field in document.custom if field.key == key), "")


FIRST = (
    DocumentColumn.NAME,
    DocumentColumn.STATUS,
    DocumentColumn.PAGES,
    DocumentColumn.CHUNKS,
    DocumentColumn.ADDED,
    DocumentColumn.TAGS,
)
NARROWEST, _MAX_WIDTH = 40, 2000


@dataclass(frozen=True)
class ColumnView:
    """View of the documents: whether it is a table, and its columns in order, with their widths."""

    is_table: bool = False
    columns: tuple[str, ...] = FIRST
    widths: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> ColumnView:
        """Parse the str() of a view; return the default view for invalid text."""
        words = text.split()
        widths: dict[str, int] = {}
        for word in words[1:]:
            name, _, width = word.partition("=")
            if name in list(DocumentColumn) or name.startswith(OWN_KEY):
                widths[DocumentColumn(name) if name in KINDS else name] = (
                    min(_MAX_WIDTH, max(NARROWEST, int(width))) if width.isdecimal() else 0
                )
        if next(iter(widths), None) != DocumentColumn.NAME:
            return cls()
        return cls(words[0] == "table", tuple(widths), {one: width for one, width in widths.items() if width})

    def __str__(self) -> str:
        columns = (f"{one!s}={self.width(one)}" for one in self.columns)
        return " ".join(("table" if self.is_table else "list", *columns))

    def width(self, column: str) -> int:
        """Return the width of a column in pixels."""
        return self.widths.get(column) or column_kind(column).width

    def toggled(self, column: str) -> ColumnView:
        """Return the view with a column added at its usual position, or removed."""
        if column in self.columns:
            return ColumnView(self.is_table, tuple(one for one in self.columns if one != column), self.widths)
        order: list[str] = [*DocumentColumn, *(one for one in (*self.columns, column) if one not in KINDS)]
        before = [position for position, one in enumerate(self.columns, 1) if order.index(one) < order.index(column)]
        at = max(before, default=1)
        return ColumnView(self.is_table, (*self.columns[:at], column, *self.columns[at:]), self.widths)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Order of the rows, by a DocumentColumn or by “metadata.KEY”; a tree is shown only if there are folders."""

    sort: str = DocumentColumn.ADDED
    descending: bool = False
    tree: bool = True


@dataclass(frozen=True, slots=True)
class FolderRow:
    """Folder as a row of the flattened tree.

    Attributes:
        path: "Contracts/2024".
        depth: Number of folders above it.
        documents: Number of documents in it and below.
        expanded: Whether the rows below it are shown.
    """

    path: str
    depth: int
    documents: int
    expanded: bool

    @property
    def name(self) -> str:
        """Last part of the path."""
        return self.path.rpartition("/")[2]


def _custom_value(key: str, document: Document) -> tuple[int, float, str]:
    """Return the sort key of a custom metadata value: numbers first, then texts, missing values last."""
    value = next((field.values[0] for field in document.custom if field.key == key), None)
    if value is None:
        return (2, 0.0, "")
    number = float(value.text) if value.kind is ValueKind.NUMBER else None
    return (1, 0.0, value.text.casefold()) if number is None else (0, number, "")


def depth_of(document: Document) -> int:
    """Return the number of folders above a document in the tree."""
    return document.folder.count("/") + 1 if document.folder else 0


class ColumnMenu(QMenu):
    """Menu with the columns; those of the view that was set last are ticked.

    Signals:
        toggled: A column to show or to hide.
    """

    toggled = Signal(object)

    def __init__(self, parent: QWidget, own_keys: Callable[[], Sequence[str]]) -> None:
        super().__init__(tr("Columns"), parent)
        self._own_keys = own_keys
        self._actions: dict[QAction, str] = {}
        self._view = ColumnView()
        # The name is always shown.
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
        columns = dict.fromkeys((*(f"{OWN_KEY}{key}" for key in self._own_keys()), *shown))
        for column in columns:
            if column not in self._actions.values():
                action = self.addAction(column.removeprefix(OWN_KEY))
                action.setCheckable(True)
                self._actions[action] = column
        self.show_view(self._view)

    @Slot(QAction)
    def _on_triggered(self, action: QAction) -> None:
        self.toggled.emit(self._actions[action])

"""The columns of the table of documents: what each says of a document; which are shown, how wide, in which order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from workbench.language import language, mark, tr
from workbench.model.document import Document, DocumentStatus
from workbench.ui.dates import day
from workbench.ui.library.arrangement import OWN_KEY
from workbench.ui.library.wording import format_words, listed, metadata_words, second_line, size_words


class Column(StrEnum):
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
class ColumnKind:
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


KINDS: Mapping[Column, ColumnKind] = {
    Column.NAME: ColumnKind(mark("Name"), lambda one: one.name, 260),
    Column.STATUS: ColumnKind(mark("Status"), status_words, 130),
    Column.PAGES: ColumnKind(mark("Pages"), lambda one: _number(one.pages), 70, is_number=True),
    Column.CHUNKS: ColumnKind(mark("Chunks"), lambda one: _number(one.chunks), 80, is_number=True),
    Column.ADDED: ColumnKind(mark("Added"), _added, 110),
    Column.CREATED: ColumnKind(mark("Created"), lambda one: one.metadata.created[:10], 100),
    Column.MODIFIED: ColumnKind(mark("Modified"), lambda one: one.metadata.modified[:10], 100),
    Column.TAGS: ColumnKind(mark("Tags"), lambda one: listed(one.tags), 140),
    Column.AUTHOR: ColumnKind(mark("Author"), lambda one: one.metadata.author, 130),
    Column.FORMAT: ColumnKind(mark("Format"), lambda one: format_words(one.format), 90),
    Column.SIZE: ColumnKind(mark("Size"), lambda one: size_words(one.size), 90, is_number=True),
    Column.BASE: ColumnKind(mark("Knowledge base"), lambda one: one.knowledge_base, 130),
    Column.METADATA: ColumnKind(mark("Metadata"), lambda document: metadata_words(document.custom), 180),
}


def column_kind(column: str) -> ColumnKind:
    """Return how a column is headed and what it says: a Column, or one of a key of the user's own (OWN_KEY)."""
    return KINDS[Column(column)] if column in KINDS else ColumnKind(column.removeprefix(OWN_KEY), _own(column), 110)


@lru_cache(maxsize=256)
def _own(column: str) -> Callable[[Document], str]:
    key = column.removeprefix(OWN_KEY)
    return lambda document: next((field.written for field in document.custom if field.key == key), "")


FIRST = (Column.NAME, Column.STATUS, Column.PAGES, Column.CHUNKS, Column.ADDED, Column.TAGS)
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
            if name in list(Column) or name.startswith(OWN_KEY):
                widths[Column(name) if name in KINDS else name] = (
                    min(_WIDEST, max(NARROWEST, int(width))) if width.isdecimal() else 0
                )
        if next(iter(widths), None) != Column.NAME:
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
        order: list[str] = [*Column, *(one for one in (*self.columns, column) if one not in KINDS)]
        before = [place for place, one in enumerate(self.columns, 1) if order.index(one) < order.index(column)]
        at = max(before, default=1)
        return ColumnView(self.is_table, (*self.columns[:at], column, *self.columns[at:]), self.widths)

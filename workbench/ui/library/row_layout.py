"""Layout of documents as rows: filtered, sorted, grouped by folder, computed in short slices on the main thread."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Slot

from workbench.model.document import Document
from workbench.ui.library.document_columns import Arrangement, DocumentColumn, FolderRow, column_kind
from workbench.ui.library.filter_query import MatchingDocuments, Query, words_of

T = TypeVar("T")
Steps = Generator[None, None, T]
"""Generator that yields at points where it may be interrupted, after a few milliseconds at most."""

AT_ONCE = 5000
PIECE = 2000
"""Documents processed between two yields: 1 ms."""
_SLICE_S = 0.004
"""The eye needs a picture every 16 ms, part of which is used for painting."""


class SlicedWork(QObject):
    """Queue that runs jobs in order, in short slices; a short job is run at once."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs: deque[tuple[str, Iterator[None]]] = deque()
        self._spent = 0.0
        self.seconds = 0.0
        """Run time of the last jobs, until the queue was empty."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_idle(self) -> bool:
        """True if there is no job."""
        return not self._jobs

    def add(self, job: Iterator[None], *, key: str = "", size: int) -> None:
        """Append a job.

        Args:
            job: The job.
            key: An unfinished job with the same key is dropped; empty for none.
            size: Number of documents: up to AT_ONCE, the job is finished on return if no other job is pending.
        """
        if key:
            self._jobs = deque(one for one in self._jobs if one[0] != key)
        is_first = self.is_idle
        self._jobs.append((key, job))
        if is_first and size <= AT_ONCE:
            self._run(float("inf"))
        elif not self._timer.isActive():
            self._timer.start(0)

    def give_up(self) -> None:
        """Drop all jobs."""
        self._jobs.clear()

    @Slot()
    def _go_on(self) -> None:
        self._run(_SLICE_S)

    def _run(self, seconds: float) -> None:
        start_time = time.perf_counter()
        while self._jobs and time.perf_counter() < start_time + seconds:
            job = self._jobs[0]
            if next(job[1], self) is self and self._jobs and self._jobs[0] is job:
                self._jobs.popleft()
        self._spent += time.perf_counter() - start_time
        if self._jobs:
            self._timer.start(0)
        else:
            self.seconds, self._spent = self._spent, 0.0


def sorted_steps(numbers: Sequence[int], key: Callable[[int], Any], *, descending: bool) -> Steps[list[int]]:
    """Return the same as sorted(), equally stable, without its 60 ms for 100,000 names in one go."""
    order = numbers[::-1] if descending else numbers
    runs = []
    for start in range(0, len(order), PIECE):
        runs.append(sorted(order[start : start + PIECE], key=key))
        yield
    if len(runs) > 1:
        ordered: list[int] = []
        for parts in _ranges(runs, key):
            ordered += sorted((number for part in parts for number in part), key=key)
            yield
    else:
        ordered = runs[0] if runs else []
    return ordered[::-1] if descending else ordered


def _ranges(runs: Sequence[list[int]], key: Callable[[int], Any]) -> Iterator[list[list[int]]]:
    """Yield the parts of sorted runs between two values, lowest first; together they are about as long as one run."""
    step = max(1, PIECE // 64)
    samples = sorted(key(number) for run in runs for number in run[::step])
    every = max(1, len(samples) // len(runs))
    starts = [0] * len(runs)
    for limit in dict.fromkeys(samples[every::every]):
        ends = [bisect_left(run, limit, lo=start, key=key) for run, start in zip(runs, starts, strict=True)]
        yield [run[start:end] for run, start, end in zip(runs, starts, ends, strict=True)]
        starts = ends
    yield [run[start:] for run, start in zip(runs, starts, strict=True)]


Sorter = Callable[[Sequence[int]], Steps[Sequence[int]]]


@dataclass(frozen=True, slots=True)
class LayoutSpec:
    """Rows that are requested.

    Attributes:
        query: Query of the filter box.
        knowledge_base: Only documents of this knowledge base; None for all.
        arrangement: Their order.
        collapsed: Paths of the folded folders.
    """

    query: Query = field(default_factory=Query)
    knowledge_base: str | None = None
    arrangement: Arrangement = field(default_factory=Arrangement)
    collapsed: frozenset[str] = frozenset()

    def passes(self, document: Document) -> bool:
        """Return whether a document is to be shown."""
        if self.knowledge_base is not None and document.knowledge_base != self.knowledge_base:
            return False
        found = self.query.chosen([document.id], {document.id: document}, {document.id: words_of(document)})
        return bool(found.named or found.below)

    def moves(self, before: Document | None, now: Document, *, is_plain: bool) -> bool:
        """Return whether a change of a document requires a new layout; is_plain describes the current layout."""
        if self.arrangement.tree and now.folder != (before.folder if before else ""):
            return True
        if is_plain:
            return False
        if before is None or before.knowledge_base != now.knowledge_base:
            return True
        if self.passes(before) is not self.passes(now):
            return True
        key = column_kind(self.arrangement.sort).sort_key
        return key is not None and key(before) != key(now)


@dataclass(frozen=True, slots=True)
class RowLayout:
    """Layout of the rows.

    Attributes:
        rows: A document is its id, folder i is -1 - i.
        folders: The folders among the rows.
        places: Row by id; None if the rows are in the order of ids.
    """

    rows: list[int] = field(default_factory=list)
    folders: Sequence[FolderRow] = ()
    places: dict[int, int] | None = None

    @property
    def is_plain(self) -> bool:
        """True if rows are in the order of ids: a new one is inserted without examining the others."""
        return self.places is None

    def row_of(self, number: int) -> int | None:
        """Return the row of a document or a folder; None if it is not shown."""
        if self.places is not None:
            return self.places.get(number)
        row = bisect_left(self.rows, number)
        return row if row < len(self.rows) and self.rows[row] == number else None

    def numbers_at(self, first: int, last: int) -> list[int]:
        """Return the ids of the documents from the first to the last row (inclusive), without folders."""
        return [number for number in self.rows[first : last + 1] if number >= 0]

    def key_at(self, row: int) -> int | str:
        """Return the key of a row that is valid in every layout: a document's id or a folder's path."""
        number = self.rows[row]
        return number if number >= 0 else self.folders[-1 - number].path

    def rows_of(self, keys: Sequence[int | str]) -> list[int | None]:
        """Return the rows of keys that key_at returned for another layout."""
        folders = {folder.path: -1 - number for number, folder in enumerate(self.folders)}
        # No row has the number 0: ids start at 1.
        return [self.row_of(folders.get(key, 0) if isinstance(key, str) else key) for key in keys]


@dataclass(frozen=True, slots=True)
class LibraryRows:
    """All documents by id, and the name and title of each in lower case."""

    documents: Mapping[int, Document]
    words: Mapping[int, str]


def lay(wanted: LayoutSpec, ids: Sequence[int], rows: LibraryRows) -> Steps[RowLayout]:
    """Return the layout of the documents with these ids, which are in ascending order.

    Documents are accessed in the order of ids, in which they lie in memory: any other order takes three times as long.
    """
    found = yield from _chosen(wanted, ids, rows)
    sort = _sorter(wanted.arrangement, rows)
    folders: list[FolderRow] = []
    has_folders = wanted.arrangement.tree and any(
        rows.documents[number].folder for piece in (found.named, found.below) for number in piece
    )
    if has_folders:
        # A search must not hide its results in a folded folder.
        collapsed = wanted.collapsed if wanted.query == Query() else frozenset()
        shown, folders = yield from _tree(found, rows.documents, sort, collapsed)
    else:
        named = yield from sort(found.named)
        below = yield from sort(found.below)
        shown = [*named, *below]
    as_added = wanted.arrangement.sort == DocumentColumn.ADDED and not wanted.arrangement.descending
    if as_added and not folders and not found.below:
        return RowLayout(shown)
    places: dict[int, int] = {}
    for start in range(0, len(shown), 2 * PIECE):
        places.update(zip(shown[start : start + 2 * PIECE], range(start, len(shown)), strict=False))
        yield
    return RowLayout(shown, folders, places)


def _chosen(wanted: LayoutSpec, ids: Sequence[int], rows: LibraryRows) -> Steps[MatchingDocuments]:
    base = wanted.knowledge_base
    if wanted.query == Query() and base is None:
        return MatchingDocuments(ids)
    named: list[int] = []
    below: list[int] = []
    for start in range(0, len(ids), PIECE):
        piece = ids[start : start + PIECE]
        if base is not None:
            piece = [number for number in piece if rows.documents[number].knowledge_base == base]
        found = wanted.query.chosen(piece, rows.documents, rows.words)
        named += found.named
        below += found.below
        yield
    return MatchingDocuments(named, below)


def _sorter(arrangement: Arrangement, rows: LibraryRows) -> Sorter:
    key_of = column_kind(arrangement.sort).sort_key

    def sort(numbers: Sequence[int]) -> Steps[Sequence[int]]:
        if key_of is None:
            return numbers[::-1] if arrangement.descending else numbers
        keys: Mapping[int, Any] = rows.words
        if arrangement.sort != DocumentColumn.NAME:
            keys = yield from _keys(numbers, rows.documents, key_of)
        ordered = yield from sorted_steps(numbers, keys.__getitem__, descending=arrangement.descending)
        return ordered

    return sort


def _keys(
    numbers: Sequence[int], documents: Mapping[int, Document], key_of: Callable[[Document], Any]
) -> Steps[Mapping[int, Any]]:
    keys: dict[int, Any] = {}
    for start in range(0, len(numbers), PIECE):
        keys.update((number, key_of(documents[number])) for number in numbers[start : start + PIECE])
        yield
    return keys


@dataclass(slots=True)
class _Node:
    """Folder while the tree is built."""

    path: str
    folders: dict[str, _Node] = field(default_factory=dict)
    documents: list[int] = field(default_factory=list)

    def count(self) -> int:
        return len(self.documents) + sum(node.count() for node in self.folders.values())


def _tree(
    found: MatchingDocuments, documents: Mapping[int, Document], sort: Sorter, collapsed: frozenset[str]
) -> Steps[tuple[list[int], list[FolderRow]]]:
    """Return the rows of the tree, and its folders.

    Within a folder, folders come first, by name, then the sorted documents: those found by name before the others.
    """
    root = _Node("")
    for shown in (found.named, found.below):
        lists = yield from _by_folder(shown, documents)
        for folder, numbers in lists.items():
            ordered = yield from sort(numbers)
            _node(root, folder).documents.extend(ordered)
            yield
    rows: list[int] = []
    folders: list[FolderRow] = []
    yield from _flatten(root, 0, collapsed, rows, folders)
    return rows, folders


def _by_folder(shown: Sequence[int], documents: Mapping[int, Document]) -> Steps[dict[str, list[int]]]:
    lists: dict[str, list[int]] = {}
    for start in range(0, len(shown), PIECE):
        for number in shown[start : start + PIECE]:
            folder = documents[number].folder
            if folder in lists:
                lists[folder].append(number)
            else:
                lists[folder] = [number]
        yield
    return lists


def _node(root: _Node, folder: str) -> _Node:
    node = root
    for part in folder.split("/") if folder else ():
        path = f"{node.path}/{part}" if node.path else part
        node = node.folders.setdefault(part, _Node(path))
    return node


def _flatten(
    node: _Node, depth: int, collapsed: frozenset[str], rows: list[int], folders: list[FolderRow]
) -> Iterator[None]:
    for name in sorted(node.folders, key=str.casefold):
        child = node.folders[name]
        expanded = child.path not in collapsed
        rows.append(-1 - len(folders))
        folders.append(FolderRow(child.path, depth, child.count(), expanded))
        if expanded:
            yield from _flatten(child, depth + 1, collapsed, rows, folders)
    rows.extend(node.documents)
    yield

"""Import queue of a library (pause, priority, cancellation) and the estimate of the remaining time."""

import asyncio
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from workbench.model.import_progress import ImportProgress
from workbench.store.configuration import SettingStore
from workbench.worker.job import JobContext

T = TypeVar("T")

_PAUSED = "import paused"


class ControlledImport(Protocol):
    """A running import."""

    def wake(self) -> None:
        """Check again whether there is something to do; the pause began or ended."""

    def first(self, documents: Iterable[int]) -> None:
        """Read and embed these documents before all others."""

    def cancel(self, documents: Iterable[int]) -> None:
        """Stop processing these documents; the others continue."""


class ImportQueue:
    """Controls the imports of one library; used in the event loop in which they run.

    Attributes:
        urgent: Documents that the user opened or asked about, until they are done.
    """

    def __init__(self, values: SettingStore) -> None:
        self.urgent: set[int] = set()
        self._values = values
        self._imports: list[ControlledImport] = []
        self._paused: bool | None = None

    @property
    def paused(self) -> bool:
        """True if no new work may begin; the value is kept across restarts."""
        if self._paused is None:
            self._paused = bool(self._values.state(_PAUSED))
        return self._paused

    def keep_paused(self, paused: bool) -> None:
        """Store whether imports are paused, so that it is kept across restarts; blocking."""
        self._values.set_state(_PAUSED, "yes" if paused else "")

    def pause(self, paused: bool) -> None:
        """Pause or continue every import; files being read and the batch being embedded are finished."""
        self._paused = paused
        for one in self._imports:
            one.wake()

    def first(self, documents: Iterable[int]) -> None:
        """Process these documents before all others, in this order."""
        wanted = list(documents)
        if self._imports:
            self.urgent.update(wanted)
        for one in self._imports:
            one.first(wanted)

    def cancel(self, documents: Iterable[int]) -> None:
        """Remove these documents from every import."""
        wanted = set(documents)
        for one in self._imports:
            one.cancel(wanted)

    @contextmanager
    def steering(self, one: ControlledImport) -> Iterator[None]:
        """Control an import while it runs."""
        self._imports.append(one)
        try:
            yield
        finally:
            self._imports.remove(one)


class DocumentQueue(Generic[T]):
    """Queue of items by document id; it ends when it is closed and every item that was taken is done."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[int, T] = OrderedDict()
        self._unfinished = 0
        self._closed = False
        self._changed = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, document: int) -> bool:
        return document in self._waiting

    def put(self, document: int, item: T, *, first: bool = False) -> None:
        """Add an item, at the end or before all others."""
        self._unfinished += 1
        self.put_back(document, item, first=first)

    def put_back(self, document: int, item: T, *, first: bool = False) -> None:
        """Add an item again that was taken and is not done."""
        self._waiting[document] = item
        if first:
            self._waiting.move_to_end(document, last=False)
        self.wake()

    def first(self, documents: Iterable[int]) -> None:
        """Move the waiting ones of these documents to the front, in this order."""
        for document in reversed([one for one in documents if one in self._waiting]):
            self._waiting.move_to_end(document, last=False)

    def peek(self) -> int | None:
        """Return the id of the first document, or None if the queue is empty."""
        return next(iter(self._waiting), None)

    def take(self) -> tuple[int, T] | None:
        """Remove and return the first id and item, or return None if the queue is empty."""
        return self._waiting.popitem(last=False) if self._waiting else None

    def take_while(self, wanted: Callable[[T], bool], most: int) -> list[T]:
        """Remove and return the items at the front that are wanted, up to the first that is not."""
        taken: list[T] = []
        while self._waiting and len(taken) < most and wanted(next(iter(self._waiting.values()))):
            taken.append(self._waiting.popitem(last=False)[1])
        return taken

    def take_those(self, wanted: Callable[[T], bool]) -> list[T]:
        """Remove and return all items that are wanted, in their order."""
        numbers = [number for number, item in self._waiting.items() if wanted(item)]
        return [self._waiting.pop(number) for number in numbers]

    def drop(self, document: int) -> T | None:
        """Remove and return the item of a document, and count it as done; None if it is not in the queue."""
        item = self._waiting.pop(document, None)
        if item is not None:
            self.done()
        return item

    def hold(self) -> None:
        """Keep a taken item counted as not done: its taker will call done(), but the item will be put back."""
        self._unfinished += 1

    def done(self) -> None:
        """Declare that an item that was taken needs no more work."""
        self._unfinished -= 1
        self.wake()

    def close(self) -> None:
        """Declare that no new items will be added."""
        self._closed = True
        self.wake()

    @property
    def ended(self) -> bool:
        """True if the queue is closed and every item is done."""
        return self._closed and not self._unfinished

    def wake(self) -> None:
        """Wake every task that waits in changed()."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def changed(self) -> None:
        """Wait until an item was added or done, the queue was closed, or wake() was called."""
        await self._changed.wait()


_ENOUGH_CHUNKS = 128
"""Chunks to embed, one batch, before an import's own speed replaces that of an earlier import."""


_REPORT_SECONDS = 0.05
"""Minimum time between progress reports: 1,000 unchanged files take 0.2 s, and nobody reads 1,000 numbers."""


@dataclass(slots=True)
class _Kind:
    """Statistics of the files with one suffix: bytes that wait, bytes read, chunks and seconds."""

    waiting: int = 0
    read: int = 0
    chunks: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Progress:
    """Progress of one import. Only working time is measured, so a pause does not affect the estimate.

    Attributes:
        files: Number of files.
        files_done: Number of files that have ended.
        chunks: Number of chunks to embed in the files that were read.
        chunks_done: Number of chunks that were embedded.
        readers: Number of files that are read at the same time.
        pace: Seconds to embed a chunk; from an earlier import until this one has its own value; 0 if unknown.
    """

    files: int = 0
    files_done: int = 0
    chunks: int = 0
    chunks_done: int = 0
    readers: int = 1
    pace: float = 0.0
    _unread: dict[str, tuple[str, int]] = field(default_factory=dict)
    _read: set[str] = field(default_factory=set)
    _reported: float = 0.0
    _kinds: dict[str, _Kind] = field(default_factory=lambda: defaultdict(_Kind))
    _embedded: int = 0
    _embedding_seconds: float = 0.0

    def waits(self, path: Path, size: int) -> None:
        """Count a file that is to be read."""
        self._unread[str(path)] = path.suffix, size
        self._kinds[path.suffix].waiting += size

    def leaves(self, path: str) -> None:
        """Count a file that no longer needs to be read, whether or not it had to wait."""
        self._read.add(path)
        ending, size = self._unread.pop(path, ("", 0))
        self._kinds[ending].waiting -= size

    def was_read(self, path: Path, size: int, chunks: int, seconds: float) -> None:
        """Count a file that was read, with its number of chunks and the seconds it took."""
        self.leaves(str(path))
        kind = self._kinds[path.suffix]
        kind.read += size
        kind.chunks += chunks
        kind.seconds += seconds

    def was_embedded(self, chunks: int, seconds: float) -> None:
        """Count a batch that was embedded, with the seconds it took."""
        self.chunks_done += chunks
        self._embedded += chunks
        self._embedding_seconds += seconds
        if self._embedded >= _ENOUGH_CHUNKS or not self.pace:
            self.pace = self._embedding_seconds / self._embedded

    def emit(self, context: JobContext) -> None:
        """Report progress, unless a report was sent a moment ago; the end is always reported."""
        now = time.monotonic()
        if now - self._reported < _REPORT_SECONDS and self.files_done < self.files:
            return
        self._reported = now
        read = min(len(self._read), self.files)
        context.emit(
            ImportProgress(self.files_done, self.files, self.chunks_done, self.chunks, self.seconds_left, read)
        )

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds left to read and embed; None if it is too early for an estimate."""
        if not self.pace or not self.chunks:
            return None
        to_read, to_come = 0.0, 0.0
        everything = self._sum_kinds()
        for kind in self._kinds.values():
            if kind.waiting > 0:
                like = kind if kind.read else everything
                to_read += kind.waiting * like.seconds / max(like.read, 1)
                to_come += kind.waiting * like.chunks / max(like.read, 1)
        return to_read / self.readers + (self.chunks - self.chunks_done + to_come) * self.pace

    def _sum_kinds(self) -> _Kind:
        kinds = self._kinds.values()
        return _Kind(
            read=sum(kind.read for kind in kinds),
            chunks=sum(kind.chunks for kind in kinds),
            seconds=sum(kind.seconds for kind in kinds),
        )

"""The import queue of a library (pause, priority, cancellation) and the estimate of the time that is left."""

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
    """An import under way."""

    def wake(self) -> None:
        """Look again whether there is something to do: the pause was ended, or begun."""

    def first(self, documents: Iterable[int]) -> None:
        """Read and embed these before all others."""

    def cancel(self, documents: Iterable[int]) -> None:
        """Leave these as they are; the others go on."""


class ImportQueue:
    """Steers the imports of one library; used on the loop that they run on.

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
        """Whether nothing new is to be begun; kept over a restart."""
        if self._paused is None:
            self._paused = bool(self._values.state(_PAUSED))
        return self._paused

    def keep_paused(self, paused: bool) -> None:
        """Remember over a restart whether imports pause; blocking."""
        self._values.set_state(_PAUSED, "yes" if paused else "")

    def pause(self, paused: bool) -> None:
        """Let every import pause, or go on: files being read and the batch being embedded are finished."""
        self._paused = paused
        for one in self._imports:
            one.wake()

    def first(self, documents: Iterable[int]) -> None:
        """Let these documents go before all others, in this order."""
        wanted = list(documents)
        if self._imports:
            self.urgent.update(wanted)
        for one in self._imports:
            one.first(wanted)

    def cancel(self, documents: Iterable[int]) -> None:
        """Take these documents out of every import."""
        wanted = set(documents)
        for one in self._imports:
            one.cancel(wanted)

    @contextmanager
    def steering(self, one: ControlledImport) -> Iterator[None]:
        """Steer an import as long as it runs."""
        self._imports.append(one)
        try:
            yield
        finally:
            self._imports.remove(one)


class DocumentQueue(Generic[T]):
    """What waits in line by document id; it ends when it is closed and everything that was taken is done."""

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
        """Put something in, at the end or before all others."""
        self._unfinished += 1
        self.put_back(document, item, first=first)

    def put_back(self, document: int, item: T, *, first: bool = False) -> None:
        """Put something in again that was taken and is not done."""
        self._waiting[document] = item
        if first:
            self._waiting.move_to_end(document, last=False)
        self.wake()

    def first(self, documents: Iterable[int]) -> None:
        """Bring those that wait to the front, in this order."""
        for document in reversed([one for one in documents if one in self._waiting]):
            self._waiting.move_to_end(document, last=False)

    def peek(self) -> int | None:
        """Return which one is first, None when nothing waits."""
        return next(iter(self._waiting), None)

    def take(self) -> tuple[int, T] | None:
        """Return the first one and take it out, None when nothing waits."""
        return self._waiting.popitem(last=False) if self._waiting else None

    def take_while(self, wanted: Callable[[T], bool], most: int) -> list[T]:
        """Return those at the front that are wanted, up to the first that is not, and take them out."""
        taken: list[T] = []
        while self._waiting and len(taken) < most and wanted(next(iter(self._waiting.values()))):
            taken.append(self._waiting.popitem(last=False)[1])
        return taken

    def take_those(self, wanted: Callable[[T], bool]) -> list[T]:
        """Return those that are wanted, wherever they stand, in their order, and take them out."""
        numbers = [number for number, item in self._waiting.items() if wanted(item)]
        return [self._waiting.pop(number) for number in numbers]

    def drop(self, document: int) -> T | None:
        """Take one out of the line, wherever it stands; it is done."""
        item = self._waiting.pop(document, None)
        if item is not None:
            self.done()
        return item

    def hold(self) -> None:
        """Count one that was taken as not done, although its taker says so: it will be put back."""
        self._unfinished += 1

    def done(self) -> None:
        """Say that one that was taken needs nothing more."""
        self._unfinished -= 1
        self.wake()

    def close(self) -> None:
        """Say that nothing new will be put in."""
        self._closed = True
        self.wake()

    @property
    def ended(self) -> bool:
        """Whether nothing is left and nothing will come."""
        return self._closed and not self._unfinished

    def wake(self) -> None:
        """Let everyone who waits in changed() look again."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def changed(self) -> None:
        """Wait until something was put in, done, or said."""
        await self._changed.wait()


_ENOUGH_CHUNKS = 128
"""One batch: what a shorter import says of its own speed is not worth telling."""


_TELL_SECONDS = 0.05
"""How often progress is told: 1,000 unchanged files are done within 0.2 s, and nobody reads 1,000 numbers."""


@dataclass(slots=True)
class _Kind:
    """What is known of the files with one ending."""

    waiting: int = 0
    read: int = 0
    chunks: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Progress:
    """Counts one import. Only time spent working counts, so a pause changes nothing.

    Attributes:
        files: Files that take part.
        files_done: Those of them that have come to their end.
        chunks: Chunks to embed, as far as files were read.
        chunks_done: Those of them that were embedded.
        readers: Files that are read at a time.
        pace: Seconds that a chunk takes to embed; of an earlier import, until this one has its own; 0 if unknown.
    """

    files: int = 0
    files_done: int = 0
    chunks: int = 0
    chunks_done: int = 0
    readers: int = 1
    pace: float = 0.0
    _unread: dict[str, tuple[str, int]] = field(default_factory=dict)
    _read: set[str] = field(default_factory=set)
    _told: float = 0.0
    _kinds: dict[str, _Kind] = field(default_factory=lambda: defaultdict(_Kind))
    _embedded: int = 0
    _embedding_seconds: float = 0.0

    def waits(self, path: Path, size: int) -> None:
        """Count a file that is to be read."""
        self._unread[str(path)] = path.suffix, size
        self._kinds[path.suffix].waiting += size

    def leaves(self, path: str) -> None:
        """Count a file that needs no reading any more, whether or not it had to wait."""
        self._read.add(path)
        ending, size = self._unread.pop(path, ("", 0))
        self._kinds[ending].waiting -= size

    def was_read(self, path: Path, size: int, chunks: int, seconds: float) -> None:
        """Count a file that was read within seconds and gave chunks."""
        self.leaves(str(path))
        kind = self._kinds[path.suffix]
        kind.read += size
        kind.chunks += chunks
        kind.seconds += seconds

    def was_embedded(self, chunks: int, seconds: float) -> None:
        """Count a batch."""
        self.chunks_done += chunks
        self._embedded += chunks
        self._embedding_seconds += seconds
        if self._embedded >= _ENOUGH_CHUNKS or not self.pace:
            self.pace = self._embedding_seconds / self._embedded

    def emit(self, context: JobContext) -> None:
        """Tell the listener, unless that was done a moment ago; the end is always told."""
        now = time.monotonic()
        if now - self._told < _TELL_SECONDS and self.files_done < self.files:
            return
        self._told = now
        read = min(len(self._read), self.files)
        context.emit(
            ImportProgress(self.files_done, self.files, self.chunks_done, self.chunks, self.seconds_left, read)
        )

    @property
    def seconds_left(self) -> float | None:
        """What is left to read and then to embed; None when it is too early."""
        if not self.pace or not self.chunks:
            return None
        to_read, to_come = 0.0, 0.0
        everything = self._everything()
        for kind in self._kinds.values():
            if kind.waiting > 0:
                like = kind if kind.read else everything
                to_read += kind.waiting * like.seconds / max(like.read, 1)
                to_come += kind.waiting * like.chunks / max(like.read, 1)
        return to_read / self.readers + (self.chunks - self.chunks_done + to_come) * self.pace

    def _everything(self) -> _Kind:
        kinds = self._kinds.values()
        return _Kind(
            read=sum(kind.read for kind in kinds),
            chunks=sum(kind.chunks for kind in kinds),
            seconds=sum(kind.seconds for kind in kinds),
        )

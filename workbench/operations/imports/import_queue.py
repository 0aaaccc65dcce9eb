"""Import queue of a library: pause, priority and cancellation; and the queues of documents in its imports."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeVar

from workbench.store.configuration import SettingStore

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

    def sort(self, key: Callable[[int, T], Any]) -> None:
        """Order the waiting items by a key of their id and item; equal ones keep their order."""
        for document, _ in sorted(self._waiting.items(), key=lambda one: key(*one)):
            self._waiting.move_to_end(document)

    def peek(self) -> int | None:
        """Return the id of the first document, or None if the queue is empty."""
        return next(iter(self._waiting), None)

    def take(self) -> tuple[int, T] | None:
        """Remove and return the first id and item, or return None if the queue is empty."""
        return self._waiting.popitem(last=False) if self._waiting else None

    def take_least(self, key: Callable[[int, T], Any]) -> tuple[int, T] | None:
        """Remove and return the id and item with the least key, the first of several; None if the queue is empty."""
        least = min(self._waiting.items(), key=lambda one: key(*one), default=None)
        if least is not None:
            del self._waiting[least[0]]
        return least

    def any_waits(self, wanted: Callable[[int, T], bool]) -> bool:
        """Return whether an item that waits, given with its id, is wanted."""
        return any(wanted(*one) for one in self._waiting.items())

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

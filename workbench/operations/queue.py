"""What all imports of a library obey: a pause, what is to go first, what is not wanted any more."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from workbench.store.configuration import SettingStore

T = TypeVar("T")

_PAUSED = "import paused"


class Steered(Protocol):
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
        self._imports: list[Steered] = []
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
    def steering(self, one: Steered) -> Iterator[None]:
        """Steer an import as long as it runs."""
        self._imports.append(one)
        try:
            yield
        finally:
            self._imports.remove(one)


class Line(Generic[T]):
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

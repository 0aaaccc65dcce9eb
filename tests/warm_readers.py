"""Child processes that outlive a test: starting one costs 0.7 s of processor time, and 300 tests open a library."""

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from queue import Empty

from workbench.worker.processes import ProcessPool, _Child

_MOST_BYTES = 300 * 2**20
"""A reader that has grown further, by OCR for example, would come near the limits that tests set."""


class Shelf:
    """Where readers wait from one test to the next."""

    def __init__(self) -> None:
        # One thread that lives as long as they do: the system ends a child with the thread that started it.
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="shared-starter")
        self._waiting: defaultdict[object, list[_Child]] = defaultdict(list)

    def take(self, preload: tuple[str, ...], *, in_background: bool) -> _Child:
        waiting = self._waiting[preload, in_background]
        while waiting:
            child = waiting.pop()
            if child.alive:
                return child
        return self._starter.submit(_Child, preload, in_background=in_background).result()

    def put(self, child: _Child, preload: tuple[str, ...], *, in_background: bool) -> None:
        self._waiting[preload, in_background].append(child)

    def close(self) -> None:
        for child in (child for waiting in self._waiting.values() for child in waiting):
            child.kill()
            child.join()
        self._starter.shutdown()


SHELF = Shelf()


class WarmPool(ProcessPool):
    """A pool that takes its children from the shelf and leaves those there that are idle when it is closed."""

    def _new_child(self) -> _Child:
        child = SHELF.take(self._preload, in_background=self._in_background)
        with self._lock:
            self._children.add(child)
            closed = self._closed
        if closed:
            child.kill()
        return child

    def close(self) -> None:
        kept = []
        with self._lock:
            self._closed = True
            while True:
                try:
                    child = self._idle.get_nowait()
                except Empty:
                    break
                if child.usable and child.alive and child.memory() < _MOST_BYTES:
                    self._children.discard(child)
                    kept.append(child)
                # Any other is still among the children, which are killed.
        super().close()
        for child in kept:
            SHELF.put(child, self._preload, in_background=self._in_background)

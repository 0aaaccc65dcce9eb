"""Child processes that outlive a test: starting one takes 0.7 s of processor time, and 300 tests open a library."""

import contextlib
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from queue import Empty

from workbench.worker.child import Child
from workbench.worker.confinement import Confinement
from workbench.worker.processes import ProcessPool

_MOST_BYTES = 300 * 2**20
"""Memory limit for reuse: a larger process, for example after OCR, could exceed the limits that tests set."""


class Shelf:
    """Storage for idle parser processes between tests."""

    def __init__(self) -> None:
        # One thread that lives as long as the children: the system ends a child with the thread that started it.
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="shared-starter")
        self._waiting: defaultdict[object, list[Child]] = defaultdict(list)

    def take(self, preload: tuple[str, ...], confinement: Confinement, *, in_background: bool) -> Child:
        waiting = self._waiting[preload, in_background]
        while waiting:
            child = waiting.pop()
            if child.alive:
                return child
        # It also serves libraries in other folders; each call still gets its own file only.
        everywhere = confinement if confinement.reads is None else replace(confinement, reads=(Path("/"),))
        return self._starter.submit(Child, preload, everywhere, in_background=in_background).result()

    def put(self, child: Child, preload: tuple[str, ...], *, in_background: bool) -> None:
        self._waiting[preload, in_background].append(child)

    def close(self) -> None:
        for child in (child for waiting in self._waiting.values() for child in waiting):
            child.kill()
            child.join()
        self._starter.shutdown()


SHELF = Shelf()


class WarmPool(ProcessPool):
    """A pool that takes its children from the shelf and returns idle ones to it when it is closed."""

    def _started(self, paths: tuple[Path, ...]) -> Child:
        return SHELF.take(self._preload, self._confined(), in_background=self._in_background)

    def rest(self, idle_seconds: float = 0.0) -> None:
        """Return idle children to the shelf instead of ending them."""
        for child in self._taken_from_idle():
            if time.monotonic() - child.used < idle_seconds:
                self._idle.put(child)
            else:
                self._give_back(child)

    def close(self) -> None:
        with self._lock:
            self._closed = True
        for child in self._taken_from_idle():
            self._give_back(child)
        # All others are still among the children, which are killed.
        super().close()

    def _taken_from_idle(self) -> list[Child]:
        taken = []
        with contextlib.suppress(Empty):
            while True:
                taken.append(self._idle.get_nowait())
        return taken

    def _give_back(self, child: Child) -> None:
        with self._lock:
            self._children.discard(child)
        if child.usable and child.alive and child.memory() < _MOST_BYTES:
            SHELF.put(child, self._preload, in_background=self._in_background)
        else:
            child.kill()
            child.join()


class WarmExportPool(WarmPool):
    """A pool of an export, whose children write to the folders of later exports, too."""

    def _started(self, paths: tuple[Path, ...]) -> Child:
        everywhere = replace(self._confined(), writes=None)
        return SHELF.take(self._preload, everywhere, in_background=self._in_background)

    def rest(self, idle_seconds: float = 0.0) -> None:
        """Keep the children, which may write to each new folder."""

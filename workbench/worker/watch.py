"""Watches busy children from outside: their time, their memory, their processes, what they write."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from workbench.worker.failures import ProcessFailure

WATCH_SECONDS = 0.1
"""How often the memory and the processes of a busy child are looked at; 30 us a look."""


class Watched(Protocol):
    """A call under way."""

    @property
    def deadline(self) -> float:
        """When it has taken too long, on the monotonic clock."""

    def offence(self) -> ProcessFailure | None:
        """Return what limit is passed now, if any."""

    def end(self, failure: ProcessFailure) -> None:
        """End the child, for that reason."""


class Watch:
    """One thread for all the calls of a pool, started with the first."""

    def __init__(self) -> None:
        self._calls: set[Watched] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    @contextmanager
    def over(self, call: Watched) -> Iterator[None]:
        """Watch a call meanwhile."""
        with self._changed:
            self._calls.add(call)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="child-watch", daemon=True)
                self._thread.start()
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._calls.discard(call)

    def close(self) -> None:
        """Watch no longer; returns when the thread has ended."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._calls and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                nearest = min(call.deadline for call in self._calls) - time.monotonic()
                self._changed.wait(max(0.0, min(WATCH_SECONDS, nearest)))
                busy = list(self._calls)
            for call in busy:
                failure = call.offence()
                if failure is not None:
                    call.end(failure)

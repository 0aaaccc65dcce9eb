"""Ledger writer thread and notification of listeners."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Protocol, TypeVar

from workbench.errors import LibraryError, WorkbenchError
from workbench.language import mark
from workbench.model.egress import NetworkRequest

logger = logging.getLogger(__name__)

T = TypeVar("T")
Listener = Callable[[NetworkRequest], None]

_CLOSED = mark("The library is closed.")


class Ledger(Protocol):
    """Protocol of a storage of network requests; blocking."""

    def begin(self, request: NetworkRequest) -> int:
        """Store a request and return its number."""
        ...

    def end(self, request: NetworkRequest) -> None:
        """Store the outcome of a request."""
        ...


class LedgerWriter:
    """Writer that stores requests in order on one thread and notifies listeners; the ledger is optional.

    Callers do not wait for the end of a request to be stored, because many ends occur in code that must not block.
    """

    def __init__(self, ledger: Ledger | None) -> None:
        self._ledger = ledger
        self._thread: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()
        self._is_closed = False
        self._listeners: tuple[Listener, ...] = ()

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Call a listener, on any thread, for each begin and end; returns a function that removes the listener."""
        with self._lock:
            self._listeners = (*self._listeners, listener)

        def stop() -> None:
            with self._lock:
                self._listeners = tuple(one for one in self._listeners if one is not listener)

        return stop

    def submit(self, work: Callable[[], T]) -> "Future[T]":
        """Run work on the writer's thread, after all work submitted before.

        Raises:
            LibraryError: The library is closed.
        """
        if self._ledger is None:
            return _run_now(work)
        with self._lock:
            if self._is_closed:
                raise LibraryError(_CLOSED, "Open it again.")
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, thread_name_prefix="ledger")
            return self._thread.submit(work)

    def keep(self, request: NetworkRequest) -> NetworkRequest:
        """Store a request and return it with its number; called on the writer's thread.

        Raises:
            LibraryError: It cannot be stored.
        """
        kept = replace(request, id=self._ledger.begin(request)) if self._ledger is not None else request
        self._notify(kept)
        return kept

    def complete(self, kept: "Future[NetworkRequest]", ended: NetworkRequest) -> None:
        """Store the outcome of a request; returns at once."""

        def write() -> None:
            if kept.cancelled() or kept.exception() is not None:
                return  # it was never sent
            whole = replace(ended, id=kept.result().id)
            try:
                if self._ledger is not None:
                    self._ledger.end(whole)
            except WorkbenchError as error:
                # The row itself is stored, with the request as still running.
                logger.warning("The end of a network request could not be written: %s", error)
            self._notify(whole)

        try:
            self.submit(write)
        except LibraryError:
            logger.info("A network request ended behind the library")

    def settle(self) -> None:
        """Wait until all submitted work is done; blocking."""
        if self._thread is not None and not self._is_closed:
            self.submit(_do_nothing).result()

    def close(self) -> None:
        """Finish all submitted work and accept no more."""
        with self._lock:
            self._is_closed = True
            thread = self._thread
        if thread is not None:
            thread.shutdown(wait=True)

    def _notify(self, request: NetworkRequest) -> None:
        for listener in self._listeners:
            listener(request)


def _run_now(work: Callable[[], T]) -> "Future[T]":
    future: Future[T] = Future()
    try:
        future.set_result(work())
    except WorkbenchError as error:
        future.set_exception(error)
    return future


def _do_nothing() -> None:
    pass

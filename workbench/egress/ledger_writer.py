"""Requests -> the ledger, in order, on a thread of its own; and to whoever watches."""

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
    """Keeps requests; blocking."""

    def begin(self, request: NetworkRequest) -> int:
        """Keep a request and return its number."""
        ...

    def end(self, request: NetworkRequest) -> None:
        """Keep what became of it."""
        ...


class LedgerWriter:
    """Writes down what the gate says; without a ledger it only tells those who watch.

    Nobody waits for the end of a request to be written, and many ends come from where nothing may wait.
    """

    def __init__(self, ledger: Ledger | None) -> None:
        self._ledger = ledger
        self._thread: ThreadPoolExecutor | None = None
        self._starting = threading.Lock()
        self._is_closed = False
        self._listeners: tuple[Listener, ...] = ()

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Tell a listener, on any thread, of each beginning and end; returns what ends that."""
        with self._starting:
            self._listeners = (*self._listeners, listener)

        def stop() -> None:
            with self._starting:
                self._listeners = tuple(one for one in self._listeners if one is not listener)

        return stop

    def submit(self, work: Callable[[], T]) -> "Future[T]":
        """Run work on the recorder's thread, behind all that was submitted before.

        Raises:
            LibraryError: The library is closed.
        """
        if self._ledger is None:
            return _done_at_once(work)
        with self._starting:
            if self._is_closed:
                raise LibraryError(_CLOSED, "Open it again.")
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, thread_name_prefix="ledger")
            return self._thread.submit(work)

    def keep(self, request: NetworkRequest) -> NetworkRequest:
        """Put a request into the ledger and return it with its number; on the recorder's thread.

        Raises:
            LibraryError: It cannot be written.
        """
        kept = replace(request, id=self._ledger.begin(request)) if self._ledger is not None else request
        self._tell(kept)
        return kept

    def complete(self, kept: "Future[NetworkRequest]", ended: NetworkRequest) -> None:
        """Write what became of a request that was kept; returns at once."""

        def write() -> None:
            if kept.cancelled() or kept.exception() is not None:
                return  # it was never sent
            whole = replace(ended, id=kept.result().id)
            try:
                if self._ledger is not None:
                    self._ledger.end(whole)
            except WorkbenchError as error:
                # The row itself is there, and says that the request is under way.
                logger.warning("The end of a network request could not be written: %s", error)
            self._tell(whole)

        try:
            self.submit(write)
        except LibraryError:
            logger.info("A network request ended behind the library")

    def settle(self) -> None:
        """Wait until everything that was said is written; blocking."""
        if self._thread is not None and not self._is_closed:
            self.submit(_nothing).result()

    def close(self) -> None:
        """Write what was said, and take no more."""
        with self._starting:
            self._is_closed = True
            thread = self._thread
        if thread is not None:
            thread.shutdown(wait=True)

    def _tell(self, request: NetworkRequest) -> None:
        for listener in self._listeners:
            listener(request)


def _done_at_once(work: Callable[[], T]) -> "Future[T]":
    future: Future[T] = Future()
    try:
        future.set_result(work())
    except WorkbenchError as error:
        future.set_exception(error)
    return future


def _nothing() -> None:
    pass

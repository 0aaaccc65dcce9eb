"""Egress gate: offline mode decision and ledger entry for every network request."""

import asyncio
import copy
import logging
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import TracebackType
from typing import NoReturn, Self
from urllib.parse import urlsplit, urlunsplit

from workbench.egress.ledger_writer import Ledger, LedgerWriter, Listener
from workbench.errors import LibraryError, NetworkClosed
from workbench.language import mark
from workbench.logs import masked
from workbench.model.egress import (
    OFFLINE_MODE_HINT,
    AllowedHost,
    Destination,
    NetworkOutcome,
    NetworkRequest,
    OfflineMode,
    OfflineModeChoice,
    Purpose,
    is_here,
)

logger = logging.getLogger(__name__)

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_LONGEST_NOTE = 300
_NO_NETWORK = mark("It has no network.")
_OUTSIDE = mark("It runs outside offline mode: its own requests can neither be seen nor blocked.")
_GATED = mark("Its own settings let it contact only the hosts that you allowed; this system cannot enforce that.")
_ONCE = mark("You allowed this host once.")
_LONGEST_ADDRESS = 500


@dataclass(frozen=True, slots=True)
class RequestPayload:
    """Answer for which a request is made, and ids of the chunks whose text is sent with it."""

    run: int | None = None
    chunks: tuple[int, ...] = ()


_EMPTY_PAYLOAD = RequestPayload()
_payload: ContextVar[RequestPayload] = ContextVar("carried", default=_EMPTY_PAYLOAD)


@contextmanager
def carrying(*, run: int | None = None, chunks: Iterable[int] = ()) -> Iterator[None]:
    """Set the payload of the requests made inside the block, in addition to that of enclosing blocks.

    Args:
        run: Id of the answer for which they are made; None for that of the enclosing block.
        chunks: Ids of the chunks whose text is sent.
    """
    outer = _payload.get()
    known = dict.fromkeys((*outer.chunks, *chunks))
    token = _payload.set(RequestPayload(outer.run if run is None else run, tuple(known)))
    try:
        yield
    finally:
        _payload.reset(token)


def carried_chunks() -> tuple[int, ...]:
    """Return the ids of the chunks whose text is sent with the requests made here, in the order given."""
    return _payload.get().chunks


@contextmanager
def carrying_only(chunks: Iterable[int]) -> Iterator[None]:
    """Set the chunks of the requests made inside the block, in place of those of enclosing blocks."""
    token = _payload.set(replace(_payload.get(), chunks=tuple(dict.fromkeys(chunks))))
    try:
        yield
    finally:
        _payload.reset(token)


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """Request or program start that the gate has not yet decided on.

    Attributes:
        host: Host name as the user knows it; empty for a program.
        connected: IP address of the connection, if it is already known and differs from host.
        address: Full URL, which the ledger stores without user, query and fragment; for a program, its command.
        via: Host and port of a proxy.
        seen: True if its bytes can be counted.
        confined: True for a program that has no network at all.
        gated: True for a program whose only network access is our proxy, which asks this gate for each host. If the
            system cannot enforce that, it relies on the program's own settings.
        program: Identity of a program for which the user may have made an exception (ToolServer.sha256).
    """

    purpose: Purpose
    host: str
    port: int = 0
    address: str = ""
    connected: str = ""
    via: str = ""
    seen: bool = True
    confined: bool = False
    gated: bool = False
    program: str = ""

    @property
    def destination(self) -> Destination:
        """Destination by which offline mode decides."""
        return Destination(self.purpose, self.host, self.port, self.program)


class PermittedRequest:
    """Permitted request, open until done() or failed() is called; as a context manager it ends with its block.

    Attributes:
        sent: Bytes sent so far.
        received: Bytes received so far.
        status: HTTP status, once it is known.
    """

    def __init__(self, recorder: LedgerWriter, request: NetworkRequest, kept: "Future[NetworkRequest]") -> None:
        self._recorder = recorder
        self._request = request
        self._kept = kept
        self._began = time.perf_counter()
        self._end_lock = threading.Lock()
        self._is_open = True
        self.sent = 0
        self.received = 0
        self.status: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self.failed(error)
        self.done()

    @property
    def leaves(self) -> bool:
        """True if the request leaves this machine."""
        return not self._request.is_here

    def done(self, *, note: str = "") -> None:
        """Record a successful end; only the first end is recorded."""
        self._end(NetworkOutcome.DONE, note)

    def failed(self, why: BaseException | str) -> None:
        """Record a failed end and its reason; only the first end is recorded."""
        if isinstance(why, asyncio.CancelledError | GeneratorExit):
            why = mark("It was stopped.")
        self._end(NetworkOutcome.FAILED, str(why) or type(why).__name__)

    def _end(self, outcome: NetworkOutcome, note: str) -> None:
        with self._end_lock:
            if not self._is_open:
                return
            self._is_open = False
        seen = self._request.sent is not None
        ended = replace(
            self._request,
            outcome=outcome,
            status=self.status,
            sent=self.sent if seen else None,
            received=self.received if seen else None,
            milliseconds=round((time.perf_counter() - self._began) * 1000, 1),
            note=self._final_note(note),
        )
        self._recorder.complete(self._kept, ended)

    def _final_note(self, note: str) -> str:
        """Return the note for the end; it keeps the note that the user allowed the request."""
        ended = " ".join(masked(note).split())[:_LONGEST_NOTE]
        return f"{ended} {_ONCE}" if ended and self._request.note == _ONCE else ended or self._request.note


def _always_on() -> OfflineMode:
    return OfflineMode(OfflineModeChoice.ON)


class EgressGate:
    """Gate that permits or refuses requests and records each; one for each library, thread-safe."""

    def __init__(
        self,
        ledger: Ledger | None = None,
        offline_mode: Callable[[], OfflineMode] = _always_on,
        *,
        here: Callable[[str], bool] = is_here,
    ) -> None:
        """Create a gate.

        Args:
            ledger: Ledger that records requests; None records none.
            offline_mode: Returns the state of offline mode; called for every request, blocking. By default, it is on.
            here: Returns True for a host that is this machine itself.
        """
        self._offline_mode = offline_mode
        self._here = here
        self._recorder = LedgerWriter(ledger)
        self._running: dict[object, tuple[PendingRequest, Callable[[], None]]] = {}
        self._running_lock = threading.Lock()
        self._once: tuple[AllowedHost, ...] = ()
        self._once_under = OfflineModeChoice.ON

    def allowing(self, hosts: Iterable[AllowedHost]) -> "EgressGate":
        """Return a copy of this gate that also permits some hosts, named by the user for one operation; blocking.

        If the user switches offline mode to “without exceptions” afterwards, that withdraws this permission, too.
        """
        gate = copy.copy(self)
        gate._once = tuple(hosts)
        gate._once_under = self._offline_mode().choice
        return gate

    def offline_mode(self) -> OfflineMode:
        """Return the state of offline mode and its reason; blocking."""
        return self._offline_mode()

    def allows(self, asked: PendingRequest) -> bool:
        """Return True if a request may be sent, or a program with network access be started; blocking."""
        return self._stays_here(asked) or self._may_leave(asked)

    def _may_leave(self, asked: PendingRequest) -> bool:
        state = self._offline_mode()
        is_taken_back = state.choice is OfflineModeChoice.ON and self._once_under is not OfflineModeChoice.ON
        return state.allows(asked.destination) or (self._is_allowed_once(asked) and not is_taken_back)

    def allows_once(self, asked: PendingRequest) -> bool:
        """Return True if a request is permitted because the user named its host for this one operation; blocking."""
        return self._is_allowed_once(asked) and self._may_leave(asked)

    def _is_allowed_once(self, asked: PendingRequest) -> bool:
        return any(one.covers(asked.destination) for one in self._once)

    @contextmanager
    def running(self, asked: PendingRequest, end: Callable[[], None]) -> Iterator[None]:
        """Register a program that runs inside the block, to be ended by enforce() when it is no longer permitted.

        Args:
            asked: The request with which the program was started.
            end: Ends the program; called on any thread, perhaps more than once, and may wait for the end.
        """
        key = object()
        with self._running_lock:
            self._running[key] = (asked, end)
        try:
            yield
        finally:
            with self._running_lock:
                del self._running[key]

    def enforce(self) -> None:
        """End running programs that are no longer permitted; called after a consent was withdrawn; blocking."""
        with self._running_lock:
            running = tuple(self._running.values())
        for asked, end in running:
            if not self.allows(asked):
                end()

    def is_here(self, host: str) -> bool:
        """Return True if data sent to a host never leaves this machine."""
        return self._here(host)

    def check(self, purpose: Purpose, host: str, *, port: int = 0, address: str = "") -> None:
        """Check that a host is permitted, for example before its name is resolved; a refusal is recorded.

        Raises:
            NetworkClosed: Offline mode is on, and the host is neither this machine nor an exception.
        """
        asked = PendingRequest(purpose, host, port, address)
        if not self.allows(asked):
            request = self._request(asked)
            self._recorder.submit(lambda: self._refuse(request)).result()

    async def check_soon(self, purpose: Purpose, host: str, *, port: int = 0, address: str = "") -> None:
        """Check that a host is permitted, without blocking the event loop; see check()."""
        if not self._here(host):
            asked = PendingRequest(purpose, host, port, address)
            request = self._request(asked)
            await asyncio.wrap_future(self._recorder.submit(lambda: self._refuse_unless_allowed(asked, request)))

    def enter(self, asked: PendingRequest) -> PermittedRequest:
        """Return the permitted request after it was recorded in the ledger; blocking.

        Raises:
            NetworkClosed: Offline mode is on, and this is none of its exceptions.
            LibraryError: It cannot be recorded, so it must not be sent.
        """
        permitted, kept = self._submit(asked)
        kept.result()
        return permitted

    async def enter_soon(self, asked: PendingRequest) -> PermittedRequest:
        """Do the same as enter() without blocking the event loop; a local request does not wait for the ledger."""
        permitted, kept = self._submit(asked)
        if permitted.leaves:
            try:
                await asyncio.shield(asyncio.wrap_future(kept))
            except asyncio.CancelledError as error:
                permitted.failed(error)
                raise
        return permitted

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Call a listener, on a thread of the gate, for each request that begins, ends or is refused.

        Returns a function that removes the listener.
        """
        return self._recorder.watch(listener)

    def settle(self) -> None:
        """Wait until all requests so far are recorded; blocking."""
        self._recorder.settle()

    def close(self) -> None:
        """Record all requests so far and permit no more."""
        self._recorder.close()

    def _submit(self, asked: PendingRequest) -> "tuple[PermittedRequest, Future[NetworkRequest]]":
        request = self._request(asked)

        def enter() -> NetworkRequest:
            self._refuse_unless_allowed(asked, request)
            try:
                return self._recorder.keep(request)
            except LibraryError:
                if request.is_here:
                    return request
                raise

        kept = self._recorder.submit(enter)
        return PermittedRequest(self._recorder, request, kept), kept

    def _request(self, asked: PendingRequest) -> NetworkRequest:
        here = self._stays_here(asked)
        payload = _payload.get()
        counted = 0 if asked.seen else None
        note = _NO_NETWORK if asked.confined else _GATED if asked.gated else "" if asked.host else _OUTSIDE
        if not here and self._is_allowed_once(asked):
            note = _ONCE
        return NetworkRequest(
            id=0,
            at=datetime.now(UTC).isoformat(timespec="microseconds"),
            purpose=asked.purpose,
            host=asked.host.lower(),
            port=asked.port,
            is_here=here,
            address=masked(_strip_address(asked.address))[:_LONGEST_ADDRESS],
            sent=counted,
            received=counted,
            run=payload.run,
            chunks=payload.chunks,
            via=asked.via,
            note=note,
        )

    def _stays_here(self, asked: PendingRequest) -> bool:
        """Return True if nothing of a request leaves this machine."""
        return (
            asked.confined
            or asked.gated
            or (bool(asked.host) and self._here(asked.connected or asked.host) and not asked.via)
        )

    def _refuse_unless_allowed(self, asked: PendingRequest, request: NetworkRequest) -> None:
        if not request.is_here and not self._may_leave(asked):
            self._refuse(request)

    def _refuse(self, request: NetworkRequest) -> NoReturn:
        refused = replace(request, outcome=NetworkOutcome.REFUSED, sent=0, received=0, chunks=(), note="")
        try:
            self._recorder.keep(refused)
        except LibraryError as error:
            logger.warning("A refused network request could not be written down: %s", error)
        raise closed(request)


def _strip_address(address: str) -> str:
    """Return an address without user, password, query and fragment; a command is returned unchanged."""
    if not _ADDRESS.match(address):
        return address
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def closed(request: NetworkRequest) -> NetworkClosed:
    """Return the error of a refused request."""
    if request.is_program:
        return NetworkClosed(f"Offline mode is on: “{request.address}” was not started.", OFFLINE_MODE_HINT)
    return NetworkClosed(f"Offline mode is on: “{request.host}” was not asked.", OFFLINE_MODE_HINT)


def redirect_refused(first: str, host: str) -> NetworkClosed:
    """Return the error of a redirect to a host that is not permitted; nothing was sent there."""
    return NetworkClosed(
        f"“{first}” redirects to “{host}”, which was not asked: offline mode is on.", OFFLINE_MODE_HINT
    )


LOOPBACK_ONLY = EgressGate()
"""Default gate: permits only requests that stay on this machine, and records nothing."""

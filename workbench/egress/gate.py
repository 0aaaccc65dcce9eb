"""May it leave this machine, and does it stand in the ledger: every request of every room passes here."""

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
    AIR_GAP_HINT,
    AirGap,
    AirGapChoice,
    AllowedHost,
    Destination,
    NetworkOutcome,
    NetworkRequest,
    Purpose,
    is_here,
)

logger = logging.getLogger(__name__)

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_LONGEST_NOTE = 300
_NO_NETWORK = mark("It has no network.")
_OUTSIDE = mark("It runs outside of the air gap: whom it asks by itself can neither be seen nor refused.")
_GATED = mark("By its own settings it asks only the hosts that you allowed; this system cannot make sure of that.")
_ONCE = mark("You allowed this host for this once.")
_LONGEST_ADDRESS = 500


@dataclass(frozen=True, slots=True)
class RequestPayload:
    """What goes with a request: for which answer, and the ids of the chunks whose text is in it."""

    run: int | None = None
    chunks: tuple[int, ...] = ()


_NOTHING = RequestPayload()
_carried: ContextVar[RequestPayload] = ContextVar("carried", default=_NOTHING)


@contextmanager
def carrying(*, run: int | None = None, chunks: Iterable[int] = ()) -> Iterator[None]:
    """Say what goes with the requests that are made inside; what was said further outside holds, too.

    Args:
        run: Id of the answer that they are made for; None for the one said further outside.
        chunks: Ids of chunks whose text is sent.
    """
    outer = _carried.get()
    known = dict.fromkeys((*outer.chunks, *chunks))
    token = _carried.set(RequestPayload(outer.run if run is None else run, tuple(known)))
    try:
        yield
    finally:
        _carried.reset(token)


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """What is about to be asked.

    Attributes:
        host: As it is known to the user; empty for a program.
        connected: The address that is connected to, where it is known already and another than host.
        address: In full, of which the ledger keeps no query, user and fragment; the command, for a program.
        via: Host and port of a proxy.
        seen: Whether its bytes can be counted.
        confined: A program that has no network whatever.
        gated: A program whose only way to the network is a proxy of ours, which asks this gate for each host; by its
            own settings, where the system cannot see to that.
        program: What identifies a program that the user may have made an exception for (ToolServer.sha256).
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
        """Whom it asks, as the air gap decides by it."""
        return Destination(self.purpose, self.host, self.port, self.program)


class PermittedRequest:
    """One request that was let through, until it is done() or failed(); as a context manager it ends with its block.

    Attributes:
        sent: Bytes so far.
        received: Bytes so far.
        status: Of HTTP, once it is known.
    """

    def __init__(self, recorder: LedgerWriter, request: NetworkRequest, kept: "Future[NetworkRequest]") -> None:
        self._recorder = recorder
        self._request = request
        self._kept = kept
        self._began = time.perf_counter()
        self._ending = threading.Lock()
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
        """Whether it leaves this machine."""
        return not self._request.is_here

    def done(self, *, note: str = "") -> None:
        """Say that it has ended as it should; only the first end counts."""
        self._end(NetworkOutcome.DONE, note)

    def failed(self, why: BaseException | str) -> None:
        """Say that it has ended otherwise, and why."""
        if isinstance(why, asyncio.CancelledError | GeneratorExit):
            why = mark("It was stopped.")
        self._end(NetworkOutcome.FAILED, str(why) or type(why).__name__)

    def _end(self, outcome: NetworkOutcome, note: str) -> None:
        with self._ending:
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
            note=self._noted(note),
        )
        self._recorder.complete(self._kept, ended)

    def _noted(self, note: str) -> str:
        """Return what is noted at the end: that the user allowed it stays beside why it failed."""
        ended = " ".join(masked(note).split())[:_LONGEST_NOTE]
        return f"{ended} {_ONCE}" if ended and self._request.note == _ONCE else ended or self._request.note


def _shut() -> AirGap:
    return AirGap(AirGapChoice.ON)


class EgressGate:
    """Lets requests through or refuses them, and has each written down; one for a library, safe on any thread."""

    def __init__(
        self,
        ledger: Ledger | None = None,
        air_gap: Callable[[], AirGap] = _shut,
        *,
        here: Callable[[str], bool] = is_here,
    ) -> None:
        """Take what decides.

        Args:
            ledger: Where requests are kept; None keeps none.
            air_gap: Says what may leave; asked for every request, blocking. Nothing may unless given.
            here: Says whether a host is this machine itself.
        """
        self._air_gap = air_gap
        self._here = here
        self._recorder = LedgerWriter(ledger)
        self._running: dict[object, tuple[PendingRequest, Callable[[], None]]] = {}
        self._changing = threading.Lock()
        self._once: tuple[AllowedHost, ...] = ()
        self._once_under = AirGapChoice.ON

    def allowing(self, hosts: Iterable[AllowedHost]) -> "EgressGate":
        """Return this gate with some hosts open besides, for one operation that the user named them for; blocking.

        Who switches the air gap to “without exceptions” meanwhile takes that back, too: it was given before.
        """
        gate = copy.copy(self)
        gate._once = tuple(hosts)
        gate._once_under = self._air_gap().choice
        return gate

    def air_gap(self) -> AirGap:
        """Return whether anything may leave this machine, and why; blocking."""
        return self._air_gap()

    def allows(self, asked: PendingRequest) -> bool:
        """Tell whether something may be asked, or a program be started that has the network; blocking."""
        return self._stays(asked) or self._may_leave(asked)

    def _may_leave(self, asked: PendingRequest) -> bool:
        state = self._air_gap()
        is_taken_back = state.choice is AirGapChoice.ON and self._once_under is not AirGapChoice.ON
        return state.allows(asked.destination) or (self._is_allowed_once(asked) and not is_taken_back)

    def allows_once(self, asked: PendingRequest) -> bool:
        """Tell whether something may be asked because the user named its host for this one operation; blocking."""
        return self._is_allowed_once(asked) and self._may_leave(asked)

    def _is_allowed_once(self, asked: PendingRequest) -> bool:
        return any(one.covers(asked.destination) for one in self._once)

    @contextmanager
    def running(self, asked: PendingRequest, end: Callable[[], None]) -> Iterator[None]:
        """Have a program that runs as long as the block ended when it may no longer have the network that it has.

        Args:
            asked: As it was let through.
            end: Called on any thread, perhaps more than once; may wait until the program has ended.
        """
        key = object()
        with self._changing:
            self._running[key] = (asked, end)
        try:
            yield
        finally:
            with self._changing:
                del self._running[key]

    def enforce(self) -> None:
        """End the programs that may no longer have the network: called when a consent was taken back; blocking."""
        with self._changing:
            running = tuple(self._running.values())
        for asked, end in running:
            if not self.allows(asked):
                end()

    def is_here(self, host: str) -> bool:
        """Tell whether what is sent to a host never leaves this machine."""
        return self._here(host)

    def check(self, purpose: Purpose, host: str, *, port: int = 0, address: str = "") -> None:
        """Go on only where a host may be asked: before its name is looked up, say. What is refused is written down.

        Raises:
            NetworkClosed: The air gap is on, and the host is neither this machine nor an exception.
        """
        asked = PendingRequest(purpose, host, port, address)
        if not self.allows(asked):
            request = self._request(asked)
            self._recorder.submit(lambda: self._refuse(request)).result()

    async def check_soon(self, purpose: Purpose, host: str, *, port: int = 0, address: str = "") -> None:
        """Do the same without holding up the loop."""
        if not self._here(host):
            asked = PendingRequest(purpose, host, port, address)
            request = self._request(asked)
            await asyncio.wrap_future(self._recorder.submit(lambda: self._refuse_unless_allowed(asked, request)))

    def enter(self, asked: PendingRequest) -> PermittedRequest:
        """Let a request through, once it stands in the ledger; blocking.

        Raises:
            NetworkClosed: The air gap is on, and this is none of its exceptions.
            LibraryError: It cannot be written down, so it is not to be sent.
        """
        passage, kept = self._entered(asked)
        kept.result()
        return passage

    async def enter_soon(self, asked: PendingRequest) -> PermittedRequest:
        """Do the same without holding up the loop; what stays on this machine waits for nothing."""
        passage, kept = self._entered(asked)
        if passage.leaves:
            try:
                await asyncio.shield(asyncio.wrap_future(kept))
            except asyncio.CancelledError as error:
                passage.failed(error)
                raise
        return passage

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Tell a listener, on a thread of the gate, of each request that begins, ends or is refused.

        Returns what ends that.
        """
        return self._recorder.watch(listener)

    def settle(self) -> None:
        """Wait until the ledger holds everything that was asked so far; blocking."""
        self._recorder.settle()

    def close(self) -> None:
        """Write down what was asked so far, and let nothing through any more."""
        self._recorder.close()

    def _entered(self, asked: PendingRequest) -> "tuple[PermittedRequest, Future[NetworkRequest]]":
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
        here = self._stays(asked)
        carried = _carried.get()
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
            address=masked(_plain(asked.address))[:_LONGEST_ADDRESS],
            sent=counted,
            received=counted,
            run=carried.run,
            chunks=carried.chunks,
            via=asked.via,
            note=note,
        )

    def _stays(self, asked: PendingRequest) -> bool:
        """Tell whether nothing of it leaves this machine."""
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


def _plain(address: str) -> str:
    """Return an address without user, password, query and fragment; a command as it is."""
    if not _ADDRESS.match(address):
        return address
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def closed(request: NetworkRequest) -> NetworkClosed:
    """Return the error that says what was not asked."""
    if request.is_program:
        return NetworkClosed(f"The air gap is on: “{request.address}” was not started.", AIR_GAP_HINT)
    return NetworkClosed(f"The air gap is on: “{request.host}” was not asked.", AIR_GAP_HINT)


def redirect_refused(first: str, host: str) -> NetworkClosed:
    """Return the error of a redirect to a host that nobody has consented to; nothing was sent there."""
    return NetworkClosed(f"“{first}” redirects to “{host}”, which was not asked: the air gap is on.", AIR_GAP_HINT)


LOOPBACK_ONLY = EgressGate()
"""Lets through what stays on this machine, and writes nothing down: whoever is handed no other gate gets this one."""

"""HTTP clients and transports that ask the gate, count what passes, and say what became of it.

Imported only where something is about to be asked: httpx2 takes 0.1 s.
"""

from collections.abc import Mapping
from typing import Any

import httpx2

from workbench.egress.counting import (
    Received,
    ReceivedAsync,
    Sent,
    SentAsync,
    answer_head_bytes,
    head_bytes,
)
from workbench.egress.gate import Asked, Gate, Passage
from workbench.egress.proxies import SystemProxy, system_proxy
from workbench.egress.tls import tls_context
from workbench.model.egress import Purpose

_PORTS: Mapping[str, int] = {"http": 80, "https": 443}


class _Ways:
    """What the transports of a client have in common: who is asked, and by which way."""

    def __init__(self, gate: Gate, purpose: Purpose, *, by_proxy: bool, limits: httpx2.Limits | None) -> None:
        self._gate = gate
        self._purpose = purpose
        self._by_proxy = by_proxy
        self._options: dict[str, Any] = {
            "verify": tls_context(by_environment=by_proxy),
            "trust_env": False,
            **({"limits": limits} if limits is not None else {}),
        }

    def _proxy(self, request: httpx2.Request) -> SystemProxy | None:
        return system_proxy(request.url) if self._by_proxy else None

    def _asked(self, request: httpx2.Request, proxy: SystemProxy | None) -> Asked:
        url = request.url
        # Who has looked the name up by himself connects to an address, and says in the greeting whom he means.
        name = request.extensions.get("sni_hostname") or url.host
        return Asked(
            self._purpose,
            str(name),
            url.port or _PORTS.get(url.scheme, 0),
            str(url.copy_with(host=name)),
            url.host,
            proxy.place if proxy is not None else "",
        )


class AsyncWays(_Ways, httpx2.AsyncBaseTransport):
    """An asynchronous transport through the gate: directly, or by the proxy that the system names."""

    def __init__(
        self, gate: Gate, purpose: Purpose, *, by_proxy: bool = False, limits: httpx2.Limits | None = None
    ) -> None:
        """Connect to nothing yet; the arguments are those of async_client."""
        super().__init__(gate, purpose, by_proxy=by_proxy, limits=limits)
        self._transports: dict[str, httpx2.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request once it may leave.

        Raises:
            NetworkClosed: The air gap is on.
            LibraryError: It cannot be written down.
        """
        proxy = self._proxy(request)
        passage = await self._gate.enter_soon(self._asked(request, proxy))
        passage.sent += head_bytes(request)
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        request.stream = SentAsync(request.stream, passage)
        try:
            response = await self._transport(proxy).handle_async_request(request)
        except BaseException as error:
            passage.failed(error)
            raise
        _note_answer(passage, response)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = ReceivedAsync(response.stream, passage)
        return response

    async def aclose(self) -> None:
        """Close every connection."""
        for transport in self._transports.values():
            await transport.aclose()

    def _transport(self, proxy: SystemProxy | None) -> httpx2.AsyncHTTPTransport:
        address = proxy.address if proxy is not None else ""
        if address not in self._transports:
            self._transports[address] = httpx2.AsyncHTTPTransport(proxy=address or None, **self._options)
        return self._transports[address]


class Ways(_Ways, httpx2.BaseTransport):
    """The same for threads."""

    def __init__(self, gate: Gate, purpose: Purpose, *, by_proxy: bool = False) -> None:
        """Connect to nothing yet; the arguments are those of sync_client."""
        super().__init__(gate, purpose, by_proxy=by_proxy, limits=None)
        self._transports: dict[str, httpx2.HTTPTransport] = {}

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request once it may leave; raises as AsyncWays does."""
        proxy = self._proxy(request)
        passage = self._gate.enter(self._asked(request, proxy))
        passage.sent += head_bytes(request)
        assert isinstance(request.stream, httpx2.SyncByteStream)
        request.stream = Sent(request.stream, passage)
        try:
            response = self._transport(proxy).handle_request(request)
        except BaseException as error:
            passage.failed(error)
            raise
        _note_answer(passage, response)
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = Received(response.stream, passage)
        return response

    def close(self) -> None:
        """Close every connection."""
        for transport in self._transports.values():
            transport.close()

    def _transport(self, proxy: SystemProxy | None) -> httpx2.HTTPTransport:
        address = proxy.address if proxy is not None else ""
        if address not in self._transports:
            self._transports[address] = httpx2.HTTPTransport(proxy=address or None, **self._options)
        return self._transports[address]


def async_client(gate: Gate, purpose: Purpose, *, by_proxy: bool = False, **options: Any) -> httpx2.AsyncClient:
    """Return a client whose every request passes the gate, and which follows no redirect by itself.

    Args:
        gate: Which gate.
        purpose: What the requests are for.
        by_proxy: Whether the system may name a proxy and certificates; a server of this machine is asked directly
            in any case.
        options: What httpx2.AsyncClient takes besides: timeout, headers, event_hooks.
    """
    ways = AsyncWays(gate, purpose, by_proxy=by_proxy)
    return httpx2.AsyncClient(transport=ways, trust_env=False, follow_redirects=False, **options)


def sync_client(gate: Gate, purpose: Purpose, *, by_proxy: bool = False, **options: Any) -> httpx2.Client:
    """Return the same for threads."""
    ways = Ways(gate, purpose, by_proxy=by_proxy)
    return httpx2.Client(transport=ways, trust_env=False, follow_redirects=False, **options)


def patience(read: float, other: float) -> httpx2.Timeout:
    """Return how many seconds may pass until more of an answer comes, and until anything else happens."""
    return httpx2.Timeout(other, read=read)


def _note_answer(passage: Passage, response: httpx2.Response) -> None:
    passage.status = response.status_code
    passage.received += answer_head_bytes(response)

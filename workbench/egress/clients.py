"""HTTP clients that pass the gate and count bytes, with the system's proxies and certificates.

Imported only before a request, because importing httpx2 takes 0.1 s.
"""

import os
import ssl
import urllib.request
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import httpx2

from workbench.egress.gate import EgressGate, PendingRequest, PermittedRequest
from workbench.model.egress import Purpose, is_here

_LINE_END = 2
_SEPARATOR = 2
_VERSION_AND_SPACES = len("HTTP/1.1") + 2


def head_bytes(request: httpx2.Request) -> int:
    """Return the size of a request's head in HTTP/1.1, in bytes."""
    line = len(request.method) + len(request.url.raw_path) + _VERSION_AND_SPACES + _LINE_END
    return line + _header_bytes(request.headers.raw)


def answer_head_bytes(response: httpx2.Response) -> int:
    """Return the size of a response's head in HTTP/1.1, in bytes."""
    line = len(str(response.status_code)) + len(response.reason_phrase) + _VERSION_AND_SPACES + _LINE_END
    return line + _header_bytes(response.headers.raw)


def _header_bytes(headers: list[tuple[bytes, bytes]]) -> int:
    return sum(len(name) + len(value) + _SEPARATOR + _LINE_END for name, value in headers) + _LINE_END


class AsyncRequestBody(httpx2.AsyncByteStream):
    """Asynchronous request body that counts the bytes sent."""

    def __init__(self, body: httpx2.AsyncByteStream, passage: "PermittedRequest") -> None:
        self._body = body
        self._passage = passage

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._body:
            self._passage.sent += len(piece)
            yield piece

    async def aclose(self) -> None:
        """Close the wrapped body."""
        await self._body.aclose()


class AsyncResponseBody(httpx2.AsyncByteStream):
    """Asynchronous response body that counts the bytes received and ends the request."""

    def __init__(self, body: httpx2.AsyncByteStream, passage: "PermittedRequest") -> None:
        self._body = body
        self._passage = passage

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._body:
                self._passage.received += len(piece)
                yield piece
        except GeneratorExit:
            raise  # the reader stopped early and closes the response
        except BaseException as error:
            self._passage.failed(error)
            raise
        self._passage.done()

    async def aclose(self) -> None:
        """Close the response without waiting for its unread part."""
        try:
            await self._body.aclose()
        finally:
            self._passage.done()


class RequestBody(httpx2.SyncByteStream):
    """Request body that counts the bytes sent."""

    def __init__(self, body: httpx2.SyncByteStream, passage: "PermittedRequest") -> None:
        self._body = body
        self._passage = passage

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._body:
            self._passage.sent += len(piece)
            yield piece

    def close(self) -> None:
        """Close the wrapped body."""
        self._body.close()


class ResponseBody(httpx2.SyncByteStream):
    """Response body that counts the bytes received and ends the request."""

    def __init__(self, body: httpx2.SyncByteStream, passage: "PermittedRequest") -> None:
        self._body = body
        self._passage = passage

    def __iter__(self) -> Iterator[bytes]:
        try:
            for piece in self._body:
                self._passage.received += len(piece)
                yield piece
        except GeneratorExit:
            raise  # as above
        except BaseException as error:
            self._passage.failed(error)
            raise
        self._passage.done()

    def close(self) -> None:
        """Close the response without waiting for its unread part."""
        try:
            self._body.close()
        finally:
            self._passage.done()


_SUPPORTED_SCHEMES = ("http", "https")


@dataclass(frozen=True, slots=True)
class SystemProxy:
    """Proxy; address may contain a password, place is its host and port."""

    address: str = field(repr=False)
    place: str


def system_proxy(url: httpx2.URL) -> SystemProxy | None:
    """Return the proxy for an address, None for a direct connection; this machine itself needs no proxy.

    Raises:
        httpx2.ProxyError: The proxy's scheme is not supported.
    """
    port = f":{url.port}" if url.port else ""
    if is_here(url.host) or urllib.request.proxy_bypass(f"{url.host}{port}"):
        return None
    named = urllib.request.getproxies()
    address = named.get(url.scheme) or named.get("all") or ""
    if not address:
        return None
    whole = address if "://" in address else f"http://{address}"
    parts = urlsplit(whole)
    if parts.scheme not in _SUPPORTED_SCHEMES or not parts.hostname:
        raise httpx2.ProxyError(f"The system names a proxy that is not spoken: {parts.scheme}://{parts.hostname}")
    return SystemProxy(whole, f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}")


_PORTS: Mapping[str, int] = {"http": 80, "https": 443}


class _TransportBase:
    """Base class of the transports: gate, purpose and proxy selection."""

    def __init__(self, gate: EgressGate, purpose: Purpose, *, by_proxy: bool, limits: httpx2.Limits | None) -> None:
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

    def _pending_request(self, request: httpx2.Request, proxy: SystemProxy | None) -> PendingRequest:
        url = request.url
        # A caller that resolved the name itself connects to an IP address and passes the name for TLS (SNI).
        name = request.extensions.get("sni_hostname") or url.host
        return PendingRequest(
            self._purpose,
            str(name),
            url.port or _PORTS.get(url.scheme, 0),
            str(url.copy_with(host=name)),
            url.host,
            proxy.place if proxy is not None else "",
        )


class AsyncGateTransport(_TransportBase, httpx2.AsyncBaseTransport):
    """Asynchronous transport through the gate, directly or by the system's proxy."""

    def __init__(
        self, gate: EgressGate, purpose: Purpose, *, by_proxy: bool = False, limits: httpx2.Limits | None = None
    ) -> None:
        """Create the transport without connecting; the arguments are those of async_client."""
        super().__init__(gate, purpose, by_proxy=by_proxy, limits=limits)
        self._transports: dict[str, httpx2.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request after the gate has permitted and recorded it.

        Raises:
            NetworkClosed: Offline mode is on.
            LibraryError: The request cannot be recorded.
        """
        proxy = self._proxy(request)
        passage = await self._gate.enter_soon(self._pending_request(request, proxy))
        passage.sent += head_bytes(request)
        assert isinstance(request.stream, httpx2.AsyncByteStream)
        request.stream = AsyncRequestBody(request.stream, passage)
        try:
            response = await self._transport(proxy).handle_async_request(request)
        except BaseException as error:
            passage.failed(error)
            raise
        _record_response(passage, response)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = AsyncResponseBody(response.stream, passage)
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


class GateTransport(_TransportBase, httpx2.BaseTransport):
    """Blocking transport through the gate, directly or by the system's proxy."""

    def __init__(self, gate: EgressGate, purpose: Purpose, *, by_proxy: bool = False) -> None:
        """Create the transport without connecting; the arguments are those of sync_client."""
        super().__init__(gate, purpose, by_proxy=by_proxy, limits=None)
        self._transports: dict[str, httpx2.HTTPTransport] = {}

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request after the gate has permitted and recorded it; raises as AsyncGateTransport does."""
        proxy = self._proxy(request)
        passage = self._gate.enter(self._pending_request(request, proxy))
        passage.sent += head_bytes(request)
        assert isinstance(request.stream, httpx2.SyncByteStream)
        request.stream = RequestBody(request.stream, passage)
        try:
            response = self._transport(proxy).handle_request(request)
        except BaseException as error:
            passage.failed(error)
            raise
        _record_response(passage, response)
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = ResponseBody(response.stream, passage)
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


def async_client(gate: EgressGate, purpose: Purpose, *, by_proxy: bool = False, **options: Any) -> httpx2.AsyncClient:
    """Return an asynchronous client whose requests all pass the gate and which follows no redirects.

    Args:
        gate: The gate.
        purpose: Purpose of the requests.
        by_proxy: Use the system's proxy and certificates; a server on this machine is always connected to directly.
        options: Further arguments of httpx2.AsyncClient: timeout, headers, event_hooks.
    """
    transport = AsyncGateTransport(gate, purpose, by_proxy=by_proxy)
    return httpx2.AsyncClient(transport=transport, trust_env=False, follow_redirects=False, **options)


def sync_client(gate: EgressGate, purpose: Purpose, *, by_proxy: bool = False, **options: Any) -> httpx2.Client:
    """Return a blocking client whose requests all pass the gate; the arguments are those of async_client."""
    transport = GateTransport(gate, purpose, by_proxy=by_proxy)
    return httpx2.Client(transport=transport, trust_env=False, follow_redirects=False, **options)


def patience(read: float, other: float) -> httpx2.Timeout:
    """Return timeouts in seconds: read for the next part of a response, other for everything else."""
    return httpx2.Timeout(other, read=read)


def _record_response(passage: PermittedRequest, response: httpx2.Response) -> None:
    passage.status = response.status_code
    passage.received += answer_head_bytes(response)


def tls_context(*, by_environment: bool) -> ssl.SSLContext:
    """Return a context that trusts the system's certificates.

    Args:
        by_environment: Use the certificates from SSL_CERT_FILE or SSL_CERT_DIR instead, as required behind a
            company's intercepting proxy.
    """
    places = (os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")) if by_environment else ()
    return _tls_context(places)


@lru_cache(maxsize=4)
def _tls_context(places: tuple[str | None, ...]) -> ssl.SSLContext:
    # Reading the certificates takes 20 ms; each fetched page and each connected model would wait for it.
    context = httpx2.create_ssl_context(trust_env=bool(places))
    # Python writes the secrets of each connection to the file in SSLKEYLOGFILE, whoever has set that variable.
    if getattr(context, "keylog_filename", None):
        context.keylog_filename = None  # type: ignore[assignment]
    return context

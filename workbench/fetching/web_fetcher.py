"""HTTP fetcher: redirects and limits, decompression of bodies, and error messages for the user."""

import asyncio
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self
from urllib.parse import urlsplit

import workbench
from workbench.egress.gate import LOOPBACK_ONLY, EgressGate, PendingRequest, redirect_refused
from workbench.errors import (
    AddressRefused,
    HostClosed,
    LibraryError,
    NetworkClosed,
    NoSuchPage,
    PageNotFetched,
    UnsupportedFormat,
)
from workbench.fetching.address import AddressGuard, addresses_to_ask, resolve_redirect, web_address
from workbench.fetching.base import Fetched, FetchLimits, RequestPreferences, Validators
from workbench.fetching.content_type import (
    HEAD,
    LOOKED_AT,
    PAGE,
    content_type,
    ending,
    ending_of_bytes,
    file_name,
    in_utf8,
    page_title,
    untitled,
)
from workbench.fetching.content_type import safe_name as safe
from workbench.files.changes import move_into_place
from workbench.language import in_seconds, mark
from workbench.model.egress import Purpose, host_of

if TYPE_CHECKING:
    import httpx2

    from workbench.egress.clients import AsyncGateTransport


PIECE = 1 << 16
"""Maximum size of a decompressed piece in memory: 1 KB of gzip can expand to 1 MB."""

ACCEPTED = "gzip, deflate"
"""Accept-Encoding header; newer codings decompress in one step, without a limit on memory."""


class BodyDecoder(Protocol):
    """Decodes the pieces of a body as they arrive."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded bytes in pieces of at most PIECE bytes."""
        ...


class PlainBody:
    """Uncompressed body."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the bytes unchanged."""
        yield data


class InflateDecoder:
    """Body in gzip or zlib format, or in the raw deflate format that some servers send under that name."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(wbits=47)
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded bytes.

        Raises:
            PageNotFetched: The bytes are not in the format that the server stated.
        """
        while data:
            try:
                plain = self._inflate.decompress(data, PIECE)
            except zlib.error as error:
                if self._started:
                    raise _damaged_error() from error
                self._inflate, self._started = zlib.decompressobj(wbits=-15), True
                continue
            self._started = True
            if plain:
                yield plain
            if self._inflate.eof:
                return
            data = self._inflate.unconsumed_tail


def decoding(name: str) -> BodyDecoder:
    """Return the decoder for a Content-Encoding.

    Raises:
        PageNotFetched: The encoding was not requested.
    """
    coding = name.strip().lower()
    if coding in ("", "identity"):
        return PlainBody()
    if coding in ("gzip", "x-gzip", "deflate"):
        return InflateDecoder()
    raise PageNotFetched(f"The server sent the page in a form that cannot be read (“{coding[:40]}”).", "")


def _damaged_error() -> PageNotFetched:
    return PageNotFetched("The page arrived damaged.", "Try again later.")


USER_AGENT = f"KnowledgeWorkbench/{workbench.__version__} (desktop program; fetches what its user asked for)"
AT_A_TIME = 4
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_HEADERS = {
    "User-Agent": USER_AGENT,
    "Accept": "text/html,application/xhtml+xml,application/pdf,text/markdown;q=0.9,*/*;q=0.8",
    "Accept-Language": "*",
    "Accept-Encoding": ACCEPTED,
}


class WebFetcher:
    """Fetches the pages of one batch; used as a context manager.

    No state is kept between pages: cookies last for one page's redirects, connections for one request. Proxies of the
    environment are not used: they would resolve the names themselves and so bypass the check of the address.
    """

    def __init__(
        self,
        limits: FetchLimits,
        supported: frozenset[str],
        *,
        guard: AddressGuard | None = None,
        gate: EgressGate = LOOPBACK_ONLY,
        purpose: Purpose = Purpose.WEB_PAGE,
    ) -> None:
        """Store the configuration; no connection is made.

        Args:
            limits: Limits for one address.
            supported: Endings of file names that parsers accept.
            guard: Check of the machines that may be asked; None creates one from the limits.
            gate: Egress gate for the requests.
            purpose: Purpose of the requests.
        """
        self._gate = gate
        self._purpose = purpose
        self._limits = limits
        self._supported = supported
        self._guard = guard or AddressGuard(allow_private=limits.allow_private)
        self._hosts: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._slots = asyncio.Semaphore(AT_A_TIME)
        self._transport: AsyncGateTransport | None = None

    async def __aenter__(self) -> Self:
        import httpx2  # 0.1 s, which is not spent at startup

        from workbench.egress.clients import AsyncGateTransport  # same reason

        # A kept connection could be reused for another name with the same address.
        limits_without_reuse = httpx2.Limits(max_keepalive_connections=0)
        self._transport = AsyncGateTransport(self._gate, self._purpose, limits=limits_without_reuse)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._transport is not None:
            await self._transport.aclose()

    async def fetch(
        self, address: str, folder: Path, validators: Validators | None = None, asking: RequestPreferences | None = None
    ) -> Fetched | None:
        """Return the page, or None if it is unchanged since the validators.

        Args:
            address: Address as typed.
            folder: Folder to which the body is written.
            validators: Validators of the stored page.
            asking: Additional data that a service requires; not needed for a page.

        Raises:
            AddressRefused: Requests to this address are not allowed.
            HostClosed: Offline mode is on; it also blocks redirects to another host.
            PageNotFetched: The server cannot be reached, refuses, is too slow, or sends too much.
            UnsupportedFormat: The content has no readable format.
        """
        visit = _Visit(web_address(address), folder, validators or Validators(), self._limits.seconds, asking)
        for _ in range(self._limits.redirects + 1):
            host = urlsplit(visit.address).netloc
            # Take the host's lock before the slot, so that waiting for a slow host does not block other hosts.
            async with self._hosts[host], self._slots:
                started = time.monotonic()
                try:
                    async with asyncio.timeout(visit.seconds):
                        if await self._hop(visit):
                            return visit.result
                except TimeoutError as error:
                    raise PageNotFetched(
                        f"The page did not load within {in_seconds(self._limits.seconds)}.", "Try again later."
                    ) from error
                visit.seconds -= time.monotonic() - started
        raise PageNotFetched(
            f"The address was redirected more than {self._limits.redirects} times.",
            "The page may require a login; save it in the browser and add the file.",
        )

    async def _hop(self, visit: "_Visit") -> bool:
        """Send one request; return False if it was redirected."""
        import httpx2

        try:
            response = await self._request(visit)
        except NetworkClosed as error:
            hosts = visit.hosts()
            refusal_error = redirect_refused(hosts[-2], hosts[-1]) if len(hosts) > 1 else error
            raise HostClosed(refusal_error.message, refusal_error.hint, hosts) from error
        except LibraryError as error:
            raise AddressRefused(error.message, error.hint) from error
        except httpx2.TransportError as error:
            raise unreachable(error, urlsplit(visit.address).hostname or "") from error
        try:
            visit.take_cookies(response.headers.get_list("set-cookie"))
            if response.status_code in _REDIRECTS and "location" in response.headers and visit.body is None:
                visit.go_on(resolve_redirect(visit.address, response.headers["location"]))
                return False
            if response.status_code == 304 and visit.validators != Validators():
                return True
            if not 200 <= response.status_code < 300:
                raise refusal(response.status_code, response.headers.get("retry-after", ""))
            visit.result = await self._receive(visit, response)
            return True
        except httpx2.TransportError as error:
            raise unreachable(error, urlsplit(visit.address).hostname or "") from error
        finally:
            await response.aclose()

    async def _request(self, visit: "_Visit") -> "httpx2.Response":
        """Connect only to a checked address of the host; its name is sent in the Host header and the TLS handshake."""
        import httpx2

        assert self._transport is not None
        url = httpx2.URL(visit.address)
        port = url.port or (443 if url.scheme == "https" else 80)
        pending = PendingRequest(self._purpose, url.host, port, visit.address)
        refused: httpx2.ConnectError | httpx2.ConnectTimeout | None = None
        for address in (await addresses_to_ask(self._guard, self._gate, pending))[:3]:
            request = httpx2.Request(
                "GET" if visit.body is None else "POST",
                url.copy_with(host=address),
                content=visit.body,
                headers={"Host": url.netloc.decode("ascii"), **_HEADERS, **visit.headers()},
                extensions={"sni_hostname": url.raw_host.decode("ascii"), "timeout": {"connect": 10.0}},
            )
            try:
                return await self._transport.handle_async_request(request)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                refused = error
        assert refused is not None
        raise refused

    async def _receive(self, visit: "_Visit", response: "httpx2.Response") -> Fetched:
        headers = response.headers
        kind, charset = content_type(headers.get("content-type", ""))
        name = file_name(visit.address, headers.get("content-disposition", ""))
        known = ending(kind, name, self._supported)
        await self._save(visit, response)
        if not visit.file.stat().st_size:
            raise PageNotFetched("The server sent an empty page.", "Look at the address in a browser.")
        head = _read_beginning(visit.file)
        suffix = known or ending_of_bytes(head[:HEAD], name, self._supported)
        if suffix == ".txt" and kind != "text/plain" and b"\x00" in head[:HEAD]:
            raise UnsupportedFormat(f"The address leads to something that cannot be read ({kind or 'unknown'}).", "")
        title = ""
        if charset and (kind.startswith("text/") or suffix == PAGE):
            visit.file.write_bytes(in_utf8(visit.file.read_bytes(), charset))
        if suffix == PAGE:
            title = page_title(_read_beginning(visit.file)) or untitled(visit.address)
        stem = name if suffix == PAGE else name.removesuffix(suffix)
        file = visit.file.with_name(safe(stem) + suffix)
        move_into_place(visit.file, file, within=file.parent)
        new_validators = Validators(headers.get("etag", "")[:500], headers.get("last-modified", "")[:100])
        return Fetched(visit.address, file, title or safe(stem + suffix), kind, new_validators)

    async def _save(self, visit: "_Visit", response: "httpx2.Response") -> None:
        limit = self._limits.bytes
        length = response.headers.get("content-length", "")
        if length.isdecimal() and int(length) > limit:
            raise self._too_large_error()
        body = decoding(response.headers.get("content-encoding", ""))
        size = 0
        with visit.file.open("wb") as file:
            async for data in response.aiter_raw():
                for piece in body.feed(data):
                    size += len(piece)
                    if size > limit:
                        raise self._too_large_error()
                    file.write(piece)

    def _too_large_error(self) -> PageNotFetched:
        return PageNotFetched(
            f"The page is larger than {self._limits.megabytes} megabytes.",
            "Raise the size limit of pages in the settings, or save it in the browser and add the file.",
        )


def _read_beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LOOKED_AT)


class _Visit:
    """State of one address while its redirects are followed."""

    def __init__(
        self,
        address: str,
        folder: Path,
        validators: Validators,
        seconds: float,
        asking: RequestPreferences | None = None,
    ) -> None:
        self._asking = asking or RequestPreferences()
        self.address = address
        self._passed = [address]
        self._first = self._origin()
        self.file = folder / "body.part"
        self.validators = validators
        self.seconds = seconds
        self.result: Fetched | None = None
        self._cookies: dict[str, dict[str, str]] = defaultdict(dict)

    def go_on(self, address: str) -> None:
        """Continue at another address."""
        self.address = address
        self._passed.append(address)

    def hosts(self) -> tuple[str, ...]:
        """Return the distinct hosts on the way, the current one last."""
        now = host_of(self.address)
        return (*dict.fromkeys(host for one in self._passed if (host := host_of(one)) != now), now)

    def headers(self) -> dict[str, str]:
        """Return the headers for the current address."""
        optional_headers = {"If-None-Match": self.validators.etag, "If-Modified-Since": self.validators.last_modified}
        optional_headers["Cookie"] = "; ".join(
            f"{name}={value}" for name, value in self._cookies[self._origin()].items()
        )
        sent_headers = {name: value for name, value in optional_headers.items() if value}
        return {**sent_headers, **self._asking.headers} if self._origin() == self._first else sent_headers

    @property
    def body(self) -> bytes | None:
        """Body to send with POST; None for GET."""
        return self._asking.body

    def take_cookies(self, headers: list[str]) -> None:
        """Store the server's cookies: some servers redirect in a loop until they are sent back."""
        for header in headers[:50]:
            try:
                cookie = SimpleCookie(header[:4096])
            except CookieError:
                continue
            self._cookies[self._origin()].update({name: morsel.coded_value for name, morsel in cookie.items()})

    def _origin(self) -> str:
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"


_BY_HAND = mark("Open it in the browser, save it there, and add the file.")
_LATER = mark("Try again later.")
_GONE = (404, 410)
_STATUSES: dict[int, tuple[str, str]] = {
    401: (mark("The page requires a login ({0:d})."), _BY_HAND),
    402: (mark("The page requires a payment ({0:d})."), _BY_HAND),
    403: (mark("The server refuses to show the page to programs, or without a login ({0:d})."), _BY_HAND),
    404: (mark("The server has no such page ({0:d})."), mark("Check the spelling of the address.")),
    407: (mark("The network requires a login ({0:d})."), _BY_HAND),
    410: (mark("The page was taken down ({0:d})."), mark("Look for it elsewhere.")),
    429: (mark("The server asks for fewer requests ({0:d})."), _LATER),
    451: (mark("The page is withheld for legal reasons ({0:d})."), ""),
    503: (mark("The server is busy or down for maintenance ({0:d})."), _LATER),
}


def refusal(status: int, retry_after: str = "") -> PageNotFetched:
    """Return the error for a status other than success."""
    if status in _STATUSES:
        message, hint = _STATUSES[status]
    elif status >= 500:
        message, hint = mark("The server failed ({0:d})."), _LATER
    else:
        message, hint = mark("The server did not send the page ({0:d})."), _BY_HAND
    if retry_after.isdecimal() and hint == _LATER and len(retry_after) < 7:
        seconds = int(retry_after)
        hint = mark(f"Try again in {seconds} seconds.") if seconds > 1 else _LATER
    kind = NoSuchPage if status in _GONE else PageNotFetched
    return kind(message.replace("{0:d}", str(status)), hint)


def unreachable(error: "httpx2.TransportError", host: str) -> PageNotFetched:
    """Return the error for a failed connection."""
    import httpx2

    if isinstance(error, httpx2.TimeoutException):
        return PageNotFetched(f"“{host}” does not answer.", _LATER)
    if isinstance(error, httpx2.ConnectError):
        if "certificate" in str(error).lower() or "ssl" in str(error).lower():
            return PageNotFetched(
                f"“{host}” cannot prove that it is the server it says it is: {_brief(error)}.",
                "The connection may be intercepted, or the server is set up wrongly; the page was not fetched.",
            )
        return PageNotFetched(f"No connection to “{host}”: {_brief(error)}.", "Check the address and your connection.")
    return PageNotFetched(f"“{host}” closed the connection before the page was complete: {_brief(error)}.", _LATER)


def _brief(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")[:160] or type(error).__name__

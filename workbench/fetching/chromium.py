"""Rendering of pages with scripts: an installed Chromium, and the loopback proxy that is its only way to the network.

Chromium runs headless, with a temporary profile, and reaches the network only through the BrowserProxy: it may load
anything that the page requests, including scripts of other servers, but nothing of this machine or its network.

The proxy resolves names, checks them with the AddressGuard, and connects to the checked address, so that a script can
reach neither this machine nor its network, whichever name it uses.
"""

import asyncio
import os
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from workbench.egress.gate import LOOPBACK_ONLY, EgressGate, PendingRequest, PermittedRequest
from workbench.egress.sockets import listen_here, open_stream
from workbench.errors import AddressRefused, DocumentError, LibraryError, NetworkClosed, PageNotFetched
from workbench.fetching.address import AddressGuard, addresses_to_ask
from workbench.fetching.base import FetchLimits
from workbench.files.changes import temporary_folder
from workbench.language import in_seconds
from workbench.model.egress import Purpose, port_of
from workbench.system import current, existing
from workbench.worker.confinement import without_network
from workbench.worker.programs import RunningProgram

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
    "brave-browser",
)
_GATED_FLAGS = (
    # Lookups that bypass the proxy fail, and the browser does not search this network for devices.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-features=MediaRouter,DialMediaRouteProvider",
    "--dns-prefetch-disable",
    "--disable-quic",
)
"""Restrict the browser to the proxy, for systems that cannot block its network access."""
SETTLING_MS = 8_000
"""Duration of the page's virtual time before its content is read."""

_FLAGS = (
    "--headless",
    "--dump-dom",
    "--disable-gpu",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-extensions",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-breakpad",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    "--blink-settings=imagesEnabled=false",
    # Peer-to-peer connections would bypass the proxy.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    # Without this, requests to loopback would bypass it, too.
    "--proxy-bypass-list=<-loopback>",
    f"--virtual-time-budget={SETTLING_MS}",
)


def find_browser() -> str:
    """Return the path of an installed browser.

    Raises:
        PageNotFetched: No browser is installed.
    """
    found = next(filter(None, map(shutil.which, NAMES)), None)
    found = found or existing(current().browsers)
    if found is None:
        raise PageNotFetched(
            "The page's scripts cannot be run: no Chromium is installed.",
            "Install Chromium or Google Chrome, or add the page without “Run scripts on the page”.",
        )
    return found


async def render(
    address: str,
    file: Path,
    browser: str,
    limits: FetchLimits,
    *,
    guard: AddressGuard | None = None,
    gate: EgressGate = LOOPBACK_ONLY,
) -> None:
    """Write the page's content after its scripts have run to file; cancelling ends the browser.

    in offline mode the browser has no network but the proxy, which refuses requests to hosts that the gate does not
    allow. If the system cannot ensure that, it is started only for a host that the user named for this operation, with
    flags that restrict it to the proxy, and the ledger records that.

    Raises:
        AddressRefused: Offline mode is on.
        PageNotFetched: The browser failed, or exceeded the limits.
    """
    try:
        with temporary_folder("workbench-browser-") as profile:
            async with BrowserProxy(
                guard or AddressGuard(allow_private=limits.allow_private), limits.bytes, gate=gate
            ) as gateway:
                command = [browser, *_FLAGS, f"--proxy-server={gateway.address}", f"--user-data-dir={profile}"]
                confined = None
                pending = PendingRequest(Purpose.BROWSER, "", address=Path(browser).name, seen=False)
                if not await asyncio.to_thread(gate.allows, pending):
                    confined = without_network(command, port=gateway.port)
                    pending = replace(pending, confined=confined is not None)
                    if confined is None and await asyncio.to_thread(gate.allows_once, _request_for(address)):
                        command[1:1] = _GATED_FLAGS
                        pending = replace(pending, gated=True)
                with await gate.enter_soon(pending):
                    html = await _dump(address, list(confined or command), limits)
    except NetworkClosed as error:
        raise AddressRefused(error.message, error.hint) from error
    if not html.strip():
        raise PageNotFetched("The browser showed an empty page.", "Look at the address in a browser.")
    file.write_bytes(html)


def _request_for(address: str) -> PendingRequest:
    parts = urlsplit(address)
    return PendingRequest(Purpose.BROWSER, parts.hostname or "", port_of(parts), address)


async def _dump(address: str, command: list[str], limits: FetchLimits) -> bytes:
    try:
        browser = await RunningProgram.start(
            [*command, address],
            errors=asyncio.subprocess.DEVNULL,
            environment=current().variables_for_programs(os.environ),
        )
    except OSError as error:
        raise PageNotFetched(f"The browser cannot be started: {error.strerror}.", "Install it again.") from error
    try:
        async with asyncio.timeout(limits.seconds):
            assert browser.process.stdout is not None
            html = await _read_output(browser.process.stdout, limits)
            status = await browser.process.wait()
    except TimeoutError as error:
        raise PageNotFetched(
            f"The page's scripts did not finish within {in_seconds(limits.seconds)}.", "Try again later."
        ) from error
    finally:
        await browser.end()
    if status and current().is_administrator():
        # Its sandbox is not available to root, and is not disabled for a web page.
        raise PageNotFetched(
            "Browsers refuse to run for the administrator (root).",
            "Start the program as an ordinary user, or add the page without its scripts.",
        )
    if status:
        raise PageNotFetched(f"The browser failed (exit status {status}).", "Try it without the page's scripts.")
    return html


async def _read_output(stream: asyncio.StreamReader, limits: FetchLimits) -> bytes:
    parts: list[bytes] = []
    size = 0
    while piece := await stream.read(1 << 16):
        parts.append(piece)
        size += len(piece)
        if size > limits.bytes:
            raise PageNotFetched(f"The page is larger than {limits.megabytes} megabytes.", "")
    return b"".join(parts)


HEAD_SECONDS = 10.0
_HEAD_BYTES = 1 << 16


class BrowserProxy:
    """Proxy for one browser; used as a context manager."""

    def __init__(self, guard: AddressGuard, most_bytes: int, *, gate: EgressGate = LOOPBACK_ONLY) -> None:
        """Store the configuration; the proxy does not listen yet.

        Args:
            guard: Check of the machines that may be asked.
            most_bytes: Limit of all data received for one page.
            gate: Egress gate for the requests.
        """
        self._gate = gate
        self._guard = guard
        self._left = most_bytes
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        """URL of the proxy."""
        return f"http://{self._server.sockets[0].getsockname()[0]}:{self.port}"

    @property
    def port(self) -> int:
        """Port of the proxy."""
        return int(self._server.sockets[0].getsockname()[1])

    async def __aenter__(self) -> Self:
        self._server = await listen_here(self._on_connection, limit=_HEAD_BYTES)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(HEAD_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
            host, port, onwards = _parse_request(head)
            async with asyncio.timeout(HEAD_SECONDS):
                theirs, ours, passage = await self._connect(host, port)
        except (DocumentError, NetworkClosed, LibraryError, ValueError):
            await _send_response(writer, b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            await _send_response(writer, b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        try:
            if onwards:
                ours.write(onwards)
                passage.sent += len(onwards)
            else:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            outwards = asyncio.ensure_future(_copy_out(reader, ours, passage))
            with suppress(OSError):
                await self._copy_in(theirs, writer, passage)
            outwards.cancel()
            await asyncio.gather(outwards, return_exceptions=True)
        finally:
            passage.done()
            for one in (ours, writer):
                one.close()
                with suppress(OSError):
                    await one.wait_closed()

    async def _connect(
        self, host: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, PermittedRequest]:
        pending = PendingRequest(Purpose.BROWSER, host, port, f"{host}:{port}")
        last: OSError | None = None
        for address in (await addresses_to_ask(self._guard, self._gate, pending))[:3]:
            try:
                return await open_stream(self._gate, Purpose.BROWSER, host, port, address)
            except OSError as error:
                last = error
        raise last or OSError("no address")

    async def _copy_in(
        self, theirs: asyncio.StreamReader, writer: asyncio.StreamWriter, passage: PermittedRequest
    ) -> None:
        while self._left > 0 and (piece := await theirs.read(1 << 16)):
            self._left -= len(piece)
            passage.received += len(piece)
            writer.write(piece)
            await writer.drain()


def _parse_request(head: bytes) -> tuple[str, int, bytes]:
    """Return host and port, and the data to forward, which is empty for a tunnel.

    Raises:
        ValueError: The data is not a proxy request.
    """
    first, _, rest = head.partition(b"\r\n")
    method, target, _version = first.decode("latin-1").split(" ")
    if method == "CONNECT":
        parts = urlsplit(f"//{target}")
        if not parts.hostname:
            raise ValueError("no host")
        return parts.hostname, parts.port or 443, b""
    parts = urlsplit(target)
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError("not a request to a proxy")
    # One request per connection, because the next one may be for another host.
    lines = [
        line for line in rest.rstrip(b"\r\n").split(b"\r\n") if not line.lower().startswith((b"proxy-", b"connection:"))
    ]
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines.insert(0, f"{method} {path} HTTP/1.1".encode("latin-1"))
    return parts.hostname, parts.port or 80, b"\r\n".join([*lines, b"Connection: close", b"", b""])


async def _copy_out(source: asyncio.StreamReader, target: asyncio.StreamWriter, passage: PermittedRequest) -> None:
    with suppress(OSError):
        while piece := await source.read(1 << 16):
            passage.sent += len(piece)
            target.write(piece)
            await target.drain()


async def _send_response(writer: asyncio.StreamWriter, data: bytes) -> None:
    with suppress(OSError):
        writer.write(data)
        await writer.drain()
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()

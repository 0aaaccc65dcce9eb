"""Pages that scripts make: an installed Chromium, and the loopback proxy that is its only way to the network.

It runs without a window, with a profile of its own that is deleted afterwards, and its only way to the network is our
gateway: it may load what the page asks for, scripts of other servers too, but nothing of this machine or its network.

Names are resolved here, checked by the AddressGuard, and connected to by the checked address, so that a script can
reach
neither this machine nor its network, whatever name it uses.
"""

import asyncio
import os
import shutil
import signal
import sys
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
from workbench.worker.confinement import without_network

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
PLACES = {
    "darwin": (
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ),
    "win32": (
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
    ),
}
_GATED_FLAGS = (
    # What it would look up by itself, past the proxy, is not there; nor are devices of this network looked for.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-features=MediaRouter,DialMediaRouteProvider",
    "--dns-prefetch-disable",
    "--disable-quic",
)
"""Let it ask nobody but the gateway, where the system cannot keep it from the network."""
SETTLING_MS = 8_000
"""How long the page's own clock runs before it is taken as it stands."""

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
    # Calls between browsers would go round the gateway.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    # Without this, loopback goes round it too.
    "--proxy-bypass-list=<-loopback>",
    f"--virtual-time-budget={SETTLING_MS}",
)


def find_browser() -> str:
    """Return the program that runs pages.

    Raises:
        PageNotFetched: None is installed.
    """
    found = next(filter(None, map(shutil.which, NAMES)), None)
    found = found or next((place for place in PLACES.get(sys.platform, ()) if os.access(place, os.X_OK)), None)
    if found is None:
        raise PageNotFetched(
            "The page's scripts cannot be run: no Chromium is installed.",
            "Install Chromium or Google Chrome, or add the page without “Let the page's scripts run first”.",
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
    """Put into file what the page holds after its scripts have run; cancelling ends the browser.

    Under the air gap it gets no network but our gateway, which refuses what the page asks of other hosts than those
    that the gate lets be asked. Where the system cannot see to that, it is started only for a host that the user named
    for this operation, with settings by which it asks nobody else, and the ledger says so.

    Raises:
        AddressRefused: The air gap is on.
        PageNotFetched: The browser fails, or is not done within the limits.
    """
    try:
        with temporary_folder("workbench-browser-") as profile:
            async with BrowserProxy(
                guard or AddressGuard(allow_private=limits.allow_private), limits.bytes, gate=gate
            ) as gateway:
                command = [browser, *_FLAGS, f"--proxy-server={gateway.address}", f"--user-data-dir={profile}"]
                confined = None
                asked = PendingRequest(Purpose.BROWSER, "", address=Path(browser).name, seen=False)
                if not await asyncio.to_thread(gate.allows, asked):
                    confined = without_network(command, port=gateway.port)
                    asked = replace(asked, confined=confined is not None)
                    if confined is None and await asyncio.to_thread(gate.allows_once, _host_of(address)):
                        command[1:1] = _GATED_FLAGS
                        asked = replace(asked, gated=True)
                with await gate.enter_soon(asked):
                    html = await _dump(address, list(confined or command), limits)
    except NetworkClosed as error:
        raise AddressRefused(error.message, error.hint) from error
    if not html.strip():
        raise PageNotFetched("The browser showed an empty page.", "Look at the address in a browser.")
    file.write_bytes(html)


def _host_of(address: str) -> PendingRequest:
    parts = urlsplit(address)
    return PendingRequest(Purpose.BROWSER, parts.hostname or "", port_of(parts), address)


async def _dump(address: str, command: list[str], limits: FetchLimits) -> bytes:
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            address,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            # It has children of its own: they go together.
            start_new_session=True,
        )
    except OSError as error:
        raise PageNotFetched(f"The browser cannot be started: {error.strerror}.", "Install it anew.") from error
    try:
        async with asyncio.timeout(limits.seconds):
            assert process.stdout is not None
            html = await _read(process.stdout, limits)
            status = await process.wait()
    except TimeoutError as error:
        raise PageNotFetched(
            f"The page's scripts were not done within {in_seconds(limits.seconds)}.", "Try again later."
        ) from error
    finally:
        _end(process)
        await process.wait()
    if status and is_root():
        # Its sandbox cannot be had for root, and is not switched off for a page of the web.
        raise PageNotFetched(
            "Browsers refuse to run for the administrator (root).",
            "Start the program as an ordinary user, or add the page without its scripts.",
        )
    if status:
        raise PageNotFetched(f"The browser failed (exit status {status}).", "Try it without the page's scripts.")
    return html


def is_root() -> bool:
    """Return whether this process is the administrator's; no system but Unix knows."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


async def _read(stream: asyncio.StreamReader, limits: FetchLimits) -> bytes:
    parts: list[bytes] = []
    size = 0
    while piece := await stream.read(1 << 16):
        parts.append(piece)
        size += len(piece)
        if size > limits.bytes:
            raise PageNotFetched(f"The page is larger than {limits.megabytes} megabytes.", "")
    return b"".join(parts)


def _end(process: asyncio.subprocess.Process) -> None:
    """Kill the browser with all its children; those that are left when it ended by itself, too."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


HEAD_SECONDS = 10.0
_HEAD_BYTES = 1 << 16


class BrowserProxy:
    """A proxy for one browser; used as a context manager."""

    def __init__(self, guard: AddressGuard, most_bytes: int, *, gate: EgressGate = LOOPBACK_ONLY) -> None:
        """Listen to nobody yet.

        Args:
            guard: Which machines may be asked.
            most_bytes: Of everything that comes in for one page.
            gate: Through which they are asked.
        """
        self._gate = gate
        self._guard = guard
        self._left = most_bytes
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://{self._server.sockets[0].getsockname()[0]}:{self.port}"

    @property
    def port(self) -> int:
        """The port of that address."""
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
            host, port, onwards = _destination(head)
            async with asyncio.timeout(HEAD_SECONDS):
                theirs, ours, passage = await self._connect(host, port)
        except (DocumentError, NetworkClosed, LibraryError, ValueError):
            await _answer(writer, b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            await _answer(writer, b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
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
        asked = PendingRequest(Purpose.BROWSER, host, port, f"{host}:{port}")
        last: OSError | None = None
        for address in (await addresses_to_ask(self._guard, self._gate, asked))[:3]:
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


def _destination(head: bytes) -> tuple[str, int, bytes]:
    """Return host and port, and what to send on: nothing for a tunnel.

    Raises:
        ValueError: It is not a request to a proxy.
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
    # One request a connection: the next one may be for another host.
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


async def _answer(writer: asyncio.StreamWriter, data: bytes) -> None:
    with suppress(OSError):
        writer.write(data)
        await writer.drain()
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()

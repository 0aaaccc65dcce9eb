"""The way out for a browser that runs a page's scripts.

An HTTP proxy on loopback that asks the same machines as we do.

Names are resolved here, checked by the Guard, and connected to by the checked address, so that a script can reach
neither this machine nor its network, whatever name it uses.
"""

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from workbench.egress.gate import LOOPBACK_ONLY, Asked, Gate, Passage
from workbench.egress.sockets import listen_here, open_stream
from workbench.errors import DocumentError, LibraryError, NetworkClosed
from workbench.fetching.address import Guard, addresses_to_ask
from workbench.model.egress import Purpose

HEAD_SECONDS = 10.0
_HEAD_BYTES = 1 << 16


class Gateway:
    """A proxy for one browser; used as a context manager."""

    def __init__(self, guard: Guard, most_bytes: int, *, gate: Gate = LOOPBACK_ONLY) -> None:
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

    async def _connect(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Passage]:
        asked = Asked(Purpose.BROWSER, host, port, f"{host}:{port}")
        last: OSError | None = None
        for address in (await addresses_to_ask(self._guard, self._gate, asked))[:3]:
            try:
                return await open_stream(self._gate, Purpose.BROWSER, host, port, address)
            except OSError as error:
                last = error
        raise last or OSError("no address")

    async def _copy_in(self, theirs: asyncio.StreamReader, writer: asyncio.StreamWriter, passage: Passage) -> None:
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


async def _copy_out(source: asyncio.StreamReader, target: asyncio.StreamWriter, passage: Passage) -> None:
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

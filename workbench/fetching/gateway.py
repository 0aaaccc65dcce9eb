"""The way out for a browser that runs a page's scripts: an HTTP proxy on loopback that asks the same machines as we do.

Names are resolved here, checked by the Guard, and connected to by the checked address, so that a script can reach
neither this machine nor its network, whatever name it uses.
"""

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from workbench.errors import DocumentError
from workbench.fetching.address import Guard

HEAD_SECONDS = 10.0
_HEAD_BYTES = 1 << 16


class Gateway:
    """A proxy for one browser; used as a context manager."""

    def __init__(self, guard: Guard, most_bytes: int) -> None:
        """Listen to nobody yet.

        Args:
            guard: Which machines may be asked.
            most_bytes: Of everything that comes in for one page.
        """
        self._guard = guard
        self._left = most_bytes
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        """Where it listens."""
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"http://{host}:{port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._on_connection, "127.0.0.1", 0, limit=_HEAD_BYTES)
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
                theirs, ours = await self._connect(host, port)
        except (DocumentError, ValueError):
            await _answer(writer, b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            await _answer(writer, b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        try:
            if onwards:
                ours.write(onwards)
            else:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            outwards = asyncio.ensure_future(_copy(reader, ours))
            with suppress(OSError):
                await self._copy_in(theirs, writer)
            outwards.cancel()
            await asyncio.gather(outwards, return_exceptions=True)
        finally:
            for one in (ours, writer):
                one.close()
                with suppress(OSError):
                    await one.wait_closed()

    async def _connect(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        last: OSError | None = None
        for address in (await self._guard.addresses(host, port))[:3]:
            try:
                return await asyncio.open_connection(address, port)
            except OSError as error:
                last = error
        raise last or OSError("no address")

    async def _copy_in(self, theirs: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while self._left > 0 and (piece := await theirs.read(1 << 16)):
            self._left -= len(piece)
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


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await source.read(1 << 16):
            target.write(piece)
            await target.drain()


async def _answer(writer: asyncio.StreamWriter, data: bytes) -> None:
    with suppress(OSError):
        writer.write(data)
        await writer.drain()
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()

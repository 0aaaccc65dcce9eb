"""Bodies that are counted while they pass; a passage ends with the body of its answer, read to the end or left."""

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

import httpx2

if TYPE_CHECKING:
    from workbench.egress.gate import Passage

_LINE_END = 2
_SEPARATOR = 2
_VERSION_AND_SPACES = len("HTTP/1.1") + 2


def head_bytes(request: httpx2.Request) -> int:
    """Return how many bytes the head of a request has in HTTP/1.1."""
    line = len(request.method) + len(request.url.raw_path) + _VERSION_AND_SPACES + _LINE_END
    return line + _header_bytes(request.headers.raw)


def answer_head_bytes(response: httpx2.Response) -> int:
    """Return how many bytes the head of an answer has in HTTP/1.1."""
    line = len(str(response.status_code)) + len(response.reason_phrase) + _VERSION_AND_SPACES + _LINE_END
    return line + _header_bytes(response.headers.raw)


def _header_bytes(headers: list[tuple[bytes, bytes]]) -> int:
    return sum(len(name) + len(value) + _SEPARATOR + _LINE_END for name, value in headers) + _LINE_END


class SentAsync(httpx2.AsyncByteStream):
    """The body of a request."""

    def __init__(self, body: httpx2.AsyncByteStream, passage: "Passage") -> None:
        self._body = body
        self._passage = passage

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._body:
            self._passage.sent += len(piece)
            yield piece

    async def aclose(self) -> None:
        """Release what the body holds."""
        await self._body.aclose()


class ReceivedAsync(httpx2.AsyncByteStream):
    """The body of an answer."""

    def __init__(self, body: httpx2.AsyncByteStream, passage: "Passage") -> None:
        self._body = body
        self._passage = passage

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._body:
                self._passage.received += len(piece)
                yield piece
        except GeneratorExit:
            raise  # whoever reads has enough of it, and closes the answer
        except BaseException as error:
            self._passage.failed(error)
            raise
        self._passage.done()

    async def aclose(self) -> None:
        """Leave the answer: what was not read yet is not waited for."""
        try:
            await self._body.aclose()
        finally:
            self._passage.done()


class Sent(httpx2.SyncByteStream):
    """The body of a request."""

    def __init__(self, body: httpx2.SyncByteStream, passage: "Passage") -> None:
        self._body = body
        self._passage = passage

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._body:
            self._passage.sent += len(piece)
            yield piece

    def close(self) -> None:
        """Release what the body holds."""
        self._body.close()


class Received(httpx2.SyncByteStream):
    """The body of an answer."""

    def __init__(self, body: httpx2.SyncByteStream, passage: "Passage") -> None:
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
        """Leave the answer: what was not read yet is not waited for."""
        try:
            self._body.close()
        finally:
            self._passage.done()

"""The HTTP client of embedding servers: deadlines, retries with back-off, cancellation, errors in words.

Requests run on an event loop of their own, so that one can be given up at once, whatever it waits for. Nothing is sent
to another address than that of the server: redirects are not followed, as they would pass on the key and the texts.
"""

import asyncio
import json
import logging
import math
import threading
import time
from collections.abc import Awaitable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from workbench.egress.gate import EgressGate
from workbench.errors import EmbedderUnreachable, EmbeddingError, LibraryError, NetworkClosed
from workbench.language import mark
from workbench.logs import masked
from workbench.model.egress import Purpose
from workbench.plugins.threads import LoopThread

logger = logging.getLogger(__name__)

_CONNECT_SECONDS = 3.0
_MOST_BYTES = 64_000_000
"""Maximum size of an answer: 256 vectors of 4,096 numbers with 20 characters take 21 MB."""
_LONGEST_DETAIL = 200
_BUSY = frozenset((408, 425, 429, 500, 502, 503, 504, 529))
"""Statuses of requests that may succeed later; Ollama and TEI say 429 or 503 when overloaded."""

_owner: ContextVar[object] = ContextVar("owner of embedding requests", default=None)


@contextmanager
def requests_of(owner: object) -> Iterator[None]:
    """Make the requests inside the block those of an owner, for EmbeddingClient.abort."""
    token = _owner.set(owner)
    try:
        yield
    finally:
        _owner.reset(token)


@dataclass(frozen=True, slots=True)
class Patience:
    """Time limits of a request.

    Attributes:
        seconds: Seconds for one attempt, from connecting to the last byte.
        attempts: Maximum number of attempts.
        longest_wait: Maximum seconds between two attempts; if the server asks for more, that is an error.
        first_wait: Seconds before the second attempt if the server states none; doubled each time.
        total: Seconds for all attempts and waits; none begins after that.
    """

    seconds: float
    attempts: int
    longest_wait: float
    first_wait: float = 1.0
    total: float = math.inf


SEARCHING = Patience(4.0, 2, 0.5, 0.2, total=4.0)
"""Time limits for a question, whose search waits for the vector."""
IMPORTING = Patience(120.0, 6, 120.0, total=240.0)
"""For passages, which nobody waits for: a model on a slow processor takes a minute for a batch."""
LOADING = Patience(8.0, 1, 0.0)
"""For the first request to a server, for which searches wait."""
TRYING = Patience(20.0, 1, 0.0)
"""For a trial: a server on this machine may have to load its model first."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Endpoint of a server; the key may be empty."""

    url: str
    model: str
    by_proxy: bool = False
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """Host and port, for messages."""
        return urlsplit(self.url).netloc


class EmbeddingClient:
    """Client of all embedding servers of a library; thread-safe, blocking."""

    def __init__(self, gate: EgressGate) -> None:
        """Store the gate that every request passes; nothing is started before the first request."""
        self._gate = gate
        self._lock = threading.Lock()
        self._loop: LoopThread | None = None
        self._clients: dict[bool, Any] = {}  # AsyncClient, by whether it uses the system's proxy
        self._running: dict[Future[Any], object] = {}
        self._is_closed = False

    def send(self, endpoint: Endpoint, body: bytes, patience: Patience) -> Any:
        """Send a request, again if that is safe and promising, and return the JSON values of the answer.

        Raises:
            EmbedderUnreachable: No connection, no answer in time, or the server is too busy: later it may succeed.
            EmbeddingError: The server refused the request, its answer is no JSON, offline mode is on, or abort() was
                called.
        """
        if not all("!" <= character <= "~" for character in endpoint.key):
            raise EmbeddingError("The key contains invalid characters.", "Enter it again in the settings.")
        with self._lock:
            if self._is_closed:
                raise EmbeddingError("The library is being closed.")
            if self._loop is None:
                self._loop = LoopThread("embedding servers")
            future = self._loop.start(self._send(endpoint, body, patience))
            self._running[future] = _owner.get()
        try:
            return future.result()
        except CancelledError as error:
            raise EmbeddingError("Embedding was stopped.") from error
        finally:
            with self._lock:
                self._running.pop(future, None)

    def abort(self, owner: object = None) -> None:
        """Give up the running requests of an owner at once, or of all; callable from any thread."""
        with self._lock:
            futures = [future for future, whose in self._running.items() if owner is None or whose is owner]
        for future in futures:
            future.cancel()

    def close(self) -> None:
        """Give up all requests and close the connections; further requests fail."""
        with self._lock:
            self._is_closed, loop, self._loop = True, self._loop, None
        self.abort()
        if loop is not None:
            with suppress(TimeoutError):
                loop.start(self._close_clients()).result(_CONNECT_SECONDS)
            loop.close()

    async def _close_clients(self) -> None:
        for client in self._clients.values():
            await client.aclose()
        self._clients.clear()

    async def _send(self, endpoint: Endpoint, body: bytes, patience: Patience) -> Any:
        wait, attempt, end = patience.first_wait, 1, time.monotonic() + patience.total
        while True:
            try:
                return await self._attempt(endpoint, body, min(patience.seconds, end - time.monotonic()))
            except EmbedderUnreachable as error:
                pause = wait if error.seconds is None else error.seconds
                is_over = time.monotonic() + pause >= end
                if attempt >= patience.attempts or pause > patience.longest_wait or is_over:
                    raise
                logger.info("%s Attempt %d follows in %.1f s", error.message, attempt + 1, pause)
            await asyncio.sleep(pause)
            wait, attempt = min(2 * wait, patience.longest_wait), attempt + 1

    async def _attempt(self, endpoint: Endpoint, body: bytes, seconds: float) -> Any:
        try:
            async with asyncio.timeout(seconds):
                return await _translated(endpoint, self._exchange(endpoint, body, seconds))
        except TimeoutError as error:
            raise _too_slow(endpoint) from error

    async def _exchange(self, endpoint: Endpoint, body: bytes, seconds: float) -> Any:
        headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
        client = self._client(by_proxy=endpoint.by_proxy)
        from workbench.egress.clients import patience  # as above

        async with client.stream(
            "POST", endpoint.url, content=body, headers=headers, timeout=patience(seconds, _CONNECT_SECONDS)
        ) as response:
            content = bytearray()
            async for piece in response.aiter_bytes():
                content += piece
                if len(content) > _MOST_BYTES:
                    raise EmbeddingError(
                        f"The response from {endpoint.host} is too long.", "Is it an embedding server?"
                    )
        if response.status_code != 200:
            raise _refusal(endpoint, response.status_code, bytes(content), response.headers.get("retry-after", ""))
        try:
            return json.loads(bytes(content))
        except (ValueError, RecursionError) as error:
            raise EmbeddingError(
                f"The response from {endpoint.host} is not JSON.", "Check the address and the format of the server."
            ) from error

    def _client(self, *, by_proxy: bool) -> Any:
        from workbench.egress.clients import async_client  # as above

        if by_proxy not in self._clients:
            headers = {
                "User-Agent": "knowledge-workbench",
                "Accept": "application/json",
                "Content-Type": "application/json",
            }
            self._clients[by_proxy] = async_client(self._gate, Purpose.EMBEDDING, by_proxy=by_proxy, headers=headers)
        return self._clients[by_proxy]


async def _translated(endpoint: Endpoint, exchange: Awaitable[Any]) -> Any:
    """Return the result of an exchange; errors of the HTTP library become errors of the program."""
    import httpx2  # 0.1 s, which is not spent at startup

    try:
        return await exchange
    except (NetworkClosed, LibraryError) as error:
        raise EmbeddingError(error.message, error.hint) from error
    except httpx2.TimeoutException as error:
        raise _too_slow(endpoint) from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise EmbedderUnreachable(
            f"{endpoint.host} cannot be reached.", "Is the embedding server running, and its address right?"
        ) from error


def _too_slow(endpoint: Endpoint) -> EmbedderUnreachable:
    return EmbedderUnreachable(f"{endpoint.host} did not answer in time.", "Is the embedding server busy?")


def _refusal(endpoint: Endpoint, status: int, content: bytes, retry_after: str) -> EmbeddingError:
    host, detail = endpoint.host, _detail(content)
    if status in _BUSY:
        return _busy(host, status, detail, _seconds(retry_after))
    if status in (401, 403):
        return EmbeddingError(f"{host} refused the key.", "Enter the key of the embedding server in the settings.")
    if status == 404:
        return EmbeddingError(
            f"{host} has no embedding model “{endpoint.model}” at {urlsplit(endpoint.url).path}.",
            "Check the address, the format and the name of the model.",
        )
    if 300 <= status < 400:
        return EmbeddingError(
            f"{host} redirects requests to another address, which is not followed.",
            "If you trust that address, enter it in the settings.",
        )
    hint = mark("Fewer or shorter texts per request may help: add ?batch=8&tokens=256 to the address.")
    if detail:
        return EmbeddingError(f"{host} refused the texts (error {status}): {detail}", hint)
    return EmbeddingError(f"{host} refused the texts (error {status}).", hint)


def _busy(host: str, status: int, detail: str, seconds: float | None) -> EmbedderUnreachable:
    hint = mark(f"It asks to wait {seconds:.0f} s.") if seconds else mark("Try again later, or look at its log.")
    if status == 429 and detail:
        return EmbedderUnreachable(f"{host} is limiting requests: {detail}", hint, seconds)
    if status == 429:
        return EmbedderUnreachable(f"{host} is limiting requests.", hint, seconds)
    if detail:
        return EmbedderUnreachable(f"{host} failed (error {status}): {detail}", hint, seconds)
    return EmbedderUnreachable(f"{host} failed (error {status}).", hint, seconds)


def _seconds(retry_after: str) -> float | None:
    """Return the seconds of a Retry-After header, which is a number or a date; None if there is none."""
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            moment = parsedate_to_datetime(retry_after)
        except ValueError:
            return None
        now = datetime.fromtimestamp(time.time(), UTC)
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now.timestamp()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _detail(content: bytes) -> str:
    """Return what the server says about an error, shortened and without keys; empty if it says nothing."""
    try:
        said: Any = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    for name in ("error", "message", "detail"):
        if isinstance(said, dict) and said.get(name):
            said = said[name]
    text = " ".join(masked(said).split()) if isinstance(said, str) else ""
    return text[:_LONGEST_DETAIL]

"""Reranking by a server that the user set up, and the wire formats.

Supports Cohere, Jina, Text Embeddings Inference and compatible servers.

The question and the passages are sent to that address only: redirects are not followed, because they would send the key
and the passages to another host.
"""

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from workbench.egress.gate import LOOPBACK_ONLY, EgressGate, carrying
from workbench.errors import LibraryError, ModelError, NetworkClosed, RerankingError, SettingError
from workbench.language import mark
from workbench.model.egress import Purpose
from workbench.retrieval.reranking.base import Candidate

if TYPE_CHECKING:
    import httpx2


class RerankFormat(StrEnum):
    """Wire formats: Cohere's second API; Jina, vLLM, Infinity and llama.cpp; Text Embeddings Inference."""

    COHERE = "cohere"
    JINA = "jina"
    TEI = "tei"


@dataclass(frozen=True, slots=True)
class RerankWireFormat:
    """Wire format of a server.

    Attributes:
        path: Path of the endpoint.
        texts: Name of the field with the passages.
        score: Name of the score's field in a result.
        most: Maximum number of passages per request.
        extra: Further fields of a request.
    """

    path: str
    texts: str
    score: str
    most: int
    extra: Mapping[str, Any]

    def request(self, model: str, question: str, texts: Sequence[str]) -> dict[str, Any]:
        """Return the body of a request."""
        body: dict[str, Any] = {
            "query": _remove_surrogates(question),
            self.texts: list(map(_remove_surrogates, texts)),
            **self.extra,
        }
        if model:
            body["model"] = model
        return body

    def scores(self, answer: object, count: int) -> list[float]:
        """Return the scores in the order of the passages.

        Raises:
            ValueError: The response is not in this format, or a passage is missing.
        """
        results = answer.get("results") if isinstance(answer, dict) else answer
        if not isinstance(results, list):
            raise ValueError(mark("it holds no list of results"))
        scores = [math.nan] * count
        for result in results:
            index, score = (result.get("index"), result.get(self.score)) if isinstance(result, dict) else (None, None)
            if not isinstance(index, int) or not 0 <= index < count or not isinstance(score, int | float):
                raise ValueError(mark("a result has no index or no score"))
            scores[index] = _to_finite(score)
        if not all(map(math.isfinite, scores)):
            raise ValueError(mark("it leaves out a passage"))
        return scores


def _to_finite(score: float) -> float:
    try:
        return float(score)
    except OverflowError:  # integers in JSON may be larger than any float
        return math.nan


def _remove_surrogates(text: str) -> str:
    """Return the text without lone surrogates, which UTF-8 cannot encode."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


# Both hosted services take thousands of passages; TEI takes 32 unless configured otherwise. All scores are requested,
# not only the best, and no texts. TEI rejects a text that exceeds its model's limit unless it may truncate it.
WIRES: Mapping[RerankFormat, RerankWireFormat] = {
    RerankFormat.COHERE: RerankWireFormat("/v2/rerank", "documents", "relevance_score", 100, {}),
    RerankFormat.JINA: RerankWireFormat("/v1/rerank", "documents", "relevance_score", 100, {"return_documents": False}),
    RerankFormat.TEI: RerankWireFormat("/rerank", "texts", "score", 32, {"truncate": True, "return_text": False}),
}


_CONNECT_SECONDS = 3.0
# The user waits for the search; a model on a slow machine takes seconds for 40 passages.
_READ_SECONDS = 15.0
_LONGEST_WAIT = 1.0
_BUSY = frozenset((429, 503))
BACKOFF = (15.0, 30.0, 60.0)
"""Seconds before retrying a server that limits requests, if the user prefers to wait."""

_MOST_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class RerankServer:
    """Address and settings of a reranking server.

    Attributes:
        url: URL of the endpoint.
        model: Name of the model on the server; empty if it has only one.
        by_proxy: True if the system's proxy may be used; never for a server on this machine.
        is_awaited: True to retry while the server limits requests, instead of keeping the search's order.
        key: API key; empty if the server needs none.
    """

    url: str
    format: RerankFormat
    model: str = ""
    by_proxy: bool = False
    is_awaited: bool = False
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """Host and port, for messages."""
        return urlsplit(self.url).netloc


class ServerReranker:
    """Sends one request per search, or a few if the server limits the number of passages."""

    id = "server"
    most = 40
    judges = True

    def __init__(
        self,
        server: Callable[[], RerankServer],
        *,
        read_seconds: float = _READ_SECONDS,
        pause: Callable[[float], bool] | None = None,
        gate: EgressGate = LOOPBACK_ONLY,
    ) -> None:
        """Store the function that returns the server; a wrong setup is reported when a search needs the server.

        Args:
            server: Returns the server.
            read_seconds: Timeout of a response.
            pause: Waits this many seconds, or returns True at once if the search is no longer needed.
            gate: Egress gate for the requests.
        """
        self._gate = gate
        self._server = server
        self._read_seconds = read_seconds
        self._pause = pause or threading.Event().wait
        self._awaiting = threading.Lock()

    def rerank(self, question: str, candidates: Sequence[Candidate]) -> list[float]:
        """Return the scores from the server.

        Raises:
            RerankingError: The server is unreachable, refused or too slow, or its response is invalid.
        """
        import httpx2  # 0.1 s, which is not spent at startup

        from workbench.egress.clients import sync_client  # same reason

        server = self._get_server()
        wire = WIRES[server.format]
        timeout = httpx2.Timeout(self._read_seconds, connect=_CONNECT_SECONDS)
        headers = {"User-Agent": "knowledge-workbench", "Accept": "application/json"}
        if server.key:
            headers["Authorization"] = f"Bearer {server.key}"
        try:
            with sync_client(
                self._gate, Purpose.RERANKING, by_proxy=server.by_proxy, timeout=timeout, headers=headers
            ) as client:
                return [
                    score
                    for start in range(0, len(candidates), wire.most)
                    for score in self._request_scores(
                        client, server, wire, question, candidates[start : start + wire.most]
                    )
                ]
        except (NetworkClosed, LibraryError) as error:
            raise RerankingError(error.message, error.hint) from error
        except httpx2.TimeoutException as error:
            raise RerankingError(f"{server.host} did not answer in time.", "Is the server busy?") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise RerankingError(
                f"{server.host} cannot be reached.", "Is the server running, and its address right?"
            ) from error

    def _get_server(self) -> RerankServer:
        try:
            server = self._server()
        except (SettingError, ModelError) as error:
            raise RerankingError(error.message, error.hint) from error
        if not all("!" <= character <= "~" for character in server.key):
            raise RerankingError("The key contains invalid characters.", "Enter it again in the settings.")
        return server

    def _request_scores(
        self,
        client: "httpx2.Client",
        server: RerankServer,
        wire: RerankWireFormat,
        question: str,
        candidates: Sequence[Candidate],
    ) -> list[float]:
        texts = [candidate.in_context for candidate in candidates]
        with carrying(chunks=(candidate.chunk for candidate in candidates if candidate.chunk)):
            response = self._send(client, server, wire.request(server.model, question, texts))
        if response.status_code != 200:
            raise _refusal_error(server, response.status_code)
        try:
            if len(response.content) > _MOST_BYTES:
                raise ValueError(mark("it is too long"))
            return wire.scores(response.json(), len(texts))
        except (ValueError, RecursionError) as error:
            raise RerankingError(
                f"The answer of {server.host} is not a reranking result: {error}.",
                "Choose the format that the server speaks.",
            ) from error

    def _send(self, client: "httpx2.Client", server: RerankServer, body: dict[str, object]) -> "httpx2.Response":
        """Send the request; only one search at a time waits for a busy server, since each blocks a search thread."""
        response = _send_with_retry(client, server.url, body)
        if response.status_code not in _BUSY or not server.is_awaited or not self._awaiting.acquire(blocking=False):
            return response
        try:
            for seconds in BACKOFF:
                if self._pause(seconds):
                    break
                response = client.post(server.url, json=body)
                if response.status_code not in _BUSY:
                    break
            return response
        finally:
            self._awaiting.release()


def _refusal_error(server: RerankServer, status: int) -> RerankingError:
    host = server.host
    if status in (401, 403):
        return RerankingError(f"{host} refused the key.", "Enter the server's key in the settings.")
    if status in (404, 405):
        return RerankingError(f"{host} offers no reranking at {server.url}.", "Check address, format and model.")
    if 300 <= status < 400:
        return RerankingError(
            f"{host} redirects requests to another address, which is not followed.",
            "If you trust that address, enter it in the settings.",
        )
    if status == 429:
        return RerankingError(f"{host} is limiting requests.", "Wait a little, or choose another reranker.")
    return RerankingError(f"{host} failed (error {status}).", "Check address, format and model.")


def _send_with_retry(client: "httpx2.Client", url: str, body: dict[str, object]) -> "httpx2.Response":
    """Send the request, and retry once if the server cannot have processed it: no connection, or it was busy."""
    import httpx2

    try:
        response = client.post(url, json=body)
    except (httpx2.ConnectError, httpx2.ConnectTimeout):
        return client.post(url, json=body)
    if response.status_code not in _BUSY:
        return response
    try:
        wait = float(response.headers.get("retry-after", "0.2"))
    except ValueError:
        wait = _LONGEST_WAIT + 1
    if not 0 <= wait <= _LONGEST_WAIT:
        return response
    time.sleep(wait)
    return client.post(url, json=body)

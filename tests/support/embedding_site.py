"""An embedding server on loopback that speaks the three wire formats, with faults as a test wants them."""

import json
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

import numpy as np

from workbench.model.embedding_server import EmbeddingServer, embedding_server_of

DIM = 192
_COMMON = frozenset(("the", "a", "was", "and", "is", "on", "that", "again", "under", "do", "what", "where"))


@dataclass(frozen=True)
class Asked:
    """A request as received."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def texts(self) -> list[str]:
        return list(self.json.get("input", self.json.get("texts")))


@dataclass(frozen=True)
class Reply:
    """A status with a body; a status of None closes the connection, and `drips` sends a byte now and then."""

    status: int | None
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    drips: bool = False


Answer = Callable[["EmbeddingSite", Asked], Reply]


def vector_of(text: str, dim: int = DIM) -> list[float]:
    """Return the counts of the words of a text without the commonest, hashed into a few dimensions."""
    vector = np.full(dim, 0.01)
    for word in text.lower().split():
        if word not in _COMMON:
            vector[zlib.crc32(word.strip(".,#?").encode()) % dim] += 1
    return [float(value) for value in vector]


def right(site: "EmbeddingSite", asked: Asked) -> Reply:
    """Answer as the server should."""
    site.answering.wait()
    vectors = [vector_of(text, site.dim) for text in asked.texts]
    if asked.path.endswith("/embed"):
        return reply({"id": "1", "embeddings": {"float": vectors}, "texts": asked.texts})
    data = [{"object": "embedding", "embedding": one, "index": n} for n, one in enumerate(vectors)]
    return reply({"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 9, "total_tokens": 9}})


def reply(body: Any, status: int = 200, **headers: str) -> Reply:
    """Return a reply with JSON, or with text that stands for itself."""
    content = (body if isinstance(body, str) else json.dumps(body)).encode()
    return Reply(status, content, tuple((name.replace("_", "-"), value) for name, value in headers.items()))


def always(answer: Reply) -> Answer:
    """Return an answer that does not depend on the request."""
    return lambda _site, _asked: answer


class EmbeddingSite:
    """Answers each request with the next of the given answers, and rightly when there are none left.

    Attributes:
        requests: What was asked.
        dim: Width of the vectors.
        answering: While it is cleared, right answers wait.
        asked: Set by every request.
    """

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[Asked] = []
        self.dim = DIM
        self.answering = threading.Event()
        self.answering.set()
        self.asked = threading.Event()
        self._server: ThreadingHTTPServer | None = None
        self.port = 0

    def server(self, format: str = "openai", model: str = "m", options: str = "") -> EmbeddingServer:
        """Return the server as it is set up."""
        found = embedding_server_of(f"{format}:http://127.0.0.1:{self.port}/v1{options}#{model}")
        assert found is not None
        return found

    def start(self) -> None:
        """Listen, on the previous port if there was one."""
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), _Handler)
        self._server.daemon_threads = True
        self._server.site = self  # type: ignore[attr-defined]
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        """Refuse connections from now on; those that are open end with their next request."""
        self.answering.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __enter__(self) -> "EmbeddingSite":
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()


class _Handler(BaseHTTPRequestHandler):
    disable_nagle_algorithm = True

    def log_message(self, *_args: object) -> None:
        pass

    def do_POST(self) -> None:
        site = cast("EmbeddingSite", self.server.site)  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["content-length"]))
        asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        site.requests.append(asked)
        site.asked.set()
        answer = site.answers.pop(0) if site.answers else right
        given = answer(site, asked)
        if given.status is None:
            return  # HTTP/1.0: the connection is closed
        try:
            self.send_response(given.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(given.body)))
            for name, value in given.headers:
                self.send_header(name, value)
            self.end_headers()
            size = 1 if given.drips else max(1, len(given.body))
            for start in range(0, len(given.body), size):
                self.wfile.write(given.body[start : start + size])
                threading.Event().wait(0.05 if given.drips else 0)
        except OSError:
            return  # the client gave up

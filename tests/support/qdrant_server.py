"""A small Qdrant server for the tests: the client's local mode behind the HTTP interface of a server.

It accepts only requests that fit the models of the client, which are generated from Qdrant's OpenAPI description, and
has two properties of a server that the local mode lacks: it requires an API key, and it refuses requests above 32 MiB.
"""

import contextlib
import json
import re
import threading
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "key-of-the-tests"
MOST_BYTES = 32 * 1024 * 1024
"""Maximum size of a request, the default of Qdrant's service.max_request_size_mb."""


@contextlib.contextmanager
def qdrant_server() -> Iterator[str]:
    """Start a server, yield its address, and stop it; the key is KEY."""
    from qdrant_client import QdrantClient

    client, indexed = QdrantClient(":memory:", force_disable_check_same_thread=True), dict[str, dict[str, Any]]()
    lock = threading.Lock()

    class Handler(_Handler):
        def answer(self, body: bytes) -> Any:
            with lock, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return _answer(client, indexed, self.command, self.path.partition("?")[0], body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="shared-qdrant", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        client.close()


class _Handler(BaseHTTPRequestHandler):
    """Checks the key and the size of a request, and sends the answer or the error."""

    protocol_version = "HTTP/1.1"

    def answer(self, body: bytes) -> Any:
        raise NotImplementedError

    def handle_request(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("api-key") != KEY:
            self._send(401, b"Must provide an API key or an Authorization bearer token")
        elif len(body) > MOST_BYTES:
            self._fail(400, f"Payload error: JSON payload ({len(body)} bytes) is larger than allowed")
        else:
            try:
                result = self.answer(body)
            except LookupError as error:
                self._fail(404, str(error))
            except ValueError as error:  # a request that does not fit its model, too
                self._fail(400, str(error))
            else:
                self._send(200, json.dumps({"result": result, "status": "ok", "time": 0.0}).encode())

    do_GET = do_PUT = do_POST = do_DELETE = handle_request

    def log_message(self, format: str, *args: object) -> None:
        """Write no log."""

    def _fail(self, status: int, words: str) -> None:
        self._send(status, json.dumps({"status": {"error": words}, "time": 0.0}).encode())

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _answer(client: Any, indexed: dict[str, dict[str, Any]], method: str, path: str, body: bytes) -> Any:
    """Return the result of a request.

    Raises:
        LookupError: There is no such path or collection.
        ValueError: The body does not fit the model of the request.
    """
    from qdrant_client import models

    matched = re.fullmatch(r"/collections/(\w+)(/.*)?", path)
    if matched is None:
        raise LookupError(f"Not found: {path}")
    name, request = matched[1], f"{method} {matched[2] or ''}".strip()
    if request == "GET /exists":
        return {"exists": client.collection_exists(name)}
    if request == "PUT":
        create = models.CreateCollection.model_validate_json(body)
        indexed[name] = {}
        return client.create_collection(name, create.vectors)
    if not client.collection_exists(name):
        raise LookupError(f"Not found: Collection `{name}` doesn't exist!")
    if request == "GET":
        return _plain(client.get_collection(name)) | {"payload_schema": indexed[name]}
    if request == "DELETE":
        return client.delete_collection(name)
    done = {"operation_id": 1, "status": "completed"}
    if request == "PUT /index":
        index = models.CreateFieldIndex.model_validate_json(body)
        indexed[name][index.field_name] = {"data_type": "integer", "params": _plain(index.field_schema), "points": 0}
        return done
    if request == "PUT /points":
        client.upsert(name, models.PointsBatch.model_validate_json(body).batch)
        return done
    if request == "POST /points/delete":
        client.delete(name, models.PointIdsList.model_validate_json(body))
        return done
    if request == "POST /points":
        wanted = models.PointRequest.model_validate_json(body)
        found = client.retrieve(name, wanted.ids, with_payload=wanted.with_payload, with_vectors=wanted.with_vector)
        return [_plain(one) for one in found]
    if request == "POST /points/scroll":
        page = models.ScrollRequest.model_validate_json(body)
        found, after = client.scroll(name, limit=page.limit, offset=page.offset, with_payload=False)
        return {"points": [_plain(one) for one in found], "next_page_offset": after}
    if request == "POST /points/query":
        query = models.QueryRequest.model_validate_json(body)
        found = client.query_points(
            name, query=query.query, limit=query.limit, query_filter=query.filter, with_payload=False
        ).points
        return {"points": [_plain(one) for one in found]}
    raise LookupError(f"Not found: {request}")


def _plain(model: Any) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(model.model_dump_json(exclude_none=True))
    return plain

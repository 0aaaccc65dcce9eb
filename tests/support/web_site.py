"""A web site on loopback with pages defined by a test."""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Reply = Callable[[BaseHTTPRequestHandler], None]
HTML = "text/html; charset=utf-8"


@dataclass
class Site:
    """Serves replies by path from a thread; records every request as (path, headers)."""

    replies: dict[str, Reply] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0

    def __enter__(self) -> Self:
        site = self
        counting = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with counting:
                    site.requests.append((self.path, dict(self.headers)))
                    site.at_once += 1
                    site.most_at_once = max(site.most_at_once, site.at_once)
                try:
                    with suppress(ConnectionError):
                        site.replies.get(self.path, status(404))(self)
                finally:
                    with counting:
                        site.at_once -= 1

            def do_POST(self) -> None:
                site.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.do_GET()

            def log_message(self, *_args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.server.shutdown()
        self._thread.join()
        self.server.server_close()

    @property
    def port(self) -> int:
        return self.server.server_port

    @property
    def paths(self) -> list[str]:
        return [path for path, _headers in self.requests]

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"


def body(data: bytes | str, kind: str = HTML, code: int = 200, **headers: str) -> Reply:
    """Return a reply with a body."""
    content = data.encode() if isinstance(data, str) else data

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        if kind:
            handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(content)

    return reply


def status(code: int, **headers: str) -> Reply:
    """Return a reply without a relevant body."""
    return body("no", code=code, **headers)


def redirect(location: str, **headers: str) -> Reply:
    return status(302, Location=location, **headers)


def endless(handler: BaseHTTPRequestHandler) -> None:
    """Send an endless chunked body without a length."""
    handler.send_response(200)
    handler.send_header("Content-Type", HTML)
    handler.end_headers()
    while True:
        handler.wfile.write(b"x" * 65536)


def page(title: str, text: str) -> str:
    """Return a typical page with a menu and a footer."""
    menu = "".join(f"<li><a href='/{word}'>{word}</a></li>" for word in ("Home", "News", "Shop", "About", "Contact"))
    head = f"<!doctype html><html lang=en><head><title>{title} | The Daily Gull</title></head>"
    main = f"<main><h1>{title}</h1><p>{text}</p></main>"
    foot = "<footer>Copyright The Daily Gull. All rights reserved.</footer>"
    return f"{head}<body><nav><ul>{menu}</ul></nav>{main}{foot}</body></html>"

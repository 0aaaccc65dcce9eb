"""Model servers on loopback: a raw socket server for faults at byte level, and aimock, the scripted server from npm."""

import asyncio
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Reply = Callable[["RawRequest", asyncio.StreamWriter], Awaitable[None]]

ROOT = Path(__file__).resolve().parents[2]
AIMOCK = ROOT / "build" / "aimock" / "node_modules" / ".bin" / "aimock"


@dataclass(frozen=True)
class RawRequest:
    """A request as received on the socket."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class RawServer:
    """Answers each request with the next reply; the last one is repeated."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)
        self._connections: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = {}
        self.requests: list[RawRequest] = []
        self.asked = asyncio.Event()
        self.hung_up = asyncio.Event()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def answer_from_now_on(self, reply: Reply) -> None:
        """Discard the remaining replies."""
        self._replies[:] = [reply]

    async def __aenter__(self) -> "RawServer":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._server.close()
        # Closing connections ends their tasks; a task cancelled by the end of the loop would be reported as an error.
        serving = [task for task in self._connections.values() if task is not None]
        for writer in self._connections:
            writer.close()
        if serving:
            await asyncio.wait(serving, timeout=1)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections[writer] = asyncio.current_task()
        try:
            request = await _read_request(reader)
            self.requests.append(request)
            self.asked.set()
            reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
            answering = asyncio.create_task(reply(request, writer))
            listening = asyncio.create_task(reader.read())
            await asyncio.wait({answering, listening}, return_when=asyncio.FIRST_COMPLETED)
            if listening.done():
                self.hung_up.set()
            for task in (answering, listening):
                task.cancel()
            await asyncio.gather(answering, listening, return_exceptions=True)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.hung_up.set()
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            self._connections.pop(writer, None)


async def _read_request(reader: asyncio.StreamReader) -> RawRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip().split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
    method, path, _version = first.split(" ")
    return RawRequest(method, path, headers, await reader.readexactly(int(headers.get("content-length", "0"))))


def raw(data: bytes, *, then: Reply | None = None) -> Reply:
    """Return a reply that sends these bytes, and then closes or continues with another reply."""

    async def reply(request: RawRequest, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        if then is not None:
            await then(request, writer)

    return reply


async def silence(request: RawRequest, writer: asyncio.StreamWriter) -> None:
    """Send nothing more and keep the connection open."""
    await asyncio.Event().wait()


def status(code: int, body: object = None, *, kind: str = "application/json", **headers: str) -> Reply:
    """Return a reply with a status and a body: JSON, or unchanged text."""
    content = (body if isinstance(body, str) else json.dumps(body)).encode()
    lines = [f"HTTP/1.1 {code} X", f"Content-Type: {kind}", f"Content-Length: {len(content)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return raw("\r\n".join(lines).encode() + b"\r\n\r\n" + content)


STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def sse(*events: object, done: bool = True, then: Reply | None = None) -> Reply:
    """Return a stream of server-sent events; bytes are sent unchanged."""
    data = STREAM_HEAD
    for event in events:
        data += event if isinstance(event, bytes) else f"data: {json.dumps(event)}\n\n".encode()
    return raw(data + (b"data: [DONE]\n\n" if done else b""), then=then)


def chat_delta(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """Return one chunk of a Chat Completions stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def chat_call(
    index: int | None, call_id: str | None = None, name: str | None = None, arguments: Any = None
) -> dict[str, Any]:
    """Return one piece of a tool call in a chunk."""
    piece = {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return chat_delta(tool_calls=[piece])


def chat_usage(prompt: int, completion: int) -> dict[str, Any]:
    return {"id": "c", "choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion}}


def chat_answer(*pieces: str) -> Reply:
    return sse(*(chat_delta(content=piece) for piece in pieces), chat_delta("stop"))


def text_delta(text: str) -> dict[str, Any]:
    """Return one text event of a Responses stream."""
    return {"type": "response.output_text.delta", "item_id": "msg_1", "delta": text}


def item_done(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": 0, "item": item}


def function_call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name, "arguments": arguments}


def terminal(name: str = "completed", *, status: str | None = None, **response: Any) -> dict[str, Any]:
    """Return the last event of a Responses stream."""
    return {"type": f"response.{name}", "response": {"id": "r", "status": status or name, "output": [], **response}}


def responses_answer(*pieces: str) -> Reply:
    return sse(*(text_delta(piece) for piece in pieces), terminal(), done=False)


def why_no_aimock() -> str:
    """Return the reason why aimock cannot run here; empty if it can."""
    if shutil.which("node") is None:
        return "Node is not installed"
    if not AIMOCK.exists():
        return "aimock is not installed: npm install --prefix build/aimock @copilotkit/aimock@1.43.0"
    return ""


class Aimock:
    """The scripted server as a process on a free loopback port."""

    def __init__(self, config: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        # Fixture paths of the configuration are relative to the working directory.
        self._process = subprocess.Popen(
            [str(AIMOCK), "--config", config.name, "--port", str(self.port), "--host", "127.0.0.1"],
            cwd=config.parent,
            env={**os.environ, "NO_PROXY": "127.0.0.1,localhost"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def control(self, method: str, path: str, body: object = None) -> Any:
        """Call the server's control interface."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/__aimock{path}", data, {"Content-Type": "application/json"}, method=method
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=5) as response:
            return json.loads(response.read() or b"null")

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(5)

    def _wait(self) -> None:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"aimock ended with {self._process.returncode}")
            with suppress(OSError, urllib.error.URLError):
                self.control("GET", "/journal")
                return
            time.sleep(0.05)
        self.stop()
        raise RuntimeError("aimock did not start within 20 seconds")

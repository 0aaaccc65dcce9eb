"""Scripted model server on loopback: Chat Completions, streamed."""

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAME = "harbour-8b"
PATIENCE = 60.0
_PORT = 8080
"""Preferred port: the images show it, so the same one is used if it is free."""
AGAIN = " (again)"
"""Suffix of a key for the answer to a repeated question."""
_PIECE = re.compile(r"\S+\s*|\s+")
_CITED = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True)
class Turn:
    """Response of the scripted model.

    Attributes:
        text: Answer, in which {some words} stands for the number of the passage that contains these words.
        calls: Names of tools with their arguments.
        held: Half of the text is sent, the rest when Script.go_on is called.
        status: HTTP status; if it is not 200, text is the error message.
    """

    text: str = ""
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()
    held: bool = False
    status: int = 200


class Script:
    """A server that answers the last user message with the turns of the first key that the message contains."""

    def __init__(self, turns: Mapping[str, Sequence[Turn]]) -> None:
        self._turns = turns
        self._released = threading.Event()
        self._begun: Counter[str] = Counter()
        handler = type("Handler", (_Handler,), {"script": self})
        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", _PORT), handler)
        except OSError:
            self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def base_url(self) -> str:
        """URL of the server."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def go_on(self) -> None:
        """Release the held answer."""
        self._released.set()

    def stop(self) -> None:
        """Stop the server."""
        self.go_on()
        self._server.shutdown()
        self._server.server_close()

    def turn(self, messages: Sequence[Mapping[str, Any]]) -> Turn:
        """Return the answer to these messages."""
        last = max(place for place, one in enumerate(messages) if one["role"] == "user")
        asked = _text(messages[last])
        said = sum(one["role"] == "assistant" for one in messages[last:])
        key = next((key for key in self._turns if key in asked), "")
        self._begun[key] += not said
        if self._begun[key] > 1 and key + AGAIN in self._turns:
            key += AGAIN
        turns = self._turns.get(key, (Turn("I do not know."),))
        return turns[min(said, len(turns) - 1)]

    def pieces(self, turn: Turn, messages: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield the deltas of a turn."""
        pieces = _PIECE.findall(_CITED.sub(lambda words: f"[{_number(words[1], messages)}]", turn.text))
        for place, piece in enumerate(pieces):
            if turn.held and place == len(pieces) // 2:
                self._released.clear()
                self._released.wait(PATIENCE)
            yield {"content": piece}
        for place, (name, arguments) in enumerate(turn.calls):
            call = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
            yield {"tool_calls": [{"index": place, "id": f"call_{name}_{place}", "type": "function", "function": call}]}


class _Handler(BaseHTTPRequestHandler):
    script: Script

    def do_GET(self) -> None:
        self._send(200, "application/json", {"object": "list", "data": [{"id": NAME, "object": "model"}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        messages = asked.get("messages", [])
        if not messages:
            # The client checks whether the server counts tokens, as some servers do.
            self._send(404, "application/json", {"error": {"message": "Not found."}})
            return
        turn = self.script.turn(messages)
        if turn.status != 200:
            self._send(turn.status, "application/json", {"error": {"message": turn.text}})
            return
        self._send(200, "text/event-stream")
        for delta in self.script.pieces(turn, messages):
            self._event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        reason = "tool_calls" if turn.calls else "stop"
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
        words = sum(len(_text(one).split()) for one in messages)
        usage = {"prompt_tokens": round(words * 1.4), "completion_tokens": round(len(turn.text.split()) * 1.4) + 20}
        self._event({"choices": [], "usage": usage})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, said: Mapping[str, Any]) -> None:
        whole = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": NAME, **said}
        self.wfile.write(f"data: {json.dumps(whole, ensure_ascii=False)}\n\n".encode())

    def _send(self, status: int, kind: str, body: object = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        if body is not None:
            self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_args: Any) -> None:
        """Log nothing to the terminal."""


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else " ".join(str(part.get("text", "")) for part in content)


def _number(words: str, messages: Sequence[Mapping[str, Any]]) -> int:
    """Return the number of the passage in the messages that contains these words; 1 if there is none."""
    for message in messages:
        text = _text(message)
        place = text.find(words)
        # In the result of a plan step the number comes after the words.
        if place >= 0 and (match := re.match(r"[^\[\]\n]*\[(\d+)\]", text[place:])):
            return int(match[1])
        numbers = re.findall(r'"citation": (\d+)', text[:place]) if place >= 0 else []
        if numbers:
            return int(numbers[-1])
    return 1

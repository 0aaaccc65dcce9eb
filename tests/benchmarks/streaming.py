"""Time until an answer's first word is on screen, and blocking of the window while the answer streams.

usage: python tests/benchmarks/streaming.py [--rate TOKENS] [--seconds N] [--messages N] [--answers N]

A separate process serves an answer on this machine, one token per chunk, at the given rate: paragraphs, a list, a table
and code. The real window shows it at the end of a session of N messages. Prints JSON: milliseconds from the server's
first token until the answer is painted, for each answer; the longest gap between two beats of a 1 ms timer on the main
thread, and those over 50 ms; and the length of the last answer.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from window import Beats, Events, opened_window, show

PARAGRAPH = "The harbour froze in January, and **no ship** left it before the ice broke on the ninth of May. "
MARKDOWN = f"""{PARAGRAPH * 3}

- The pier was closed for 41 days.
- The *lighthouse* stayed lit.

| year | days of ice |
|---|---|
| 1893 | 41 |
| 1895 | 12 |

```python
def days(year):
    return {{1893: 41, 1895: 12}}[year]
```

"""


def main() -> None:
    """Serve, or measure while a child process serves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--messages", type=int, default=500)
    parser.add_argument("--answers", type=int, default=1)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.rate, options.seconds)
        return
    if not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    command = [sys.executable, __file__, "--serve", "--rate", str(options.rate), "--seconds", str(options.seconds)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        print(json.dumps(measured(port, options.messages, options.answers, server.stdout)))
    finally:
        server.kill()
        server.communicate()


def serve(rate: int, seconds: float) -> None:
    """Give every question the same answer; print the port, and the time of each first token (seconds since epoch)."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            if not self.path.endswith("/chat/completions"):
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            self.wfile.flush()
            time.sleep(0.5)
            began = time.time()
            print(began, flush=True)
            for number, token in enumerate(itertools.islice(tokens(), int(rate * seconds))):
                self._send({"content": token})
                ahead = began + number / rate - time.time()
                if ahead > 0:
                    time.sleep(ahead)
            self._send({}, "stop")
            self.wfile.write(b"data: [DONE]\n\n")

        def _send(self, delta: dict[str, str], finish: str | None = None) -> None:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


def tokens() -> Iterator[str]:
    """Yield an endless answer in pieces of about four characters."""
    for text in itertools.repeat(MARKDOWN):
        yield from (text[start : start + 4] for start in range(0, len(text), 4))


def measured(port: int, messages: int, answers: int, told: Iterator[str]) -> dict[str, object]:
    """Ask repeatedly in the real window, at the end of a session of the given number of messages."""
    from PySide6.QtCore import QEvent, QObject

    from workbench import operations
    from workbench.app import application
    from workbench.model.profile import ModelProfile, WireApi
    from workbench.model.run import RunStatus
    from workbench.ui.chat.answer_view import AnswerView

    class Painted(QObject):
        """Records the first paint of the new answer."""

        at = 0.0
        earlier: frozenset[AnswerView] = frozenset()

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            view = watched.parent()
            if self.at or event.type() != QEvent.Type.Paint or not isinstance(view, AnswerView):
                return False
            if shell.chat.running and view not in self.earlier and view.toPlainText():
                self.at = time.time()
            return False

    with tempfile.TemporaryDirectory() as place, opened_window(Path(place) / "library") as shell:
        opened, ended = Events(), Events()
        show(shell)
        library = shell.library
        library.profiles.put(ModelProfile("far", f"http://127.0.0.1:{port}/v1", "m", WireApi.CHAT))
        library.setting_values.put("profile", "far")
        session = library.sessions.create().id
        for number in range(messages // 2):
            run = library.sessions.start_run(session, f"What of the year {number}?", "far", "far")
            library.sessions.finish_run(
                run, RunStatus.COMPLETED, answer="Old. " + MARKDOWN, citations=(), refused=False, seconds=1.0
            )
        shell.bridge.submit(operations.open_session(library, session), done=opened.happened)
        opened.wait(60)
        shell.chat.open_session(opened.values[0])
        Events().wait(3)
        painted = Painted()
        application().installEventFilter(painted)
        shell.chat.run_selected.connect(ended.happened)
        beats, first = Beats(), []
        for _ in range(answers):
            painted.at, painted.earlier = 0.0, frozenset(shell.window.findChildren(AnswerView))
            shell.chat.ask("When did the harbour freeze?")
            ended.wait(120)
            first.append(round(1000 * (painted.at - float(next(told))), 1))
        noted = beats.take()
        answer = len(ended.values[-1].answer)
    return {"messages": messages, "first_token_ms": first, "answer_characters": answer, "streaming": noted}


if __name__ == "__main__":
    main()

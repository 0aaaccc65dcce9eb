"""Driving the real window on a display of its own by mouse and keyboard, for the journeys.

WORKBENCH_JOURNEYS=FOLDER stores a screenshot at the end of each step.
"""

import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymupdf

ROOT = Path(__file__).resolve().parents[2]
WHY_NOT = "" if all(map(shutil.which, ("Xvfb", "openbox", "xdotool"))) else "needs Xvfb, openbox and xdotool"
"""Reason why this machine cannot run a journey; empty if it can."""
PATIENCE = 90
"""Seconds for one step on a busy machine."""


class Journey:
    """One run of the program on a display of its own."""

    def __init__(self, display: str, folder: Path) -> None:
        self._display = display
        self._state = folder / "state"
        homes = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CONFIG", "STATE", "DATA")}
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("journey_program.py")), str(folder / "library")],
            env={
                **os.environ,
                **homes,
                "DISPLAY": display,
                "QT_QPA_PLATFORM": "xcb",
                "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests" / "ui")]),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, what: str, **request: str) -> Any:
        """Return the program's answer to a request of journey_program.py."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"ask": what, **request}) + "\n")
        self.process.stdin.flush()
        # The whole answer comes at once.
        is_answered, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        assert is_answered, f"the window does not answer: {what}"
        line = self.process.stdout.readline()
        assert line, f"the window ended with status {self.process.wait(10)}:\n{self._crash_report()}"
        return json.loads(line)

    def _crash_report(self) -> str:
        """Return the stacks of all threads that the program wrote if it crashed."""
        return "\n".join(path.read_text("utf-8") for path in self._state.rglob("*.running"))

    def wait(self, what: str, **request: str) -> Any:
        """Wait until an answer is neither empty nor false, and return it."""
        deadline = time.monotonic() + PATIENCE
        while not (found := self.ask(what, **request)):
            assert time.monotonic() < deadline, (what, request, self.ask("texts"))
        return found

    def check_that_no_text_is_cut(self) -> None:
        """Wait until each visible text fits into its widget, which is laid out some time after it changes."""
        deadline = time.monotonic() + 10
        while cut := self.ask("clipped"):
            assert time.monotonic() < deadline, cut

    def check_the_cited_page(self) -> None:
        """Wait until the page with the limit is shown, and check that the words of the quote are marked on it."""
        page, boxes = self.wait("marked")
        with pymupdf.open(ROOT / "resources" / "sample" / "harbour-survey.pdf") as document:
            words = document[page - 1].get_text("words")
        marked = [word for *box, word, _, _, _ in words if any(_holds(mark, box) for mark in boxes)]
        assert " ".join(marked).startswith("Tributyltin, a paint additive")
        assert " ".join(marked).endswith("the limit for disposal at sea is 50.")

    def wait_for_text(self, part: str) -> None:
        """Wait until a visible text contains a part."""
        deadline = time.monotonic() + PATIENCE
        while not any(part in text for text in self.ask("texts")):
            assert time.monotonic() < deadline, (part, self.ask("texts"))

    def click(self, what: str, **request: str) -> None:
        """Click the first place that a request returns."""
        x, y = self.wait(what, **request)[0]
        self.use("mousemove", str(x), str(y), "click", "1")

    def press(self, *keys: str) -> None:
        """Press keys or key combinations, one after the other."""
        self.use("key", "--delay", "60", *keys)

    def type(self, text: str) -> None:
        """Type a text; one with characters that no key has is pasted, as this display has no input method."""
        if text.isascii():
            self.use("type", "--delay", "10", text)
        else:
            assert self.ask("clipboard", text=text)
            self.press("ctrl+v")

    def answer_to(self, question: str, seconds: float = PATIENCE) -> Any:
        """Type a question, wait at most this long until it is answered, and return what "answer" is answered with."""
        self.press("ctrl+2")
        self.type(question)
        self.press("Return")
        deadline = time.monotonic() + seconds
        while (answer := self.ask("answer")).get("question") != question or answer["running"]:
            assert time.monotonic() < deadline, self.ask("texts")
        return answer

    def use(self, *arguments: str) -> None:
        """Run xdotool on the display."""
        subprocess.run(["xdotool", *arguments], env={**os.environ, "DISPLAY": self._display}, check=True)

    def keep(self, name: str) -> None:
        """Store a screenshot if screenshots are wanted and ImageMagick is installed."""
        if (folder := os.environ.get("WORKBENCH_JOURNEYS")) and shutil.which("import"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            target = str(Path(folder) / f"{name}.png")
            subprocess.run(["import", "-display", self._display, "-window", "root", target], check=True)

    def close(self) -> None:
        """Close the window by the window manager, as its close button does, and wait until the program has ended."""
        self.press("alt+F4")
        assert self.process.wait(PATIENCE) == 0, self._crash_report()


def _holds(mark: Sequence[float], word: Sequence[float]) -> bool:
    """Return whether the middle of a word lies inside of a mark."""
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return mark[0] <= x <= mark[2] and mark[1] <= y <= mark[3]


def go_to(journey: Journey, name: str, key: str = "Tab") -> None:
    """Press a key until a widget with this name, or of this class, has the focus."""
    for _ in range(60):
        if name in journey.ask("focus"):
            return
        journey.press(key)
    raise AssertionError((name, journey.ask("focus")))


class Journeys:
    """Starts the program on a display; later starts find the library of the first one."""

    def __init__(self, display: str, folder: Path) -> None:
        self._display = display
        self._folder = folder
        self._running: list[Journey] = []

    def __call__(self, **preferences: Any) -> Journey:
        """Start the program with these personal settings, and wait until it has the keyboard."""
        config = self._folder / "config" / "knowledge-workbench"
        config.mkdir(parents=True, exist_ok=True)
        (config / "preferences.json").write_text(json.dumps(preferences), "utf-8")
        return self._start()

    def _start(self) -> Journey:
        self._running.append(Journey(self._display, self._folder))
        # The window manager has then moved the window to its place.
        self._running[-1].wait("active")
        return self._running[-1]

    def check_restart(self, journey: Journey) -> Journey:
        """Close the window, start the program again, and check that it shows the same; return the new run.

        The same are the documents, the newest answer, the sizes of all parts, the theme, the language and the size of
        the text; no dialog is open, and no crash is reported.
        """
        before = journey.ask("state")
        assert before["dialogs"] == []
        journey.close()
        again = self._start()
        deadline = time.monotonic() + PATIENCE
        while (after := again.ask("state")) != before:
            assert time.monotonic() < deadline, {
                key: (before[key], after[key]) for key in before if before[key] != after[key]
            }
        return again

    def end(self) -> None:
        """Kill what is still running."""
        for journey in self._running:
            journey.process.kill()
            journey.process.communicate()


@contextmanager
def open_display(size: str) -> Iterator[str]:
    """Yield the name of a display of this size, with a window manager, which gives windows the keyboard."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{size}x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=(writing,), stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as told:
        name = f":{told.readline().strip()}"
    manager = subprocess.Popen(
        ["openbox"], env={**os.environ, "DISPLAY": name}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    yield name
    for process in (manager, server):
        process.terminate()
        process.wait()

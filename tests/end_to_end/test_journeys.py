"""Journeys through the real window by mouse and keyboard: first question, restart, keyboard only, and looks.

WORKBENCH_JOURNEYS=FOLDER stores a screenshot at the end of each step.
"""

import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pymupdf
import pytest

pytestmark = [
    pytest.mark.skipif(
        not all(map(shutil.which, ("Xvfb", "openbox", "xdotool"))), reason="needs Xvfb, openbox and xdotool"
    ),
    pytest.mark.usefixtures("embedder"),
]
ROOT = Path(__file__).resolve().parents[2]
QUESTION = "What is the limit for tributyltin?"
_PATIENCE = 90
"""Seconds for one step on a busy machine."""


class Journey:
    """One run of the program on a display of its own."""

    def __init__(self, display: str, folder: Path, preferences: dict[str, Any]) -> None:
        self._display = display
        self._state = folder / "state"
        config = folder / "config" / "knowledge-workbench"
        config.mkdir(parents=True, exist_ok=True)
        (config / "preferences.json").write_text(json.dumps(preferences), "utf-8")
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
        is_answered, _, _ = select.select([self.process.stdout], [], [], _PATIENCE)
        assert is_answered, f"the window does not answer: {what}"
        line = self.process.stdout.readline()
        assert line, f"the window ended with status {self.process.wait(10)}:\n{self._crash_report()}"
        return json.loads(line)

    def _crash_report(self) -> str:
        """Return the stacks of all threads that the program wrote if it crashed."""
        return "\n".join(path.read_text("utf-8") for path in self._state.rglob("*.running"))

    def wait(self, what: str, **request: str) -> Any:
        """Wait until an answer is neither empty nor false, and return it."""
        deadline = time.monotonic() + _PATIENCE
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
        deadline = time.monotonic() + _PATIENCE
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
        """Type a text."""
        self.use("type", "--delay", "10", text)

    def use(self, *arguments: str) -> None:
        """Run xdotool on the display."""
        subprocess.run(["xdotool", *arguments], env={**os.environ, "DISPLAY": self._display}, check=True)

    def keep(self, name: str) -> None:
        """Store a screenshot if screenshots are wanted and ImageMagick is installed."""
        if (folder := os.environ.get("WORKBENCH_JOURNEYS")) and shutil.which("import"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            target = str(Path(folder) / f"{name}.png")
            subprocess.run(["import", "-display", self._display, "-window", "root", target], check=True)

    def quit(self) -> int:
        """Quit by the keyboard and return the exit status."""
        self.press("ctrl+q")
        return self.process.wait(_PATIENCE)


def _holds(mark: Sequence[float], word: Sequence[float]) -> bool:
    """Return whether the middle of a word lies inside of a mark."""
    x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
    return mark[0] <= x <= mark[2] and mark[1] <= y <= mark[3]


@pytest.fixture
def display(request: pytest.FixtureRequest) -> Iterator[str]:
    """A display of the size that the test asks for, with a window manager, which gives windows the keyboard."""
    size = getattr(request, "param", "1280x800")
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


@pytest.fixture
def start(display: str, tmp_path: Path) -> Iterator[Callable[..., Journey]]:
    """Start the program with these personal settings; later starts find the library of the first one."""
    running: list[Journey] = []

    def begin(**preferences: Any) -> Journey:
        running.append(Journey(display, tmp_path, preferences))
        # The window manager has then moved the window to its place.
        running[-1].wait("active")
        return running[-1]

    yield begin
    for journey in running:
        journey.process.kill()
        journey.process.communicate()


def _add_samples(journey: Journey, button: str = "Try with sample documents", done: str = "all searchable") -> None:
    journey.click("places", text=button)
    journey.wait_for_text(done)


def test_a_first_question_is_answered_its_source_opens_and_all_is_there_after_a_restart(
    start: Callable[..., Journey],
) -> None:
    journey = start()
    journey.wait("places", text="Welcome")
    journey.keep("first-run")
    _add_samples(journey)
    journey.click("places", text="Your question")
    journey.type(QUESTION)
    journey.press("Return")
    journey.click("chips")
    journey.check_the_cited_page()
    journey.keep("first-answer")
    assert journey.quit() == 0
    again = start()
    again.wait("places", text=QUESTION)
    again.wait("chips")
    again.wait_for_text("4 documents")
    again.keep("restart")
    assert again.quit() == 0


def _go_to(journey: Journey, name: str, key: str = "Tab") -> None:
    """Press a key until a widget with this name, or of this class, has the focus."""
    for _ in range(60):
        if name in journey.ask("focus"):
            return
        journey.press(key)
    raise AssertionError((name, journey.ask("focus")))


def test_a_source_is_reached_by_keys_alone(start: Callable[..., Journey]) -> None:
    journey = start()
    journey.wait("places", text="Try with sample documents")
    _go_to(journey, "Try with sample documents")
    journey.press("space")
    journey.wait_for_text("all searchable")
    journey.press("ctrl+2")
    journey.type(QUESTION)
    journey.press("Return")
    journey.wait("chips")
    _go_to(journey, "AnswerView", "shift+Tab")
    journey.press("Tab", "Return")
    journey.check_the_cited_page()
    journey.keep("keys-alone")


def _chinese(source: str) -> str:
    """Return the Chinese translation of a text of the window."""
    root = ElementTree.parse(ROOT / "resources" / "translations" / "workbench_zh_CN.ts").getroot()
    return next(one.findtext("translation", "") for one in root.iter("message") if one.findtext("source") == source)


@pytest.mark.parametrize(
    ("display", "preferences", "is_dark"),
    [
        pytest.param("1024x700", {"theme": "dark"}, True, id="dark-small"),
        pytest.param("1280x800", {"theme": "light", "language": "zh_CN"}, False, id="chinese"),
        pytest.param("1600x1000", {"theme": "light", "text_percent": 200}, False, id="large-text"),
    ],
    indirect=["display"],
)
def test_no_text_is_cut_in_any_look(
    start: Callable[..., Journey], request: pytest.FixtureRequest, preferences: dict[str, Any], is_dark: bool
) -> None:
    tr = _chinese if "language" in preferences else str
    journey = start(**preferences)
    look = request.node.callspec.id
    journey.wait("places", text=tr("Welcome"))
    journey.keep(f"{look}-first-run")
    journey.click("places", text=tr("Try with sample documents"))
    journey.wait_for_text(tr("all searchable"))
    journey.press("ctrl+2")
    journey.type(QUESTION)
    journey.press("Return")
    journey.wait("chips")
    journey.keep(f"{look}-answer")
    journey.check_that_no_text_is_cut()
    assert journey.ask("outside") == []
    assert journey.ask("points") == pytest.approx(10 * preferences.get("text_percent", 100) / 100)
    assert (sum(bytes.fromhex(journey.ask("background")[1:])) < 3 * 128) is is_dark
    journey.press("ctrl+comma")
    journey.wait("shown", **{"class": "SettingsDialog"})
    journey.keep(f"{look}-settings")
    journey.check_that_no_text_is_cut()

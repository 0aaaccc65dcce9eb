"""Responsiveness of a long session: opening, scrolling, asking, and changing the theme.

usage: python tests/benchmarks/long_session.py [--answers N] [--asked N] [--steps NAME...]

The real window shows a session of N answers, each with steps, citations and sources, every twentieth one long. Steps;
all of them if none is named:

open    open the session
wheel   scroll with the wheel to its beginning and back, half a page every 60th of a second
keys    Page Up to its beginning and Page Down to its end, 30 per second
bar     move the slider of the scroll bar to a hundred positions
theme   select the other theme, and the first one again
ask     ask a number of questions; a separate process answers them (see streaming.py)

Prints JSON: for each step the longest gap between two beats of a 1 ms timer on the main thread, the 99.9th percentile,
and the number of gaps over 16 ms and over 50 ms; the same for the time that the main thread worked between two beats,
which other programs on the machine do not lengthen; and the highest number of cards.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from streaming import MARKDOWN, PARAGRAPH
from window import Beats, Events, opened_window, show

STEPS = ("open", "wheel", "keys", "bar", "theme", "ask")
ITEM = "\n- The *lighthouse* stayed lit [2], and the pier was closed for 41 days [1].\n"
LONG = 20
"""Interval between long answers."""


def main() -> None:
    """Measure while a child process serves the answers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=500)
    parser.add_argument("--asked", type=int, default=5)
    parser.add_argument("--steps", nargs="*", default=STEPS, choices=STEPS)
    options = parser.parse_args()
    if not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    command = [sys.executable, str(Path(__file__).with_name("streaming.py")), "--serve", "--rate", "200"]
    server = subprocess.Popen([*command, "--seconds", "2"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        print(json.dumps(measured(int(server.stdout.readline()), options.answers, options.asked, options.steps)))
    finally:
        server.kill()
        server.communicate()


def answer(number: int) -> str:
    """Return an answer with citations and an individual length."""
    parts = [f"Answer {number}. {PARAGRAPH}[1] ", PARAGRAPH * (1 + number % 4), "\n", ITEM * (1 + number % 5)]
    if number % 3 == 0:
        parts.append(f"\n{MARKDOWN}")
    if number % LONG == LONG - 1:
        parts.append(MARKDOWN * 20)
    return "".join(parts)


def events(number: int, text: str) -> tuple[Any, ...]:
    """Return the steps of an answer: a thought, and a search in three documents."""
    from workbench.model.chunk import Chunk
    from workbench.model.document import BlockKind
    from workbench.model.hit import Hit, NumberedHit, Reference, Scores
    from workbench.model.run import (
        AnswerDelta,
        ReasoningStep,
        ReferencesFound,
        RunStarted,
        TimedEvent,
        ToolCompleted,
        ToolStarted,
    )

    def hit(rank: int) -> NumberedHit:
        chunk = Chunk(rank, 0, len(PARAGRAPH), PARAGRAPH, rank, rank, ("Ice",), BlockKind.PARAGRAPH, 20)
        chunk = replace(chunk, id=rank, document=1 + rank % 3)
        scores = Scores(dense=0.6, keyword=8.0, fused=0.03, dense_rank=1, keyword_rank=2, relevance=0.8)
        name = f"log_{1 + rank % 3}.pdf"
        return NumberedHit(rank, Hit(rank, chunk, name, "Log", f"/logs/{name}", "default", scores))

    happened = (
        RunStarted(f"What of the year {number}?", "far", "far"),
        ToolStarted("a", "think", '{"title": "Plan"}'),
        ReasoningStep("think", "Plan", "Look for the ice."),
        ToolCompleted("a", "think", "ok", 1.0),
        ToolStarted("b", "search_knowledge_base", f'{{"query": "ice {number}"}}'),
        ToolCompleted("b", "search_knowledge_base", "6 passages", 9.4),
        ReferencesFound(Reference(f"ice {number}", tuple(hit(rank) for rank in range(1, 7)), 0.01)),
        AnswerDelta(text),
    )
    return tuple(TimedEvent(place, place / 10, event) for place, event in enumerate(happened))


def citations(text: str) -> tuple[Any, ...]:
    """Return the citation of each marker."""
    from workbench.model.hit import Citation

    return tuple(
        Citation(
            int(found[1]),
            True,
            document=1 + int(found[1]) % 3,
            document_name=f"log_{1 + int(found[1]) % 3}.pdf",
            path=f"/logs/log_{1 + int(found[1]) % 3}.pdf",
            page=int(found[1]),
            chunk=int(found[1]),
            start=0,
            end=40,
            quote=PARAGRAPH[:40],
            answer_start=found.start(),
            answer_end=found.end(),
        )
        for found in re.finditer(r"\[(\d)\]", text)
    )


def fill(library: Any, answers: int) -> int:
    """Store a session in a library and return its number."""
    from workbench.model.run import RunStatus

    session = int(library.sessions.create().id)
    for number in range(answers):
        text = answer(number)
        run = library.sessions.start_run(session, f"What of the year {number}?", "far", "far")
        library.sessions.append_events(run, events(number, text))
        library.sessions.finish_run(
            run, RunStatus.COMPLETED, answer=text, citations=citations(text), refused=False, seconds=1.0
        )
    return session


def measured(port: int, answers: int, asked: int, steps: list[str]) -> dict[str, object]:
    """Perform the steps in the real window."""
    from workbench import operations
    from workbench.model.profile import ModelProfile, WireApi

    with tempfile.TemporaryDirectory() as place, opened_window(Path(place) / "library") as shell:
        opened = Events()
        show(shell)
        library = shell.library
        library.profiles.put(ModelProfile("far", f"http://127.0.0.1:{port}/v1", "m", WireApi.CHAT))
        library.setting_values.put("profile", "far")
        session = fill(library, answers)
        shell.bridge.submit(operations.open_session(library, session), done=opened.happened)
        opened.wait(60)
        reader = Reader(shell, opened.values[0], asked)
        noted = {step: reader.noted(step) for step in STEPS if step in steps or step == "open"}
    return {"answers": answers, "most_cards": reader.most, **noted}


class Reader:
    """The actions of a user."""

    def __init__(self, shell: Any, session: Any, asked: int) -> None:
        from workbench.ui.chat.timeline import Timeline

        self._shell = shell
        self._session = session
        self._asked = asked
        self._timeline = shell.chat.findChild(Timeline)
        self._bar = self._timeline.verticalScrollBar()
        self.most = 0

    def noted(self, step: str) -> dict[str, object]:
        """Perform a step and return its gaps."""
        Events().wait(1)
        beats = Beats()
        {
            "open": self._open,
            "wheel": self._wheel,
            "keys": self._keys,
            "bar": self._drag,
            "theme": self._theme,
            "ask": self._ask,
        }[step]()
        return beats.take()

    def _open(self) -> None:
        self._shell.chat.open_session(self._session)
        Events().wait(3)

    def _wheel(self) -> None:
        for turn in (1, -1):
            self._until(lambda turn=turn: self._turn_wheel(turn), self._is_first if turn > 0 else self._is_last, 16)

    def _keys(self) -> None:
        from PySide6.QtCore import Qt

        for key, is_there in ((Qt.Key.Key_PageUp, self._is_first), (Qt.Key.Key_PageDown, self._is_last)):
            self._until(lambda key=key: self._press(key), is_there, 33)

    def _drag(self) -> None:
        chosen = random.Random(1)
        for _ in range(100):
            self._bar.setValue(chosen.randint(0, self._bar.maximum()))
            Events().wait(0.05)
        self._bar.setValue(self._bar.maximum())

    def _theme(self) -> None:
        for choice in ("dark", "light"):
            self._shell.theme.choose(choice)
            Events().wait(2)

    def _ask(self) -> None:
        for _ in range(self._asked):
            ended = Events()
            self._shell.chat.run_selected.connect(ended.happened)
            self._shell.chat.ask("When did the harbour freeze?")
            ended.wait(60)
            self._shell.chat.run_selected.disconnect(ended.happened)
            Events().wait(0.5)

    def _until(self, act: Callable[[], None], is_there: Callable[[], bool], pause: int) -> None:
        ends = time.monotonic() + 300
        while not is_there() and time.monotonic() < ends:
            act()
            self.most = max(self.most, len(self._shell.chat.cards))
            Events().wait(pause / 1000)

    def _turn_wheel(self, turn: int) -> None:
        from PySide6.QtCore import QPoint, QPointF, Qt
        from PySide6.QtGui import QWheelEvent
        from PySide6.QtWidgets import QApplication

        viewport = self._timeline.viewport()
        place = QPointF(viewport.rect().center())
        event = QWheelEvent(
            place,
            viewport.mapToGlobal(place),
            QPoint(0, turn * viewport.height() // 2),
            QPoint(0, turn * 120 * 6),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(viewport, event)

    def _press(self, key: Any) -> None:
        from PySide6.QtCore import QEvent, Qt
        from PySide6.QtGui import QKeyEvent
        from PySide6.QtWidgets import QApplication

        QApplication.sendEvent(self._timeline, QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier))

    def _is_first(self) -> bool:
        return self._is_seen(self._session.runs[0].id) and self._bar.value() == 0

    def _is_last(self) -> bool:
        return self._bar.value() == self._bar.maximum()

    def _is_seen(self, run: int) -> bool:
        return any(card.transcript.run is not None and card.transcript.run.id == run for card in self._shell.chat.cards)


if __name__ == "__main__":
    main()

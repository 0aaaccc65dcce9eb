"""Responsiveness while browsing a long PDF: time until a page is shown, and blocking of the main thread.

usage: python tests/benchmarks/long_pdf.py [--pages N] [--steps NAME...]

A PDF of N pages, each with a few hundred lines and a picture, is added in the real window and shown in its inspector.
Steps; all of them if none is named:

idle    no action: the gaps of the machine itself
cold    go to forty pages far apart, each until it is painted sharp
next    go to the next page forty times, after 0.3 s on the one before
wheel   scroll with the wheel from the first page to the last, half a viewport every 60th of a second
keys    the same with Page Down
bar     move the slider of the scroll bar to a hundred positions

Prints JSON: for cold and next the milliseconds until a page is painted; for each step the longest gap between two beats
of a 1 ms timer on the main thread, the 99.9th percentile and the number of gaps over 16 ms; the growth of the memory of
the window and its processes, and the upper bound of the part used by images. "next_to_cold" is the ratio of the
medians.
"""

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from window import Beats, Events, opened_window, show

STEPS = ("idle", "cold", "next", "wheel", "keys", "bar")
TIMES = 40


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--steps", nargs="*", default=STEPS, choices=STEPS)
    options = parser.parse_args()
    if not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    print(json.dumps(measured(options.pages, options.steps)))


def write_pdf(path: Path, pages: int) -> None:
    """Write a PDF whose pages take a few milliseconds to draw."""
    from workbench.parsing.mupdf import mupdf

    document = mupdf().open()
    chosen = random.Random(1)
    photo = mupdf().Pixmap(mupdf().csRGB, (0, 0, 200, 120), False)
    photo.set_rect(photo.irect, (90, 130, 180))
    png = photo.tobytes("png")
    for number in range(1, pages + 1):
        page = document.new_page(width=595, height=842)
        page.insert_text((60, 70), f"Log of day {number}: the harbour was open for {number % 24} hours.")
        page.insert_image((60, 90, 260, 210), stream=png)
        shape = page.new_shape()
        for line in range(300):
            # Slanted: level lines may be tables, whose detection takes 0.2 s per page before the import ends.
            shape.draw_line((60, 230 + 2 * line), (60 + chosen.randint(50, 470), 210 + 2 * line))
        shape.finish(width=0.6)
        shape.commit()
    document.save(path, garbage=1, deflate=True)
    document.close()


def measured(pages: int, steps: list[str]) -> dict[str, object]:
    """Perform the steps in the real window."""
    from workbench import operations

    with tempfile.TemporaryDirectory() as place, opened_window(Path(place) / "library") as shell:
        file = Path(place) / "long.pdf"
        write_pdf(file, pages)
        added = Events()
        show(shell)
        adding = operations.add_documents(shell.library, [file])
        shell.bridge.submit(adding, done=added.happened, failed=added.happened)
        added.wait(900)
        shell.inspector.show_document(shell.library.documents.list()[0])
        reader = Reader(shell.inspector.passage_view.page_view)
        before = memory()
        noted = {step: reader.noted(step) for step in STEPS if step in steps}
        more = memory() - before
    if {"cold", "next"} <= noted.keys():
        noted["next_to_cold"] = round(noted["next"]["p50_ms"] / max(0.1, noted["cold"]["p50_ms"]), 3)
    return {"pages": pages, **noted, "more_memory_mb": round(more), "pictures_mb": round(reader.most / 2**20, 1)}


def memory() -> float:
    """Return the memory of this process and its children in megabytes."""
    import psutil

    us = psutil.Process()
    return sum(one.memory_info().rss for one in (us, *us.children(recursive=True))) / 2**20


class Reader:
    """The actions of a user."""

    def __init__(self, view: Any) -> None:
        self._view = view
        self._bar = view.canvas.verticalScrollBar()
        self.most = 0
        self._until(lambda: view.page is not None and view.is_sharp(view.page))

    def noted(self, step: str) -> dict[str, Any]:
        """Perform a step and return its gaps."""
        Events().wait(1)
        beats = Beats()
        done = {
            "idle": lambda: Events().wait(10),
            "cold": self._cold,
            "next": self._next,
            "wheel": self._wheel,
            "keys": self._keys,
            "bar": self._drag,
        }[step]()
        return {**(done or {}), **beats.take()}

    def _cold(self) -> dict[str, object]:
        chosen = random.Random(1)
        numbers = [chosen.randint(1, self._view.canvas.stack.last) for _ in range(TIMES)]
        return _spread([self._painted(lambda page=page: self._view.turn_to(page), page) for page in numbers])

    def _next(self) -> dict[str, object]:
        self._painted(lambda: self._view.turn_to(100), 100)
        found = []
        for page in range(101, 101 + TIMES):
            Events().wait(0.3)
            found.append(self._painted(lambda page=page: self._view.turn_to(page), page))
        return _spread(found)

    def _wheel(self) -> None:
        self._through(self._turn_wheel)

    def _keys(self) -> None:
        self._through(self._press)

    def _drag(self) -> None:
        chosen = random.Random(2)
        for _ in range(100):
            self._bar.setValue(chosen.randint(0, self._bar.maximum()))
            self._breathe(0.05)

    def _painted(self, act: Callable[[], None], page: int) -> float:
        """Go to a page and return the milliseconds until it is painted sharp."""
        began = time.perf_counter()
        act()
        self._until(lambda: self._view.is_sharp(page))
        self._view.canvas.viewport().repaint()
        return 1000 * (time.perf_counter() - began)

    def _through(self, act: Callable[[], None]) -> None:
        self._bar.setValue(0)
        ends = time.monotonic() + 300
        while self._bar.value() < self._bar.maximum() and time.monotonic() < ends:
            act()
            self._breathe(0.016)

    def _until(self, is_there: Callable[[], bool]) -> None:
        ends = time.monotonic() + 30
        while not is_there() and time.monotonic() < ends:
            Events().wait(0.001)

    def _breathe(self, seconds: float) -> None:
        Events().wait(seconds)
        self.most = max(self.most, self._view.canvas.pictures.bytes)

    def _turn_wheel(self) -> None:
        from PySide6.QtCore import QPoint, QPointF, Qt
        from PySide6.QtGui import QWheelEvent
        from PySide6.QtWidgets import QApplication

        viewport = self._view.canvas.viewport()
        place = QPointF(viewport.rect().center())
        event = QWheelEvent(
            place,
            viewport.mapToGlobal(place),
            QPoint(0, -viewport.height() // 2),
            QPoint(0, -120 * max(1, viewport.height() // 144)),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(viewport, event)

    def _press(self) -> None:
        from PySide6.QtCore import QEvent, Qt
        from PySide6.QtGui import QKeyEvent
        from PySide6.QtWidgets import QApplication

        press = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_PageDown, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(self._view.canvas, press)


def _spread(found: list[float]) -> dict[str, object]:
    ordered = sorted(found)
    return {
        "p50_ms": round(statistics.median(ordered), 1),
        "p95_ms": round(ordered[int(0.95 * (len(ordered) - 1))], 1),
        "max_ms": round(ordered[-1], 1),
    }


if __name__ == "__main__":
    main()

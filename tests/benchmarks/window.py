"""Start time and responsiveness of the window.

usage: python tests/benchmarks/window.py FOLDER [--runs N]

1. From process start to the first paint: our window, including its command line, and an empty PySide6 window, run
   alternately; the ratio of the medians. Also the heavy packages that were imported meanwhile (there should be none).
   Bytecode is cached, as in an installed program: the first pair of starts, which writes the cache, is not counted.
2. The longest gap between two beats of a 1 ms timer on the main thread, and the number of gaps over 50 ms: "start" from
   the first paint until the library is open and everything is loaded, "idle" for 3 s after that, "adding" while FOLDER
   (200 documents or more) is being added. "bystander" is a process that only sleeps 1 ms at a time during the import: a
   gap that it has at the same moment is caused by the machine.

Runs on the platform that QT_QPA_PLATFORM or the display names; otherwise on "offscreen".
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HEAVY = ("torch", "sentence_transformers", "transformers", "onnxruntime", "faiss", "pymupdf", "openai")
EMPTY = """
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
window = QMainWindow()
window.resize(1280, 800)
"""
OURS = """
import gc, os
os.environ["WORKBENCH_LIBRARY"] = {folder!r}
from workbench.cli import main
from workbench.cli.library_folder import default_library
folder = default_library()
gc.disable()  # as workbench.cli.main.window does
from workbench.app import application, build_window
app = application()
shell = build_window(folder)
window = shell.window
window.resize(1280, 800)
"""
PAINT = f"""
import sys
from PySide6.QtCore import QEvent, QObject, QTimer
class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and watched is window:
            QTimer.singleShot(0, said)
        return False
def said():
    print("painted", *(name for name in {HEAVY!r} if name in sys.modules), flush=True)
watch = Watch()
window.installEventFilter(watch)
window.show()
app.exec()
"""
BYSTANDER = """
import sys, threading, time
threading.Thread(target=lambda: (sys.stdin.read(), ended.append(1)), daemon=True).start()
ended, before = [], time.perf_counter()
while not ended:
    time.sleep(0.001)
    now = time.perf_counter()
    if now - before > 0.05:
        print(now - before, before)
    before = now
"""


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    if not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    print(json.dumps(first_paint(options.runs)))
    print(json.dumps(gaps(options.folder)))


def first_paint(runs: int) -> dict[str, object]:
    """Start both windows alternately and compare the medians."""
    with tempfile.TemporaryDirectory() as place:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(place) / "bytecode")
        ours = OURS.format(folder=str(Path(place) / "library"))
        pairs = [(_start(EMPTY, environment), _start(ours, environment)) for _ in range(runs + 1)][1:]
    empty, full = statistics.median(e for (e, _), _ in pairs), statistics.median(f for _, (f, _) in pairs)
    return {
        "empty_window_s": round(empty, 3),
        "our_window_s": round(full, 3),
        "ratio": round(full / empty, 2),
        "heavy_imports": pairs[-1][1][1],
    }


def _start(script: str, environment: dict[str, str]) -> tuple[float, list[str]]:
    started = time.perf_counter()
    command = [sys.executable, "-c", script + PAINT]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    said = process.stdout.readline().split()
    seconds = time.perf_counter() - started
    process.kill()
    process.communicate()
    return seconds, said[1:]


@contextmanager
def opened_window(folder: Path, size: tuple[int, int] = (1280, 800)) -> Iterator[Any]:
    """Yield the real window on a library, with garbage collection as in the program; close it at the end."""
    from workbench.app import application, build_window
    from workbench.ui.garbage_collector import GarbageCollector

    application()
    collector = GarbageCollector()
    collector.start(frozen_until_settled=True)
    shell = build_window(folder)
    for moment in (shell.settled, shell.warm):
        moment.connect(collector.settle)
    shell.window.resize(*size)
    try:
        yield shell
    finally:
        shell.shut_down()
        collector.stop()


def show(shell: Any, seconds: float = 120) -> None:
    """Show a window and wait until everything that the first question needs is loaded, up to a time limit."""
    warm = Events()
    shell.warm.connect(warm.happened)
    shell.window.show()
    warm.wait(seconds)
    assert shell.library is not None


_LATE, _PICTURE = 0.05, 0.016
"""Seconds that a person notices, and those between two frames."""


class Beats:
    """A 1 ms timer of the main thread that records its beats and the processor time of the thread between them.

    On an otherwise idle machine the gaps are sufficient; on a busy one, only the processor time depends on the program.
    """

    def __init__(self) -> None:
        # Imported here because parser processes import this file, too.
        from PySide6.QtCore import Qt, QTimer

        self._times: list[float] = []
        self._worked: list[float] = []
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(1)
        self._beat()

    def take(self) -> dict[str, Any]:
        """Return the figures since the last call."""
        self._beat()
        gaps, worked = _between(self._times), _between(self._worked)
        late = [_late(gap, at - self._times[0]) for at, gap in zip(self._times, gaps, strict=False) if gap > _LATE]
        said = {
            "seconds": round(sum(gaps), 1),
            **_spread(gaps, "gap"),
            **_spread(worked, "work"),
            "over_50_ms": late,
        }
        # Summing 100,000 beats takes 100 ms, which must not count as a gap.
        self._times.clear()
        self._worked.clear()
        self._beat()
        return said

    def _beat(self) -> None:
        self._times.append(time.perf_counter())
        self._worked.append(time.thread_time())


def _between(times: list[float]) -> list[float]:
    return [later - earlier for earlier, later in itertools.pairwise(times)]


def _spread(gaps: list[float], what: str) -> dict[str, float]:
    ordered = sorted(gaps) or [0.0]
    place = min(len(ordered) - 1, int(0.999 * len(ordered)))
    return {
        f"longest_{what}_ms": round(1000 * ordered[-1], 1),
        f"p99_9_{what}_ms": round(1000 * ordered[place], 1),
        f"{what}s_over_16_ms": sum(gap > _PICTURE for gap in ordered),
    }


def _late(gap: float, at: float) -> str:
    return f"{1000 * gap:.0f} ms at {at:.2f} s"


class Events:
    """Runs the event loop until an event has occurred."""

    def __init__(self) -> None:
        from PySide6.QtCore import QEventLoop, QTimer

        self._loop = QEventLoop()
        self._patience = QTimer()
        self._patience.setSingleShot(True)
        self._patience.timeout.connect(self._loop.quit)
        self.values: list[Any] = []

    def happened(self, *values: Any) -> None:
        """Report the event."""
        self.values.extend(values)
        self._loop.quit()

    def wait(self, seconds: float) -> None:
        """Run the event loop until happened() is called, up to a time limit."""
        self._patience.start(int(1000 * seconds))
        self._loop.exec()
        self._patience.stop()


def gaps(folder: Path) -> dict[str, object]:
    """Add the folder in the real window and record the beats of its event loop."""
    from workbench import operations

    with tempfile.TemporaryDirectory() as place, opened_window(Path(place) / "library") as shell:
        beats, added = Beats(), Events()
        shell.window.painted.connect(beats.take)
        show(shell)
        start = beats.take()
        # Before the idle time: starting a process blocks this one for up to 60 ms.
        bystander = subprocess.Popen(
            [sys.executable, "-c", BYSTANDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        Events().wait(3)
        idle = beats.take()
        began = time.perf_counter()
        shell.bridge.submit(
            operations.add_documents(shell.library, [folder]), done=added.happened, failed=added.happened
        )
        added.wait(600)
        adding = beats.take()
        lines = (map(float, line.split()) for line in bystander.communicate()[0].splitlines())
        adding["bystander_over_50_ms"] = [_late(gap, at - began) for gap, at in lines if at > began]
        assert len(added.values) == 1, added.values
    return {"files": len(added.values[0]), "start": start, "idle": idle, "adding": adding}


if __name__ == "__main__":
    main()

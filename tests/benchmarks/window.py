"""How soon the window is there, and whether it ever stands still.

usage: python tests/benchmarks/window.py FOLDER [--runs N]

1. From process start to the first paint: our window beside an empty PySide6 window, in turn; the ratio of the medians.
   Also which heavy packages were imported on the way (there should be none).
2. While FOLDER (200 documents or more) is being added: the longest time between two beats of a 1 ms timer on the main
   thread, and how many beats came later than 50 ms. The timer's own beats without an import are given beside it.
Runs on the platform that QT_QPA_PLATFORM or the display names; "offscreen" where there is none.
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
from pathlib import Path

HEAVY = ("torch", "sentence_transformers", "transformers", "onnxruntime", "faiss", "pymupdf", "openai")
EMPTY = """
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
window = QMainWindow()
window.resize(1280, 800)
"""
OURS = """
from pathlib import Path
from workbench.app import application, build_window
app = application()
shell = build_window(Path({folder!r}))
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
    """Start both windows in turn and compare the medians."""
    with tempfile.TemporaryDirectory() as place:
        ours = OURS.format(folder=str(Path(place) / "library"))
        pairs = [(_start(EMPTY), _start(ours)) for _ in range(runs + 1)][1:]  # the first pair warms the disk
    empty, full = statistics.median(e for (e, _), _ in pairs), statistics.median(f for _, (f, _) in pairs)
    return {
        "empty_window_s": round(empty, 3),
        "our_window_s": round(full, 3),
        "ratio": round(full / empty, 2),
        "heavy_imports": pairs[-1][1][1],
    }


def _start(script: str) -> tuple[float, list[str]]:
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", script + PAINT], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = process.stdout.readline().split()
    seconds = time.perf_counter() - started
    process.kill()
    process.communicate()
    return seconds, said[1:]


def gaps(folder: Path) -> dict[str, object]:
    """Add the folder in the real window and watch the beats of its event loop."""
    from PySide6.QtCore import QEventLoop, Qt, QTimer

    from workbench import operations
    from workbench.app import application, build_window
    from workbench.ui.garbage import GarbageCollector

    application()
    collector = GarbageCollector()
    collector.start()
    beats: list[float] = []
    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(lambda: beats.append(time.perf_counter()))

    with tempfile.TemporaryDirectory() as place:
        shell = build_window(Path(place) / "library")
        shell.window.resize(1280, 800)
        shell.window.show()
        loop = QEventLoop()
        shell.opened.connect(loop.quit)
        loop.exec()
        timer.start(1)
        QTimer.singleShot(3000, loop.quit)
        loop.exec()
        idle, first = _longest(beats), len(beats)
        results: list[object] = []
        started = time.perf_counter()

        def done(files: list[object]) -> None:
            results.extend(files)
            loop.quit()

        shell.bridge.submit(operations.add_documents(shell.library, [folder]), done=done)
        loop.exec()
        seconds = time.perf_counter() - started
        during = beats[first:]
        late = [b - a for a, b in itertools.pairwise(during) if b - a > 0.05]
        shell.shut_down()
        collector.stop()
    return {
        "files": len(results),
        "seconds": round(seconds, 1),
        "longest_gap_idle_ms": idle,
        "longest_gap_ms": _longest(during),
        "gaps_over_50_ms": len(late),
        "beats": len(during),
    }


def _longest(beats: list[float]) -> float:
    return round(1000 * max((b - a for a, b in itertools.pairwise(beats)), default=0.0), 1)


if __name__ == "__main__":
    main()

"""Quality and cost of the map of a library, and responsiveness of the window while the map is used.

usage: python tests/benchmarks/library_map.py LIBRARY [--steps N]

LIBRARY is a library's folder; a copy of it is used, without an existing map.

1. "trustworthiness" of the map among 10 neighbours (1 is best: neighbours on the map are neighbours in the vector
   space), over 4,000 passages or all; and that of the first two principal components of all vectors.
2. Seconds to draw the map, processor seconds of this process, and the peak memory of this process and its child, in MB;
   "again" is the time to load a map that is already drawn.
3. With the map in the window, an action every 16 ms: drags, wheel steps, the pointer moved over points, a document
   selected. The longest gap between two beats of a 1 ms timer on the main thread, its 99.9th percentile, and the number
   of gaps over 16 and 50 ms.

Runs on the platform that QT_QPA_PLATFORM or the display names; otherwise on "offscreen".
"""

import argparse
import asyncio
import json
import math
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

STEPS = 600
SAMPLE = 4_000


def main() -> None:
    """Measure all three."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    if not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "library"
        shutil.copytree(options.library, folder, ignore=shutil.ignore_patterns("map", "*.lock"))
        print(json.dumps(drawing(folder)), flush=True)
        print(json.dumps(looking(folder, options.steps)), flush=True)


def drawing(folder: Path) -> dict[str, Any]:
    """Draw the map of the library and measure its trustworthiness."""
    from workbench.operations import Library, draw_map, library_map
    from workbench.worker.job import JobContext

    library = Library.open(folder)
    try:
        memory = Memory()
        began, processor = time.perf_counter(), time.process_time()
        asyncio.run(_performed(draw_map(library)(JobContext())))
        seconds, processor = time.perf_counter() - began, time.process_time() - processor
        own, child = memory.most()
        began = time.perf_counter()
        outlook = asyncio.run(_performed(library_map(library)(JobContext())))
        again = time.perf_counter() - began
        ids, vectors = library.vectors.all(library.vectors.embedder)
    finally:
        library.close()
    return {
        "passages": len(ids),
        "seconds": round(seconds, 1),
        "processor_s": round(processor, 1),
        "again_s": round(again, 2),
        "memory_mb": own,
        "child_mb": child,
        **_truth(ids, vectors, outlook.map),
    }


async def _performed(work: Any) -> Any:
    return await work


def _truth(ids: Any, vectors: Any, map: Any) -> dict[str, float]:
    import numpy as np
    from sklearn.decomposition import PCA
    from sklearn.manifold import trustworthiness

    some = np.random.default_rng(0).choice(len(ids), min(SAMPLE, len(ids)), replace=False)
    points = map.points[np.searchsorted(map.ids, ids[some])]
    plane = PCA(2, random_state=0).fit_transform(vectors)[some]
    return {
        "trustworthiness": round(float(trustworthiness(vectors[some], points, n_neighbors=10)), 4),
        "of_pca": round(float(trustworthiness(vectors[some], plane, n_neighbors=10)), 4),
    }


class Memory:
    """Samples the memory of this process and its children 20 times a second."""

    def __init__(self) -> None:
        import psutil

        self._me = psutil.Process()
        self._own = self._child = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def most(self) -> tuple[int, int]:
        """Stop sampling; return the peak memory of this process and of any child in MB."""
        self._ended.set()
        self._thread.join()
        return self._own >> 20, self._child >> 20

    def _look(self) -> None:
        import psutil

        while not self._ended.wait(0.05):
            self._own = max(self._own, self._me.memory_info().rss)
            for child in self._me.children():
                try:
                    self._child = max(self._child, child.memory_info().rss)
                except psutil.Error:
                    continue


def looking(folder: Path, steps: int) -> dict[str, Any]:
    """Show the map in the real window and measure the gaps of its event loop while it is used."""
    from PySide6.QtCore import QTimer
    from window import Beats, Events

    from workbench.app import application, build_window
    from workbench.ui.garbage_collector import GarbageCollector

    application()
    collector = GarbageCollector()
    collector.start()
    shell = build_window(folder)
    shell.window.resize(1600, 1000)
    warm = Events()
    shell.warm.connect(warm.happened)
    shell.window.show()
    warm.wait(120)
    shell.map.reveal()
    pane = shell.map.pane
    assert pane is not None
    waited = 0
    while not (pane.shows_map and pane.canvas.is_settled) and waited < 600:
        Events().wait(0.1)
        waited += 1
    collector.settle()
    beats = Beats()
    done = Events()
    gestures = Gestures(pane, steps, done)
    timer = QTimer()
    timer.timeout.connect(gestures.step)
    Events().wait(1)
    beats.take()
    timer.start(16)
    done.wait(120)
    timer.stop()
    found = beats.take()
    shell.shut_down()
    collector.stop()
    return {"steps": steps, **found}


class Gestures:
    """User actions in a cycle: drags, the wheel, the pointer over points, a document selected."""

    def __init__(self, pane: Any, steps: int, done: Any) -> None:
        self._pane = pane
        self._left = steps
        self._done = done

    def step(self) -> None:
        """Perform the next action."""
        from PySide6.QtCore import QPointF

        self._left -= 1
        if self._left <= 0:
            self._done.happened()
            return
        canvas, phase = self._pane.canvas, self._left % 120
        turn = self._left / 9
        middle = QPointF(canvas.width() / 2, canvas.height() / 2)
        if phase < 40:
            canvas.look(canvas.view.moved(12 * math.cos(turn), 12 * math.sin(turn)))
        elif phase < 80:
            canvas.look(canvas.view.zoomed(1.2 if phase % 20 < 11 else 1 / 1.2, middle.x(), middle.y()))
        elif phase < 115:
            canvas.hovered.emit(QPointF(middle.x() + 150 * math.cos(turn), middle.y() + 90 * math.sin(turn)))
        elif phase == 116:
            self._pane.lists.documents.setCurrentIndex(self._pane.lists.documents.model().index(self._left % 7))
        elif phase == 118:
            self._pane.lists.documents.clearSelection()


if __name__ == "__main__":
    main()

"""Record an import for the test of the estimate of the remaining time; see test_operations_import_progress.py.

usage: python tests/benchmarks/record_import.py TARGET.json [--library FOLDER] FILE...

The files are added to a new library, or to the given one, whose earlier imports have measured their paces. TARGET.json
gets "seconds", the time of the whole import, and "calls": the time of each call on Progress, its name and its
arguments. Files and documents are numbered; nothing of their names or contents is written.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from workbench.api.library import open_library
from workbench.operations.imports import embedding
from workbench.operations.imports.progress import Progress

_CALLS = (
    "take_paces",
    "waits",
    "leaves",
    "pages_were_read",
    "was_read",
    "batch_begins",
    "was_embedded",
    "pages_wait",
    "page_was_read",
    "pages_end",
)
_PARTLY_SECONDS = 2.0
"""Minimum time between two records of the pages of files that are being read."""


class Recorder:
    """Records the calls on the Progress of an import, and changes of its counts as calls of "state"."""

    def __init__(self) -> None:
        self.calls: list[list[Any]] = []
        self._began = time.perf_counter()
        self._numbers: dict[str, str] = {}
        self._state: list[int] = []
        self._last_partly = 0.0

    @property
    def seconds(self) -> float:
        """Seconds since the import began."""
        return round(time.perf_counter() - self._began, 2)

    def make_progress(self) -> Progress:
        """Return a Progress whose calls are recorded."""
        progress = Progress()
        methods: dict[str, Any] = {name: self._recorded(name) for name in (*_CALLS, "emit")}
        progress.__class__ = type("RecordedProgress", (Progress,), methods | {"__slots__": ()})
        return progress

    def _recorded(self, name: str) -> Callable[..., None]:
        def call(progress: Progress, *arguments: Any, **more: Any) -> None:
            self._add_state(progress)
            now = time.perf_counter()
            if name != "emit" and (name != "pages_were_read" or now - self._last_partly >= _PARTLY_SECONDS):
                self._last_partly = now if name == "pages_were_read" else self._last_partly
                self.calls.append([self.seconds, name, [*map(self._plain, arguments), *more.values()]])
            getattr(Progress, name)(progress, *arguments, **more)

        return call

    def _add_state(self, progress: Progress) -> None:
        state = [progress.files, progress.files_done, progress.chunks, sum(progress.later_chunks.values())]
        if state != self._state:
            self._state = state
            self.calls.append([self.seconds, "state", state])

    def _plain(self, argument: Any) -> Any:
        if isinstance(argument, float):
            return round(argument, 3)
        if isinstance(argument, Path) or (isinstance(argument, str) and not argument.startswith(".")):
            suffix = Path(argument).suffix
            return self._numbers.setdefault(str(argument), f"{len(self._numbers)}{suffix}")
        return argument


def main() -> None:
    """Record one import."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("target", type=Path)
    arguments.add_argument("files", type=Path, nargs="+")
    arguments.add_argument("--library", type=Path)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder, open_library(options.library or Path(folder) / "library") as library:
        recorder = Recorder()
        embedding.Progress = recorder.make_progress  # type: ignore[assignment, misc]
        library.add(options.files)
        recorded = {"seconds": recorder.seconds, "calls": recorder.calls}
    lines = ",\n".join(map(partial(json.dumps, separators=(",", ":")), recorder.calls))
    options.target.write_text(f'{{"seconds":{recorded["seconds"]},"calls":[\n{lines}\n]}}\n', "utf-8")


if __name__ == "__main__":
    main()

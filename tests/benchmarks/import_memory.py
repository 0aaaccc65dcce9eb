"""Peak memory of the whole program, including child processes, while PDFs are added to one library in rounds.

usage: python tests/benchmarks/import_memory.py [--data DIR] [--pages N] [--rounds N] [--chunks N] [--window]

Creates PDFs of 100 pages from the pages with text of those in DIR, N pages per round, all files different. Prints one
JSON line per round: pages and chunks in the library so far, seconds, and the peak in MB, summed over all processes, as
PSS (private memory plus a proportional share of shared pages) and as RSS, which counts shared pages once per process;
then the PSS of each process at that moment, the program itself first. The program should stay below 700 MB, and no
round should need more than another, except for its vectors.

--window adds the files in the real window, whose inspector shows a page, so that the rendering process runs, too.
Without a display it uses the platform "offscreen". --chunks first fills the library with that many generated chunks (as
big_library.py does), in a separate process.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    from workbench.operations import Library

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
FOLDERS = ("generated/page_truth", "pdf_varied", "parse_truth")
PAGES_A_FILE = 100
FEWEST_CHARACTERS = 200
SECONDS = 0.2
PATIENCE = 3600.0


class Watch:
    """Samples the memory of this process and its children, by default several times a second."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self.pss = self.rss = 0.0
        self.each: list[int] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        me = psutil.Process()
        while not self._ended.wait(self._seconds):
            pss = rss = 0
            each = []
            for process in (me, *me.children(recursive=True)):
                try:
                    memory = process.memory_full_info()
                except psutil.Error:
                    continue
                each.append(memory.pss >> 20)
                pss += memory.pss
                rss += memory.rss
            if pss / 2**20 > self.pss:
                self.each = each
            self.pss, self.rss = max(self.pss, pss / 2**20), max(self.rss, rss / 2**20)


def main() -> None:
    """Create the files and add them round by round."""
    # Imported here: a child process imports the main module of its parent, and the program's own imports nothing.
    from workbench.worker.process_memory import reduce_memory_use

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--chunks", type=int, default=0)
    parser.add_argument("--window", action="store_true")
    options = parser.parse_args()
    reduce_memory_use()  # as the program does when it starts
    with tempfile.TemporaryDirectory() as place:
        folders = [Path(place) / f"round {number}" for number in range(options.rounds)]
        apart(_write, options.data, folders, options.pages)
        if options.chunks:
            apart(_fill, Path(place) / "library", options.chunks)
        (_in_window if options.window else _without_window)(Path(place) / "library", folders)


def _without_window(place: Path, folders: list[Path]) -> None:
    from workbench import operations
    from workbench.worker.job import JobContext

    library = operations.Library.open(place)

    async def add(folder: Path) -> None:
        await operations.add_documents(library, [folder])(JobContext())

    try:
        for folder in folders:
            _measure(library, partial(asyncio.run, add(folder)))
    finally:
        library.close()


def _in_window(place: Path, folders: list[Path]) -> None:
    if not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from window import opened_window

    with opened_window(place) as shell:
        _add_and_measure(shell, folders)


def _add_and_measure(shell: Any, folders: list[Path]) -> None:
    from window import Events, show

    from workbench.ui.inspector.page_presenter import PageLoader

    ended, drawn = Events(), Events()
    shell.documents.import_changed.connect(lambda state: None if state.running else ended.happened())
    show(shell, PATIENCE)

    def add(paths: list[Path]) -> None:
        shell.documents.add(paths)
        ended.wait(PATIENCE)

    add([next(folders[0].iterdir())])
    loader = shell.inspector.passage_view.findChild(PageLoader)
    assert loader is not None
    loader.loaded.connect(drawn.happened)
    shell.inspector.show_document(shell.documents.model.documents()[-1])
    drawn.wait(60)
    assert drawn.values
    for folder in folders:
        _measure(shell.library, partial(add, [folder]))


def _measure(library: "Library", add: Callable[[], Any]) -> None:
    """Run one round and print its figures."""
    began = time.perf_counter()
    with Watch() as watch:
        add()
    documents = library.documents.list()
    figures = {
        "pages": sum(document.pages for document in documents),
        "chunks": sum(document.chunks for document in documents),
        "seconds": round(time.perf_counter() - began, 1),
        "peak_pss_mb": round(watch.pss),
        "peak_rss_mb": round(watch.rss),
        "each_pss_mb": watch.each,
    }
    print(json.dumps(figures), flush=True)


def apart(function: Callable[..., None], *args: Any, **options: Any) -> None:
    """Run in a separate child process, so that its memory is not counted."""
    process = multiprocessing.get_context("spawn").Process(target=function, args=args, kwargs=options)
    process.start()
    process.join()
    assert process.exitcode == 0, function


def _fill(place: Path, chunks: int) -> None:
    from big_library import EACH, fill

    from workbench.operations import Library

    library = Library.open(place)
    try:
        fill(library, chunks // EACH)
        library.models.save_index()
    finally:
        library.close()


def _write(data: Path, folders: list[Path], pages: int) -> None:
    import pymupdf

    paths = [path for folder in FOLDERS for path in sorted((data / folder).glob("**/*.pdf"))]
    found = [place for path in paths for place in _pages(path)]
    turn = 0
    for folder in folders:
        folder.mkdir()
        for number in range(pages // PAGES_A_FILE):
            with pymupdf.open() as made:
                for _ in range(PAGES_A_FILE):
                    path, page = found[turn % len(found)]
                    with pymupdf.open(path) as source:
                        made.insert_pdf(source, from_page=page, to_page=page)
                    turn += 1
                made[0].insert_text((20, 20), f"{folder.name}, file {number}")
                made.save(folder / f"{number}.pdf", garbage=3)


def _pages(path: Path) -> list[tuple[Path, int]]:
    import pymupdf

    try:
        with pymupdf.open(path) as pdf:
            if pdf.needs_pass or not pdf.is_pdf:
                return []
            return [(path, page.number) for page in pdf if len(page.get_text()) > FEWEST_CHARACTERS]
    except (RuntimeError, ValueError):
        return []


if __name__ == "__main__":
    main()

"""Search by three processes while a fourth adds 1,000 files to the library.

usage: python tests/benchmarks/readers.py [--files 1000] [--searches 2000]

The searching processes open the library read-only, as the command line does while the window is open, and ask questions
of one word each. Prints one JSON line: milliseconds of a search by one process without an import and by three while
files are added (median, 95th percentile, and the ratio of the two 95th percentiles), failed searches, documents visible
to the processes at the end, and the memory of a process (MB, PSS) after its first 50 searches and after its last.
"""

import argparse
import asyncio
import json
import multiprocessing
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
from big_library import WORDS

from workbench import operations
from workbench.operations import Library
from workbench.store.database import Access
from workbench.worker.job import JobContext

READERS = 3
_FIRST = 50
"""Uncounted searches of each process that fill its caches."""

Timed = tuple[list[float], int, int, float, float]
"""Milliseconds of each search, failed searches, documents at the end, MB after the first searches, MB at the end."""


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--searches", type=int, default=2000)
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "library"
        library = Library.open(folder)
        try:
            add(library, written(Path(place) / "before", options.files))
            with context.Pool(1) as pool:
                quiet = pool.apply(search, (folder, options.searches // READERS))
            with context.Pool(READERS) as pool:
                share = (folder, options.searches // READERS)
                readers = [pool.apply_async(search, share) for _ in range(READERS)]
                began = time.perf_counter()
                add(library, written(Path(place) / "more", options.files))
                seconds = time.perf_counter() - began
                beside = [one.get() for one in readers]
        finally:
            library.close()
    print(json.dumps({"adding_s": round(seconds, 1), **figures(quiet, beside)}))


def written(folder: Path, files: int) -> Path:
    """Write notes of a few hundred words into a folder."""
    chosen = random.Random(folder.name)
    folder.mkdir()
    for number in range(files):
        lines = (" ".join(chosen.choices(WORDS, k=12)).capitalize() + "." for _ in range(12))
        (folder / f"note {number}.md").write_text(f"# Note {folder.name} {number}\n\n" + "\n".join(lines), "utf-8")
    return folder


def add(library: Library, folder: Path) -> None:
    """Add a folder, including vectors."""
    asyncio.run(operations.add_documents(library, [folder])(JobContext()))


def search(folder: Path, searches: int) -> Timed:
    """Search a library that another program has open, repeatedly; runs in a separate process."""
    library = Library.open(folder, access=Access.READ)
    milliseconds: list[float] = []
    failed, first = 0, 0.0
    try:
        for number in range(searches):
            began = time.perf_counter()
            try:
                asyncio.run(operations.search(library, f"What of the {WORDS[number % len(WORDS)]}?")(JobContext()))
            except Exception as error:  # noqa: BLE001 - every error is counted
                print(f"{type(error).__name__}: {error}")
                failed += 1
            milliseconds.append(1000 * (time.perf_counter() - began))
            if number == _FIRST:
                first = megabytes()
        return milliseconds, failed, len(library.documents.list()), first, megabytes()
    finally:
        library.close()


def megabytes() -> float:
    """Return the memory of this process with its proportional share of shared pages (PSS)."""
    return round(float(psutil.Process().memory_full_info().pss) / 2**20, 1)


def figures(quiet: Timed, beside: list[Timed]) -> dict[str, float | list[float]]:
    """Return the figures to print."""
    together = [one for timed in beside for one in timed[0][_FIRST:]]
    alone, busy = np.percentile(quiet[0][_FIRST:], (50, 95)), np.percentile(together, (50, 95))
    return {
        "quiet_p50_ms": round(float(alone[0]), 1),
        "quiet_p95_ms": round(float(alone[1]), 1),
        "beside_p50_ms": round(float(busy[0]), 1),
        "beside_p95_ms": round(float(busy[1]), 1),
        "p95_ratio": round(float(busy[1] / alone[1]), 2),
        "failed": quiet[1] + sum(timed[1] for timed in beside),
        "documents_seen": [float(timed[2]) for timed in beside],
        "first_mb": [timed[3] for timed in beside],
        "last_mb": [timed[4] for timed in beside],
    }


if __name__ == "__main__":
    main()

"""Import speed, memory and search latency of the real program, compared with other programs if they are given.

usage: python tests/benchmarks/ingest.py FOLDER [--questions FILE.jsonl] [--peers PYTHON SCRIPT]

FOLDER contains documents. With --questions (lines with "question" and "gold": [[file stem, page], ...]) page recall is
measured too, and only the PDFs are added, because the questions may be in the same folder. --peers runs SCRIPT with
PYTHON for each other program on the same folder and questions, in the same run. Prints one JSON line each: seconds
until searchable by keyword and until all vectors exist, pages and chunks per second, peak memory of this process and of
its largest child (MB), query p50 and p95 (ms), page recall@5 and @10.
"""

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

# The program is imported inside the functions: child processes import this file, too, and would need more memory.
if TYPE_CHECKING:
    from workbench.operations import Library

PEERS = ("llamaindex", "langchain", "agno", "chroma", "txtai")


def main() -> None:
    """Measure this program, then the others."""
    from workbench.worker.process_memory import reduce_memory_use

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--peers", nargs=2, metavar=("PYTHON", "SCRIPT"))
    options = parser.parse_args()
    reduce_memory_use()  # as the program does when it starts
    print(json.dumps({"program": "workbench", **asyncio.run(measure(options.folder, options.questions))}))
    for peer in PEERS if options.peers else ():
        command = [*options.peers, peer, str(options.folder), str(options.questions)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        print(done.stdout.strip().splitlines()[-1] if done.returncode == 0 else f"{peer}: {done.stderr[-200:]}")


async def measure(folder: Path, questions: Path | None) -> dict[str, Any]:
    """Add the folder to an empty library and ask the questions."""
    from workbench import operations
    from workbench.operations import Library
    from workbench.worker.job import JobContext

    with tempfile.TemporaryDirectory() as place:
        library = Library.open(Path(place) / "library")
        try:
            # As the window does after its first paint; the other programs load their model before timing, too.
            await operations.warm_up(library)(JobContext(lambda _event: None))
            figures = await add_files(library, [folder] if questions is None else sorted(folder.rglob("*.pdf")))
            if questions is not None:
                figures |= await _search(library, questions)
            child = largest_child()
        finally:
            library.close()
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return figures | {"rss_mb": own, "largest_child_mb": child}


def largest_child() -> int:
    """Return the peak memory of the largest child process in MB."""
    return max(map(_peak, psutil.Process().children()), default=0)


def _peak(process: psutil.Process) -> int:
    """Return the peak memory of a process in MB; RUSAGE_CHILDREN would include its parent's memory at the start."""
    rows = Path(f"/proc/{process.pid}/status").read_text("utf-8").splitlines()
    return next((int(row.split()[1]) // 1024 for row in rows if row.startswith("VmHWM:")), 0)


async def add_files(library: "Library", paths: list[Path]) -> dict[str, Any]:
    """Add files to a library; return their number and the times until keyword search works and all vectors exist."""
    from workbench import operations
    from workbench.model.document import DocumentStatus
    from workbench.model.import_progress import DocumentChanged
    from workbench.worker.job import JobContext

    indexed: dict[int, float] = {}
    started = time.perf_counter()

    def watch(event: Any) -> None:
        if isinstance(event, DocumentChanged) and event.document.status is DocumentStatus.INDEXED:
            indexed.setdefault(event.document.id, time.perf_counter() - started)

    files = await operations.add_documents(library, paths)(JobContext(watch))
    seconds = time.perf_counter() - started
    ready = [file for file in files if file.outcome.value == "ready"]
    pages, chunks = sum(file.pages for file in ready), sum(file.chunks for file in ready)
    return {
        "files": len(ready), "pages": pages, "chunks": chunks, "ingest_s": round(seconds, 2),
        "keyword_s": round(max(indexed.values()), 2), "pages_per_s": round(pages / seconds, 1),
        "chunks_per_s": round(chunks / seconds, 1), "keyword_pages_per_s": round(pages / max(indexed.values()), 1),
    }  # fmt: skip


async def _search(library: "Library", questions: Path) -> dict[str, Any]:
    from workbench import operations
    from workbench.worker.job import JobContext

    rows = [json.loads(line) for line in questions.read_text("utf-8").splitlines() if line.strip()]
    names = {Path(document.path).stem for document in library.documents.list()}
    rows = [row for row in rows if any(stem in names for stem, _ in row["gold"])]
    await operations.search(library, "warm up")(JobContext())
    times, found5, found10, reciprocal = [], 0, 0, 0.0
    for row in rows:
        gold = {(stem, page) for stem, page in row["gold"]}
        started = time.perf_counter()
        result = await operations.search(library, row["question"], k=10)(JobContext())
        times.append(1000 * (time.perf_counter() - started))
        hits = [(Path(hit.path).stem, hit.page) for hit in result.hits]
        found5 += bool(gold & set(hits[:5]))
        found10 += bool(gold & set(hits))
        reciprocal += next((1 / rank for rank, hit in enumerate(hits, 1) if hit in gold), 0.0)
    times.sort()
    return {
        "questions": len(rows), "p50_ms": round(statistics.median(times), 1),
        "p95_ms": round(times[int(0.95 * len(times))], 1), "page_recall5": round(found5 / len(rows), 3),
        "page_recall10": round(found10 / len(rows), 3), "mrr10": round(reciprocal / len(rows), 3),
    }  # fmt: skip


if __name__ == "__main__":
    main()

"""Real annual reports, manuals, slides and papers: reading speed, search quality and latency in one table.

usage: python tests/benchmarks/real_documents.py [--data DIR] [--sets filings reports] [--library FOLDER]
                                                 [--peers PYTHON SCRIPT] [--missed]

DIR/real/SET holds "pdfs/" and "questions.jsonl": a line has "question", "gold" ([[file stem, 1-based page], ...], empty
where the documents do not answer) and, in some sets, "document", the stem of the file that is asked about. Each set is
added to an empty library of its own by the real program (reused from FOLDER/SET where it is there already: then nothing
is said of reading), and each answerable question is searched in the whole library and inside its own document.

Prints one JSON line a set: pages/s until searchable by keyword and until all vectors are there, peak memory (MB), bytes
on disk a chunk, page recall@5, @10 and @50, MRR@10, the share of questions whose first hit is in the right document,
recall@10 inside the document, p50 and p95 of a search (milliseconds, k = 10). --peers runs SCRIPT with PYTHON on the
same files and questions right after, as ingest.py does.
"""

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from ingest import PEERS, add_files, largest_child

# Imported where needed: a reader process imports this file, too, and would be the larger for it.
if TYPE_CHECKING:
    from workbench.operations import Library

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
SETS = ("filings", "reports")
_VECTOR_FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8", "asimd", "sve")


@dataclass(frozen=True)
class Question:
    """A question, the pages (file stem, 1-based) that answer it, and the stem of the file it is asked about."""

    text: str
    gold: frozenset[tuple[str, int]]
    document: str

    @property
    def documents(self) -> frozenset[str]:
        """The files that hold the answer."""
        return frozenset(stem for stem, _ in self.gold)


def main() -> None:
    """Measure each set, then the peers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--library", type=Path, help="keep the libraries there, and reuse those that are there")
    parser.add_argument("--peers", nargs=2, metavar=("PYTHON", "SCRIPT"))
    parser.add_argument("--missed", action="store_true", help="print each question whose page is not among ten")
    options = parser.parse_args()
    print(json.dumps({"cpu": cpu()}), flush=True)
    for name in options.sets:
        folder = options.data / "real" / name
        with ExitStack() as stack:
            kept = options.library or Path(stack.enter_context(tempfile.TemporaryDirectory()))
            figures, missed = asyncio.run(measure(folder, kept / name))
        print(json.dumps({"program": "workbench", "set": name, **figures}), flush=True)
        if options.missed:
            print("\n".join(missed), flush=True)
        for peer in PEERS if options.peers else ():
            command = [*options.peers, peer, str(folder / "pdfs"), str(folder / "questions.jsonl")]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            lines = done.stdout.strip().splitlines()
            print(lines[-1] if done.returncode == 0 and lines else f"{peer}: {done.stderr[-200:]}", flush=True)


def cpu() -> dict[str, Any]:
    """Return the processor's name, its vector instructions and the number of cores that may be used."""
    rows = dict(
        (key.strip(), value.strip())
        for key, _, value in (row.partition(":") for row in Path("/proc/cpuinfo").read_text("utf-8").splitlines())
    )
    flags = rows.get("flags", rows.get("Features", "")).split()
    return {
        "name": rows.get("model name", "unknown"),
        "flags": [flag for flag in _VECTOR_FLAGS if flag in flags],
        "cores": len(psutil.Process().cpu_affinity()) if sys.platform == "linux" else psutil.cpu_count(),
    }


def questions(folder: Path) -> list[Question]:
    """Return the answerable questions of a set."""
    rows = [json.loads(row) for row in (folder / "questions.jsonl").read_text("utf-8").splitlines() if row.strip()]
    return [
        Question(row["question"], frozenset((stem, page) for stem, page in row["gold"]), row.get("document", ""))
        for row in rows
        if row["gold"]
    ]


async def measure(folder: Path, kept: Path) -> tuple[dict[str, Any], list[str]]:
    """Return the figures of one set and the questions that it missed; the library is made unless it is there."""
    from workbench import operations
    from workbench.operations import Library
    from workbench.worker.job import JobContext

    is_new = not kept.exists()
    library = Library.open(kept)
    try:
        await operations.warm_up(library)(JobContext(lambda _event: None))
        figures: dict[str, Any] = {}
        if is_new:
            figures = await add_files(library, sorted((folder / "pdfs").glob("*.pdf")))
            figures["rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            figures["largest_child_mb"] = largest_child()
        found, missed = _search(library, questions(folder))
        chunks = library.keywords.count
    finally:
        library.close()
    size = sum(path.stat().st_size for path in kept.rglob("*") if path.is_file() and "originals" not in path.parts)
    return figures | {"bytes_a_chunk": round(size / max(1, chunks))} | found, missed


def _search(library: "Library", asked: Sequence[Question]) -> tuple[dict[str, Any], list[str]]:
    from workbench.retrieval.filters.syntax import filter_of_text

    retriever = library.retriever()
    names = {Path(document.path).stem: document.name for document in library.documents.list()}
    retriever.search("warm up", k=10)
    times, orders, inside = [], [], []
    for question in asked:
        started = time.perf_counter()
        retriever.search(question.text, k=10)
        times.append(1000 * (time.perf_counter() - started))
        orders.append(_pages(retriever.search(question.text, k=50).hits))
        target = question.document or (next(iter(question.documents)) if len(question.documents) == 1 else "")
        if target in names:
            within = filter_of_text(f'name:"{names[target]}"')
            inside.append((_pages(retriever.search(question.text, k=10, filter=within).hits), question))
    times.sort()
    rows = list(zip(orders, asked, strict=True))
    missed = [f"{q.text} {sorted(q.gold)}, first {order[:3]}" for order, q in rows if not _is_found(order, q, 10)]
    return {
        "questions": len(asked),
        **{f"recall{k}": _share(_is_found(order, q, k) for order, q in rows) for k in (5, 10, 50)},
        "mrr10": _share(_reciprocal(order, q) for order, q in rows),
        "right_document_first": _share(bool(order) and order[0][0] in q.documents for order, q in rows),
        "recall10_inside": _share(_is_found(order, q, 10) for order, q in inside),
        "p50_ms": round(statistics.median(times), 1),
        "p95_ms": round(times[int(0.95 * len(times))], 1),
    }, missed


def _pages(hits: Iterable[Any]) -> list[tuple[str, int]]:
    return [(Path(hit.path).stem, hit.page or 0) for hit in hits]


def _is_found(order: Sequence[tuple[str, int]], question: Question, k: int) -> bool:
    return not question.gold.isdisjoint(order[:k])


def _reciprocal(order: Sequence[tuple[str, int]], question: Question) -> float:
    return next((1 / place for place, page in enumerate(order[:10], start=1) if page in question.gold), 0.0)


def _share(values: Iterable[float]) -> float:
    counted = list(values)
    return round(sum(counted) / max(1, len(counted)), 3)


if __name__ == "__main__":
    main()

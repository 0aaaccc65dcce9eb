"""Vector stores side by side: each one that is installed, filled, searched, filtered and opened again.

usage: python tests/benchmarks/vector_stores.py [--vectors N ...] [--stores NAME ...]

Vectors have 384 dimensions and lie in 2,000 groups, with a cosine of about 0.67 between members of one group; questions
lie in the groups, too. Each store runs in a separate process; PostgreSQL is a server from a wheel. Prints one table
for each number of vectors: seconds to fill and index (build); median and 95th percentile of a search in milliseconds,
k = 10, and the medians with a filter that leaves 50 %, 1 % and 0.01 % of the vectors, scattered over all, or 50 % and
1 % in one range of ids, like a knowledge base; recall@10 against a comparison with every vector, without a filter and
the least of the filters; MB of memory that the process has more than before
(of PostgreSQL also its server's processes); MB on disk; seconds to open it in a new process, with the first search.
"""

import argparse
import multiprocessing
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from multiprocessing.pool import Pool
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from vector_databases import PACKAGES, lacking, location_of, opened, postgres

from workbench.indexing.base import VectorStore
from workbench.indexing.faiss_store import FaissStore

DIM = 384
GROUPS = 2000
NOISE = 0.7
"""Length of the vector that is added to the centre of a group."""
QUESTIONS = 100
K = 10
SHARES = (0.5, 0.01, 0.0001)
RANGES = (0.5, 0.01)
PIECE = 1000
FLAGS = ("avx512f", "avx512_vnni", "avx2", "fma")

FILTERS = (*map(str, SHARES), *(f"range {share}" for share in RANGES))

Rows = NDArray[np.float32]
Ids = NDArray[np.int64]


def main() -> None:
    """Measure every requested and installed store, each in separate processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=int, nargs="+", default=[10_000])
    parser.add_argument("--stores", nargs="+", default=["faiss", *PACKAGES])
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    print(f"{_processor()}; Python {platform.python_version()}", flush=True)
    for count in options.vectors:
        print(f"\n{count:,} vectors of {DIM} dimensions\n{_HEAD}", flush=True)
        for name in options.stores:
            if name in PACKAGES and (reason := lacking(name)):
                print(f"| {name} | {reason} |")
                continue
            with TemporaryDirectory() as place, ExitStack() as servers:
                url = servers.enter_context(postgres()) if name == "pgvector" else ""
                folder = Path(place) / "index"
                built = _alone(context, _build, name, folder, url, count)
                print(_line(name, built | _alone(context, _open_again, name, folder, url, count)), flush=True)


_HEAD = (
    "| store | build s | p50 ms | p95 ms | 50 % ms | 1 % ms | 0.01 % ms | range 50 % ms | range 1 % ms | recall@10"
    " | filtered | memory MB | disk MB | open s |\n|---" + "|---" * 13 + "|"
)


def _line(name: str, figures: dict[str, float]) -> str:
    digits = ("build", 1), ("p50", 2), ("p95", 2), *((key, 2) for key in FILTERS)
    more = ("recall", 3), ("filtered", 3), ("memory", 0), ("disk", 0), ("open", 2)
    return f"| {name} | " + " | ".join(f"{figures[key]:.{places}f}" for key, places in (*digits, *more)) + " |"


def _alone(context: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    pool: Pool
    with context.Pool(1) as pool:
        return pool.apply(function, arguments)


def _build(name: str, folder: Path, url: str, count: int) -> dict[str, float]:
    """Fill a store, let it build its indexes, and search it."""
    rows, questions = _rows(count), _rows(QUESTIONS, seed=1)
    store = _opened(name, folder, url)
    store.search(questions[0], K)
    before = _memory(url)
    began = time.perf_counter()
    for start in range(0, count, PIECE):
        store.upsert(np.arange(start, min(start + PIECE, count), dtype=np.int64), rows[start : start + PIECE])
    store.save(folder, generation=1)
    store.maintain(lambda: False)
    store.save(folder, generation=1)
    figures = {"build": time.perf_counter() - began}
    times, recall = _searched(store, rows, questions, None)
    figures |= {"p50": statistics.median(times), "p95": float(np.percentile(times, 95)), "recall": recall}
    filtered = []
    for key, allowed in zip(FILTERS, _filters(count), strict=True):
        times, recall = _searched(store, rows, questions, allowed)
        figures[key] = statistics.median(times)
        filtered.append(recall)
    figures |= {"filtered": min(filtered), "memory": (_memory(url) - before) / 1e6}
    figures["disk"] = (_database_size(url) if url else _size(folder)) / 1e6
    store.close()
    return figures


def _filters(count: int) -> list[Ids]:
    """Return the allowed ids of each filter, ascending."""
    sizes = [max(1, round(share * count)) for share in (*SHARES, *RANGES)]
    scattered = [np.sort(np.random.default_rng(7).choice(count, size, replace=False)) for size in sizes[: len(SHARES)]]
    ranges = [np.arange(count // 4, count // 4 + size) for size in sizes[len(SHARES) :]]
    return [ids.astype(np.int64) for ids in (*scattered, *ranges)]


def _open_again(name: str, folder: Path, url: str, count: int) -> dict[str, float]:
    """Open a store that another process has filled, and search once."""
    question = _rows(1, seed=1)[0]
    began = time.perf_counter()
    store = _opened(name, folder, url)
    assert store.count == count
    store.search(question, K)
    figures = {"open": time.perf_counter() - began}
    store.close()
    return figures


def _opened(name: str, folder: Path, url: str) -> VectorStore:
    if name != "faiss":
        return opened(name, location_of(folder, url), DIM)
    return FaissStore.load(folder) if folder.exists() else FaissStore(DIM, folder)


def _searched(store: VectorStore, rows: Rows, questions: Rows, allowed: Ids | None) -> tuple[list[float], float]:
    """Return the milliseconds of each search, and the share of the nearest that were found."""
    times, hits, wanted = [], 0, 0
    numbers = np.arange(len(rows)) if allowed is None else allowed
    store.search(questions[0], K, allowed=allowed)
    for question in questions:
        began = time.perf_counter()
        found, _ = store.search(question, K, allowed=allowed)
        times.append((time.perf_counter() - began) * 1000)
        best = numbers[np.argsort(-(rows[numbers] @ question))[:K]]
        hits, wanted = hits + len(np.intersect1d(found, best)), wanted + len(best)
    return times, hits / wanted


def _rows(count: int, seed: int = 0) -> Rows:
    """Return unit vectors in groups; the same ones at every call."""
    random = np.random.default_rng(99)
    centres = random.standard_normal((GROUPS, DIM), np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    random = np.random.default_rng(seed)
    rows = centres[random.integers(0, GROUPS, count)]
    rows += random.standard_normal((count, DIM), np.float32) * np.float32(NOISE / DIM**0.5)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return np.ascontiguousarray(rows, np.float32)


def _memory(url: str) -> int:
    """Return the bytes of this process, and of the processes of a PostgreSQL server without what they share twice."""
    total: int = psutil.Process().memory_full_info().uss
    if url:
        servers = [one for one in psutil.process_iter(["name"]) if one.info["name"] == "postgres"]
        total += sum(one.memory_full_info().pss for one in servers)
    return total


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _database_size(url: str) -> int:
    import psycopg

    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relname LIKE 'workbench_%'"
        )
        return int((row.fetchone() or (0,))[0])


def _processor() -> str:
    """Return the processor's name, its cores, and which of the relevant instructions it has."""
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    values = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    has = [flag for flag in FLAGS if flag in values.get("flags", "").split()]
    return f"{values.get('model name', platform.processor())}, {os.cpu_count()} cores, {' '.join(has)}"


if __name__ == "__main__":
    main()

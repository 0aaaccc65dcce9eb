"""The vector index at 100,000 and 1,000,000 chunks: opening, memory, search, and recall against exhaustive search.

usage: python tests/benchmarks/index_scale.py [--chunks N ...] [--data FOLDER]

Vectors are synthetic neighbours of real paragraphs: the vector of a paragraph with noise, normalised again; questions
are real. Filling, opening and searching are separate processes. Prints one JSON line for each number of chunks: seconds
to fill and save, to build the lists, and to save again after one more vector; milliseconds to open; memory (MB: private
pages, and shared mapped pages in proportion) before opening, after it, after the searches and at rest; median and 95th
percentile of a search in milliseconds, with k = 40, without a filter and with one that every second or every hundredth
chunk passes; recall@10, without a filter and with every second chunk.
"""

import argparse
import json
import multiprocessing
import statistics
import time
from collections.abc import Callable
from multiprocessing.pool import Pool
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from benchmark_library import DEFAULT_DATA, default_embedder, loaders, sample
from numpy.typing import NDArray

from workbench.indexing.faiss_store import FaissStore

PIECE = 8192
QUESTIONS = 200
PARAGRAPHS = 2000
NOISE = 0.7
"""Length of the noise vector: neighbours have a cosine similarity of 0.67 with one another."""

Rows = NDArray[np.float32]


def main() -> None:
    """Fill, open and search for each size, each in a separate process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    with TemporaryDirectory() as place:
        _alone(context, _embed, options.data, Path(place))
        for chunks in options.chunks:
            folder = Path(place) / f"{chunks}"
            figures = _alone(context, _fill, Path(place), folder, chunks)
            figures |= _alone(context, _measure, Path(place), folder, chunks)
            print(json.dumps({"chunks": chunks, **figures}), flush=True)


def _alone(context: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    pool: Pool
    with context.Pool(1) as pool:
        return pool.apply(function, arguments)


def _embed(data: Path, place: Path) -> None:
    """Store the vectors of real paragraphs and of real questions."""
    paragraphs, questions, _, _ = loaders(data).squad2()
    embedder = default_embedder("auto")
    texts = [paragraphs[key][:700] for key in sample(list(paragraphs), PARAGRAPHS)]
    np.save(place / "paragraphs.npy", embedder.embed_documents(texts))
    asked = [questions[key] for key in sample(list(questions), QUESTIONS)]
    np.save(place / "questions.npy", np.stack([embedder.embed_query(text) for text in asked]))


def _neighbours(place: Path, start: int, count: int) -> Rows:
    """Return some rows of the library, the same in every call."""
    paragraphs = np.load(place / "paragraphs.npy")
    random = np.random.default_rng(start)
    noise = random.standard_normal((count, paragraphs.shape[1]), np.float32) * (NOISE / paragraphs.shape[1] ** 0.5)
    rows = paragraphs[random.integers(0, len(paragraphs), count)] + noise
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return np.ascontiguousarray(rows, np.float32)


def _fill(place: Path, folder: Path, chunks: int) -> dict[str, float]:
    store = FaissStore(np.load(place / "paragraphs.npy").shape[1], folder)
    seconds = 0.0
    for start in range(0, chunks, PIECE):
        rows = _neighbours(place, start, min(PIECE, chunks - start))
        began = time.perf_counter()
        store.upsert(np.arange(start, start + len(rows), dtype=np.int64), rows)
        seconds += time.perf_counter() - began
    filled = time.perf_counter()
    store.save(folder, generation=1)
    saved = time.perf_counter()
    store.maintain(lambda: False)
    tended = time.perf_counter()
    store.upsert(np.array([chunks], np.int64), _neighbours(place, 1, 1))
    began = time.perf_counter()
    store.save(folder, generation=2)
    return {
        "fill_s": round(seconds + saved - filled, 2),
        "lists_s": round(tended - saved, 2),
        "save_one_more_ms": round(1000 * (time.perf_counter() - began), 1),
    }


def _measure(place: Path, folder: Path, chunks: int) -> dict[str, Any]:
    questions: Rows = np.load(place / "questions.npy")
    half = np.arange(0, chunks, 2, dtype=np.int64)
    exact = _exact(place, questions, chunks, step=1)
    exact_half = _exact(place, questions, chunks, step=2)
    before = _megabytes()
    began = time.perf_counter()
    store = FaissStore.load(folder)
    opened = 1000 * (time.perf_counter() - began)
    after = _megabytes()
    plain = _searched(store, questions, None)
    searched = _megabytes()
    filtered = _searched(store, questions, half)
    few = _searched(store, questions, np.arange(0, chunks, 100, dtype=np.int64))
    store.maintain(lambda: False)
    return {
        "open_ms": round(opened, 1),
        "memory_mb": {"before": before, "opened": after, "searched": searched, "at_rest": _megabytes()},
        "search_ms": plain[0],
        "filtered_ms": {"half": filtered[0], "hundredth": few[0]},
        "recall_at_10": {"all": _recall(exact, plain[1]), "half": _recall(exact_half, filtered[1])},
    }


def _exact(place: Path, questions: Rows, chunks: int, *, step: int) -> list[set[int]]:
    """Return the ten nearest vectors of each question by exhaustive search."""
    scores = np.full((len(questions), 10), -np.inf, np.float32)
    ids = np.zeros((len(questions), 10), np.int64)
    for start in range(0, chunks, PIECE):
        rows = _neighbours(place, start, min(PIECE, chunks - start))[::step]
        numbers = np.broadcast_to(np.arange(start, start + len(rows) * step, step), (len(questions), len(rows)))
        every = np.concatenate([scores, questions @ rows.T], axis=1)
        names = np.concatenate([ids, numbers], axis=1)
        best = np.argpartition(-every, 10, axis=1)[:, :10]
        scores, ids = np.take_along_axis(every, best, 1), np.take_along_axis(names, best, 1)
    return [set(row.tolist()) for row in ids]


def _searched(
    store: FaissStore, questions: Rows, allowed: NDArray[np.int64] | None
) -> tuple[dict[str, float], list[set[int]]]:
    times, found = [], []
    for question in questions:
        began = time.perf_counter()
        ids, _ = store.search(question, 40, allowed=allowed)
        times.append(1000 * (time.perf_counter() - began))
        found.append(set(ids[:10].tolist()))
    return {"p50": round(statistics.median(times), 2), "p95": round(float(np.percentile(times, 95)), 2)}, found


def _recall(exact: list[set[int]], found: list[set[int]]) -> float:
    return round(sum(len(one & other) for one, other in zip(exact, found, strict=True)) / (10 * len(exact)), 4)


def _megabytes() -> dict[str, int]:
    """Return the private memory of this process and its PSS; Linux only."""
    sizes = {}
    for line in Path("/proc/self/smaps_rollup").read_text("ascii").splitlines()[1:]:
        name, size = line.split()[:2]
        sizes[name] = int(size) // 1024
    return {"private": sizes["Private_Clean:"] + sizes["Private_Dirty:"], "pss": sizes["Pss:"]}


if __name__ == "__main__":
    main()

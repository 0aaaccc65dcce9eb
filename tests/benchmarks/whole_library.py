"""A library of 100,000 or 1,000,000 chunks: opening, memory, all search modes, and operations on documents.

usage: python tests/benchmarks/whole_library.py [--chunks N] [--library FOLDER] [--data FOLDER] [--questions N]

The library (paper_library.py: text of real sentences, vectors that are neighbours of real ones) is built in the folder
unless it exists there, or else in a temporary one; 1,000,000 chunks take 8 GB. The real program is measured, with each
question asked for the first time, including its embedding. Prints JSON lines: building and maintenance; opening (the
embedder loaded before), the first search, memory (MB, PSS); each search mode by kind of question, as [median, 95th
percentile, median of CPU time] in milliseconds; documents: milliseconds of each operation.
"""

import argparse
import asyncio
import itertools
import json
import multiprocessing
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from benchmark_library import DEFAULT_DATA, loaders, sample
from paper_library import AUTHORS, FORMATS, fill

from workbench import operations
from workbench.model.explanation import DocumentSpot
from workbench.model.filter import ChunkFilter
from workbench.model.hit import SearchMode, SearchResult
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.retrieval.filters.text_syntax import filter_of_text
from workbench.worker.job import JobContext
from workbench.worker.serving import watch_parent

COMMON = ("first", "one", "year", "time", "people", "state", "city", "new", "part", "used", "world", "number", "most")
"""Words that occur in about a tenth of all chunks."""


def main() -> None:
    """Build the library if needed, then measure in separate processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--library", type=Path, help="built there, and kept, unless it is there already")
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--questions", type=int, default=100, help="of each kind for each way to search")
    parser.add_argument("--only", nargs="*", choices=[*MEASURES], default=[*MEASURES])
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = options.library or Path(stack.enter_context(tempfile.TemporaryDirectory())) / "library"
        if not (folder / "library.sqlite3").exists():
            _print(built=_alone(_build, folder, options.data, options.chunks))
        for name in options.only:
            _print(**{name: _alone(MEASURES[name], folder, options.data, options.questions)})


def _print(**figures: Any) -> None:
    print(json.dumps(figures), flush=True)


def _alone(function: Callable[..., Any], *arguments: Any) -> Any:
    # Not multiprocessing's pool: its daemonic processes may not have children, and parsing a document needs one.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=watch_parent) as pool:
        return pool.submit(function, *arguments).result()


def _build(folder: Path, data: Path, chunks: int) -> dict[str, float]:
    began = time.perf_counter()
    library = Library.open(folder)
    try:
        fill(library, data, chunks)
        filled = time.perf_counter()
        library.models.save_index()
        saved = time.perf_counter()
        library.models.index().maintain(lambda: False)
        while library.keywords.tidy():
            pass
        tended = time.perf_counter()
        library.keywords.keep_common_words(lambda: False)
        kept = time.perf_counter()
    finally:
        library.close()
    return {
        "fill_s": round(filled - began, 1),
        "index_s": round(saved - filled, 1),
        "upkeep_s": round(tended - saved, 1),
        "common_words_s": round(kept - tended, 1),
        "mb": sum(path.stat().st_size for path in folder.rglob("*")) // 2**20,
    }


def _opening(folder: Path, data: Path, _count: int) -> dict[str, Any]:
    """Measure the time from a loaded embedder to the first passages."""
    with tempfile.TemporaryDirectory() as place:
        spare = Library.open(Path(place))
        embedder = spare.models.embedder()
        embedder.embed_query("warm")
        spare.close()
    before = _megabytes()
    began = time.perf_counter()
    library = Library.open(folder, embedder=embedder)
    try:
        opened = time.perf_counter()
        library.models.index()
        indexed = time.perf_counter()
        memory = _megabytes()
        times = [_timed(library, question)[0][0] for question in _questions(data, 10)["squad2"]]
        searched = _megabytes()
    finally:
        library.close()
    return {
        "open_ms": _ms(opened - began),
        "with_index_ms": _ms(indexed - began),
        "first_searches_ms": times,
        "memory_mb": {"before": before, "opened": memory, "searched": searched},
    }


WAYS: dict[str, tuple[SearchConfiguration, ChunkFilter | None]] = {
    "fused": (SearchConfiguration(reranking="none"), None),
    "letters": (SearchConfiguration(reranking="letters"), None),
    "keyword": (SearchConfiguration(SearchMode.KEYWORD, "none"), None),
    "dense": (SearchConfiguration(SearchMode.DENSE, "none"), None),
    "half": (SearchConfiguration(reranking="none"), filter_of_text(f"format:{FORMATS[0]}")),
    "hundredth": (SearchConfiguration(reranking="none"), filter_of_text(f'author:"{AUTHORS[0]}"')),
    "tokens": (SearchConfiguration(reranking="tokens"), None),
}


def _searching(folder: Path, data: Path, count: int) -> dict[str, Any]:
    library = Library.open(folder)
    try:
        library.models.retriever().search("warm")
        kinds = _questions(data, count * len(WAYS))
        figures: dict[str, Any] = {}
        for place, (name, (configuration, filter)) in enumerate(WAYS.items()):
            figures[name] = {
                kind: _kind(library, every[place * count : (place + 1) * count], configuration, filter)
                for kind, every in kinds.items()
            }
        return figures | {"memory_mb": _megabytes()}
    finally:
        library.close()


def _kind(
    library: Library,
    questions: list[str],
    configuration: SearchConfiguration,
    filter: ChunkFilter | None,
) -> list[float]:
    times = [_timed(library, question, configuration, filter)[0] for question in questions]
    wall, cpu = np.array(times).T
    return [round(float(value), 1) for value in (np.median(wall), np.percentile(wall, 95), np.median(cpu))]


def _timed(
    library: Library,
    question: str,
    configuration: SearchConfiguration | None = None,
    filter: ChunkFilter | None = None,
) -> tuple[tuple[float, float], SearchResult]:
    began, cpu = time.perf_counter(), time.process_time()
    result = _run(operations.search(library, question, k=10, filter=filter, configuration=configuration))
    return (_ms(time.perf_counter() - began), _ms(time.process_time() - cpu)), result


def _documents(folder: Path, data: Path, _count: int) -> dict[str, float]:
    library = Library.open(folder)
    try:
        library.models.retriever().search("warm")
        figures: dict[str, float] = {}

        def noted(name: str, operation: Callable[[JobContext], Awaitable[Any]]) -> Any:
            began = time.perf_counter()
            value = _run(operation)
            figures[name] = _ms(time.perf_counter() - began)
            return value

        question = _questions(data, 400)["squad2"]
        listed = noted("list_documents", operations.list_documents(library))
        noted("search", operations.search(library, question[300]))
        document = listed[len(listed) // 2].id
        noted("remove_document", operations.remove_documents(library, [document]))
        noted("search_after", operations.search(library, question[301]))
        noted("restore_document", operations.restore_documents(library, [document]))
        path = folder.parent / f"{folder.name}-added.md"
        path.write_text(f"# A note\n\nThe heron {random.random()} flew over the harbour of Sel.\n", "utf-8")
        added = noted("add_document", operations.add_documents(library, [path]))
        noted("search_added", operations.search(library, "Where did the heron fly?"))
        noted("explain", operations.explain(library, question[302], document, DocumentSpot()))
        noted("explain_common", operations.explain(library, _common(1)[0], document, DocumentSpot()))
        noted("long_question", operations.search(library, " ".join(question)[:100_000]))
        noted("remove_added", operations.remove_documents(library, [added[0].document]))
        path.unlink()
        return figures
    finally:
        library.close()


def _questions(data: Path, count: int) -> dict[str, list[str]]:
    sets = loaders(data)
    kinds = {"squad2": sets.squad2()[1], "xquad_en": sets.xquad("en")[1], "xquad_zh": sets.xquad("zh")[1]}
    found = {name: [one[key] for key in sample(list(one), count)] for name, one in kinds.items()}
    return found | {"common": _common(count)}


def _common(count: int) -> list[str]:
    """Return questions of words that occur nearly everywhere."""
    triples = list(itertools.permutations(COMMON, 3))
    chosen = random.Random(0).sample(triples, min(count, len(triples)))
    return [f"what is the {one} {two} of the {three}" for one, two, three in chosen]


def _run(operation: Callable[[JobContext], Awaitable[Any]]) -> Any:
    async def awaited() -> Any:
        return await operation(JobContext())

    return asyncio.run(awaited())


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 1)


def _megabytes() -> int:
    """Return the memory of the process with its proportional share of shared pages (PSS); Linux only."""
    lines = Path("/proc/self/smaps_rollup").read_text("ascii").splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("Pss:"))


MEASURES = {"opening": _opening, "searching": _searching, "documents": _documents}

if __name__ == "__main__":
    main()

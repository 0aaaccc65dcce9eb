"""Operations in a library of 100,000 chunks: removing and restoring a document, adding 1,000 unchanged files again.

usage: python tests/benchmarks/big_library.py [--chunks N]

The vectors are random and of unit length; everything else is the real program. Prints one JSON line: milliseconds of a
search before (median of 20), of remove_documents until no search returns the document and until the index is updated,
of the first search afterwards and the median of 20, of restore_documents; seconds to add 1,000 unchanged files again;
and, in a separate process: seconds to open the library and its index (the embedder is loaded before), memory (MB, PSS)
then and, after 20 searches, after 5 s of idling, and the same memory with an empty library.
"""

import argparse
import asyncio
import json
import multiprocessing
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from workbench import operations
from workbench.model.chunk import Chunk
from workbench.model.document import Block, BlockKind, DocumentStatus, Metadata, ParsedDocument
from workbench.model.import_progress import DocumentsRemoved
from workbench.operations import Library
from workbench.worker.job import JobContext

EACH = 100
"""Chunks per document."""
FILES = 1000
WORDS = (
    "harbour",
    "heron",
    "ferry",
    "lighthouse",
    "winter",
    "captain",
    "storm",
    "letter",
    "island",
    "bridge",
    "station",
)


def main() -> None:
    """Build the library and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        library = Library.open(Path(place) / "library")
        try:
            fill(library, options.chunks // EACH)
            figures = asyncio.run(_measure(library, Path(place) / "files"))
        finally:
            library.close()
        for name, folder in (("opened", "library"), ("empty", "empty library")):
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                figures |= {f"{name}_{key}": value for key, value in pool.apply(_open, (Path(place) / folder,)).items()}
    print(json.dumps({"chunks": options.chunks, **figures}))


def fill(library: Library, documents: int) -> None:
    """Add documents of EACH chunks to a library, with random vectors."""
    embedder = library.models.embedder()
    random = np.random.default_rng(0)
    for number in range(documents):
        words = random.choice(WORDS, (EACH, 30))
        texts = [f"Part {number}-{part}: {' '.join(line)}." for part, line in enumerate(words)]
        text = "\n".join(texts)
        chunks, start = [], 0
        for ordinal, one in enumerate(texts):
            chunks.append(Chunk(ordinal, start, start + len(one), one, None, None, (), BlockKind.PARAGRAPH, 40))
            start += len(one) + 1
        blocks = tuple(Block(BlockKind.PARAGRAPH, chunk.start, chunk.end) for chunk in chunks)
        sha256 = f"{number:064x}"
        document = library.documents.queue(
            Path(f"/paper/{number}.txt"), knowledge_base="default", sha256=sha256, size=len(text), format="text"
        )
        parsed = ParsedDocument(text, blocks, (), Metadata(f"Paper {number}"), "text")
        library.documents.put_content(document.id, parsed, chunks, sha256=sha256, size=len(text))
        vectors = random.standard_normal((EACH, embedder.dim), np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        ids = np.array([chunk.id for chunk in library.documents.chunks(document.id)], np.int64)
        library.vectors.put(embedder.id, ids, vectors)
        library.documents.set_status(document.id, DocumentStatus.READY)
    library.models.index()


async def _measure(library: Library, files: Path) -> dict[str, float]:
    for _ in range(3):
        await _search(library)
    before = [await _search(library) for _ in range(20)]
    number = library.documents.list()[10].id
    times: list[float] = []

    def noted(event: Any) -> None:
        if isinstance(event, DocumentsRemoved):
            times.append(time.perf_counter())

    began = time.perf_counter()
    await operations.remove_documents(library, [number])(JobContext(noted))
    removed = time.perf_counter()
    first = await _search(library)
    after = [await _search(library) for _ in range(20)]
    again = time.perf_counter()
    await operations.restore_documents(library, [number])(JobContext())
    restored = time.perf_counter()
    return {
        "search_ms": round(statistics.median(before), 1),
        "removed_ms": round(1000 * (times[0] - began), 1),
        "index_followed_ms": round(1000 * (removed - began), 1),
        "first_search_ms": round(first, 1),
        "later_search_ms": round(statistics.median(after), 1),
        "restored_ms": round(1000 * (restored - again), 1),
        "unchanged_s": round(await _check_again(library, files), 3),
    }


def _open(folder: Path) -> dict[str, float]:
    embedder = Library.open(folder.with_name("for the embedder"))
    loaded = embedder.embedder()
    embedder.close()
    began = time.perf_counter()
    library = Library.open(folder, embedder=loaded)
    try:
        library.models.index()
        seconds = time.perf_counter() - began
        opened = _megabytes()
        for _ in range(20):
            asyncio.run(_search(library))
        time.sleep(5)
        return {"s": round(seconds, 3), "mb": opened, "at_rest_mb": _megabytes()}
    finally:
        library.close()


def _megabytes() -> float:
    """Return the memory of the process with its proportional share of shared pages (PSS); Linux only."""
    lines = Path("/proc/self/smaps_rollup").read_text("ascii").splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("Pss:"))


async def _search(library: Library) -> float:
    began = time.perf_counter()
    await operations.search(library, "Which ferry left the harbour in the storm?")(JobContext())
    return 1000 * (time.perf_counter() - began)


async def _check_again(library: Library, folder: Path) -> float:
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nThe heron number {number} flew.\n", "utf-8")
    await operations.add_documents(library, [folder])(JobContext())
    began = time.perf_counter()
    results = await operations.add_documents(library, [folder])(JobContext())
    assert {one.outcome.value for one in results} == {"unchanged"}
    return time.perf_counter() - began


if __name__ == "__main__":
    main()

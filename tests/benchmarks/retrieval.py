"""Measure search: nDCG@10 and hit@5 of the dense, the keyword, the fused and the reranked list, and milliseconds.

    python tests/benchmarks/retrieval.py [--data DIR] [--questions N] [--sets NAME...]

Paragraphs are the documents; a paragraph that was cut into chunks has the rank of its best chunk. "pages": the PDFs of
page_truth, where the page of a hit must be the page of the answer. "evidence": whole texts, measured by the share of
the evidence's characters in the first five chunks.
"""

import argparse
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
from benchmark_library import (
    DEFAULT_DATA,
    Library,
    default_embedder,
    library_of,
    library_of_documents,
    loaders,
    sample,
)

from workbench.embedding.base import Embedder
from workbench.model.hit import Hit, SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.parsing.parse import parse_file

SETS = ("xquad_en", "xquad_zh", "squad2", "cmrc", "drcd", "hotpot")
LONG = ("pages_en", "pages_zh", "evidence")


@dataclass(frozen=True)
class Way:
    """A search configuration, a column of the table."""

    name: str
    mode: SearchMode
    rerank: bool = False

    def hits(self, library: Library, question: str, k: int) -> tuple[Hit, ...]:
        """Return the hits."""
        steps = SearchConfiguration(self.mode, "" if self.rerank else "none")
        return library.retriever.search(question, k=k, configuration=steps).hits


WAYS = (*(Way(mode.value, mode) for mode in SearchMode), Way("reranked", SearchMode.HYBRID, rerank=True))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--questions", type=int, default=1000, help="sample size a set, 0 for all")
    parser.add_argument("--sets", nargs="*", default=SETS + LONG, choices=SETS + LONG)
    parser.add_argument("--crowd", type=int, default=5000, help="chunks of the library that is timed, 0 for no timing")
    parser.add_argument("--backend", default="fp32", help='or "int8", or "auto" for what the program chooses here')
    options = parser.parse_args()
    data = loaders(options.data)
    embedder = default_embedder(options.backend)
    print(embedder.id)
    print(f"{'set':10}{'docs':>6}{'chunks':>7}{'asked':>6}  " + "".join(f"{way.name:>17}" for way in WAYS))
    for name in options.sets:
        if name in LONG:
            if name == "evidence":
                _evidence(data, embedder)
            else:
                _pages(data, name.removeprefix("pages_"), embedder)
            continue
        paragraphs, questions, gold, _ = _load(data, name)
        chosen = sample(list(questions), options.questions)
        with library_of(paragraphs, embedder) as library:
            cells = [_measured(library, way, chosen, questions, gold) for way in WAYS]
            print(f"{name:10}{len(paragraphs):6}{library.chunks:7}{len(chosen):6}  " + "".join(cells), flush=True)
    if options.crowd:
        _time(data, options.crowd, embedder)


def _load(data: ModuleType, name: str) -> tuple[dict, dict, dict, dict]:
    match name:
        case "xquad_en" | "xquad_zh":
            return data.xquad(name.removeprefix("xquad_"))
        case "hotpot":
            return data.hotpot_mini()
        case _:
            return getattr(data, name)()


def _measured(
    library: Library, way: Way, chosen: list[str], questions: Mapping[str, str], gold: Mapping[str, dict]
) -> str:
    gains, found = [], []
    for key in chosen:
        hits = way.hits(library, questions[key], 20)
        order = list(dict.fromkeys(library.paragraph_of[hit.chunk.document] for hit in hits))[:10]
        gains.append(ndcg(order, set(gold[key])))
        found.append(not gold[key].keys().isdisjoint(order[:5]))
    return f"{np.mean(gains):9.4f} / {np.mean(found):.3f}"


def _pages(data: ModuleType, language: str, embedder: Embedder) -> None:
    rows = data.page_truth(language)
    files = sorted({row["pdf"] for row in rows})
    with library_of_documents(
        {name: parse_file(data.ROOT / "generated" / name) for name in files}, embedder
    ) as library:
        cells = []
        for way in WAYS:
            gains, found = [], []
            for row in rows:
                hits = way.hits(library, row["question"], 30)
                places = [f"{library.paragraph_of[hit.chunk.document]} {hit.page}" for hit in hits]
                order = list(dict.fromkeys(places))[:10]
                gold = f"{row['pdf']} {row['page1']}"
                gains.append(ndcg(order, {gold}))
                found.append(gold in order[:5])
            cells.append(f"{np.mean(gains):9.4f} / {np.mean(found):.3f}")
        print(f"pages_{language:4}{len(files):6}{library.chunks:7}{len(rows):6}  " + "".join(cells), flush=True)


def _evidence(data: ModuleType, embedder: Embedder) -> None:
    texts, rows = data.chunk_spans()
    with library_of(texts, embedder) as library:
        cells = []
        for way in WAYS:
            shares = []
            for question, name, spans in rows:
                chunks = [hit.chunk for hit in way.hits(library, question, 5)]
                places = [(one.start, one.end) for one in chunks if library.paragraph_of[one.document] == name]
                got = sum(max(0, min(end, b) - max(start, a)) for start, end, _ in spans for a, b in places)
                shares.append(got / sum(end - start for start, end, _ in spans))
            cells.append(f"{np.mean(shares):17.4f}")
        print(f"evidence  {len(texts):6}{library.chunks:7}{len(rows):6}  " + "".join(cells), flush=True)


def ndcg(order: list[str], gold: set[str], k: int = 10) -> float:
    """Return the normalised discounted cumulative gain of one order."""
    gain = sum(1 / math.log2(place + 2) for place, name in enumerate(order[:k]) if name in gold)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(k, len(gold))))


def _time(data: ModuleType, crowd: int, embedder: Embedder) -> None:
    """Print milliseconds of a search, including the question's embedding, among about the given number of chunks."""
    texts = [text for name in SETS for text in _load(data, name)[0].values()][:crowd]
    questions = list(_load(data, "squad2")[1].values())[:300] + list(_load(data, "xquad_zh")[1].values())[:100]
    with library_of({str(number): text for number, text in enumerate(texts)}, embedder) as library:
        for way in WAYS:
            milliseconds = []
            for question in questions:
                began = time.perf_counter()
                way.hits(library, question, 10)
                milliseconds.append((time.perf_counter() - began) * 1000)
            p50, p95 = np.percentile(milliseconds, [50, 95])
            print(f"{way.name:8} among {library.chunks} chunks: p50 {p50:.1f} ms, p95 {p95:.1f} ms", flush=True)


if __name__ == "__main__":
    main()

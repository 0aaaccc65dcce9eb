"""Measure search: nDCG@10 and hit@5 of the dense, the keyword and the fused list on each set, and milliseconds.

    python tests/benchmarks/retrieval.py [--data DIR] [--questions N] [--sets NAME...]

Paragraphs are the documents; a paragraph that was cut into chunks stands where its best chunk does.
"""

import argparse
import math
import time
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import numpy as np
from benchmark_library import DEFAULT_DATA, Library, default_embedder, library_of, loaders, sample

from workbench.model.hit import SearchMode

SETS = ("xquad_en", "xquad_zh", "squad2", "cmrc", "drcd", "hotpot")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--questions", type=int, default=1000, help="sample size a set, 0 for all")
    parser.add_argument("--sets", nargs="*", default=SETS, choices=SETS)
    parser.add_argument("--crowd", type=int, default=5000, help="chunks of the library that is timed, 0 for no timing")
    options = parser.parse_args()
    data = loaders(options.data)
    embedder = default_embedder()
    print(f"{'set':10}{'docs':>6}{'chunks':>7}{'asked':>6}  " + "".join(f"{mode:>17}" for mode in SearchMode))
    for name in options.sets:
        paragraphs, questions, gold, _ = _load(data, name)
        chosen = sample(list(questions), options.questions)
        with library_of(paragraphs, embedder) as library:
            cells = [_measured(library, mode, chosen, questions, gold) for mode in SearchMode]
            print(f"{name:10}{len(paragraphs):6}{library.chunks:7}{len(chosen):6}  " + "".join(cells), flush=True)
    if options.crowd:
        _time(data, options.crowd)


def _load(data: ModuleType, name: str) -> tuple[dict, dict, dict, dict]:
    match name:
        case "xquad_en" | "xquad_zh":
            return data.xquad(name.removeprefix("xquad_"))
        case "hotpot":
            return data.hotpot_mini()
        case _:
            return getattr(data, name)()


def _measured(
    library: Library, mode: SearchMode, chosen: list[str], questions: Mapping[str, str], gold: Mapping[str, dict]
) -> str:
    gains, found = [], []
    for key in chosen:
        hits = library.retriever.search(questions[key], k=20, mode=mode).hits
        order = list(dict.fromkeys(library.paragraph_of[hit.chunk.document] for hit in hits))[:10]
        gains.append(ndcg(order, set(gold[key])))
        found.append(not gold[key].keys().isdisjoint(order[:5]))
    return f"{np.mean(gains):9.4f} / {np.mean(found):.3f}"


def ndcg(order: list[str], gold: set[str], k: int = 10) -> float:
    """Return the normalised discounted cumulative gain of one order."""
    gain = sum(1 / math.log2(place + 2) for place, name in enumerate(order[:k]) if name in gold)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(k, len(gold))))


def _time(data: ModuleType, crowd: int) -> None:
    """Print milliseconds of a search among about so many chunks, the question's embedding included."""
    texts = [text for name in SETS for text in _load(data, name)[0].values()][:crowd]
    questions = list(_load(data, "squad2")[1].values())[:300] + list(_load(data, "xquad_zh")[1].values())[:100]
    with library_of({str(number): text for number, text in enumerate(texts)}, default_embedder()) as library:
        for mode in SearchMode:
            milliseconds = []
            for question in questions:
                began = time.perf_counter()
                library.retriever.search(question, k=10, mode=mode)
                milliseconds.append((time.perf_counter() - began) * 1000)
            p50, p95 = np.percentile(milliseconds, [50, 95])
            print(f"{mode:8} among {library.chunks} chunks: p50 {p50:.1f} ms, p95 {p95:.1f} ms", flush=True)


if __name__ == "__main__":
    main()

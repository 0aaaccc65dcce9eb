"""Measure compression: whether the compressed passages contain the answer, compared with truncation.

    python tests/benchmarks/compression.py [--data DIR] [--questions N] [--passages K]

K passages are found for each question and passed on whole, and reduced to a half, a quarter and a tenth of their tokens
by the embedder's tokenizer. Counts the questions whose answer occurs in the whole passages and in the reduced ones; for
"evidence" (whole texts), the share of the gold characters.
"""

import argparse
import time
from collections.abc import Sequence
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
    plain,
    sample,
)

from workbench.embedding.base import Embedder
from workbench.model.hit import Hit
from workbench.retrieval.compression import CompressiblePassage, Compression, Excerpt

SHARES = (0.5, 0.25, 0.1)
SETS = ("xquad_en", "xquad_zh", "squad2", "drcd", "evidence")


@dataclass(frozen=True)
class Trial:
    """The remaining text of the passages of a question, and its cost."""

    excerpts: Sequence[Excerpt]
    tokens: float
    seconds: float = 0.0


def passages_of(hits: Sequence[Hit]) -> list[CompressiblePassage]:
    """Return the hits as input of the compression."""
    return [
        CompressiblePassage(
            hit.rank, hit.chunk.text, " ".join((hit.document_title, *hit.chunk.headings)), hit.chunk.document
        )
        for hit in hits
    ]


def compressed(
    library: Library, question: str, passages: Sequence[CompressiblePassage], room: float, embedder: Embedder
) -> Trial:
    """Compress to the given number of tokens."""
    began = time.process_time()
    made = Compression(question, passages, library.ranker).fitted(room, embedder.tokenizer.count)
    taken = time.process_time() - began
    return Trial(made.excerpts, sum(embedder.tokenizer.count(one.text) for one in made.excerpts), taken)


def truncated(passages: Sequence[CompressiblePassage], room: float, embedder: Embedder) -> Trial:
    """Truncate after the given number of tokens, best passage first."""
    excerpts = []
    left = int(room)
    for passage in passages:
        offsets = embedder.tokenizer.offsets(passage.text)
        if left <= 0:
            break
        end = len(passage.text) if len(offsets) <= left else offsets[left][0]
        excerpts.append(Excerpt(passage.number, ((0, end),), passage.text[:end]))
        left -= len(offsets)
    return Trial(excerpts, room - max(left, 0))


def shortened(passages: Sequence[CompressiblePassage], share: float, embedder: Embedder) -> Trial:
    """Truncate each passage to the given share of its tokens."""
    excerpts = []
    for passage in passages:
        offsets = embedder.tokenizer.offsets(passage.text)
        last = int(len(offsets) * share)
        end = offsets[last][0] if last < len(offsets) else len(passage.text)
        excerpts.append(Excerpt(passage.number, ((0, end),), passage.text[:end]))
    return Trial(excerpts, 0.0)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--questions", type=int, default=300, help="sample size a set, 0 for all")
    parser.add_argument("--passages", type=int, default=10)
    parser.add_argument("--sets", nargs="*", default=SETS, choices=SETS)
    options = parser.parse_args()
    data = loaders(options.data)
    embedder = default_embedder("auto")
    print(
        f"{'set':10}{'asked':>6}{'in all':>8}  "
        + "".join(f"   {f'{share:.0%} kept / cut / each cut':<49}" for share in SHARES)
    )
    for name in options.sets:
        if name == "evidence":
            _evidence(data, embedder, options.questions, options.passages)
        else:
            _answers(name, data, embedder, options.questions, options.passages)


def _answers(name: str, data: ModuleType, embedder: Embedder, size: int, k: int) -> None:
    kind, _, language = name.partition("_")
    paragraphs, questions, _, accepted = getattr(data, kind)(*([language] if language else []))
    with library_of(paragraphs, embedder) as library:
        rows = []
        for key in sample(list(questions), size):
            passages = passages_of(library.retriever.search(questions[key], k=k).hits)

            def held(excerpts: Sequence[Excerpt], answers: Sequence[str] = accepted[key]) -> float:
                return float(any(answer in one.text for one in excerpts for answer in answers))

            rows.append(_row(library, questions[key], passages, embedder, held))
    _print(name, rows, size)


def _evidence(data: ModuleType, embedder: Embedder, size: int, k: int) -> None:
    corpora, asked = data.chunk_spans()
    rows = []
    for corpus, text in corpora.items():
        with library_of_documents({corpus: plain(text)}, embedder) as library:
            for question, _, spans in [row for row in asked if row[1] == corpus][: size // len(corpora) or None]:
                hits = library.retriever.search(question, k=k).hits
                starts = {hit.rank: hit.chunk.start for hit in hits}
                gold = {place for start, end, _ in spans for place in range(start, end)}

                def held(excerpts: Sequence[Excerpt], starts: dict[int, int] = starts, gold: set[int] = gold) -> float:
                    left = {
                        starts[one.number] + place
                        for one in excerpts
                        for start, end in one.spans
                        for place in range(start, end)
                    }
                    return len(gold & left) / len(gold)

                rows.append(_row(library, question, passages_of(hits), embedder, held))
    _print("evidence", rows, size)


def _row(library: Library, question: str, passages: list[CompressiblePassage], embedder: Embedder, held) -> list[float]:  # type: ignore[no-untyped-def]
    """Return values of whole passages, then per share: compressed, list or each truncated, excess tokens, seconds."""
    tokens = sum(embedder.tokenizer.count(one.text) for one in passages)
    row = [held([Excerpt(one.number, ((0, len(one.text)),), one.text) for one in passages])]
    for share in SHARES:
        trial = compressed(library, question, passages, tokens * share, embedder)
        row += [
            held(trial.excerpts),
            held(truncated(passages, tokens * share, embedder).excerpts),
            held(shortened(passages, share, embedder).excerpts),
            trial.tokens / max(1.0, tokens * share),
            trial.seconds,
        ]
    return row


def _print(name: str, rows: list[list[float]], size: int) -> None:
    table = np.array([row for row in rows if row[0]])
    cells = ""
    for index in range(len(SHARES)):
        kept, cut, each, used, _ = table[:, 1 + 5 * index : 6 + 5 * index].sum(axis=0)
        total = table[:, 0].sum()
        cells += f"   {kept / total:.3f} / {cut / total:.3f} / {each / total:.3f}"
        fullest = table[:, 4 + 5 * index].max()
        cells += f" ({used / len(table):.2f}, most {fullest:.2f}, {np.median(table[:, 5 + 5 * index]) * 1000:.0f} ms)"
    print(f"{name:10}{len(rows):6}{np.mean([row[0] for row in rows]):8.3f}  {cells}", flush=True)


if __name__ == "__main__":
    main()

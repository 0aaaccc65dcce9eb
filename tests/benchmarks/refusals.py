"""Refusals of the search and of the offline answerer: precision and recall.

    python tests/benchmarks/refusals.py [--data DIR] [--questions N] [--sets NAME...] [--searches-only]

Each question is asked of the library of all paragraphs, of one without its paragraph, and of one without its whole
article; in addition, questions are asked in a language that the library does not contain. The shares are of questions
for which a search is not certain ("search"), which the offline answerer refuses ("refused"), and which it refuses or
answers with the closest passages ("hedged"). Precision: of these, the share whose paragraph or article is missing;
recall: of the questions with a missing paragraph or article, the share in these. certainty.py fits the certainties, and
measures reports and filings.

The relevance was fitted on 400 questions of each set, which are excluded here.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import numpy as np
from benchmark_library import DEFAULT_DATA, Library, default_embedder, library_of, loaders, sample
from offline_answers import RememberingEmbedder, article

from workbench.embedding.base import Embedder
from workbench.retrieval.answer_sentences import AnswerLevel

SETS = {"xquad_en": "zh", "squad2": "zh", "xquad_zh": "en", "cmrc": "en", "drcd": "en"}
PRESENT, FOREIGN = "present", "other language"
_FITTED = 400
ABSENT = ("paragraph gone", "article gone")


@dataclass
class Refusals:
    """Uncertain searches, refused questions, and hedged or refused questions, by circumstance."""

    search: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    refused: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    hedged: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))

    def ask(self, circumstance: str, library: Library, question: str, *, answers: bool) -> None:
        """Ask one question and record the outcome."""
        result = library.retriever.search(question, k=10)
        self.search[circumstance].append(not result.hits or not result.is_sure)
        if answers:
            level = library.ranker.rank(question, [(hit.rank, hit.chunk.text) for hit in result.hits]).level
            self.refused[circumstance].append(level is AnswerLevel.NOT_FOUND)
            self.hedged[circumstance].append(level is not AnswerLevel.FOUND)


def main() -> None:
    """Print a table per set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--questions", type=int, default=300, help="sample size a set, 0 for all that are left")
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--searches-only", action="store_true", help="leave the offline answerer out: quicker")
    options = parser.parse_args()
    data = loaders(options.data)
    embedder = RememberingEmbedder(default_embedder("auto"))
    for name in options.sets:
        refusals = _measured(name, data, embedder, options.questions, answers=not options.searches_only)
        measured = (("search", refusals.search), ("refused", refusals.refused), ("hedged", refusals.hedged))
        for title, asked in measured:
            if asked:
                _print(f"{name:9} {title:8}", asked)


def _measured(name: str, data: ModuleType, embedder: Embedder, size: int, *, answers: bool) -> Refusals:
    kind, _, language = name.partition("_")
    paragraphs, questions, gold, _ = getattr(data, kind)(*([language] if language else []))
    chosen = _unseen(list(questions), size)
    refusals = Refusals()
    with library_of(paragraphs, embedder) as library:
        for key in chosen:
            refusals.ask(PRESENT, library, questions[key], answers=answers)
            library.forget(set(gold[key]))
            refusals.ask(ABSENT[0], library, questions[key], answers=answers)
            library.bring_back()
        for question in _unseen(list(data.xquad(SETS[name])[1].values()), size):
            refusals.ask(FOREIGN, library, question, answers=answers)
        if name == "squad2":
            asked = [question for _, question, _ in data.squad2_unanswerable()]
            for question in _unseen(asked, size):
                refusals.ask("unanswerable, with its paragraph", library, question, answers=answers)
    articles = sorted({article(paragraph) for paragraph in paragraphs})
    for part in range(4):
        away = set(articles[part::4])
        kept = {key: text for key, text in paragraphs.items() if article(key) not in away}
        with library_of(kept, embedder) as library:
            for key in chosen:
                if article(next(iter(gold[key]))) in away:
                    refusals.ask(ABSENT[1], library, questions[key], answers=answers)
    return refusals


def _unseen(keys: list[str], size: int) -> list[str]:
    """Return a sample of the questions that were not used for fitting."""
    fitted = set(sample(keys, _FITTED))
    return sample([key for key in keys if key not in fitted], size)


def _print(title: str, refused: dict[str, list[bool]]) -> None:
    shares = [f"{circumstance} {np.mean(rows):.3f}" for circumstance, rows in refused.items()]
    rightly, wrongly = _sum(refused[one] for one in ABSENT), sum(refused[PRESENT])
    # As if the library contained the answer of half the questions.
    wrongly *= len(ABSENT)
    away = sum(len(refused[one]) for one in ABSENT)
    precision = rightly / max(1, rightly + wrongly)
    print(f"{title}: {', '.join(shares)}; precision {precision:.3f}, recall {rightly / away:.3f}", flush=True)


def _sum(rows: Iterable[list[bool]]) -> int:
    return sum(map(sum, rows))


if __name__ == "__main__":
    main()

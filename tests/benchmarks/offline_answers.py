"""Measure the offline answerer: whether its quotes contain the gold answer, and whether it refuses correctly.

    python tests/benchmarks/offline_answers.py [--data DIR] [--questions N]

Answerable questions are asked of the library of all paragraphs. Unanswerable ones, and the answerable ones a second
time, are asked with their paragraph removed; and the answerable ones a third time of a library that never contained
their article, so that their topic is unknown. Sentences and characters are means per answer.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmark_library import DEFAULT_DATA, Library, default_embedder, library_of, loaders, sample
from numpy.typing import NDArray

from workbench.agent.offline.conversation import FoundPassage
from workbench.agent.offline.quotes import choose_sentences, lay_out_quotes
from workbench.chunking.sentences import sentence_spans
from workbench.embedding.base import Embedder
from workbench.embedding.onnx_embedder import OnnxEmbedder
from workbench.retrieval.answer_sentences import AnswerLevel
from workbench.retrieval.question_words import parts_beside


class RememberingEmbedder:
    """The embedder with a cache of vectors: the same texts occur in several libraries, and with every question."""

    has_token_vectors = True

    def __init__(self, embedder: Embedder) -> None:
        assert isinstance(embedder, OnnxEmbedder)
        self._embedder = embedder
        self._seen: dict[str, NDArray[np.float32]] = {}
        self._kept: dict[str, tuple[NDArray[np.float32], Any]] = {}
        self.question_tokens, self.token_vectors = embedder.question_tokens, embedder.token_vectors
        self.embed_single_tokens = embedder.embed_single_tokens
        self.id, self.dim, self.tokenizer = embedder.id, embedder.dim, embedder.tokenizer

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors, embedding only the texts that are new."""
        new = [text for text in dict.fromkeys(texts) if text not in self._seen]
        if new:
            self._seen.update(zip(new, self._embedder.embed_documents(new), strict=True))
        return np.stack([self._seen[text] for text in texts])

    def embed_with_tokens(
        self, texts: Sequence[str], keep: Callable[..., Any]
    ) -> tuple[NDArray[np.float32], list[Any]]:
        """Return the vectors and what is kept of the words; all calls are assumed to keep the same."""
        if new := [text for text in dict.fromkeys(texts) if text not in self._kept]:
            self._kept.update(zip(new, zip(*self._embedder.embed_with_tokens(new, keep), strict=True), strict=True))
        return np.stack([self._kept[text][0] for text in texts]), [self._kept[text][1] for text in texts]

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the question's vector."""
        return self._embedder.embed_query(text)


@dataclass(frozen=True)
class Answer:
    """The quotes of an answer, empty if it was refused; hedged if they are the closest passages only."""

    quotes: tuple[str, ...]
    is_hedged: bool = False

    def holds(self, accepted: Sequence[str]) -> bool:
        """Return whether one of the quotes contains an accepted answer."""
        return any(answer in quote for answer in accepted for quote in self.quotes)

    @property
    def sentences(self) -> int:
        """Number of quoted sentences."""
        return sum(len(sentence_spans(quote)) for quote in self.quotes)


def answer(library: Library, question: str) -> Answer:
    """Answer as the offline provider does with ten passages."""
    hits = library.retriever.search(question, k=10).hits
    passages = [(hit.rank, hit.chunk.text) for hit in hits]
    ranking = library.ranker.rank(question, passages)
    if ranking.level is AnswerLevel.NOT_FOUND:
        return Answer(())
    parts = [library.ranker.rank(part, passages) for part in parts_beside(question, ranking.sentences[0].text)]
    found = [FoundPassage(hit.rank, str(hit.chunk.document), "", hit.chunk.text) for hit in hits]
    quotes = lay_out_quotes(question, choose_sentences(question, ranking, parts), found)
    lines = tuple(line for quote in quotes for line in quote.lines)
    return Answer(lines, ranking.level is AnswerLevel.CLOSEST)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA)
    parser.add_argument("--questions", type=int, default=500, help="sample size a set, 0 for all")
    options = parser.parse_args()
    data = loaders(options.data)
    embedder = RememberingEmbedder(default_embedder())
    sets = {
        "xquad en": data.xquad("en"),
        "xquad zh": data.xquad("zh"),
        "squad2": data.squad2(),
        "drcd": data.drcd(),
        "cmrc": data.cmrc(),
        "hotpot": data.hotpot_mini(),
    }
    for name, (paragraphs, questions, gold, accepted) in sets.items():
        chosen = sample(list(questions), options.questions)
        with library_of(paragraphs, embedder) as library:
            answers = {key: answer(library, questions[key]) for key in chosen}
            _report(name, answers, accepted)
            refused = []
            for key in chosen:
                library.forget(set(gold[key]))
                refused.append(not answer(library, questions[key]).quotes)
                library.bring_back()
            print(f"{name}: the same without their paragraph, refused {np.mean(refused):.3f}", flush=True)
            if name == "squad2":
                _unanswerable(library, data.squad2_unanswerable(), paragraphs, options.questions)
        _unknown_topics(
            name, paragraphs, {key: (questions[key], article(next(iter(gold[key])))) for key in chosen}, embedder
        )


def _report(name: str, answers: dict[str, Answer], accepted: dict[str, Sequence[str]]) -> None:
    given = [one for one in answers.values() if one.quotes]
    print(
        f"{name}: {len(answers)} questions, answer in the quotes"
        f" {np.mean([one.holds(accepted[key]) for key, one in answers.items()]):.3f},"
        f" wrongly refused {1 - len(given) / len(answers):.3f},"
        f" hedged {sum(one.is_hedged for one in given) / len(answers):.3f},"
        f" sentences {np.mean([one.sentences for one in given]):.2f}"
        f" with {np.mean([sum(map(len, one.quotes)) for one in given]):.0f} characters",
        flush=True,
    )


def article(paragraph: str) -> str:
    """Return the article of a paragraph, by its name."""
    return paragraph.rsplit("#", 1)[0]


def _unknown_topics(
    name: str, paragraphs: dict[str, str], asked: dict[str, tuple[str, str]], embedder: Embedder
) -> None:
    """Ask each question of a library without a quarter of the articles, including its own."""
    articles = sorted({article(paragraph) for paragraph in paragraphs})
    refused = []
    for part in range(4):
        left_out = set(articles[part::4])
        kept = {key: text for key, text in paragraphs.items() if article(key) not in left_out}
        with library_of(kept, embedder) as library:
            refused += [not answer(library, question).quotes for question, own in asked.values() if own in left_out]
    print(f"{name}: the same without their article, refused {np.mean(refused):.3f}", flush=True)


def _unanswerable(library: Library, rows: list[tuple[str, str, str]], paragraphs: dict[str, str], size: int) -> None:
    name_of = {text: name for name, text in paragraphs.items()}
    asked = {key: (question, text) for key, question, text in rows}
    refused = []
    for key in sample(list(asked), size):
        question, text = asked[key]
        library.forget({name_of[text]})
        refused.append(not answer(library, question).quotes)
        library.bring_back()
    print(f"squad2 unanswerable, without their paragraph: {len(refused)} questions, refused {np.mean(refused):.3f}")


if __name__ == "__main__":
    main()

"""A question's words, each with what it is worth in this library."""

import math
import re
from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache

from workbench.retrieval.base import WordCounts
from workbench.store.keywords import segment, terms

# In a small library counts say little: a word that stands in 1 of 3 chunks is not rare. Below this many chunks, words
# weigh as if there were this many.
SMALL_LIBRARY = 200

_SPACED = re.compile(r"[a-z0-9]")


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The words of a question with their inverse document frequencies.

    Attributes:
        weights: Word -> idf; a word that ends in "*" stands for every word that begins so.
        total: Sum of the weights.
        pairs: Share of the weight that lies in pairs of characters of a script without spaces, 0 to 1.
    """

    weights: dict[str, float]
    total: float
    pairs: float

    def share(self, words: Set[str]) -> float:
        """Return the share of the question's weight that these words cover, 0 to 1."""
        return self.weight(words) / self.total if self.total else 0.0

    def weight(self, words: Set[str]) -> float:
        """Return the weight of the question's words that are among these words."""
        return sum(weight for word, weight in self.weights.items() if _holds(words, word))


def question_words(question: str, counts: WordCounts) -> QuestionWords:
    """Return the words of a question, weighed by how rare they are in the library."""
    found = terms(question)
    frequencies = counts.document_frequency(found)
    chunks = max(counts.count, SMALL_LIBRARY)
    weights = {word: _idf(frequencies.get(word, 0), chunks) for word in found}
    total = sum(weights.values())
    in_pairs = sum(weight for word, weight in weights.items() if is_unspaced(word))
    return QuestionWords(weights, total, in_pairs / total if total else 0.0)


def is_unspaced(word: str) -> bool:
    """Tell whether a word is a piece of a script written without spaces."""
    return not _SPACED.search(word) and ord(word[0]) > 0x2E7F


@lru_cache(maxsize=4096)
def words_of(text: str) -> frozenset[str]:
    """Return the words of a text as the keyword index has them; kept, because top passages come back often."""
    return frozenset(segment(text).split())


def _idf(frequency: int, chunks: int) -> float:
    return math.log(1 + (chunks - min(frequency, chunks) + 0.5) / (frequency + 0.5))


def _holds(words: Set[str], word: str) -> bool:
    if word.endswith("*"):
        return any(held.startswith(word[:-1]) for held in words)
    return word in words

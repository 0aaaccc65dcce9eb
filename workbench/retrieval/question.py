"""A question's words, each with what it is worth in this library."""

import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from workbench.retrieval.base import WordCounts
from workbench.store.bm25 import shares
from workbench.store.keywords import terms
from workbench.store.segmentation import compounds_in, names_in, words_in

# In a small library counts say little: a word that stands in 1 of 3 chunks is not rare. Below this many chunks, words
# weigh as if there were this many.
SMALL_LIBRARY = 200

# Of a pasted page the beginning and the end are searched: 100,000 characters took 4 s, in Chinese 11 s.
LONGEST_QUESTION = 800
_TAIL = 200

_HALF_WORD_BEHIND = re.compile(r"\s\S{0,40}\Z")
_HALF_WORD_BEFORE = re.compile(r"\A\S{0,40}\s")
_SPACED = re.compile(r"[a-z0-9]")


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The words of a question with their inverse document frequencies.

    Attributes:
        weights: Word -> idf, or the share of it that a word of a compound keeps; a word that ends in "*" stands for
            every word that begins so.
        total: Sum of the weights.
        pairs: Share of the weight that lies in pairs of characters of a script without spaces, 0 to 1.
        in_index: Sum of the weights as BM25 has them, by the true number of chunks.
        asks_for_stranger: It names somebody or something, or a number, that stands nowhere in the library.
    """

    weights: dict[str, float]
    total: float
    pairs: float
    in_index: float
    asks_for_stranger: bool = False

    def share(self, words: Set[str]) -> float:
        """Return the share of the question's weight that these words cover, 0 to 1."""
        return self.weight(words) / self.total if self.total else 0.0

    def weight(self, words: Set[str]) -> float:
        """Return the weight of the question's words that are among these words."""
        return sum([weight for word, weight in self.weights.items() if word in words or _is_begun(words, word)])


def shortened(question: str) -> str:
    """Return what is searched of a question: all of it, or the beginning and the end of a very long one."""
    if len(question) <= LONGEST_QUESTION:
        return question
    # Half a word stands nowhere, and a question that asks for what stands nowhere is held to have no answer.
    head = _HALF_WORD_BEHIND.sub("", question[: LONGEST_QUESTION - _TAIL])
    return f"{head} {_HALF_WORD_BEFORE.sub('', question[-_TAIL:])}"


def question_words(question: str, counts: WordCounts) -> QuestionWords:
    """Return the words of a question, weighed by how rare they are in the library."""
    found = terms(question)
    names = names_in(question)
    frequencies = counts.document_frequency({*found, *(word for name in names for word in name)})
    chunks = max(counts.count, SMALL_LIBRARY)
    weights = {word: rarity(frequencies.get(word, 0), chunks) for word in found}
    kept = shares(compounds_in(question), weights.__getitem__)
    weights = {word: weight * kept.get(word, 1.0) for word, weight in weights.items()}
    total = sum(weights.values())
    in_pairs = sum(weight for word, weight in weights.items() if is_unspaced(word))
    return QuestionWords(
        weights,
        total,
        pairs=in_pairs / total if total else 0.0,
        in_index=sum(rarity(frequencies.get(word, 0), counts.count) * kept.get(word, 1.0) for word in found),
        asks_for_stranger=any(not _is_known(name, frequencies) for name in names),
    )


def is_unspaced(word: str) -> bool:
    """Tell whether a word is a piece of a script written without spaces."""
    return not _SPACED.search(word) and ord(word[0]) > 0x2E7F


@lru_cache(maxsize=4096)
def words_of(text: str) -> frozenset[str]:
    """Return the words of a text as the keyword index has them; kept, because top passages come back often."""
    return words_in(text)


def _is_known(name: Sequence[str], frequencies: Mapping[str, int]) -> bool:
    """Tell whether a name stands in the library in one piece or in all its parts: "e-mail" gives e, mail and email."""
    whole = max(name, key=len)
    parts = [word for word in name if word != whole] or [whole]
    return frequencies.get(whole, 0) > 0 or all(frequencies.get(word, 0) > 0 for word in parts)


def rarity(frequency: int, chunks: int) -> float:
    """Return the inverse document frequency of a word that stands in so many of the chunks; BM25's, never below 0."""
    return math.log(1 + (chunks - min(frequency, chunks) + 0.5) / (frequency + 0.5))


def _is_begun(words: Set[str], word: str) -> bool:
    """Tell whether one of the words begins as a word that ends in "*"."""
    return word[-1] == "*" and any(held.startswith(word[:-1]) for held in words)

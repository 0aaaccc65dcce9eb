"""Probabilities that a hit is about a question, and that an answer is there: 0 to 1, comparable between questions.

Logistic formulas over shares of the question's words and the scaled cosine. That of a hit was fitted on SQuAD v2 and
DRCD; those of a search and of an answer by tests/benchmarks/certainty.py, on reports and filings as well as on sets in
the manner of SQuAD, each half of the weight: on the latter alone, a question in other words than the document's is
held to have no answer.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

# From this certainty on what is quoted is an answer; below it, the closest passages. By cross-validation, found /
# closest / refused though answered there: filings 0.09 / 0.79 / 0.12, reports 0.34 / 0.59 / 0.06, squad2 0.64 / 0.35 /
# 0.01, xquad en 0.82 / 0.17 / 0.01, zh 0.64 / 0.29 / 0.07; of reports' questions that they do not answer, 0.25 / 0.52 /
# 0.23, where at 0.7 it is 0.32 / 0.45 / 0.23.
ANSWER_FLOOR = 0.75

# Below this the offline answerer says that it found nothing: five to two against it. Refused where the whole article is
# gone: squad2 0.61, xquad en 0.56, zh 0.81, drcd 0.85; in another language 0.90 to 0.99. At 0.33, where these are 0.70,
# 0.67, 0.84, 0.88, filings and reports refuse 0.12 and 0.14 of what they answer: to withhold wrongly is worse than to
# show passages that are said to be the closest.
CLOSEST_FLOOR = 0.28

# For a part of a question, and where every document is read: the sentences of each fifth of xquad's paragraphs in turn,
# 24 questions: found where the answer is / elsewhere, en 0.96 / 0.01 (at 0.5 0.88 / 0.01), zh 0.88 / 0.04 (0.83 / 0).
PART_FLOOR = 0.4

# Below this certainty a search says that it is not sure; nothing is withheld for it. So of filings 0.18, of reports
# 0.22 of the questions that they answer, of the old sets 0.01 to 0.11; without the article, 0.80 to 0.93.
SURE_FLOOR = 0.4

# Fitted by tests/benchmarks/certainty.py, which says on what, and how far the certainty is to be relied on.
ANSWER_COEFFICIENTS = {
    "constant": -1.77,
    "near": 0.23,
    "passage": 1.37,
    "passage alone": 1.44,
    "words": 0.60,
    "pairs": -1.65,
    "pairs own": 4.91,
    "pairs passage": 6.11,
    "cosine": 1.19,
    "best cosine": 2.11,
    "understood": -1.67,
    "stranger": -3.26,
    "smallness": 0.40,
}
SEARCH_COEFFICIENTS = {
    "constant": 0.77,
    "relevance": 0.51,
    "words": 0.69,
    "pairs": 2.82,
    "pairs relevance": 2.04,
    "stranger": -3.02,
}
_MOST_WORDS = 25

# Of a hit. Questions cut into pairs of characters: pairs across words stand nowhere, so lower shares say the same.
_HIT_SHARE, _HIT_COSINE = 7.4, 2.5
_HIT_UNDERSTOOD = -1.85
_CONSTANT = -5.3
_PAIRS = 1.6

# The best of a few chunks comes less near a question by chance than the best of a thousand. Counted from 1,200 chunks,
# where the rest was fitted, down to 20 and no further up.
_SMALL_LIBRARY = 0.4
_FITTED_CHUNKS = 1200
_FEWEST_CHUNKS = 20


@dataclass(frozen=True, slots=True)
class RelevanceInputs:
    """The inputs that all hits of one search share.

    Attributes:
        degree: How far the embedder understands the question, 0 to 1; 0 without vectors.
        pairs: Share of the question that is cut into pairs of characters.
        chunks: How many chunks the library has.
    """

    degree: float
    pairs: float
    chunks: int

    @property
    def smallness(self) -> float:
        """Smallness of the set of chunks searched: 0 for 1,200 and more, 4.1 for 20 and fewer."""
        chunks = min(max(self.chunks, _FEWEST_CHUNKS), _FITTED_CHUNKS)
        return math.log(_FITTED_CHUNKS / chunks)


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """The evidence for a sentence: shares of the question's weight, and the scaled cosine times the degree.

    Attributes:
        own: In the sentence itself.
        before: In what stands just before it or above it, and not in itself.
        passage: In its whole passage.
        cosine: Of question and sentence.
        best_cosine: The highest of any sentence that was compared.
        words: How many words the question has: of a long one fewer stand in any passage.
        asks_for_stranger: The question has a name that stands nowhere in the library.
    """

    own: float
    before: float
    passage: float
    cosine: float
    best_cosine: float = 0.0
    words: int = 5
    asks_for_stranger: bool = False

    @property
    def has_overlap(self) -> bool:
        """True where the sentence shares a word or meaning with the question."""
        return self.own + self.before + self.passage > 0 or self.best_cosine > 0


def answer_features(evidence: AnswerEvidence, circumstances: RelevanceInputs) -> dict[str, float]:
    """Return what the certainty is reckoned from, by name; tests/benchmarks/certainty.py fits their coefficients."""
    pairs, spaced = circumstances.pairs, 1 - circumstances.pairs
    return {
        "constant": 1.0,
        "near": spaced * (evidence.own + evidence.before),
        "passage": spaced * evidence.passage,
        "passage alone": (1 - circumstances.degree) * spaced * evidence.passage,
        "words": spaced * min(evidence.words, _MOST_WORDS) / 10,
        "pairs": pairs,
        "pairs own": pairs * evidence.own,
        "pairs passage": pairs * evidence.passage,
        "cosine": evidence.cosine,
        "best cosine": evidence.best_cosine,
        "understood": circumstances.degree,
        "stranger": float(evidence.asks_for_stranger),
        "smallness": circumstances.smallness,
    }


def answer_certainty(features: Mapping[str, float]) -> float:
    """Return how sure it is that the best sentence belongs to an answer, by its features."""
    return logistic(sum(ANSWER_COEFFICIENTS[name] * value for name, value in features.items()))


def search_features(best: float, *, words: int, pairs: float, asks_for_stranger: bool) -> dict[str, float]:
    """Return what a search's certainty is reckoned from, by name; fitted as answer_features is.

    Args:
        best: The highest relevance of a hit.
        words: How many words the question has.
        pairs: Share of the question that is cut into pairs of characters.
        asks_for_stranger: It has a name that stands nowhere in the library.
    """
    odds = _log_odds(best, 0.0001)
    return {
        "constant": 1.0,
        "relevance": (1 - pairs) * odds,
        "words": (1 - pairs) * min(words, _MOST_WORDS) / 10,
        "pairs": pairs,
        "pairs relevance": pairs * odds,
        "stranger": float(asks_for_stranger),
    }


def search_certainty(features: Mapping[str, float]) -> float:
    """Return how sure it is that an answer is among what a search found, by its features."""
    return logistic(sum(SEARCH_COEFFICIENTS[name] * value for name, value in features.items()))


def hit_relevance(share: float, cosine: float, circumstances: RelevanceInputs) -> float:
    """Return how sure it is that a chunk is about the question.

    Args:
        share: Of the question's weight, in the chunk with its title and headings.
        cosine: Scaled; counts as far as the embedder understands the question.
        circumstances: Of the search.
    """
    degree, pairs = circumstances.degree, circumstances.pairs
    offset = _CONSTANT + _PAIRS * pairs + (1 - pairs) * _SMALL_LIBRARY * circumstances.smallness
    return logistic(offset + _HIT_SHARE * share + (_HIT_COSINE * cosine + _HIT_UNDERSTOOD) * degree)


def combine_relevance(relevance: float, certainty: float | None) -> float:
    """Return a hit's relevance with the word of a reranker that has read it: half by either, in log odds.

    Args:
        relevance: By words and cosine.
        certainty: The reranker's, 0 to 1; None where it has none.
    """
    return relevance if certainty is None else logistic((_log_odds(relevance) + _log_odds(certainty)) / 2)


def _log_odds(value: float, least: float = 0.02) -> float:
    # Rerankers are surer than they are right: nothing is less likely than 1 in 50.
    value = min(max(value, least), 1 - least)
    return math.log(value / (1 - value))


def logistic(value: float) -> float:
    """Return the probability of a value in log odds."""
    return 1 / (1 + math.exp(-max(-40.0, min(40.0, value))))

"""Probabilities (0 to 1) that a hit is about a question and that an answer exists, comparable between questions.

Logistic formulas over the shares of the question's words and the scaled cosine. The formula for a hit was fitted on
SQuAD v2 and DRCD. Those for a search and for an answer were fitted by tests/benchmarks/certainty.py, half of the weight
on reports and filings and half on data sets similar to SQuAD: when fitted on the latter alone, a question in other
words than the document's counts as unanswerable.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

# At or above this certainty, quotes are reported as an answer; below it, as the closest passages. Cross-validated
# shares found / closest / refused of questions that the documents answer: filings 0.09 / 0.88 / 0.03, reports 0.26 /
# 0.65 / 0.09, squad2 0.62 / 0.37 / 0.01, xquad en 0.70 / 0.30 / 0, zh 0.65 / 0.28 / 0.07; of questions that the reports
# do not answer 0.25 / 0.57 / 0.18.
ANSWER_FLOOR = 0.75

# Below this probability (three to one against) the offline answerer reports that nothing was found. Share refused if
# the whole article is missing: squad2 0.58, xquad en 0.69, zh 0.79, drcd 0.74. A higher one refuses more questions that
# reports answer: withholding an answer is worse than showing passages labelled as the closest.
CLOSEST_FLOOR = 0.25

# Threshold for one part of a question, and when every document is read. Share above it with / without the paragraph of
# the answer, in libraries of ten paragraphs of one article: squad2 0.95 / 0.47, xquad en 0.93 / 0.34, zh 0.98 / 0.28,
# drcd 0.94 / 0.22; with 0.3 0.95 / 0.60, 0.93 / 0.51, 0.99 / 0.39, 0.97 / 0.38.
PART_FLOOR = 0.4

# Below this certainty a search reports that it is unsure; no result is withheld. Share of unsure searches: of questions
# that filings and reports answer 0.24 and 0.15, of SQuAD-like sets 0.01 to 0.10; without the article 0.79 to 0.93.
SURE_FLOOR = 0.4

# Fitted by tests/benchmarks/certainty.py, which documents its data and how reliable the certainty is.
ANSWER_COEFFICIENTS = {
    "constant": -1.23,
    "near": 0.05,
    "before": 1.86,
    "passage": 1.79,
    "words": 0.40,
    "pairs": -1.96,
    "pairs own": 5.04,
    "pairs passage": 6.22,
    "cosine": 2.67,
    "row": 2.58,
    "understood": -1.86,
    "stranger": -2.73,
    "smallness": 0.19,
}
SEARCH_COEFFICIENTS = {
    "constant": 0.49,
    "relevance": 0.40,
    "words": 0.66,
    "pairs": 3.16,
    "pairs relevance": 2.06,
    "stranger": -2.75,
}
_MOST_WORDS = 25
# Scaled cosine of a sentence that shares the meaning of a question without any of its words: of 404 rankings without a
# shared word, none of which had the answer, 0.84 have no such sentence.
_SIMILAR = 0.4

# Coefficients for a hit. If a question is cut into character pairs, pairs that span two words match nothing, so a lower
# share means the same.
_HIT_SHARE, _HIT_COSINE = 7.4, 2.5
_HIT_UNDERSTOOD = -1.85
_CONSTANT = -5.3
_PAIRS = 1.6

# By chance alone, the best of a few chunks is less similar to a question than the best of a thousand. The correction
# grows from 1,200 chunks, the size used for fitting, down to 20; larger libraries get none.
_SMALL_LIBRARY = 0.4
_FITTED_CHUNKS = 1200
_FEWEST_CHUNKS = 20


@dataclass(frozen=True, slots=True)
class RelevanceInputs:
    """Inputs shared by all hits of one search.

    Attributes:
        degree: How well the embedder understands the question, 0 to 1; 0 without vectors.
        pairs: Share of the question that is cut into pairs of characters.
        chunks: Number of chunks in the library.
    """

    degree: float
    pairs: float
    chunks: int

    @property
    def smallness(self) -> float:
        """Smallness of the searched library: 0 for 1,200 chunks and more, 4.1 for 20 and fewer.

        Its coefficient in the certainty of an answer was 0.39, fitted on small libraries of mixed subjects; with those
        of one subject it is 0.19. Of the questions of squad2 and xquad en about ten paragraphs of one article without
        that of the answer, 0.36 and 0.24 were reported as found, now 0.14 and 0.09; of those with it 0.93 and 0.86, now
        0.83 and 0.78.
        """
        chunks = min(max(self.chunks, _FEWEST_CHUNKS), _FITTED_CHUNKS)
        return math.log(_FITTED_CHUNKS / chunks)


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """Evidence for a sentence: shares of the question's weight, and the scaled cosine times the degree.

    Attributes:
        own: Share in the sentence itself.
        before: Share in the text just before or above it, and not in the sentence itself.
        passage: Share in its whole passage.
        cosine: Cosine of question and sentence.
        best_cosine: Highest cosine of any sentence that was compared.
        words: Number of words in the question; any passage contains a smaller share of a long question.
        asks_for_stranger: True if the question has a name that does not occur in the library.
        is_row: True if the sentence is a row of a table.
    """

    own: float
    before: float
    passage: float
    cosine: float
    best_cosine: float = 0.0
    words: int = 5
    asks_for_stranger: bool = False
    is_row: bool = False

    @property
    def has_overlap(self) -> bool:
        """True if a word is shared with the question, or its meaning."""
        return self.own + self.before + self.passage > 0 or self.best_cosine >= _SIMILAR


def answer_features(evidence: AnswerEvidence, circumstances: RelevanceInputs) -> dict[str, float]:
    """Return the inputs of the certainty by name; tests/benchmarks/certainty.py fits their coefficients."""
    pairs, spaced = circumstances.pairs, 1 - circumstances.pairs
    return {
        "constant": 1.0,
        "near": spaced * (evidence.own + evidence.before),
        "before": spaced * evidence.before,
        "passage": spaced * evidence.passage,
        "words": spaced * min(evidence.words, _MOST_WORDS) / 10,
        "pairs": pairs,
        "pairs own": pairs * evidence.own,
        "pairs passage": pairs * evidence.passage,
        # The few words of a row are hardly similar to a question, whether they answer it or not.
        "cosine": 0.0 if evidence.is_row else evidence.cosine,
        "row": circumstances.degree * evidence.is_row,
        "understood": circumstances.degree,
        "stranger": float(evidence.asks_for_stranger),
        "smallness": circumstances.smallness,
    }


def answer_certainty(features: Mapping[str, float]) -> float:
    """Return the probability that the best sentence belongs to an answer."""
    return logistic(sum(ANSWER_COEFFICIENTS[name] * value for name, value in features.items()))


def search_features(best: float, *, words: int, pairs: float, asks_for_stranger: bool) -> dict[str, float]:
    """Return the inputs of a search's certainty by name; fitted in the same way as answer_features().

    Args:
        best: Highest relevance of a hit.
        words: Number of words in the question.
        pairs: Share of the question that is cut into pairs of characters.
        asks_for_stranger: True if the question has a name that does not occur in the library.
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
    """Return the probability that an answer is among the hits of a search."""
    return logistic(sum(SEARCH_COEFFICIENTS[name] * value for name, value in features.items()))


def hit_relevance(share: float, cosine: float, circumstances: RelevanceInputs) -> float:
    """Return the probability that a chunk is about the question.

    Args:
        share: Share of the question's weight that the chunk with its title and headings contains.
        cosine: Scaled cosine; weighted by how well the embedder understands the question.
        circumstances: Inputs shared by all hits of the search.
    """
    degree, pairs = circumstances.degree, circumstances.pairs
    offset = _CONSTANT + _PAIRS * pairs + (1 - pairs) * _SMALL_LIBRARY * circumstances.smallness
    return logistic(offset + _HIT_SHARE * share + (_HIT_COSINE * cosine + _HIT_UNDERSTOOD) * degree)


def combine_relevance(relevance: float, certainty: float | None) -> float:
    """Return the mean, in log odds, of a hit's relevance and the certainty of a reranker.

    Args:
        relevance: Relevance by words and cosine.
        certainty: The reranker's certainty, 0 to 1; None keeps the relevance.
    """
    return relevance if certainty is None else logistic((_log_odds(relevance) + _log_odds(certainty)) / 2)


def _log_odds(value: float, least: float = 0.02) -> float:
    # Rerankers are overconfident: no probability is lower than 1 in 50.
    value = min(max(value, least), 1 - least)
    return math.log(value / (1 - value))


def logistic(value: float) -> float:
    """Return the probability for a value in log odds."""
    return 1 / (1 + math.exp(-max(-40.0, min(40.0, value))))

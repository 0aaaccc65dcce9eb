"""How sure we are that a hit is about a question, and that a sentence answers it: 0 to 1, the same for any question.

Two logistic formulas over shares of the question's words and the scaled cosine. Fitted on
half of 1,000 answerable SQuAD v2 questions with their paragraph in the library against the same and 1,000 unanswerable
ones without it, with vectors and by words alone, on DRCD for Chinese, and on libraries of five paragraphs; rounded.
"""

import math
from dataclasses import dataclass

# Below this the offline answerer says that it found nothing. Turned down with their paragraph in the library / without
# it / without the whole article: of 500 questions, xquad en 0.06 / 0.80 / 0.97, squad2 0.08 / 0.55 / 0.95 (its
# unanswerable ones without the paragraph: 0.66); of 300, xquad zh 0.09 / 0.72 / 0.94, drcd 0.07 / 0.76 / 0.90, cmrc
# 0.05 / 0.83 / 0.88, where many articles are of one kind. In libraries of ten paragraphs 0.03 to 0.06, and 0.98 to 1.00
# of the questions about another article. At 0.18, of 300, squad2 has 0.11 / 0.61 / 0.95.
ANSWER_FLOOR = 0.16

CLOSEST_FLOOR = 0.05

# Below this relevance of its best hit nothing of a search is offered to an answerer. Withheld with their paragraph in
# the library / without it / without the whole article, of 250 questions on which it was not fitted: xquad en 0.03 /
# 0.55 / 0.90, squad2 0.01 / 0.28 / 0.85, xquad zh 0.01 / 0.29 / 0.60, and of sets where many articles are of one kind,
# cmrc 0.00 / 0.33 / 0.44, drcd 0.00 / 0.20 / 0.37; of questions in a language that the library does not hold 0.96 to 1.
# Of single hits rather than of the best one it would cost as much at 0.045, where squad2's article gone is 0.78; and of
# the 182 passages that hotpot's two-step questions need and find, 32 lie below it on their own, of its questions 0.01.
SURE_RELEVANCE = 0.06

# What a cosine adds, and takes where there is none: only as far as the embedder understands the question.
_OWN, _BEFORE, _PASSAGE, _COSINE = 4.4, 2.4, 3.4, 3.4
_UNDERSTOOD = -2.65
_HIT_SHARE, _HIT_COSINE = 7.4, 2.5
_HIT_UNDERSTOOD = -1.85
_CONSTANT = -5.3

# Questions cut into pairs of characters: pairs across words stand nowhere, so lower shares say the same; and a few
# pairs of any question stand in any sentence, so that only the whole passage tells.
_PAIRS = 1.6
_PAIRS_OWN, _PAIRS_PASSAGE, _PAIRS_CONSTANT = 3.0, 12.0, -5.65

# A name that stands nowhere in the library. It is in 1 % of the squad2 questions whose paragraph is there and in 34 %
# of those whose whole article is not; xquad en 2 % and 50 %.
_STRANGER = -2.0

# The best of a few chunks comes less near a question by chance than the best of a thousand. Counted from 1,200 chunks,
# where the rest was fitted, down to 20 and no further up.
_SMALL_LIBRARY = 0.4
_FITTED_CHUNKS = 1200
_FEWEST_CHUNKS = 20


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What all hits of one search share.

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
        """What is added to the evidence because there were few chunks to choose from."""
        chunks = min(max(self.chunks, _FEWEST_CHUNKS), _FITTED_CHUNKS)
        return _SMALL_LIBRARY * math.log(_FITTED_CHUNKS / chunks)


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """What speaks for a sentence: shares of the question's weight, and the scaled cosine times the degree.

    Attributes:
        own: In the sentence itself.
        before: In what stands just before it or above it, and not in itself.
        passage: In its whole passage.
        cosine: Of question and sentence.
        asks_for_stranger: The question has a name that stands nowhere in the library.
    """

    own: float
    before: float
    passage: float
    cosine: float
    asks_for_stranger: bool = False


def answer_certainty(evidence: AnswerEvidence, circumstances: Circumstances) -> float:
    """Return how sure it is that the best sentence belongs to an answer."""
    pairs = circumstances.pairs
    by_words = _OWN * evidence.own + _BEFORE * evidence.before + _PASSAGE * evidence.passage
    by_pairs = _PAIRS_OWN * evidence.own + _PAIRS_PASSAGE * evidence.passage
    return logistic(
        circumstances.smallness
        + (1 - pairs) * (_CONSTANT + by_words)
        + pairs * (_PAIRS_CONSTANT + by_pairs)
        + _COSINE * evidence.cosine
        + _UNDERSTOOD * circumstances.degree
        + _STRANGER * evidence.asks_for_stranger
    )


def hit_relevance(share: float, cosine: float, circumstances: Circumstances) -> float:
    """Return how sure it is that a chunk is about the question.

    Args:
        share: Of the question's weight, in the chunk with its title and headings.
        cosine: Scaled; counts as far as the embedder understands the question.
        circumstances: Of the search.
    """
    degree, pairs = circumstances.degree, circumstances.pairs
    offset = _CONSTANT + _PAIRS * pairs + (1 - pairs) * circumstances.smallness
    return logistic(offset + _HIT_SHARE * share + (_HIT_COSINE * cosine + _HIT_UNDERSTOOD) * degree)


def judged(relevance: float, certainty: float | None) -> float:
    """Return a hit's relevance with the word of a reranker that has read it: half by either, in log odds.

    Args:
        relevance: By words and cosine.
        certainty: The reranker's, 0 to 1; None where it has none.
    """
    return relevance if certainty is None else logistic((_log_odds(relevance) + _log_odds(certainty)) / 2)


def _log_odds(value: float) -> float:
    # Rerankers are surer than they are right: nothing is less likely than 1 in 50.
    value = min(max(value, 0.02), 0.98)
    return math.log(value / (1 - value))


def logistic(value: float) -> float:
    """Return the probability of a value in log odds."""
    return 1 / (1 + math.exp(-max(-40.0, min(40.0, value))))

"""How sure we are that a hit is about a question, and that a sentence answers it: 0 to 1, the same for any question.

Two logistic formulas over shares of the question's words and the scaled cosine. Fitted on
half of 1,000 answerable SQuAD v2 questions with their paragraph in the library against the same and 1,000 unanswerable
ones without it, with vectors and by words alone, on DRCD for Chinese, and on libraries of five paragraphs; rounded.
"""

import math
from dataclasses import dataclass

# Below this the offline answerer says that it found nothing: the questions it turns down, at 0.12 / 0.18 / 0.2, are
# of squad2 with the paragraph 0.06 / 0.08 / 0.09 and unanswerable ones without it 0.61 / 0.70 / 0.73; of xquad en with
# 0.03 / 0.06 / 0.07 and without 0.74 / 0.81 / 0.83; of xquad zh with 0.02 / 0.06 / 0.07 and without 0.25 / 0.55 / 0.63.
ANSWER_FLOOR = 0.18

# What a cosine adds, and takes where there is none: only as far as the embedder understands the question.
_OWN, _BEFORE, _PASSAGE, _COSINE = 4.4, 2.4, 3.4, 3.4
_UNDERSTOOD = -2.65
_HIT_SHARE, _HIT_COSINE = 7.4, 2.5
_HIT_UNDERSTOOD = -1.85
_CONSTANT = -5.3

# Questions cut into pairs of characters: pairs across words stand nowhere, so lower shares say the same.
_PAIRS = 2.4

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
    def offset(self) -> float:
        """What is added to the evidence."""
        chunks = min(max(self.chunks, _FEWEST_CHUNKS), _FITTED_CHUNKS)
        smallness = math.log(_FITTED_CHUNKS / chunks)
        return _CONSTANT + _PAIRS * self.pairs + _SMALL_LIBRARY * (1 - self.pairs) * smallness


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """What speaks for a sentence: shares of the question's weight, and the scaled cosine times the degree.

    Attributes:
        own: In the sentence itself.
        before: In what stands just before it or above it, and not in itself.
        passage: In its whole passage.
        cosine: Of question and sentence.
    """

    own: float
    before: float
    passage: float
    cosine: float


def answer_certainty(evidence: AnswerEvidence, circumstances: Circumstances) -> float:
    """Return how sure it is that the best sentence belongs to an answer."""
    return _logistic(
        circumstances.offset
        + _OWN * evidence.own
        + _BEFORE * evidence.before
        + _PASSAGE * evidence.passage
        + _COSINE * evidence.cosine
        + _UNDERSTOOD * circumstances.degree
    )


def hit_relevance(share: float, cosine: float, circumstances: Circumstances) -> float:
    """Return how sure it is that a chunk is about the question.

    Args:
        share: Of the question's weight, in the chunk with its title and headings.
        cosine: Scaled; counts as far as the embedder understands the question.
        circumstances: Of the search.
    """
    degree = circumstances.degree
    return _logistic(circumstances.offset + _HIT_SHARE * share + (_HIT_COSINE * cosine + _HIT_UNDERSTOOD) * degree)


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(-40.0, min(40.0, value))))

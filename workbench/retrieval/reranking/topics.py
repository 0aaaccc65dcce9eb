"""Words that a passage's whole neighbourhood holds say what it is about, not that the answer stands in it.

Forty chunks of a paper are about Borneo's elephants; the one that recommends what to do about them need not name them.
So a word of the question counts the less for a passage the more of those around it hold it too, and as much for one
that lacks it: among the passages of one document only, since of which document is asked, those words tell best.

Evidence found in five hits of chunk_spans, without / with, by tokens of a chunk: 190 0.917 / 0.920, 195 0.897 / 0.915,
200 0.923 / 0.930, 206 0.914 / 0.929, 212 0.906 / 0.917, so 0.011 more on average; drcd 0.973 / 0.976, the other sets
the same. A reach of 8 to 20 is alike, within 0.003; 0.8 of the weight has 0.003 less, 1.2 of it as much. A word adds at
most half the weight where all around hold it and the passage lacks it, and takes as much where the passage holds it.
What the vectors of those around say, counted the same way, takes 0.002 to 0.01. It costs 1 ms.
"""

from collections.abc import Sequence

import numpy as np

from workbench.retrieval.base import WordPlaces
from workbench.retrieval.question import question_words
from workbench.retrieval.ranking import ranking_weights
from workbench.retrieval.reranking.base import Candidate

# How many chunks to each side are around one.
_REACH = 10


def by_topic(
    question: str, scores: Sequence[float], candidates: Sequence[Candidate], places: WordPlaces
) -> list[float]:
    """Return each candidate's score, changed by what its neighbourhood says without it.

    Args:
        question: As searched.
        scores: One a candidate, on the scale of the fused scores.
        candidates: Documents of one chunk stay as they are.
        places: Where words stand.
    """
    inside = [index for index, one in enumerate(candidates) if one.chunks > 1]
    words = question_words(question, places)
    if len(inside) < 2 or not words.total:
        return list(scores)
    held, around = places.words_around(list(words.weights), [candidates[index].chunk for index in inside], _REACH)
    weights = np.fromiter(words.weights.values(), np.float32) / words.total
    lacking = weights @ (around * (0.5 - held))
    documents = np.array([candidates[index].document for index in inside])
    for document in np.unique(documents):
        lacking[documents == document] -= lacking[documents == document].mean()
    changed, weight = list(scores), ranking_weights().reranking["topics"]
    for index, more in zip(inside, lacking.tolist(), strict=True):
        changed[index] += weight * more
    return changed

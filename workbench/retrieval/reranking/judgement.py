"""Scores of a reranker that reads question and passage together -> how sure it is that they belong together, 0 to 1.

Cross-encoders and the servers that run them give probabilities, or the same before the last step as any number. The
built-in rerankers do neither: theirs only order the passages of one search. As evidence that anything found is about
the question they are far worse than words and cosine: of xquad en's questions without their article they tell 0.39 at a
cost of 2 % of those with it, in place of 0.90.
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from workbench.retrieval.relevance import logistic


@runtime_checkable
class Judging(Protocol):
    """A reranker whose scores mean the same for any question.

    Attributes of a class:
        judges: Always true.
    """

    judges: bool


def certainties(scores: Sequence[float]) -> list[float]:
    """Return the scores of one search as probabilities; where one of them is none, they are what comes before it."""
    if all(0.0 <= score <= 1.0 for score in scores):
        return list(scores)
    return [logistic(score) for score in scores]

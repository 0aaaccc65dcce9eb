"""Passages in order -> an order in which a passage gives way that says what one above it says.

Maximal marginal relevance (Carbonell and Goldstein 1998): always the passage next whose relevance, less its likeness to
what stands already, is highest. Nothing is left out that there is room for, and the first passage stays the first.
"""

from collections.abc import Mapping, Sequence, Set

import numpy as np
from numpy.typing import NDArray

# So many times the passages wanted may change places: past that even an original one is hardly about the question.
REACH = 4


def diversify_passages(
    words: Sequence[Set[str]], vectors: Mapping[int, NDArray[np.float32]], *, diversity: float, wanted: int
) -> list[int]:
    """Return the indices of passages in their new order, as many as are wanted.

    Args:
        words: Of each passage, best first.
        vectors: Index -> unit vector, of those that have one; two are compared by words where one has none.
        diversity: 0 leaves the order, 1 looks at nothing but likeness.
        wanted: How many.
    """
    rest = list(range(len(words)))
    relevance = 1 - np.arange(len(words)) / max(len(words), 1)
    likeness = np.zeros(len(words))
    order: list[int] = []
    while rest and len(order) < wanted:
        gains = [
            (1 - diversity) * relevance[index] - diversity * likeness[index] if order else -index for index in rest
        ]
        chosen = rest.pop(int(np.argmax(gains)))
        order.append(chosen)
        for index in rest:
            likeness[index] = max(likeness[index], _likeness(chosen, index, words, vectors))
    return order


def _likeness(one: int, other: int, words: Sequence[Set[str]], vectors: Mapping[int, NDArray[np.float32]]) -> float:
    if one in vectors and other in vectors:
        return max(0.0, float(vectors[one] @ vectors[other]))
    either = len(words[one] | words[other])
    return len(words[one] & words[other]) / either if either else 1.0

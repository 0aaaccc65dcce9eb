"""Diversification of ranked passages: a passage that resembles a higher one moves down.

Maximal marginal relevance (Carbonell and Goldstein 1998): the next passage is always the one with the highest relevance
minus its similarity to those chosen so far. Nothing is dropped within the limit, and the first passage stays first.
"""

from collections.abc import Mapping, Sequence, Set

import numpy as np
from numpy.typing import NDArray

# Passages that may change places, as a multiple of the requested ones; later ones are hardly about the question.
REACH = 4


def diversify_passages(
    words: Sequence[Set[str]], vectors: Mapping[int, NDArray[np.float32]], *, diversity: float, wanted: int
) -> list[int]:
    """Return the indices of the requested number of passages in their new order.

    Args:
        words: Words of each passage, best passage first.
        vectors: Index -> unit vector; if one of two passages has none, their words are compared.
        diversity: 0 keeps the order, 1 considers similarity only.
        wanted: Number of passages.
    """
    rest = list(range(len(words)))
    relevance = 1 - np.arange(len(words)) / max(len(words), 1)
    similarity = np.zeros(len(words))
    order: list[int] = []
    while rest and len(order) < wanted:
        gains = [
            (1 - diversity) * relevance[index] - diversity * similarity[index] if order else -index for index in rest
        ]
        chosen = rest.pop(int(np.argmax(gains)))
        order.append(chosen)
        for index in rest:
            similarity[index] = max(similarity[index], _similarity(chosen, index, words, vectors))
    return order


def _similarity(one: int, other: int, words: Sequence[Set[str]], vectors: Mapping[int, NDArray[np.float32]]) -> float:
    if one in vectors and other in vectors:
        return max(0.0, float(vectors[one] @ vectors[other]))
    either = len(words[one] | words[other])
    return len(words[one] & words[other]) / either if either else 1.0

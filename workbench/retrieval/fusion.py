"""Weights of the dense list and the keyword list: each counts for what it is worth for the question.

Both scores are put on a scale with a meaning of its own, and then added: the cosine on the embedder's own scale
(0 unrelated, 1 an answer), BM25 as a share of the most that the question's words could give. A list that does not tell
its chunks apart then has no say, because its scores lie close together; ranks would hide that. On top, the dense list
counts only as far as the embedder was measured to understand the question (understanding.py).

nDCG@10, keyword list alone / ranks fused (k = 60) / as here: xquad en 0.971 / 0.968 / 0.982, xquad zh 0.967 / 0.573 /
0.967, squad2 0.898 / 0.905 / 0.922, hotpot 0.755 / - / 0.831; 0.25 to 0.4 in place of 1/3 differ by 0.002.
"""

from dataclasses import dataclass

from workbench.retrieval.understanding import Understanding

# The dense list's weight when the embedder understands the question fully.
DENSE_SHARE = 1 / 3

# Never quite nothing: where no word of the question is found, the dense list still gives an order, and an embedder that
# does not know the script still tells a little. nDCG@10 reranked, with 0.01 / as here: xquad zh 0.974 / 0.976, cmrc
# 0.988 / 0.989, drcd 0.979 in both, the pages of xquad's Chinese PDFs 0.980 / 0.983.
LEAST_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class Fused:
    """A chunk's place in both lists and its score in the new order; None where a list does not hold it."""

    chunk: int
    score: float
    dense: float | None
    keyword: float | None
    dense_rank: int | None
    keyword_rank: int | None


def dense_weight(understanding: Understanding) -> float:
    """Return the dense list's share of the say, 0 to 1; the keyword list has the rest."""
    dense = DENSE_SHARE * understanding.degree
    return max(LEAST_SHARE, dense / (dense + 1 - DENSE_SHARE))

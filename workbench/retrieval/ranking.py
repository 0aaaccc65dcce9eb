"""Linear ranking of candidates: one weight a feature, read from ranking.json.

The features have scales of their own, on which 0 is nothing and 1 as much as there can be (a cosine is scaled to 1 for
an answer), so that scores of different questions compare and the reranker's parts can be added to them. The weights of
the keyword features and of the dense ones add up to 1 each; which of the two lists has how much of the say is measured
for each question (understanding.py).
"""

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Feature = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """The weights, by feature; see Features for what they multiply.

    Attributes:
        keyword: Of "question", "rest" and "page".
        dense: Of "question" and "rest".
        expansions: Of "chunk", "page" and "dense".
        named: Of a document that the question names.
        locators: Of "page", "front", "contents", "mentioned" and "captioned".
    """

    keyword: dict[str, float]
    dense: dict[str, float]
    expansions: dict[str, float]
    named: float
    locators: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Features:
    """One value a candidate, each float32 [candidates].

    Attributes:
        keyword: BM25 share of the question in the chunk.
        keyword_rest: Of what the question asks beside the names of documents.
        page: Of that, on the chunk's whole page.
        dense: Scaled cosine of the question; the middle of the others where a chunk has no vector yet.
        dense_rest: Scaled cosine of the rest.
        expansions: Mean BM25 share of the expansions in the chunk.
        expansions_page: On its page; 0 in a document without pages.
        expansions_dense: Mean scaled cosine of the expansions; 0 where there are none.
        named: How surely the question names its document, 0 to 1.
        located: How well it stands at the places that the question names, weighed.
    """

    keyword: Feature
    keyword_rest: Feature
    page: Feature
    dense: Feature
    dense_rest: Feature
    expansions: Feature
    expansions_page: Feature
    expansions_dense: Feature
    named: Feature
    located: Feature


@cache
def ranking_weights() -> RankingWeights:
    """Return the weights that ship with the program."""
    kept = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
    return RankingWeights(kept["keyword"], kept["dense"], kept["expansions"], kept["named"], kept["locators"])


def rank_scores(features: Features, dense_share: float, weights: RankingWeights) -> Feature:
    """Return the score of each candidate, float32 [candidates]; higher is better.

    Args:
        features: Of the candidates.
        dense_share: The dense list's share of the say, 0 to 1.
        weights: Of the features.
    """
    keyword, dense, expansions = weights.keyword, weights.dense, weights.expansions
    by_words = (
        keyword["question"] * features.keyword
        + keyword["rest"] * features.keyword_rest
        + keyword["page"] * features.page
        + expansions["chunk"] * features.expansions
        + expansions["page"] * features.expansions_page
    )
    by_meaning = (
        dense["question"] * features.dense
        + dense["rest"] * features.dense_rest
        + expansions["dense"] * features.expansions_dense
    )
    scores: Feature = (
        (1 - dense_share) * by_words + dense_share * by_meaning + weights.named * features.named + features.located
    ).astype(np.float32)
    return scores

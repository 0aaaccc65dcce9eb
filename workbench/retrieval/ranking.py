"""Linear ranking of candidates: one weight a feature, read from ranking.json.

The features have scales of their own, on which 0 is nothing and 1 as much as there can be (a cosine is scaled to 1 for
an answer), so that scores of different questions compare and the reranker's parts can be added to them. The weights of
the keyword features and of the dense ones add up to 1 each; which of the two lists has how much of the say is measured
for each question (understanding.py).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.retrieval.understanding import Understanding

Feature = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """The weights, by feature; see Features for what they multiply.

    Attributes:
        keyword: Of "question", "rest" and "page".
        dense: Of the question's cosine.
        expansions: Of "chunk", "page" and "dense".
        named: Of a document that the question names.
        texts: Of "headings", "years" and "statement".
        locators: Of "page", "front", "contents", "mentioned" and "captioned".
        reranking: Of what the reranker adds: "tokens", "letters", "characters", "topics" and "neighbours".
    """

    keyword: dict[str, float]
    dense: float
    expansions: dict[str, float]
    named: float
    texts: dict[str, float]
    locators: dict[str, float]
    reranking: dict[str, float]


@dataclass(slots=True)
class Features:
    """One value a candidate, each float32 [candidates].

    Attributes:
        keyword: BM25 share of the question in the chunk.
        keyword_rest: Of what the question asks beside the names of documents.
        page: Of that, on the chunk's whole page.
        dense: Scaled cosine of the question; the middle of the others where a chunk has no vector yet.
        expansions: Mean BM25 share of the expansions in the chunk.
        expansions_page: On its page; 0 in a document without pages.
        expansions_dense: Mean scaled cosine of the expansions; 0 where there are none.
        named: How surely the question names its document, 0 to 1.
        located: How well it stands at the places that the question names, weighed.
        headings: Share of what the question asks that its document's title and its headings hold.
        years: Share of the question's years that it names.
        statement: 1 where it is a financial statement in which the quantities asked for stand.
    """

    keyword: Feature
    keyword_rest: Feature
    page: Feature
    dense: Feature
    expansions: Feature
    expansions_page: Feature
    expansions_dense: Feature
    named: Feature
    located: Feature
    headings: Feature
    years: Feature
    statement: Feature


@cache
def ranking_weights() -> RankingWeights:
    """Return the weights that ship with the program."""
    kept = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
    return RankingWeights(**{field.name: kept[field.name] for field in fields(RankingWeights)})


def scaled_cosines(cosines: Mapping[int, float], chunks: Sequence[int], understanding: Understanding | None) -> Feature:
    """Return the cosines of chunks on the embedder's own scale, float32 [chunks]: 0 unrelated, 1 an answer.

    A chunk without a vector yet has the middle of the others, or an import would hide it.

    Args:
        cosines: Chunk -> cosine.
        chunks: Ids, in the order wanted.
        understanding: The scale; None, and all are 0, where meaning was not searched.
    """
    if understanding is None or not cosines:
        return np.zeros(len(chunks), np.float32)
    values = np.fromiter((cosines.get(chunk, np.nan) for chunk in chunks), np.float32, len(chunks))
    scaled = (values - understanding.floor) / understanding.spread
    return np.where(np.isnan(scaled), np.nanmedian(scaled), scaled).astype(np.float32)


def rank_scores(features: Features, dense_share: float, weights: RankingWeights) -> Feature:
    """Return the score of each candidate, float32 [candidates]; higher is better.

    Args:
        features: Of the candidates.
        dense_share: The dense list's share of the say, 0 to 1.
        weights: Of the features.
    """
    keyword, expansions = weights.keyword, weights.expansions
    by_words = (
        keyword["question"] * features.keyword
        + keyword["rest"] * features.keyword_rest
        + keyword["page"] * features.page
        + expansions["chunk"] * features.expansions
        + expansions["page"] * features.expansions_page
    )
    by_meaning = weights.dense * features.dense + expansions["dense"] * features.expansions_dense
    by_text = (
        weights.texts["headings"] * features.headings
        + weights.texts["years"] * features.years
        + weights.texts["statement"] * features.statement
    )
    by_place = weights.named * features.named + features.located
    scores: Feature = ((1 - dense_share) * by_words + dense_share * by_meaning + by_text + by_place).astype(np.float32)
    return scores

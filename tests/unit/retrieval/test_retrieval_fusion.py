"""Weights of the two lists, and of the other features of a candidate."""

from collections.abc import Mapping

import numpy as np

from workbench.retrieval.embedder_calibration import EmbedderCalibration
from workbench.retrieval.hybrid_search import DENSE_SHARE, LEAST_SHARE, dense_weight
from workbench.retrieval.ranking import Features, rank_scores, ranking_weights, scaled_cosines

FULL = EmbedderCalibration(1.0, 0.0, 0.6)


def order(
    dense: Mapping[int, float], keyword: Mapping[int, float], *, weight: float = DENSE_SHARE, **others
) -> list[int]:
    """Return the chunks, best first, by their cosines, BM25 shares and one value for each of the other features."""
    chunks = sorted({*dense, *keyword})
    share = np.array([keyword.get(chunk, 0.0) for chunk in chunks], np.float32)
    features = Features(
        keyword=share,
        keyword_rest=share,
        page=share,
        dense=scaled_cosines(dense, chunks, FULL),
        **{
            name: np.array([others.get(name, {}).get(chunk, 0.0) for chunk in chunks], np.float32)
            for name in (
                "expansions",
                "expansions_page",
                "expansions_dense",
                "named",
                "located",
                "headings",
                "years",
                "statement",
                "rows",
            )
        },
    )
    scores = rank_scores(features, weight, ranking_weights())
    return [chunks[place] for place in np.argsort(-scores, kind="stable")]


def test_an_embedder_that_understands_nothing_gets_the_minimum_weight() -> None:
    assert dense_weight(EmbedderCalibration(0.0, 0.5, 0.6)) == LEAST_SHARE
    assert dense_weight(FULL) == DENSE_SHARE


def test_the_weight_grows_with_understanding() -> None:
    weights = [dense_weight(EmbedderCalibration(degree / 4, 0.0, 0.6)) for degree in range(5)]
    assert weights == sorted(weights)


def test_a_flat_dense_list_leaves_the_keyword_order() -> None:
    assert order({1: 0.61, 2: 0.60, 3: 0.60}, {3: 0.6, 2: 0.4, 1: 0.1}) == [3, 2, 1]


def test_a_clear_dense_list_overrules_a_weak_keyword_list() -> None:
    assert order({1: 0.7, 2: 0.05}, {2: 0.14, 1: 0.13}) == [1, 2]


def test_where_no_word_is_found_the_dense_list_gives_the_order() -> None:
    assert order({1: 0.3, 2: 0.4}, {}, weight=LEAST_SHARE) == [2, 1]


def test_a_chunk_without_a_vector_is_placed_as_the_middle_of_the_others() -> None:
    assert order({1: 0.6, 2: 0.3, 3: 0.0}, {1: 0.2, 2: 0.2, 3: 0.2, 4: 0.21}) == [1, 4, 2, 3]


def test_equal_scores_keep_the_order_given() -> None:
    assert order({}, {9: 0.2, 2: 0.2}, weight=0.0) == [2, 9]


def test_a_page_that_holds_what_documents_write_for_a_term_goes_before_one_that_holds_the_question() -> None:
    assert order({}, {1: 0.3, 2: 0.1}, expansions_page={2: 0.9}) == [2, 1]


def test_the_keyword_weights_add_up_to_one() -> None:
    assert sum(ranking_weights().keyword.values()) == 1.0

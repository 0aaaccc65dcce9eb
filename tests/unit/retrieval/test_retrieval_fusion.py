"""The weighing of the lists."""

from workbench.retrieval.fusion import DENSE_SHARE, LEAST_SHARE, dense_weight, fuse
from workbench.retrieval.question import QuestionWords
from workbench.retrieval.understanding import Understanding

WORDS = QuestionWords({"copper": 5.0, "roof": 5.0}, 10.0, 0.0, 10.0)
FULL = Understanding(1.0, 0.0, 0.6)


def order(dense, keyword, *, weight=DENSE_SHARE, understanding=FULL):
    ranks = {chunk: rank for rank, chunk in enumerate(dense, start=1)}
    fused = fuse(dense, keyword, weight=weight, understanding=understanding, words=WORDS, dense_ranks=ranks)
    return [one.chunk for one in fused]


def test_an_embedder_that_understands_nothing_has_next_to_no_say():
    assert dense_weight(Understanding(0.0, 0.5, 0.6)) == LEAST_SHARE
    assert dense_weight(FULL) == DENSE_SHARE


def test_the_weight_grows_with_understanding():
    weights = [dense_weight(Understanding(degree / 4, 0.0, 0.6)) for degree in range(5)]
    assert weights == sorted(weights)


def test_a_flat_dense_list_leaves_the_keyword_order():
    assert order({1: 0.61, 2: 0.60, 3: 0.60}, {3: 14.0, 2: 9.0, 1: 3.0}) == [3, 2, 1]


def test_a_clear_dense_list_overrules_a_weak_keyword_list():
    assert order({1: 0.7, 2: 0.05}, {2: 3.0, 1: 2.8}) == [1, 2]


def test_where_no_word_is_found_the_dense_list_gives_the_order():
    assert order({1: 0.3, 2: 0.4}, {}, weight=LEAST_SHARE) == [2, 1]


def test_a_chunk_without_a_vector_is_placed_as_the_middle_of_the_others():
    assert order({1: 0.6, 2: 0.3, 3: 0.0}, {1: 5.0, 2: 5.0, 3: 5.0, 4: 5.1}) == [1, 4, 2, 3]


def test_equal_scores_keep_the_older_chunk_first():
    assert order({}, {9: 4.0, 2: 4.0}, weight=0.0, understanding=None) == [2, 9]


def test_both_ranks_and_scores_are_kept():
    fused = fuse({7: 0.5}, {7: 6.0}, weight=0.3, understanding=FULL, words=WORDS, dense_ranks={7: 4})[0]
    assert (fused.dense, fused.keyword, fused.dense_rank, fused.keyword_rank) == (0.5, 6.0, 4, 1)

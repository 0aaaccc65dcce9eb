"""Search by meaning, by words or by both: the hits, the weights, and the floor of relevance."""

import pytest

from workbench.errors import SettingError
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration


@pytest.fixture
def filled(library):
    library.add("An automobile needs oil.")
    library.add("The vehicle tax is paid in May.")
    return library


def found(library, question, **steps):
    result = library.retriever.search(question, configuration=SearchConfiguration(**steps))
    return [hit.chunk.text for hit in result.hits]


def test_b16_dense_keyword_and_hybrid_search_each_return_their_matches(filled):
    assert found(filled, "vehicle", mode=SearchMode.KEYWORD) == ["The vehicle tax is paid in May."]
    assert set(found(filled, "vehicle", mode=SearchMode.DENSE)) == set(found(filled, "vehicle"))
    assert len(found(filled, "vehicle")) == 2


def test_b16_the_weight_sets_how_much_meaning_counts_beside_keywords(filled):
    scores = {
        weight: filled.retriever.search("vehicle", configuration=SearchConfiguration(dense_weight=weight))
        .hits[0]
        .scores
        for weight in (0.0, 0.5, 1.0)
    }
    assert [scores[weight].dense_weight for weight in scores] == [0.0, 0.5, 1.0]
    # The scores of the middle are the mean of both ends: a weighted sum of scores, not of ranks.
    assert scores[0.5].fused == pytest.approx((scores[0.0].fused + scores[1.0].fused) / 2)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
@pytest.mark.parametrize("field", ["dense_weight", "floor"])
def test_b16_a_weight_or_floor_outside_of_0_to_1_is_an_error(field, share):
    with pytest.raises(SettingError, match="cannot be"):
        SearchConfiguration(**{field: share})


def test_b16_a_question_none_of_whose_words_is_there_is_searched_by_meaning_alone(filled):
    filled.add("The roof is made of copper.")
    both = filled.retriever.search("car", configuration=SearchConfiguration(dense_weight=0.5)).hits
    assert all(hit.scores.keyword is None for hit in both)
    assert [hit.chunk.text for hit in both] == found(filled, "car", mode=SearchMode.DENSE)
    assert both[-1].chunk.text == "The roof is made of copper."


def test_b16_results_less_relevant_than_a_custom_floor_are_not_offered(filled):
    usual = filled.retriever.search("vehicle tax")
    best = max(hit.scores.relevance for hit in usual.hits)
    assert usual.is_relevant
    for floor, is_offered in ((best - 0.01, True), (best + 0.01, False)):
        result = filled.retriever.search("vehicle tax", configuration=SearchConfiguration(floor=floor))
        assert (result.floor, result.is_relevant) == (floor, is_offered)

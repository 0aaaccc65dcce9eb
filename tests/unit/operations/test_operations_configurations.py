"""Search configurations as typed text."""

import pytest

from workbench.errors import SettingError
from workbench.model.hit import SearchMode
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations.evaluation.search_configurations import configuration_of_pairs


@pytest.mark.parametrize(
    ("text", "configuration"),
    [
        ("mode=dense", SearchConfiguration(SearchMode.DENSE)),
        (" mode = keyword , reranking = none ", SearchConfiguration(SearchMode.KEYWORD, "none")),
        ("names=no,parts=OFF,diversity=0.3", SearchConfiguration(names=False, parts=False, diversity=0.3)),
        ("names=yes,reranking=", SearchConfiguration()),
        ("dense_weight=0.5,floor=0.2", SearchConfiguration(dense_weight=0.5, floor=0.2)),
        ("dense_weight=,floor=", SearchConfiguration()),
    ],
)
def test_options_that_are_not_named_keep_their_defaults(text: str, configuration: SearchConfiguration) -> None:
    assert configuration_of_pairs(text) == configuration


@pytest.mark.parametrize(
    "text",
    [
        "colour=red",
        "mode=magic",
        "names=perhaps",
        "diversity=much",
        "diversity=2",
        "diversity=nan",
        "dense_weight=1.5",
        "floor=-0.1",
        "reranking=x",
        "mode",
        "=",
        ",",
    ],
)
def test_an_invalid_configuration_is_rejected_with_a_hint(text: str) -> None:
    with pytest.raises(SettingError) as caught:
        configuration_of_pairs(text)
    assert caught.value.hint

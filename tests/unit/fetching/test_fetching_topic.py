"""Topics and the addresses at which they are requested from an encyclopaedia."""

import pytest

from workbench.errors import AddressRefused, NoSuchPage, PageNotFetched, SettingError
from workbench.fetching.address import encyclopaedia_host, must_be_article, topic_address
from workbench.fetching.web_fetcher import refusal
from workbench.settings import Settings

SEARCH = Settings().topic_url


@pytest.mark.parametrize(
    ("template", "topic", "address"),
    [
        (SEARCH, "Sea ice", "https://en.wikipedia.org/wiki/Special:Search?go=Go&search=Sea%20ice"),
        (SEARCH, "AT&T/#1?", "https://en.wikipedia.org/wiki/Special:Search?go=Go&search=AT%26T%2F%231%3F"),
        ("https://zh.wikipedia.org/wiki/{topic}", "海冰", "https://zh.wikipedia.org/wiki/%E6%B5%B7%E5%86%B0"),
        ("https://wiki.org/{topic}", "https://evil.org/", "https://wiki.org/https%3A%2F%2Fevil.org%2F"),
        ("https://wiki.org/{topic}", "half \ud800", "https://wiki.org/half%20%3F"),
    ],
)
def test_b7_a_topic_with_any_characters_is_encoded_as_one_part_of_the_address(
    template: str, topic: str, address: str
) -> None:
    assert topic_address(template, topic) == address


def test_a_topic_that_is_no_name_is_refused() -> None:
    with pytest.raises(AddressRefused):
        topic_address(SEARCH, "ice " * 2000)


def test_the_host_that_is_asked_is_named() -> None:
    assert encyclopaedia_host(SEARCH) == "en.wikipedia.org"


@pytest.mark.parametrize("template", ["", "https://wiki.org/", "file:///{topic}", "https://me:secret@wiki.org/{topic}"])
def test_an_address_that_cannot_be_requested_with_a_topic_is_rejected_with_a_hint(template: str) -> None:
    with pytest.raises(SettingError) as said:
        encyclopaedia_host(template)
    assert "{topic}" in said.value.hint


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("https://wiki.org/Special:Search?go=Go&search=ice", "https://wiki.org/wiki/Ice"),
        ("https://wiki.org/Special:Search?go=Go&search=ice", "https://m.wiki.org/index.php?title=Ice"),
        ("https://wiki.org/wiki/ice", "https://wiki.org/wiki/ice"),
        ("https://wiki.org/wiki/ice", "https://wiki.org/wiki/Ice"),
    ],
)
def test_a_search_that_led_on_led_to_an_article(asked: str, found: str) -> None:
    must_be_article(asked, found)


@pytest.mark.parametrize(
    "found",
    [
        "https://wiki.org/Special:Search?go=Go&search=ice",
        "https://m.wiki.org/Special:Search?search=ice&ns0=1",
        "https://wiki.org/Spezial:Suche?search=ice",
    ],
)
def test_the_results_of_a_search_are_no_article(found: str) -> None:
    with pytest.raises(PageNotFetched, match="No article of this name"):
        must_be_article("https://wiki.org/Special:Search?go=Go&search=ice", found)


def test_a_page_that_does_not_exist_is_distinguished_from_one_that_is_not_served() -> None:
    assert [type(refusal(status)) is NoSuchPage for status in (404, 410, 403, 500)] == [True, True, False, False]

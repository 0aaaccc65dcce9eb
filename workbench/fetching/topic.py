"""A topic -> the address at which an encyclopaedia is asked for its article, and whether what came is one."""

from urllib.parse import parse_qsl, quote, urlsplit

from workbench.errors import AddressRefused, PageNotFetched, SettingError
from workbench.fetching.address import web_address
from workbench.language import mark
from workbench.model.egress import host_of

PLACE = "{topic}"
"""What stands in an encyclopaedia's address for the topic."""


def encyclopaedia_host(template: str) -> str:
    """Return the server that is asked for topics, as host_of names it.

    Raises:
        SettingError: The address has no place for the topic, or is none.
    """
    hint = mark("Give one like https://en.wikipedia.org/wiki/{topic} in the settings.")
    if PLACE not in template:
        raise SettingError(f"The address of the encyclopaedia has no {PLACE} in it.", hint)
    try:
        return host_of(web_address(template.replace(PLACE, "x")))
    except AddressRefused as error:
        raise SettingError(f"The encyclopaedia cannot be asked: {error.message}", hint) from error


def topic_address(template: str, topic: str) -> str:
    """Return the address at which a topic is asked for.

    Raises:
        AddressRefused: The topic is too long for one.
    """
    return web_address(template.replace(PLACE, quote(topic, safe="", errors="replace")))


def must_be_article(asked: str, found: str) -> None:
    """Make sure that a search led on to an article; an address without a question is that of one.

    Raises:
        PageNotFetched: The search came to an end at its own results.
    """
    search, place = urlsplit(asked), urlsplit(found)
    questions = set(parse_qsl(search.query))
    # Wikis redirect their search to the name that it has in their own language: the question stays.
    if questions and (search.path == place.path or questions & set(parse_qsl(place.query))):
        raise no_article(asked)


def no_article(asked: str) -> PageNotFetched:
    """Return the error for a topic of which an encyclopaedia has no article."""
    return PageNotFetched(
        f"No article of this name at {urlsplit(asked).hostname}.", "Check its spelling, or add a page by its link."
    )

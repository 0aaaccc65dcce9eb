"""Topics added to a real library from an encyclopaedia on loopback."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from web_site import Site, body, page, redirect, status

from workbench import operations
from workbench.errors import SettingError
from workbench.model.document import Document, DocumentStatus, Origin
from workbench.model.import_progress import FileOutcome
from workbench.operations import Library

Run = Callable[[Any], Any]
ICE = "Sea ice arises as seawater freezes. Because ice is less dense than water, it floats on the surface of the ocean."
FOUND_NOTHING = "There were no results matching the query. You may create the page, or ask for it to be created."


@pytest.fixture
def wiki() -> Iterator[Site]:
    """Yield an encyclopaedia with one article, and a search that finds it by any of its names."""
    replies = {
        "/search?go=Go&q=sea%20ice": redirect("/wiki/Sea_ice"),
        "/search?go=Go&q=%E6%B5%B7%E5%86%B0": redirect("/wiki/Sea_ice"),
        "/search?go=Go&q=Lindhamn": body(page("Search results", FOUND_NOTHING)),
        "/wiki/Sea_ice": body(page("Sea ice", ICE), etag="one"),
    }
    with Site(replies) as site:
        yield site


@pytest.fixture(autouse=True)
def _settings(library: Library, run: Run, wiki: Site) -> None:
    run(operations.put_setting(library, "allow_private_addresses", "yes"))
    run(operations.put_setting(library, "topic_url", wiki.url("/search?go=Go&q={topic}")))


def _by_name(library: Library) -> dict[str, Document]:
    return {document.name: document for document in library.documents.list()}


def test_b7_a_topic_becomes_the_article_of_that_name(library: Library, run: Run, wiki: Site) -> None:
    [file] = run(operations.add_topics(library, ["  sea   ice "]))
    (document,) = library.documents.list()
    assert (file.outcome, file.path, document.origin) == (FileOutcome.READY, wiki.url("/wiki/Sea_ice"), Origin.URL)
    assert (document.metadata.title, document.path) == ("Sea ice", wiki.url("/wiki/Sea_ice"))
    assert wiki.paths == ["/search?go=Go&q=sea%20ice", "/wiki/Sea_ice"]
    [hit] = run(operations.search(library, "Why does sea ice float?")).hits
    assert "less dense" in hit.chunk.text


def test_b14_one_topic_without_an_article_never_stops_the_rest(library: Library, run: Run, wiki: Site) -> None:
    files = run(operations.add_topics(library, ["Lindhamn", "sea ice", " ", "x" * 5000, "nowhere"]))
    assert sorted(file.outcome.value for file in files) == ["failed", "failed", "failed", "ready"]
    rows = _by_name(library)
    for name in ("Lindhamn", "nowhere"):
        assert (rows[name].status, rows[name].reason) == (
            DocumentStatus.FAILED, "No article of this name at 127.0.0.1.",
        )  # fmt: skip
    assert run(operations.search(library, "no results matching the query")).coverage.failed == 2


def test_two_names_of_one_article_are_one_document(library: Library, run: Run, wiki: Site) -> None:
    run(operations.add_topics(library, ["sea ice"]))
    [file] = run(operations.add_topics(library, ["海冰"]))
    assert (file.outcome, len(library.documents.list())) == (FileOutcome.UNCHANGED, 1)


def test_an_article_is_fetched_again_by_its_topic(library: Library, run: Run, wiki: Site) -> None:
    run(operations.add_topics(library, ["sea ice"]))
    wiki.replies["/search?go=Go&q=sea%20ice"] = redirect("/wiki/Ice_of_the_sea")
    wiki.replies["/wiki/Ice_of_the_sea"] = body(page("Ice of the sea", ICE + " It is white."))
    (document,) = library.documents.list()
    [file] = run(operations.refetch(library, [document.id]))
    assert (file.outcome, library.documents.get(document.id).path) == (
        FileOutcome.READY, wiki.url("/wiki/Ice_of_the_sea"),
    )  # fmt: skip
    wiki.replies["/wiki/Ice_of_the_sea"] = status(404)
    [file] = run(operations.refetch(library, [document.id]))
    assert "the earlier version is still searched: No article of this name" in library.documents.get(document.id).reason


def test_an_article_at_the_topics_own_address_needs_no_search(library: Library, run: Run, wiki: Site) -> None:
    run(operations.put_setting(library, "topic_url", wiki.url("/wiki/{topic}")))
    files = run(operations.add_topics(library, ["Sea_ice", "nowhere"]))
    assert sorted(file.outcome.value for file in files) == ["failed", "ready"]
    assert _by_name(library)["nowhere"].reason == "No article of this name at 127.0.0.1."


def test_topics_obey_the_rules_of_links(library: Library, run: Run, wiki: Site) -> None:
    run(operations.put_setting(library, "allow_private_addresses", "no"))
    [file] = run(operations.add_topics(library, ["sea ice"]))
    assert (file.outcome, wiki.paths) == (FileOutcome.FAILED, [])
    assert "your own network" in file.reason


def test_an_address_that_is_no_encyclopaedia_is_reported_before_any_request(
    library: Library, run: Run, wiki: Site
) -> None:
    assert run(operations.topic_host(library)) == f"127.0.0.1:{wiki.port}"
    with pytest.raises(SettingError, match="Encyclopedia for topics"):
        run(operations.put_setting(library, "topic_url", wiki.url("/wiki/")))
    run(operations.put_setting(library, "topic_url", "ftp://127.0.0.1/{topic}"))
    for operation in (operations.add_topics(library, ["sea ice"]), operations.topic_host(library)):
        with pytest.raises(SettingError, match="cannot be asked"):
            run(operation)
    assert (wiki.paths, library.documents.list()) == ([], [])

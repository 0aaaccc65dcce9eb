"""The version, what is new in it, and a newer one where a release feed is set."""

import json
from collections.abc import Callable
from typing import Any

from web_site import Site, body

from workbench import __version__

Typed = Callable[..., tuple[int, list[Any], str]]


def test_the_version_and_its_changes_need_no_library(typed: Typed) -> None:
    status, (record,), _ = typed("version", "--changes")
    assert (status, record["version"]) == (0, __version__)
    assert "### Added" in record["changes"]


def test_a_newer_version_is_printed_where_a_feed_is_set(typed: Typed) -> None:
    newer = {"version": "99.0", "date": "2026-11-26", "address": "https://example.org/", "sha256": "", "notes": ""}
    with Site({"/": body(json.dumps(newer))}) as site:
        assert typed("settings", "update_feed", site.url("/"))[0] == 0
        status, (record,), _ = typed("version", "--check")
    assert (status, record["newest"], record["problem"]) == (0, newer, "")


def test_a_feed_that_gives_no_usable_answer_is_a_failure(typed: Typed) -> None:
    with Site({"/": body("nothing")}) as site:
        typed("settings", "update_feed", site.url("/"))
        status, (record,), _ = typed("version", "--check")
    assert (status, record["problem"]) == (1, "It is not JSON in UTF-8.")

"""The question for a newer version: only if a feed is set, once a day, through the gate."""

import json
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from gates import nowhere_is_here_in, requests_of, shut_in
from web_site import Site, body, redirect, status

from workbench import operations
from workbench.errors import ProgramReplaced
from workbench.model.egress import NetworkOutcome, NetworkUse, Purpose
from workbench.model.release import LONGEST_FEED, Release, ReleaseCheck, read_release
from workbench.operations import Library
from workbench.operations.integrity import release_check
from workbench.worker.job import Operation

Run = Callable[[Operation[Any]], Any]

NEWER = {
    "version": "99.1.0",
    "date": "2026-11-26",
    "address": "https://example.org/workbench-99.1.0.deb",
    "sha256": "ab" * 32,
    "notes": "Faster.",
}


@pytest.fixture
def site() -> Iterator[Site]:
    """A release server."""
    with Site({"/feed.json": body(json.dumps(NEWER), "application/json")}) as site:
        yield site


@pytest.fixture
def feed(library: Library, site: Site) -> str:
    """The address that the user has set."""
    library.setting_values.put("update_feed", site.url("/feed.json"))
    return site.url("/feed.json")


def a_day_later(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tomorrow(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime.now(tz) + timedelta(days=1, seconds=1)

    monkeypatch.setattr(release_check, "datetime", Tomorrow)


def test_no_release_feed_is_requested_by_default(library: Library, run: Run) -> None:
    assert run(operations.check_release(library)) == ReleaseCheck()
    assert requests_of(library) == []


def test_a_newer_version_is_named_with_its_hash_and_the_question_is_in_the_ledger(
    library: Library, feed: str, site: Site, run: Run
) -> None:
    found = run(operations.check_release(library))
    assert found.release == Release(**NEWER)
    (request,) = requests_of(library)
    assert (request.purpose, request.address, request.outcome) == (Purpose.RELEASE_FEED, feed, NetworkOutcome.DONE)
    ((_path, headers),) = site.requests
    assert headers.keys() <= {"Host", "Accept", "Accept-Encoding", "Connection", "User-Agent"}
    assert headers["User-Agent"] == "knowledge-workbench"  # nothing about this machine, not even the version


def test_the_release_feed_is_requested_at_most_once_a_day_for_all_callers(
    library: Library, feed: str, site: Site, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(operations.check_release(library))
    assert run(operations.check_release(library)) == first
    assert site.paths == ["/feed.json"]
    a_day_later(monkeypatch)
    run(operations.check_release(library))
    assert site.paths == ["/feed.json"] * 2


def test_another_feed_is_asked_at_once(library: Library, feed: str, site: Site, run: Run) -> None:
    run(operations.check_release(library))
    site.replies["/other"] = body(json.dumps(NEWER | {"version": "99.2"}))
    library.setting_values.put("update_feed", site.url("/other"))
    assert run(operations.check_release(library)).release.version == "99.2"


def test_without_exceptions_offline_mode_refuses_and_nothing_is_connected_to(
    library: Library, feed: str, site: Site, run: Run
) -> None:
    shut_in(library)
    found = run(operations.check_release(library))
    assert found.problem == "Offline mode is on: “127.0.0.1” was not asked."
    (request,) = requests_of(library)
    assert (request.purpose, request.outcome, request.sent) == (Purpose.RELEASE_FEED, NetworkOutcome.REFUSED, 0)
    assert site.requests == []


def test_the_feed_that_is_set_is_an_exception_for_itself_only(library: Library, feed: str, run: Run) -> None:
    nowhere_is_here_in(library)
    library.setting_values.put("update_feed", "https://example.org/feed.json")
    (need,) = operations.offline_mode(library).exceptions
    assert (need.use, need.host, need.port) == (NetworkUse.RELEASE_FEED, "example.org", 443)


def test_the_running_version_is_no_news(library: Library, feed: str, site: Site, run: Run) -> None:
    site.replies["/feed.json"] = body(json.dumps(NEWER | {"version": release_check.workbench.__version__}))
    found = run(operations.check_release(library))
    assert (found.release, found.sentence) == (None, "The release feed names no newer version.")


def test_a_version_that_was_installed_meanwhile_is_not_announced_again(
    library: Library, feed: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(operations.check_release(library))
    monkeypatch.setattr(release_check.workbench, "__version__", "99.1.0")
    assert run(operations.check_release(library)).release is None


def test_each_newer_version_is_announced_once(library: Library, feed: str, run: Run) -> None:
    assert run(operations.announce_release(library)).release.version == "99.1.0"
    assert run(operations.announce_release(library)) is None


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (status(500), "Its server answered with status 500."),
        (redirect("https://example.org/"), "Its server answered with status 302."),
        (body("<html>"), "It is not JSON in UTF-8."),
        (body("[1]"), "It is not a JSON object."),
        (body("x" * (LONGEST_FEED + 1)), "It is far too large."),
        (
            body(json.dumps(NEWER | {"address": "file:///etc/passwd"})),
            "Its value “address” is not as the format requires.",
        ),
    ],
)
def test_an_answer_that_is_no_feed_is_a_sentence(
    library: Library, feed: str, site: Site, run: Run, reply: Any, problem: str
) -> None:
    site.replies["/feed.json"] = reply
    found = run(operations.check_release(library))
    assert (found.release, found.problem) == (None, problem)
    assert found.sentence == f"The release feed gave no usable answer: {problem}"


@pytest.mark.parametrize(("address", "words"), [("http://example.org/", "https"), ("http://127.0.0.1:9/", "reached")])
def test_a_feed_address_that_is_rejected_or_does_not_answer_is_reported(
    library: Library, run: Run, address: str, words: str
) -> None:
    library.setting_values.put("update_feed", address)
    assert words in run(operations.check_release(library)).problem


@pytest.mark.parametrize(
    "change", [{"version": "new"}, {"date": "soon"}, {"sha256": "12"}, {"notes": 7}, {"version": None}]
)
def test_a_value_that_is_not_as_required_makes_it_no_feed(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"“{next(iter(change))}” is not"):
        read_release(json.dumps(NEWER | change).encode())


def test_control_characters_of_the_notes_are_dropped_and_unknown_values_ignored() -> None:
    release = read_release(json.dumps(NEWER | {"notes": "one\n\x1b[31mtwo\u202e", "more": 1}).encode())
    assert release.notes == "one\n[31mtwo"


@pytest.mark.parametrize(
    ("version", "than", "is_newer"), [("0.10", "0.9", True), ("1.0.0", "1.0", False), ("0.1", "0.1.0", False)]
)
def test_versions_are_compared_by_their_numbers(version: str, than: str, is_newer: bool) -> None:
    assert Release(version, "", "").is_newer(than) is is_newer


def test_whats_new_returns_the_newest_section_of_the_changelog_and_needs_no_library(run: Run) -> None:
    changes, check = run(operations.whats_new(None))
    assert changes.startswith("## [")
    assert changes.count("\n## ") == 0
    assert "### Added" in changes
    assert check is None


@pytest.mark.parametrize("text", ['__version__ = "99.0"', None], ids=["updated", "removed"])
def test_a_program_that_was_replaced_while_it_runs_is_noticed(
    text: str | None, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(operations.require_program())
    file = tmp_path / "__init__.py"
    if text is not None:
        file.write_text(text)
    monkeypatch.setattr("workbench.__file__", str(file))
    with pytest.raises(ProgramReplaced, match=r"updated or removed while it was running.*start the program again"):
        run(operations.require_program())


def test_a_frozen_program_is_known_by_its_executable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable = tmp_path / "workbench"
    executable.write_text("old")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(executable))
    before = release_check._version_on_disk()
    executable.write_text("newer")
    assert before != release_check._version_on_disk() != ""


def test_the_stored_result_of_the_last_check_is_shown_without_a_request(
    library: Library, feed: str, site: Site, run: Run
) -> None:
    _changes, check = run(operations.whats_new(library))
    assert check.sentence == "The release feed has not been asked yet."
    run(operations.check_release(library))
    _changes, check = run(operations.whats_new(library))
    assert check.release.version == "99.1.0"
    assert len(site.requests) == 1
    assert datetime.fromisoformat(check.asked) <= datetime.now(UTC)

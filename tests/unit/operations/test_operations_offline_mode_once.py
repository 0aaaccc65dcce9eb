"""A request that the user allows once: offline mode stays on for everything else, before, during and after it.

Sites on loopback are treated as outside; each port of this machine counts as a host.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gates import nowhere_is_here_in, requests_of
from web_site import Site, body, page, redirect

from workbench import operations
from workbench.errors import NetworkClosed, SettingError
from workbench.fetching.base import QueryResult
from workbench.model.egress import (
    PAGE_PURPOSES,
    QUERY_PURPOSES,
    AllowedHost,
    Destination,
    NetworkOutcome,
    OfflineModeChoice,
    Purpose,
    hub_hosts,
)
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.operations import Library
from workbench.operations.imports import queries

Run = Callable[[Any], Any]
ICE = "The harbour of Lindhamn froze in 1987. The ferry Aurora stayed in port for nine days, and nobody was harmed."
ONCE = "You allowed this host once."


@pytest.fixture(autouse=True)
def _all_is_outside(library: Library) -> None:
    library.setting_values.put("allow_private_addresses", "yes")
    nowhere_is_here_in(library)


@pytest.fixture
def site() -> Iterator[Site]:
    with Site({"/ice": body(page("Ice", ICE))}) as site:
        yield site


@pytest.fixture
def other() -> Iterator[Site]:
    with Site({"/ice": body(page("Ice", ICE))}) as site:
        yield site


def host(site: Site) -> str:
    return f"127.0.0.1:{site.port}"


def ledger(library: Library) -> list[tuple[int, NetworkOutcome, str]]:
    return [(one.port, one.outcome, one.note) for one in requests_of(library)]


@pytest.mark.parametrize("choice", [OfflineModeChoice.AUTO, OfflineModeChoice.ON])
def test_a_page_is_fetched_from_the_allowed_host_and_recorded_in_the_ledger(
    library: Library, site: Site, run: Run, choice: OfflineModeChoice
) -> None:
    run(operations.put_offline_mode(library, choice))
    [file] = run(operations.add_urls(library, [site.url("/ice")], allow_hosts=[host(site)]))
    assert (file.outcome, file.closed_hosts) == (FileOutcome.READY, ())
    assert ledger(library) == [(site.port, NetworkOutcome.DONE, ONCE)]
    assert operations.offline_mode(library).is_shut


def test_another_page_of_the_same_operation_is_not_fetched(library: Library, site: Site, other: Site, run: Run) -> None:
    files: list[FileFinished] = run(
        operations.add_urls(library, [site.url("/ice"), other.url("/ice")], allow_hosts=[host(site)])
    )
    assert {(file.outcome, file.closed_hosts) for file in files} == {
        (FileOutcome.READY, ()),
        (FileOutcome.FAILED, (host(other),)),
    }
    assert other.paths == []


def test_fetching_a_page_again_asks_again(library: Library, site: Site, run: Run) -> None:
    [file] = run(operations.add_urls(library, [site.url("/ice")], allow_hosts=[host(site)]))
    [again] = run(operations.refetch(library, [file.document]))
    assert (again.outcome, again.closed_hosts) == (FileOutcome.FAILED, (host(site),))
    assert len(site.paths) == 1
    [allowed] = run(operations.refetch(library, [file.document], allow_hosts=again.closed_hosts))
    assert allowed.outcome is FileOutcome.UNCHANGED


def test_a_redirect_to_another_host_is_refused_by_its_name_until_that_is_allowed_too(
    library: Library, site: Site, other: Site, run: Run
) -> None:
    site.replies["/old"] = redirect(other.url("/ice"))
    [file] = run(operations.add_urls(library, [site.url("/old")], allow_hosts=[host(site)]))
    assert f"“{host(site)}” redirects to “{host(other)}”, which was not asked: offline mode is on." in file.reason
    assert file.closed_hosts == (host(site), host(other))
    assert other.paths == []
    assert [outcome for _port, outcome, _note in ledger(library)] == [NetworkOutcome.DONE, NetworkOutcome.REFUSED]
    [again] = run(operations.refetch(library, [file.document], allow_hosts=file.closed_hosts))
    assert again.outcome is FileOutcome.READY


def test_a_topic_is_looked_up_where_that_was_allowed(library: Library, site: Site, run: Run) -> None:
    library.setting_values.put("topic_url", f"{site.url('/wiki/')}{{topic}}")
    site.replies["/wiki/Ice"] = site.replies["/ice"]
    [file] = run(operations.add_topics(library, ["Ice"], allow_hosts=[run(operations.topic_host(library))]))
    assert file.outcome is FileOutcome.READY


def test_e8_a_database_server_is_asked_that_was_allowed_and_no_other_that_the_connection_names(
    library: Library, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def found(*_asked: object) -> QueryResult:
        return QueryResult(("ship",), (("Aurora",),))

    monkeypatch.setattr(queries, "_table", found)
    both = ("db.example.org", "two.example.org:6543")
    address = "postgresql://me:word@db.example.org,two.example.org:6543/shop"
    [file] = run(operations.add_query(library, address, "SELECT 1", allow_hosts=both[:1]))
    assert "“two.example.org” was not asked" in file.reason
    assert file.closed_hosts == both
    [ready] = run(operations.refetch(library, [file.document], allow_hosts=file.closed_hosts))
    assert ready.outcome is FileOutcome.READY
    [again] = run(operations.refetch(library, [file.document]))
    assert (again.outcome, again.closed_hosts) == (FileOutcome.FAILED, both)
    assert [(one.outcome, one.purpose, one.note) for one in requests_of(library)] == [
        (NetworkOutcome.REFUSED, Purpose.DATABASE, ""),
        (NetworkOutcome.DONE, Purpose.DATABASE, ONCE),
        (NetworkOutcome.REFUSED, Purpose.DATABASE, ""),
    ]


def test_consent_to_a_page_does_not_cover_a_database_of_the_same_host() -> None:
    page, database = (AllowedHost(purposes, "example.org") for purposes in (PAGE_PURPOSES, QUERY_PURPOSES))
    asked = [Destination(Purpose.WEB_PAGE, "example.org", 443), Destination(Purpose.DATABASE, "example.org", 5432)]
    assert [page.covers(one) for one in asked] == [True, False]
    assert [database.covers(one) for one in asked] == [False, True]
    assert not database.covers(Destination(Purpose.DATABASE, "example.org", 443))


BROWSER = """#!{python}
import sys, urllib.error, urllib.request
proxy = next(flag.partition("=")[2] for flag in sys.argv if flag.startswith("--proxy-server="))
through = urllib.request.build_opener(urllib.request.ProxyHandler({{"http": proxy}}))
for address in ({page!r}, {other!r}):
    try:
        print("<p>The page was answered", through.open(address).status, "by a server of the harbour.</p>")
    except urllib.error.HTTPError as error:
        print("<p>The page was answered", error.code, "by a server of the harbour.</p>")
print("<p>kept by its settings:", any("host-resolver-rules" in flag for flag in sys.argv), "</p>")
"""


@pytest.mark.parametrize("kept_by", ["system", "settings"])
def test_e7_a_page_whose_scripts_run_asks_the_host_that_was_allowed_and_no_other(
    library: Library, site: Site, other: Site, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kept_by: str
) -> None:
    program = tmp_path / "chromium"
    program.write_text(BROWSER.format(python=sys.executable, page=site.url("/ice"), other=other.url("/ice")), "utf-8")
    program.chmod(0o755)
    monkeypatch.setattr("workbench.operations.imports.web_pages.find_browser", lambda: str(program))
    if kept_by == "settings":
        monkeypatch.setattr("workbench.fetching.chromium.without_network", lambda *_command, **_options: None)
    [file] = run(operations.add_urls(library, [site.url("/ice")], run_scripts=True, allow_hosts=[host(site)]))
    assert file.outcome is FileOutcome.READY, file.reason
    text = library.documents.text(file.document)
    assert "answered 200" in text
    assert "answered 403" in text
    assert other.paths == []
    ended = [(one.host, one.port, one.outcome) for one in requests_of(library) if one.purpose is Purpose.BROWSER]
    assert ("127.0.0.1", other.port, NetworkOutcome.REFUSED) in ended
    if kept_by == "settings":
        assert "settings: True" in text
        assert any("this system cannot enforce that" in one.note for one in requests_of(library))


@pytest.mark.parametrize(
    "name", ["", "https://example.org", "example.org/page", "a b", "*", "*.", "me@example.org", "a:x"]
)
def test_an_invalid_host_name_allows_no_request_and_is_reported(library: Library, run: Run, name: str) -> None:
    with pytest.raises(SettingError, match="is not the name of a host"):
        run(operations.add_urls(library, ["https://example.org"], allow_hosts=[name]))
    assert requests_of(library) == []


@pytest.fixture
def hub(library: Library, site: Site, other: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Site:
    """Return a model hub that stores its weights at another host."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "none"))
    monkeypatch.setattr("workbench.operations.library.models.model_cache", lambda: tmp_path / "models" / "exported")
    weights = {"sha256": hashlib.sha256(b"weights").hexdigest()}
    siblings = [{"rfilename": "config.json"}, {"rfilename": "model.safetensors", "lfs": weights}]
    listing = json.dumps({"sha": "abc123", "siblings": siblings})
    other.replies["/weights"] = body(b"weights")
    site.replies = {
        "/api/models/org/tiny/revision/main?blobs=true": body(listing, "application/json"),
        "/org/tiny/resolve/abc123/config.json": body(b"{}"),
        "/org/tiny/resolve/abc123/model.safetensors": redirect(other.url("/weights")),
    }
    library.setting_values.put("model_hub", site.url(""))
    return site


def test_a_model_is_downloaded_from_the_hosts_that_were_allowed_and_only_then(
    library: Library, hub: Site, other: Site, run: Run, tmp_path: Path
) -> None:
    with pytest.raises(NetworkClosed, match=r"“127\.0\.0\.1” was not asked"):
        run(operations.download_model(library, "org/tiny"))
    assert hub.paths == []
    with pytest.raises(NetworkClosed, match=f"redirects to “{host(other)}”, which was not asked"):
        run(operations.download_model(library, "org/tiny", allow_hosts=[host(hub)]))
    assert other.paths == []
    run(operations.download_model(library, "org/tiny", allow_hosts=[host(hub), host(other)]))
    assert (tmp_path / "models" / "downloads" / "org--tiny" / "model.safetensors").read_bytes() == b"weights"
    last = requests_of(library)[-1]
    assert (last.purpose, last.port, last.note) == (Purpose.MODEL_DOWNLOAD, other.port, ONCE)


def test_the_hub_is_named_with_the_hosts_of_its_files_and_a_mirror_alone() -> None:
    assert hub_hosts("") == ("huggingface.co", "*.huggingface.co", "*.hf.co")
    assert hub_hosts("https://mirror.example:8443/hf") == ("mirror.example:8443",)

"""Links added to a real library from a site on loopback."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from web_site import Site, body, page, redirect, status

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.errors import LibraryError
from workbench.model.document import Document, DocumentStatus, Origin
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved, FileFinished, FileOutcome, ImportProgress
from workbench.operations import Library
from workbench.store.intake import Origins
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]
ICE = "The harbour of Lindhamn froze in 1987. The ferry Aurora stayed in port for nine days, and nobody was harmed."
DIARY = "The lighthouse keeper Ottilia Brandt kept a diary of the ice, which is read aloud every January in town."


@pytest.fixture
def site() -> Iterator[Site]:
    with Site({"/ice": body(page("Ice", ICE)), "/diary": body(page("Diary", DIARY))}) as site:
        yield site


@pytest.fixture(autouse=True)
def _loopback_allowed(library: Library, run: Run) -> None:
    run(operations.put_setting(library, "allow_private_addresses", "yes"))


def _outcomes(files: list[FileFinished]) -> dict[str, str]:
    return {file.path.rpartition("/")[2]: file.outcome.value for file in files}


def _only(library: Library) -> Document:
    [document] = library.documents.list()
    return document


def test_e7_a_link_becomes_a_document(library: Library, run: Run, site: Site) -> None:
    [file] = run(operations.add_urls(library, [site.url("/ice")]))
    document = _only(library)
    assert (file.outcome, file.path, file.document) == (FileOutcome.READY, site.url("/ice"), document.id)
    assert (document.path, document.name, document.origin) == (site.url("/ice"), "Ice | The Daily Gull", Origin.URL)
    assert document.metadata.title == "Ice"
    assert "Contact" not in library.documents.text(document.id)
    [hit] = run(operations.search(library, "When did the harbour freeze?")).hits
    assert "1987" in hit.chunk.text


def test_a_title_with_a_stroke_does_no_harm(library: Library, run: Run, site: Site) -> None:
    site.replies["/acdc"] = body(page("AC/DC in “Lindhamn”", ICE))
    [file] = run(operations.add_urls(library, [site.url("/acdc")]))
    assert file.outcome is FileOutcome.READY
    assert _only(library).name == "AC/DC in “Lindhamn” | The Daily Gull"


def test_b14_c19_one_failure_never_stops_the_rest(library: Library, run: Run, site: Site) -> None:
    links = [
        site.url("/missing.md"),
        "file:///etc/passwd",
        site.url("/ice"),
        "",
        site.url("/diary"),
        site.url("/ice#top"),
    ]
    files = run(operations.add_urls(library, links))
    assert _outcomes(files) == {"missing.md": "failed", "passwd": "failed", "ice": "ready", "diary": "ready"}
    failed = next(file for file in files if file.path.endswith("missing.md"))
    row = library.documents.get(failed.document or 0)
    assert (row.status, row.reason) == (DocumentStatus.FAILED, "The server has no such page (404).")


def test_rows_are_shown_before_anything_is_fetched(library: Library, run: Run, site: Site, events: list[Any]) -> None:
    run(operations.add_urls(library, [site.url("/ice"), site.url("/diary")]))
    first = [event.document for event in events if isinstance(event, DocumentChanged)][:2]
    assert [document.status for document in first] == [DocumentStatus.QUEUED] * 2
    progress = [event for event in events if isinstance(event, ImportProgress)]
    assert (progress[0].files, progress[0].files_done) == (2, 0)
    assert {event.files for event in progress} == {2}
    assert [event.files_done for event in progress] == sorted(event.files_done for event in progress)


def test_a_page_is_ready_while_a_slow_one_is_waited_for(library: Library, run: Run, site: Site) -> None:
    fast_is_ready = threading.Event()
    site.replies["/slow"] = lambda handler: (fast_is_ready.wait(20), body(page("Slow", DIARY))(handler))[1]

    def listen(event: Any) -> None:
        if isinstance(event, FileFinished) and event.path.endswith("/ice"):
            fast_is_ready.set()

    async def main() -> list[FileFinished]:
        links = [site.url("/slow"), site.url("/ice", host="localhost")]
        return await operations.add_urls(library, links)(JobContext(listen))

    assert set(_outcomes(asyncio.run(main())).values()) == {"ready"}


def test_e7_private_addresses_are_refused_unless_allowed(library: Library, run: Run, site: Site) -> None:
    run(operations.put_setting(library, "allow_private_addresses", "no"))
    [file] = run(operations.add_urls(library, [site.url("/ice")]))
    assert file.outcome is FileOutcome.FAILED
    assert site.requests == []


def test_b12_markdown_stays_markdown(library: Library, run: Run, site: Site) -> None:
    site.replies["/overview.md"] = body("# Overview\n\nAgents  are\n\n    small    programs\n", "text/plain")
    run(operations.add_urls(library, [site.url("/overview.md")]))
    document = _only(library)
    assert document.format == "markdown"
    assert library.documents.text(document.id) == "# Overview\n\nAgents  are\n\n    small    programs\n"


def test_the_same_link_again_is_one_document(library: Library, run: Run, site: Site) -> None:
    run(operations.add_urls(library, [site.url("/ice")]))
    [file] = run(operations.add_urls(library, [site.url("/ice")]))
    assert (file.outcome, file.reason) == (FileOutcome.UNCHANGED, "")
    assert len(library.documents.list()) == 1


def test_two_links_that_lead_to_one_page_are_one_document(
    library: Library, run: Run, site: Site, events: list[Any]
) -> None:
    visits: list[str] = []

    def varied(handler: BaseHTTPRequestHandler) -> None:
        visits.append("x")
        body(page("Varied", f"{ICE} Visit number {len(visits)}."))(handler)

    site.replies |= {"/old": redirect("/now"), "/now": varied}
    run(operations.add_urls(library, [site.url("/now")]))
    first = _only(library)
    run(operations.add_urls(library, [site.url("/old")]))
    assert _only(library).id == first.id
    assert "Visit number 2" in library.documents.text(first.id)
    assert any(isinstance(event, DocumentsRemoved) for event in events)


def test_the_same_bytes_under_two_addresses_are_one_document(library: Library, run: Run, site: Site) -> None:
    site.replies["/copy"] = site.replies["/ice"]
    files = run(operations.add_urls(library, [site.url("/ice"), site.url("/copy")]))
    assert sorted(_outcomes(files).values()) == ["ready", "unchanged"]
    assert len(library.documents.list()) == 1


def test_e7_fetching_again_costs_nothing_when_nothing_changed(library: Library, run: Run, site: Site) -> None:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        known = handler.headers.get("If-None-Match") == '"v1"'
        (status(304) if known else body(page("Ice", ICE), ETag='"v1"'))(handler)

    site.replies["/ice"] = reply
    run(operations.add_urls(library, [site.url("/ice")]))
    before = _only(library)
    [file] = run(operations.refetch(library, [before.id]))
    assert (file.outcome, file.reason) == (FileOutcome.UNCHANGED, "")
    assert _only(library) == before
    assert [headers.get("If-None-Match") for _, headers in site.requests] == [None, '"v1"']


def test_e7_changed_content_replaces_the_old(library: Library, run: Run, site: Site) -> None:
    run(operations.add_urls(library, [site.url("/ice")]))
    before = _only(library)
    site.replies["/ice"] = body(page("Ice", DIARY))
    [file] = run(operations.refetch(library, [before.id]))
    assert (file.outcome, file.document) == (FileOutcome.READY, before.id)
    assert "Ottilia" in library.documents.text(before.id)
    assert not any("Aurora" in hit.chunk.text for hit in run(operations.search(library, "ferry Aurora")).hits)


def test_a_new_version_that_a_stop_kept_from_being_read_is_fetched_again(
    library: Library, run: Run, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its ETag is already stored, but the searched version is not the server's any more."""
    tag, text = '"v1"', ICE

    def reply(handler: BaseHTTPRequestHandler) -> None:
        known = handler.headers.get("If-None-Match") == tag
        (status(304) if known else body(page("Ice", text), ETag=tag))(handler)

    def stopped(*_args: Any, **_more: Any) -> Any:
        raise LibraryError("The program ended.")

    site.replies["/ice"] = reply
    run(operations.add_urls(library, [site.url("/ice")]))
    number = _only(library).id
    tag, text = '"v2"', DIARY
    with monkeypatch.context() as patch:
        patch.setattr(library.documents, "put_content", stopped)
        with pytest.raises(LibraryError):
            run(operations.refetch(library, [number]))
    assert "Aurora" in library.documents.text(number)
    run(operations.refetch(library, [number]))
    assert "Ottilia" in library.documents.text(number)


def test_a_page_that_no_longer_exists_keeps_its_earlier_version(library: Library, run: Run, site: Site) -> None:
    run(operations.add_urls(library, [site.url("/ice")]))
    document = _only(library)
    site.replies["/ice"] = status(410)
    [file] = run(operations.refetch(library, [document.id]))
    assert file.outcome is FileOutcome.FAILED
    assert _only(library).status is DocumentStatus.READY
    assert _only(library).reason.startswith("It could not be fetched again, the earlier version is still searched: ")
    site.replies["/ice"] = body(page("Ice", ICE))
    run(operations.refetch(library, [document.id]))
    assert _only(library).reason == ""


def test_a_failed_link_can_be_tried_again(library: Library, run: Run, site: Site) -> None:
    site.replies["/ice"] = status(503)
    [file] = run(operations.add_urls(library, [site.url("/ice")]))
    site.replies["/ice"] = body(page("Ice", ICE))
    [again] = run(operations.refetch(library, [file.document]))
    assert (again.outcome, again.document) == (FileOutcome.READY, file.document)


def test_files_are_passed_over_by_a_fetch(library: Library, run: Run, papers: Any) -> None:
    run(operations.add_documents(library, [papers / "harbour.md"]))
    [file] = run(operations.refetch(library, [_only(library).id]))
    assert file.outcome is FileOutcome.SKIPPED


def test_a_cancelled_fetch_is_reported_and_leaves_no_files_behind(library: Library, site: Site) -> None:
    asked, enough = threading.Event(), threading.Event()
    site.replies["/slow"] = lambda _handler: (asked.set(), enough.wait(20), None)[2]

    async def main() -> None:
        task = asyncio.ensure_future(operations.add_urls(library, [site.url("/slow")])(JobContext()))
        await asyncio.to_thread(asked.wait, 20)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(main())
    enough.set()
    document = _only(library)
    assert (document.status, document.reason) == (DocumentStatus.FAILED, "Cancelled before it was fetched.")
    assert list((library.folder / "staging").iterdir()) == []


def test_a_link_that_a_stop_left_unfetched_is_fetched_at_the_next_start(
    library: Library, run: Run, site: Site, embedder: Embedder
) -> None:
    address = site.url("/ice")
    Origins(library.database).queue("default", address, name="ice", origin=Origin.URL, details={"address": address})
    run(operations.resume_import(library))
    assert _only(library).status is DocumentStatus.READY


def test_pages_made_by_scripts_are_run_by_an_installed_browser(
    library: Library, run: Run, site: Site, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "chromium"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho '<title>App</title><p>{DIARY}</p>'\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    site.replies["/app"] = body("<title>App</title><div id=root></div>", ETag='"x"')
    run(operations.add_urls(library, [site.url("/app")], run_scripts=True))
    assert "Ottilia Brandt" in library.documents.text(_only(library).id)
    run(operations.refetch(library, [_only(library).id]))
    assert "If-None-Match" not in site.requests[-1][1]

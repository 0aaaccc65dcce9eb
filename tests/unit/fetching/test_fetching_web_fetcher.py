"""Fetching over HTTP from a real server on loopback."""

import asyncio
import gzip
import threading
import zlib
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from gates import kept_gate
from web_site import HTML, Site, body, endless, page, redirect, status

from workbench.errors import AddressRefused, PageNotFetched, UnsupportedFormat
from workbench.fetching.address import AddressGuard
from workbench.fetching.base import Fetched, FetchLimits, Validators
from workbench.fetching.web_fetcher import WebFetcher
from workbench.model.egress import NetworkOutcome, NetworkRequest
from workbench.parsing.parse import parse_file

Fetch = Callable[..., Fetched]


def test_e7_a_page_comes_with_its_title_and_by_its_own_parser(site: Site, fetch: Fetch) -> None:
    site.replies["/ports"] = body(page("Ports", "The harbour froze."))
    got = fetch(site.url("/ports"))
    assert (got.name, got.address) == ("Ports | The Daily Gull", site.url("/ports"))
    assert got.file.name == "ports.web.html"
    assert b"harbour" in got.file.read_bytes()


def test_e7_a_request_identifies_the_program_and_sends_only_the_necessary_headers(site: Site, fetch: Fetch) -> None:
    site.replies["/a"] = body("<p>x")
    fetch(site.url("/a"))
    [(_, headers)] = site.requests
    assert headers["User-Agent"].startswith("KnowledgeWorkbench/")
    assert set(headers) == {"Host", "User-Agent", "Accept", "Accept-Language", "Accept-Encoding"}


@pytest.mark.parametrize(
    ("path", "kind", "data", "name"),
    [
        ("/overview.md", "text/plain", b"# A\n\n    code  x\n", "overview.md"),
        ("/overview.md", "text/markdown; charset=utf-8", b"# A", "overview.md"),
        ("/overview.md", HTML, b"<p>rendered", "overview.md.web.html"),
        ("/report", "application/pdf", b"%PDF-1.4", "report.pdf"),
        ("/report", "", b"%PDF-1.4", "report.pdf"),
        ("/table", "application/octet-stream", b"<!doctype html><p>x", "table.web.html"),
        ("/data", "application/json", b"{}", "data.json"),
        ("/data", "application/vnd.api+json", b"{}", "data.json"),
        ("/notes", "text/x-unknown", b"plain", "notes.txt"),
        ("/", HTML, b"<p>x", "127.0.0.1.web.html"),
    ],
)
def test_b12_the_kind_of_the_content_decides_the_parser(
    site: Site, fetch: Fetch, path: str, kind: str, data: bytes, name: str
) -> None:
    site.replies[path] = body(data, kind)
    got = fetch(site.url(path))
    assert got.file.name == name
    assert got.file.read_bytes() == data


def test_the_servers_name_for_a_file_is_taken(site: Site, fetch: Fetch) -> None:
    said = 'attachment; filename="../../Annual report.pdf"'
    site.replies["/dl?id=7"] = body(b"%PDF-1.4", "application/octet-stream", Content_Disposition=said)
    assert fetch(site.url("/dl?id=7")).file.name == "Annual report.pdf"


@pytest.mark.parametrize("kind", ["video/mp4", "application/x-msdownload"])
def test_e7_an_unsupported_content_type_is_rejected_before_it_is_fetched(site: Site, fetch: Fetch, kind: str) -> None:
    site.replies["/film"] = body(b"\0" * 100, kind)
    with pytest.raises(UnsupportedFormat, match=kind):
        fetch(site.url("/film"))


def test_bytes_of_no_kind_are_refused(site: Site, fetch: Fetch) -> None:
    site.replies["/x"] = body(b"\x7fELF\0\0\0", "")
    with pytest.raises(UnsupportedFormat):
        fetch(site.url("/x"))


def test_the_servers_charset_is_kept_for_the_parser(site: Site, fetch: Fetch) -> None:
    site.replies["/l1"] = body("<title>Zürich</title>".encode("latin-1"), "text/html; charset=iso-8859-1")
    got = fetch(site.url("/l1"))
    assert got.name == "Zürich"
    assert got.file.read_bytes().decode("utf-8-sig") == "<title>Zürich</title>"


def test_e7_redirects_are_followed_to_the_end(site: Site, fetch: Fetch) -> None:
    site.replies |= {"/a": redirect("/b"), "/b": redirect("c"), "/c": body("<p>there")}
    assert fetch(site.url("/a")).address == site.url("/c")


def test_e7_a_circle_of_redirects_ends(site: Site, fetch: Fetch) -> None:
    site.replies |= {"/a": redirect("/b"), "/b": redirect("/a")}
    with pytest.raises(PageNotFetched, match="redirected more than 5 times"):
        fetch(site.url("/a"))
    assert len(site.requests) == 6


def test_cookies_live_for_one_page_and_its_host(site: Site, fetch: Fetch) -> None:
    def entry(handler: BaseHTTPRequestHandler) -> None:
        known = "seen=1" in handler.headers.get("Cookie", "")
        (body("<p>in") if known else redirect("/entry", Set_Cookie="seen=1; Path=/; HttpOnly"))(handler)

    site.replies["/entry"] = entry
    fetch(site.url("/entry"))
    fetch(site.url("/entry"))
    assert ["Cookie" in headers for _, headers in site.requests] == [False, True, False, True]


def test_cookies_do_not_go_to_another_host(site: Site, fetch: Fetch) -> None:
    site.replies |= {"/a": redirect(site.url("/b", host="localhost"), Set_Cookie="key=secret"), "/b": body("<p>x")}
    fetch(site.url("/a"))
    assert "Cookie" not in site.requests[-1][1]


class OnlyOneHost(AddressGuard):
    """Guard that treats 127.0.0.1 as a machine of the internet under the name public.test."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def addresses(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        return ["127.0.0.1"] if host == "public.test" else await super().addresses(host, port)


def test_e7_the_address_of_every_redirect_hop_is_checked_again(site: Site, fetch: Fetch) -> None:
    site.replies |= {"/a": redirect(site.url("/secret")), "/secret": body("<p>keys")}
    with pytest.raises(AddressRefused):
        fetch(site.url("/a", host="public.test"), guard=OnlyOneHost())
    assert site.paths == ["/a"]


def test_e7_the_checked_address_is_the_one_connected_to(site: Site, fetch: Fetch) -> None:
    site.replies["/a"] = body("<p>x")
    guard = OnlyOneHost()
    got = fetch(site.url("/a", host="public.test"), guard=guard)
    assert (guard.asked, site.requests[0][1]["Host"]) == (["public.test"], f"public.test:{site.port}")
    assert got.address == site.url("/a", host="public.test")


@pytest.mark.parametrize(
    ("code", "words"), [(401, "login"), (403, "refuses"), (404, "no such page"), (410, "taken down"), (500, "failed")]
)
def test_e7_a_refusal_by_the_server_is_explained_in_the_error_message(
    site: Site, fetch: Fetch, code: int, words: str
) -> None:
    site.replies["/a"] = status(code)
    with pytest.raises(PageNotFetched, match=rf"{words}.*\({code}\)"):
        fetch(site.url("/a"))


def test_the_error_message_for_a_busy_server_states_when_to_retry(site: Site, fetch: Fetch) -> None:
    site.replies["/a"] = status(429, Retry_After="120")
    with pytest.raises(PageNotFetched, match="Try again in 120 seconds"):
        fetch(site.url("/a"))


def test_e7_a_body_that_declares_a_too_large_size_is_not_fetched(site: Site, fetch: Fetch) -> None:
    site.replies["/a"] = body(b"x" * (2**20 + 1))
    with pytest.raises(PageNotFetched, match="larger than 1 megabytes"):
        fetch(site.url("/a"))


def test_e7_a_body_without_end_is_cut_off(site: Site, fetch: Fetch) -> None:
    site.replies["/a"] = endless
    with pytest.raises(PageNotFetched, match="larger than 1 megabytes"):
        fetch(site.url("/a"))


def test_a_gzip_bomb_is_cut_off(site: Site, fetch: Fetch, tmp_path: Path) -> None:
    bomb = gzip.compress(b"\0" * 200 * 2**20)
    site.replies["/a"] = body(bomb, Content_Encoding="gzip")
    with pytest.raises(PageNotFetched, match="larger than 1 megabytes"):
        fetch(site.url("/a"))
    assert (tmp_path / "body.part").stat().st_size <= 2**20


@pytest.mark.parametrize(
    ("coding", "data"),
    [
        ("gzip", gzip.compress(b"<p>plain")),
        ("deflate", zlib.compress(b"<p>plain")),
        ("deflate", zlib.compress(b"<p>plain", wbits=-15)),
        ("identity", b"<p>plain"),
    ],
    # The bytes contain the time; parallel test processes need equal ids.
    ids=["gzip", "deflate", "raw deflate", "identity"],
)
def test_compressed_bodies_are_read(site: Site, fetch: Fetch, coding: str, data: bytes) -> None:
    site.replies["/a"] = body(data, Content_Encoding=coding)
    assert fetch(site.url("/a")).file.read_bytes() == b"<p>plain"


def test_a_content_encoding_that_was_not_requested_is_rejected(site: Site, fetch: Fetch) -> None:
    site.replies["/a"] = body(b"??", Content_Encoding="br")
    with pytest.raises(PageNotFetched, match="br"):
        fetch(site.url("/a"))


def test_a_damaged_body_is_reported(site: Site, fetch: Fetch) -> None:
    site.replies["/a"] = body(gzip.compress(b"x" * 1000)[:10] + b"\xff" * 50, Content_Encoding="gzip")
    with pytest.raises(PageNotFetched, match="damaged"):
        fetch(site.url("/a"))


def test_e7_a_slow_body_is_given_up(site: Site, fetch: Fetch) -> None:
    enough = threading.Event()

    def slow(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(b"<p>")
        handler.wfile.flush()
        enough.wait(10)

    site.replies["/a"] = slow
    with pytest.raises(PageNotFetched, match=r"within 0\.2 seconds"):
        fetch(site.url("/a"), seconds=0.2)
    enough.set()


def test_a_connection_that_ends_early_is_reported(site: Site, fetch: Fetch) -> None:
    def cut(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b"<p>")

    site.replies["/a"] = cut
    with pytest.raises(PageNotFetched, match="closed the connection"):
        fetch(site.url("/a"))


def test_a_port_without_a_listening_server_is_reported(site: Site, fetch: Fetch) -> None:
    with Site() as gone:
        pass
    with pytest.raises(PageNotFetched, match="No connection"):
        fetch(f"http://127.0.0.1:{gone.port}/")


def test_an_empty_page_is_reported(site: Site, fetch: Fetch) -> None:
    site.replies["/a"] = body(b"")
    with pytest.raises(PageNotFetched, match="empty"):
        fetch(site.url("/a"))


def test_e7_an_unchanged_page_is_not_sent_again(site: Site, fetch: Fetch) -> None:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        known = handler.headers.get("If-None-Match") == '"v1"'
        (status(304) if known else body("<p>x", ETag='"v1"', Last_Modified="Sat, 21 Nov 2026 10:00:00 GMT"))(handler)

    site.replies["/a"] = reply
    first = fetch(site.url("/a"))
    assert first.validators == Validators('"v1"', "Sat, 21 Nov 2026 10:00:00 GMT")
    assert fetch(site.url("/a"), first.validators) is None


def test_e7_a_host_is_asked_for_one_page_at_a_time(site: Site, tmp_path: Path) -> None:
    for number in range(6):
        site.replies[f"/{number}"] = body(f"<p>{number}")
        (tmp_path / str(number)).mkdir()

    async def main() -> list[Fetched | None]:
        async with WebFetcher(FetchLimits(allow_private=True), frozenset()) as fetcher:
            return await asyncio.gather(*(fetcher.fetch(site.url(f"/{n}"), tmp_path / str(n)) for n in range(6)))

    assert all(asyncio.run(main()))
    assert site.most_at_once == 1


def test_b14_a_slow_host_does_not_hold_up_the_others(site: Site, tmp_path: Path) -> None:
    fast_done = threading.Event()
    site.replies["/slow"] = lambda handler: (fast_done.wait(10), body("<p>slow")(handler))[1]

    def fast(handler: BaseHTTPRequestHandler) -> None:
        body("<p>fast")(handler)
        fast_done.set()

    site.replies["/fast"] = fast
    addresses = [*[site.url("/slow")] * 6, site.url("/fast", host="localhost")]
    folders = [tmp_path / str(number) for number in range(len(addresses))]

    async def main() -> list[Fetched | None]:
        async with WebFetcher(FetchLimits(allow_private=True), frozenset()) as fetcher:
            return await asyncio.gather(*(fetcher.fetch(*pair) for pair in zip(addresses, folders, strict=True)))

    for folder in folders:
        folder.mkdir()
    fetched = asyncio.run(main())
    assert len(fetched) == 7
    assert all(fetched)


def test_e7_a_server_that_sends_no_response_causes_a_timeout(site: Site, fetch: Fetch) -> None:
    enough = threading.Event()
    site.replies["/a"] = lambda _handler: enough.wait(10) and None
    with pytest.raises(PageNotFetched, match=r"within 0\.2 seconds"):
        fetch(site.url("/a"), seconds=0.2)
    enough.set()


@pytest.mark.parametrize(("said", "meta"), [("utf-8", "iso-8859-1"), ("iso-8859-1", "utf-8"), ("gb18030", "big5")])
def test_e7_the_servers_charset_counts_more_than_the_pages_own(site: Site, fetch: Fetch, said: str, meta: str) -> None:
    word = "港口" if said == "gb18030" else "Zürich"
    page = f"<html><head><meta charset={meta}><title>{word}</title></head><body><p>{word} {'x' * 99}</p></body></html>"
    site.replies["/a"] = body(page.encode(said), f"text/html; charset={said}")
    got = fetch(site.url("/a"))
    assert got.name == word
    assert word in parse_file(got.file).text


def test_an_unresolvable_host_name_is_recorded_in_the_ledger_because_a_name_server_was_asked(tmp_path: Path) -> None:
    async def nobody(_host: str, _port: int) -> list[str]:
        raise OSError("no such name")

    async def main() -> NetworkRequest:
        with kept_gate() as (gate, ledger):
            async with WebFetcher(FetchLimits(), frozenset(), guard=AddressGuard(lookup=nobody), gate=gate) as fetcher:
                with pytest.raises(PageNotFetched, match="no server"):
                    await fetcher.fetch("https://nowhere.example/a?b=c", tmp_path)
            gate.settle()
            return ledger.last

    request = asyncio.run(main())
    assert (request.host, request.address) == ("nowhere.example", "https://nowhere.example/a")
    assert (request.outcome, request.sent, request.is_here) == (NetworkOutcome.FAILED, 0, False)


def test_each_hop_of_a_redirect_is_a_request_of_its_own(site: Site, tmp_path: Path) -> None:
    site.replies |= {"/a": redirect("/b"), "/b": body("<p>x")}

    async def main() -> list[str]:
        with kept_gate() as (gate, ledger):
            async with WebFetcher(FetchLimits(allow_private=True), frozenset(), gate=gate) as fetcher:
                await fetcher.fetch(site.url("/a"), tmp_path)
            gate.settle()
            return [one.address.rpartition("/")[2] for one in ledger.requests.values()]

    assert asyncio.run(main()) == ["a", "b"]

"""HTTP through the gate: recorded, proxies shown, redirects not followed, the environment ignored."""

import asyncio
import ssl

import httpx2
import pytest
from gates import ON, kept_gate
from model_servers import RawServer, raw, silence, status
from web_site import Site, body, redirect

from workbench.egress.clients import async_client, sync_client, system_proxy, tls_context
from workbench.errors import NetworkClosed
from workbench.model.egress import NetworkOutcome, Purpose

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def test_the_bytes_of_both_ways_are_those_on_the_wire() -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"

    async def ask() -> tuple[bytes, str]:
        async with RawServer(raw(answer)) as server:
            with kept_gate() as (gate, ledger):
                async with async_client(gate, Purpose.ANSWER) as client:
                    response = await client.post(f"{server.base_url}/x?q=1", content=b"abc")
                gate.settle()
                (request,) = server.requests
                head = f"POST {request.path} HTTP/1.1\r\n" + "".join(
                    f"{k}: {v}\r\n" for k, v in request.headers.items()
                )
                assert ledger.last.sent == len(head) + 2 + 3
                assert (ledger.last.received, ledger.last.status) == (len(answer), 200)
                return response.content, ledger.last.address

    content, address = asyncio.run(ask())
    assert content == b"hello"
    assert address.endswith("/v1/x")


def test_a_closed_egress_gate_refuses_the_request_and_makes_no_connection() -> None:
    async def ask() -> int:
        async with RawServer(status(200, {})) as server:
            with kept_gate(lambda: ON) as (gate, ledger):
                async with async_client(gate, Purpose.ANSWER) as client:
                    with pytest.raises(NetworkClosed):
                        await client.get(server.base_url)
                assert ledger.last.outcome is NetworkOutcome.REFUSED
            return len(server.requests)

    assert asyncio.run(ask()) == 0


def test_an_answer_that_is_left_half_read_ends_in_the_ledger() -> None:
    async def ask() -> NetworkOutcome:
        head = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhalf", then=silence)
        async with RawServer(head) as server:
            with kept_gate() as (gate, ledger):
                async with async_client(gate, Purpose.ANSWER) as client, client.stream("GET", server.base_url) as got:
                    await anext(got.aiter_raw())
                gate.settle()
                return ledger.last.outcome

    assert asyncio.run(ask()) is NetworkOutcome.DONE


def test_a_connection_without_a_listener_is_recorded_as_failed() -> None:
    with kept_gate() as (gate, ledger), sync_client(gate, Purpose.RERANKING) as client:
        with pytest.raises(httpx2.ConnectError):
            client.get("http://127.0.0.1:9/x")
        gate.settle()
        assert ledger.last.outcome is NetworkOutcome.FAILED
        assert (ledger.last.status, ledger.last.received) == (None, 0)


def test_a_redirect_is_never_followed() -> None:
    with Site() as site, kept_gate() as (gate, ledger), sync_client(gate, Purpose.RERANKING) as client:
        site.replies = {"/a": redirect("/b"), "/b": body("reached")}
        assert client.get(site.url("/a"), headers={"Authorization": "Bearer key"}).status_code in (301, 302, 307)
        assert site.paths == ["/a"]
        assert len(ledger.requests) == 1


def test_an_environment_proxy_is_used_when_requested_and_named_in_the_ledger(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Site() as proxy, kept_gate() as (gate, ledger), sync_client(gate, Purpose.ANSWER, by_proxy=True) as client:
        monkeypatch.setenv("HTTP_PROXY", f"http://me:word@127.0.0.1:{proxy.port}")
        proxy.replies = {"http://models.example/v1": body("by proxy")}
        assert client.get("http://models.example/v1").text == "by proxy"
        gate.settle()
        assert (ledger.last.host, ledger.last.via) == ("models.example", f"127.0.0.1:{proxy.port}")
        assert not ledger.last.is_here


def test_an_environment_proxy_is_ignored_when_it_is_not_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    with Site() as site, kept_gate() as (gate, ledger), sync_client(gate, Purpose.ANSWER) as client:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
        site.replies = {"/": body("direct")}
        assert client.get(site.url("/")).text == "direct"
        assert ledger.last.via == ""


def test_this_machine_itself_is_never_asked_by_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://proxy.example:3128")
    assert system_proxy(httpx2.URL("http://127.0.0.1:8080/v1")) is None
    assert system_proxy(httpx2.URL("http://localhost/v1")) is None
    found = system_proxy(httpx2.URL("https://models.example/v1"))
    assert found is not None
    assert found.place == "proxy.example:3128"


def test_hosts_that_the_environment_excepts_are_asked_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "models.example")
    assert system_proxy(httpx2.URL("https://models.example/v1")) is None


def test_a_proxy_that_is_not_spoken_is_an_error_and_no_way_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://proxy.example:1080")
    with kept_gate() as (gate, ledger), sync_client(gate, Purpose.ANSWER, by_proxy=True) as client:
        with pytest.raises(httpx2.ProxyError):
            client.get("http://models.example/v1")
        assert not ledger.requests


def test_connection_secrets_are_not_written_to_the_key_log_file_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", f"{tmp_path}/secrets")
    monkeypatch.setenv("SSL_CERT_FILE", str(ssl.get_default_verify_paths().openssl_cafile))
    assert not getattr(tls_context(by_environment=True), "keylog_filename", None)

"""Access to the library's MCP server over HTTP, with requests of programs and of web pages."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from workbench.errors import SettingError
from workbench.model.filter import EVERYTHING
from workbench.operations import Library
from workbench.operations.mcp.mcp_access import AccessCheck, new_token, token_in
from workbench.operations.mcp.mcp_server import serve_http

TOKEN = "a token of sixteen letters".replace(" ", "-")
PORT = 8765
OWN = {"Host": f"127.0.0.1:{PORT}", "Authorization": f"Bearer {TOKEN}"}


async def answers(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"documents"})


def asked(
    headers: dict[str, str] | list[tuple[str, str]] | list[tuple[bytes, bytes]],
    token: str | None = TOKEN,
    path: str = "/mcp",
    port: int = PORT,
) -> httpx2.Response:
    """Return the response to a request with these headers from a server at PORT."""

    async def main() -> httpx2.Response:
        transport = httpx2.ASGITransport(AccessCheck(answers, port, token))
        async with httpx2.AsyncClient(transport=transport, base_url=f"http://127.0.0.1:{PORT}") as client:
            return await client.post(path, headers=headers)

    return asyncio.run(main())


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Host": f"localhost:{PORT}"},
        {"Origin": f"http://127.0.0.1:{PORT}"},
        {"Authorization": f"bearer  {TOKEN}"},
    ],
)
def test_a_program_with_the_token_is_answered(headers: dict[str, str]) -> None:
    assert asked({**OWN, **headers}).text == "documents"


@pytest.mark.parametrize(
    "sent",
    ["", "Bearer", "Bearer wrong", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN],
)
def test_a_request_without_the_token_is_rejected_and_the_response_shows_what_to_send(sent: str) -> None:
    refused = asked([("Host", OWN["Host"]), ("Authorization", sent)])
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Bearer realm=")
    assert "documents" not in refused.text


def test_a_token_in_the_address_or_sent_twice_counts_for_nothing() -> None:
    twice = [("Host", OWN["Host"]), ("Authorization", "Bearer wrong"), ("Authorization", OWN["Authorization"])]
    assert asked(twice).status_code == 401
    assert asked({"Host": OWN["Host"]}, path=f"/mcp?token={TOKEN}&access_token={TOKEN}").status_code == 401


def test_a_token_with_non_ascii_characters_is_invalid() -> None:
    headers = [(b"Host", OWN["Host"].encode()), (b"Authorization", f"Bearer {TOKEN[:-1]}é".encode())]
    assert asked(headers).status_code == 401


@pytest.mark.parametrize("token", [TOKEN, None])
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": f"evil.example:{PORT}"},
        {"Host": f"127.0.0.1.evil.example:{PORT}"},
        {"Host": "127.0.0.1"},
        {"Host": f"127.0.0.1:{PORT + 1}"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://127.0.0.1:{PORT + 1}"},
        {"Origin": f"https://127.0.0.1:{PORT}"},
        {"Origin": f"http://localhost:{PORT}.evil.example"},
    ],
)
def test_a_request_from_a_page_of_another_site_is_rejected_even_with_the_token(
    headers: dict[str, str], token: str | None
) -> None:
    assert asked({**OWN, **headers}, token).status_code == 403


def test_the_port_of_http_need_not_be_named() -> None:
    assert asked({**OWN, "Host": "127.0.0.1"}, port=80).status_code == 200


def test_two_hosts_or_one_wrong_origin_of_two_are_refused() -> None:
    assert asked([*OWN.items(), ("Host", "evil.example")]).status_code == 403
    origins = [("Origin", f"http://127.0.0.1:{PORT}"), ("Origin", "https://evil.example")]
    assert asked([*OWN.items(), *origins]).status_code == 403


def test_where_no_token_is_wanted_programs_of_this_machine_are_answered() -> None:
    assert asked({"Host": OWN["Host"]}, None).text == "documents"


def test_a_connection_that_is_neither_a_request_nor_the_server_start_is_rejected_too() -> None:
    passed: list[str] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        passed.append(scope["type"])

    async def sent(_message: Any) -> None:
        pass

    check = AccessCheck(app, PORT, TOKEN)
    asyncio.run(check({"type": "lifespan"}, None, sent))  # type: ignore[arg-type]
    asyncio.run(check({"type": "websocket", "headers": []}, None, sent))  # type: ignore[arg-type]
    assert passed == ["lifespan"]


def test_each_token_is_another_and_long_enough() -> None:
    made = {new_token() for _ in range(20)}
    assert len(made) == 20
    assert min(map(len, made)) >= 43


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "is not set"), ("short", "does not contain a token"), ("with a space " * 3, "does not contain a token")],
)
def test_a_token_of_ones_own_is_checked(monkeypatch: pytest.MonkeyPatch, value: str | None, words: str) -> None:
    monkeypatch.setenv("MY_TOKEN", TOKEN)
    assert token_in("MY_TOKEN") == TOKEN
    monkeypatch.setenv("MY_TOKEN", value) if value is not None else monkeypatch.delenv("MY_TOKEN")
    with pytest.raises(SettingError, match=words):
        token_in("MY_TOKEN")


def served(library: Library, ask: Callable[[str], Awaitable[Any]]) -> Any:
    """Return the result of requests to the address of a server that runs as the command runs it."""

    async def main() -> Any:
        address = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(serve_http(library, EVERYTHING, 0, address.set_result, token=TOKEN))
        try:
            return await ask(await address)
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    return asyncio.run(main())


def test_a_client_of_the_sdk_that_sends_the_token_is_served_and_no_other(library: Library) -> None:
    async def ask(url: str) -> tuple[Any, list[int]]:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(trust_env=False, headers=headers) as knows,
            Client(streamable_http_client(url, http_client=knows)) as client,
        ):
            answer = await client.call_tool("list_documents", {})
        async with httpx2.AsyncClient(trust_env=False) as other:
            without = await other.post(url, json={})
            elsewhere = await other.post(url, json={}, headers={**headers, "Origin": "https://evil.example"})
            rebound = await other.post(url, json={}, headers={**headers, "Host": "evil.example"})
        return answer, [one.status_code for one in (without, elsewhere, rebound)]

    answer, refused = served(library, ask)
    assert answer.structured_content["total"] == 0
    assert refused == [401, 403, 403]

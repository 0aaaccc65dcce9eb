"""Token of an MCP server over HTTP: one library uses another's server, which requires it; no library stores it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from workbench import operations
from workbench.errors import SettingError, ToolError
from workbench.model.extensions import ToolServer
from workbench.model.filter import EVERYTHING
from workbench.operations import Library
from workbench.operations.mcp.mcp_server import serve_http
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]
TOKEN = "a-token-of-sixteen-letters"
QUIET = JobContext()
ENTRY = ("knowledge-workbench", "tool server others at 127.0.0.1:9")


def offered(library: Library, set_up: Callable[[str], Any]) -> tuple[str, ...]:
    """Serve a library like “workbench mcp --http”, configure the server, and return the tools that it offers."""

    async def main() -> tuple[str, ...]:
        address = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(serve_http(library, EVERYTHING, 0, address.set_result, token=TOKEN))
        try:
            await set_up(await address)
            return await operations.check_tool_server(library, "others")(QUIET)
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    return asyncio.run(main())


def with_variable(library: Library) -> Callable[[str], Any]:
    def set_up(url: str) -> Any:
        return operations.put_tool_server(library, ToolServer("others", url=url, token_env="MY_TOKEN"), allow=True)(
            QUIET
        )

    return set_up


def test_a_token_in_a_variable_is_sent_to_the_server_that_wants_it(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", TOKEN)
    assert "list_documents" in offered(library, with_variable(library))


def test_a_token_that_was_entered_is_kept_in_the_keyring_and_sent(library: Library, ring: Any) -> None:
    async def set_up(url: str) -> None:
        await operations.put_tool_server(library, ToolServer("others", url=url), allow=True)(QUIET)
        assert await operations.put_tool_server_token(library, "others", f" {TOKEN}\n")(QUIET)

    assert "list_documents" in offered(library, set_up)
    [state] = asyncio.run(operations.list_tool_servers(library)(QUIET))
    assert TOKEN not in repr(state)


@pytest.mark.parametrize("token", [None, "", "another-token-of-letters", "two words"])
def test_without_the_token_it_cannot_be_reached_and_the_error_holds_no_token(
    library: Library, monkeypatch: pytest.MonkeyPatch, token: str | None
) -> None:
    monkeypatch.setenv("MY_TOKEN", token) if token is not None else monkeypatch.delenv("MY_TOKEN", raising=False)
    with pytest.raises(ToolError) as refused:
        offered(library, with_variable(library))
    assert not token or token not in str(refused.value)


def test_another_address_is_not_sent_the_token_that_was_entered(library: Library, run: Run, ring: Any) -> None:
    run(operations.put_tool_server(library, ToolServer("others", url="http://127.0.0.1:9/mcp")))
    run(operations.put_tool_server_token(library, "others", TOKEN))

    async def set_up(url: str) -> None:
        await operations.put_tool_server(library, ToolServer("others", url=url), allow=True)(QUIET)

    with pytest.raises(ToolError):
        offered(library, set_up)


def test_a_removed_server_takes_its_token_along(library: Library, run: Run, ring: Any) -> None:
    run(operations.put_tool_server(library, ToolServer("others", url="http://127.0.0.1:9/mcp")))
    run(operations.put_tool_server_token(library, "others", TOKEN))
    assert ring.get_password(*ENTRY) == TOKEN
    run(operations.remove_tool_server(library, "others"))
    assert ring.get_password(*ENTRY) is None


def test_another_token_variable_requires_new_consent_and_servers_without_one_keep_theirs() -> None:
    plain = ToolServer("others", url="https://others.example/mcp")
    assert plain.sha256 == "3993c9aa56d375a4e628e2968f4e41e50862fdc51a2c51e21114a04b41e3df74"
    assert len({plain.sha256, *(ToolServer("others", url=plain.url, token_env=one).sha256 for one in "AB")}) == 3


@pytest.mark.parametrize(
    ("server", "words"),
    [
        (ToolServer("files", ("npx",), token_env="MY_TOKEN"), "a program cannot receive a token"),
        (ToolServer("far", url="https://far.example/mcp", token_env=TOKEN), "not the name of an environment variable"),
    ],
)
def test_a_key_in_the_place_of_a_variable_and_a_token_for_a_program_are_refused(
    library: Library, run: Run, server: ToolServer, words: str
) -> None:
    with pytest.raises(SettingError, match=words):
        run(operations.put_tool_server(library, server))
    assert run(operations.list_tool_servers(library)) == []

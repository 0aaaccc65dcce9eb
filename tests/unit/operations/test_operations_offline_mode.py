"""Offline mode: each way to the network is refused with a sentence, recorded in the ledger, and makes no connection.

This also holds while the user has allowed something else: each exception applies to one use only. Servers on
loopback are treated as outside, so that a connection to them would be noticed.
"""

import asyncio
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gates import nowhere_is_here_in, requests_of, shut_in

from workbench import operations
from workbench.agent import mcp_servers as mcp_connection
from workbench.agent.mcp_servers import ServerConnection, ServerEnded
from workbench.agent.tools.access import WebRequest
from workbench.embedding.sentence_transformer import load_embedder
from workbench.errors import AddressRefused, EmbeddingError, RerankingError
from workbench.fetching import chromium
from workbench.fetching.base import FetchLimits
from workbench.fetching.chromium import render
from workbench.model.egress import OFFLINE_MODE_HINT, NetworkOutcome, Purpose
from workbench.model.extensions import ToolServer
from workbench.model.import_progress import FileOutcome
from workbench.model.profile import Ability, AbilityMark, ModelProfile
from workbench.model.run import RunStatus
from workbench.operations import Library
from workbench.operations.questions.run_tools import LibraryWeb
from workbench.settings import Settings

Run = Callable[[Any], Any]


class Outside:
    """Server on loopback that counts connections and never answers."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.connected = 0
        self._thread = threading.Thread(target=self._count)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _count(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            connection.close()
            self.connected += 1

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


ELSEWHERE = "http://198.51.100.9"
"""Address of the documentation block of RFC 5737, which no machine has."""


def nothing(_library: Library, _run: Run) -> None:
    """Make no exception."""


def a_program(library: Library, run: Run) -> None:
    """Allow one tool server that runs on this machine."""
    server = ToolServer("files", (sys.executable, "-c", "import time; time.sleep(60)"))
    run(operations.put_tool_server(library, server, allow=True))


def a_model(library: Library, _run: Run) -> None:
    """Configure a model server."""
    library.profiles.put(ModelProfile("near", f"{ELSEWHERE}/v1", "m"))


def other_servers(library: Library, run: Run) -> None:
    """Configure the other kinds of servers at one address."""
    run(operations.put_tool_server(library, ToolServer("wiki", url=f"{ELSEWHERE}/mcp"), allow=True))
    library.setting_values.put("reranking", "server")
    library.setting_values.put("rerank_url", ELSEWHERE)
    library.setting_values.put("web_search_url", f"{ELSEWHERE}/search")


@pytest.fixture(
    params=[(nothing, 0), (a_program, 1), (a_model, 1), (other_servers, 3)], ids=lambda one: one[0].__name__
)
def outside(library: Library, run: Run, request: pytest.FixtureRequest) -> Iterator[Outside]:
    """Yield a server that must not be reached, for a library with offline mode on and one unrelated exception."""
    set_up, exceptions = request.param
    nowhere_is_here_in(library)
    set_up(library, run)
    assert len(operations.offline_mode(library).exceptions) == exceptions
    server = Outside()
    yield server
    server.close()


@pytest.fixture
def outside_of_all(library: Library) -> Iterator[Outside]:
    """Yield a server that must not be reached, for a library with offline mode on and no exceptions."""
    shut_in(library)
    server = Outside()
    yield server
    server.close()


def refused(library: Library, outside: Outside, purpose: Purpose) -> None:
    """Check that no connection was made, and that the ledger contains the refusal."""
    assert outside.connected == 0
    found = requests_of(library)
    assert found
    assert {(one.purpose, one.outcome, one.sent, one.received) for one in found} == {
        (purpose, NetworkOutcome.REFUSED, 0, 0)
    }


def test_a_model_is_not_asked(library: Library, outside_of_all: Outside, run: Run) -> None:
    library.profiles.put(ModelProfile("far", f"{outside_of_all.url}/v1", "gpt"))
    answer = run(operations.ask(library, "When did the harbour freeze?", profile="far"))
    assert answer.status is RunStatus.FAILED
    assert answer.error == "Offline mode is on: “127.0.0.1” was not asked."
    assert answer.hint == OFFLINE_MODE_HINT
    refused(library, outside_of_all, Purpose.ANSWER)


def test_a_refusal_is_not_tried_again(library: Library, outside_of_all: Outside, run: Run) -> None:
    library.setting_values.put("context_tokens", 8000)
    library.profiles.put(ModelProfile("far", f"{outside_of_all.url}/v1", "gpt"))
    answer = run(operations.ask(library, "When did the harbour freeze?", profile="far"))
    assert not [one for one in answer.events if "Trying again" in str(one.event)]


def test_a_connection_is_not_tested_and_models_are_not_listed(library: Library, outside: Outside, run: Run) -> None:
    profile = ModelProfile("far", f"{outside.url}/v1", "gpt")
    (found,) = run(operations.examine_profile(library, profile)).abilities
    assert (found.ability, found.mark) == (Ability.REACHED, AbilityMark.NO)
    assert "Offline mode is on" in found.words
    with pytest.raises(Exception, match="Offline mode is on"):
        run(operations.list_server_models(library, profile))
    refused(library, outside, Purpose.CONNECTION_TEST)


def test_a_reranking_server_is_not_asked(library: Library, outside_of_all: Outside, run: Run) -> None:
    library.setting_values.put("reranking", "server")
    library.setting_values.put("rerank_url", outside_of_all.url)
    with pytest.raises(RerankingError, match="Offline mode is on"):
        run(operations.check_reranker(library))
    refused(library, outside_of_all, Purpose.RERANKING)


@pytest.mark.parametrize("scripts", [False, True])
def test_a_page_is_not_fetched(library: Library, outside: Outside, run: Run, scripts: bool) -> None:
    library.setting_values.put("allow_private_addresses", "yes")
    (page,) = run(operations.add_urls(library, [f"{outside.url}/page"], run_scripts=scripts))
    assert page.outcome is FileOutcome.FAILED
    assert page.reason == f"Offline mode is on: “127.0.0.1” was not asked. {OFFLINE_MODE_HINT}"
    refused(library, outside, Purpose.WEB_PAGE)


def test_a_name_is_not_looked_up(library: Library, outside: Outside, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_args: Any, **_options: Any) -> Any:
        raise AssertionError("a name server was asked")

    monkeypatch.setattr(socket, "getaddrinfo", never)
    (page,) = run(operations.add_urls(library, ["https://pages.example/a"]))
    assert "“pages.example” was not asked" in page.reason
    refused(library, outside, Purpose.WEB_PAGE)


def test_a_topic_is_not_looked_up(library: Library, outside: Outside, run: Run) -> None:
    library.setting_values.put("topic_url", f"{outside.url}/search?q={{topic}}")
    library.setting_values.put("allow_private_addresses", "yes")
    (article,) = run(operations.add_topics(library, ["Lighthouse"]))
    assert "Offline mode is on" in article.reason
    refused(library, outside, Purpose.TOPIC)


def test_tools_of_the_web_are_refused(library: Library, outside: Outside) -> None:
    web = LibraryWeb(library, Settings(allow_private_addresses="yes"))
    for purpose in (Purpose.WEB_SEARCH, Purpose.WEATHER):
        with pytest.raises(AddressRefused, match="Offline mode is on"):
            asyncio.run(web.json(WebRequest(f"{outside.url}/search?q=x", is_chosen=True, purpose=purpose)))
    with pytest.raises(AddressRefused, match="Offline mode is on"):
        asyncio.run(web.page(f"{outside.url}/page", 5.0))
    assert outside.connected == 0
    asked = [one.purpose for one in requests_of(library)]
    assert asked == [Purpose.WEB_SEARCH, Purpose.WEATHER, Purpose.WEB_TOOL]


def test_no_browser_is_started_that_cannot_be_shut_in(
    library: Library, outside: Outside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chromium, "without_network", lambda *_command, **_options: None)
    page = tmp_path / "page.html"
    with pytest.raises(AddressRefused, match="“chromium” was not started"):
        asyncio.run(render(outside.url, page, "/usr/bin/chromium", FetchLimits(), gate=library.gate))
    refused(library, outside, Purpose.BROWSER)


def test_a_tool_server_is_not_asked(library: Library, outside: Outside) -> None:
    connection = ServerConnection(ToolServer("far", url=f"{outside.url}/mcp"), gate=library.gate)
    with pytest.raises(ServerEnded, match="Offline mode is on"):
        asyncio.run(connection.tools())
    refused(library, outside, Purpose.TOOL_SERVER)


def test_a_program_that_cannot_be_shut_in_is_not_started(
    library: Library, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_connection, "without_network", lambda _command: None)
    connection = ServerConnection(ToolServer("near", (sys.executable, "-c", "pass")), gate=library.gate)
    with pytest.raises(ServerEnded, match="was not started"):
        asyncio.run(connection.tools())
    refused(library, outside, Purpose.TOOL_SERVER)


def test_a_database_server_is_not_asked(library: Library, outside: Outside, run: Run) -> None:
    (file,) = run(operations.add_query(library, f"postgresql://me:word@127.0.0.1:{outside.port}/shop", "SELECT 1"))
    assert "Offline mode is on" in file.reason
    refused(library, outside, Purpose.DATABASE)
    assert "word" not in requests_of(library)[0].address


def test_a_model_is_not_downloaded(library: Library, outside: Outside, tmp_path: Path) -> None:
    library.setting_values.put("model_hub", outside.url)
    with pytest.raises(EmbeddingError, match="Offline mode is on"):
        load_embedder("org/tiny", cache=tmp_path, hub=library.models.hub())
    refused(library, outside, Purpose.MODEL_DOWNLOAD)


def test_a_reranking_model_is_not_downloaded(library: Library, outside: Outside, run: Run) -> None:
    library.setting_values.put("model_hub", outside.url)
    library.setting_values.put("reranking", "model")
    library.setting_values.put("rerank_model", "org/tiny-reranker")
    with pytest.raises(RerankingError, match="Offline mode is on"):
        run(operations.check_reranker(library))
    refused(library, outside, Purpose.MODEL_DOWNLOAD)


def test_servers_of_this_machine_are_looked_for_and_written_down(library: Library, run: Run) -> None:
    server = Outside()
    try:
        assert run(operations.find_model_servers(library, [f"{server.url}/v1"])) == ()
    finally:
        server.close()
    assert server.connected
    assert {one.is_here for one in requests_of(library)} == {True}

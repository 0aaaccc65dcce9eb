"""Keys: stored where they belong, sent to their server, and found nowhere else afterwards."""

import json
import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keyring
import keyring.errors
import pytest
from model_servers import chat_delta
from web_site import Reply, Site, body
from web_site import status as sent_on

from workbench import operations
from workbench.errors import ModelError, SettingError, WorkbenchError
from workbench.logs.log_file import NAME, LogFile
from workbench.model.agent import Agent
from workbench.model.extensions import ToolServer
from workbench.model.profile import KeyNotStored, ModelProfile, WireApi
from workbench.operations import Library
from workbench.operations.library.credentials import key_entry, load_key, load_secret
from workbench.operations.questions.run_tools import put_web_search_key
from workbench.operations.questions.tool_servers import put_tool_server
from workbench.worker.job import Operation

Run = Callable[[Operation[Any]], Any]

KEY = "zq4-own-canary-0917-key"
STRAY = "stray-canary-7731-of-another"
OF_OTHERS = [
    "OPENAI_API_KEY",
    "OPENAI_ADMIN_KEY",
    "OPENAI_ORG_ID",
    "OPENAI_ORGANIZATION",
    "OPENAI_PROJECT_ID",
    "OPENAI_WEBHOOK_SECRET",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "HUGGINGFACE_TOKEN",
    "CO_API_KEY",
    "COHERE_API_KEY",
    "JINA_API_KEY",
    "TAVILY_API_KEY",
    "BRAVE_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "GITHUB_TOKEN",
]
ADDRESSES = (
    "OPENAI_BASE_URL",
    "ANTHROPIC_BASE_URL",
    "HF_ENDPOINT",
    "HF_INFERENCE_ENDPOINT",
    "AZURE_OPENAI_ENDPOINT",
)
PROXIES = (
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
)


class Ear:
    """Server that must receive nothing and keeps everything it receives."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(2)
                try:
                    self.heard.append(connection.recv(65536))
                except OSError:
                    self.heard.append(b"")

    def close(self) -> None:
        # Closing the socket alone does not wake a thread that waits in accept().
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


@pytest.fixture
def ear() -> Iterator[Ear]:
    made = Ear()
    yield made
    made.close()


class AnyQuery(dict[str, Reply]):
    """Replies by path alone, for any query and host."""

    def get(self, key: str, default: Any = None) -> Any:
        path = "/" + key.partition("://")[2].partition("/")[2] if "://" in key else key
        return super().get(path.partition("?")[0], default)


@pytest.fixture
def site() -> Iterator[Site]:
    with Site(AnyQuery()) as site:
        yield site


def answer(data: Any, code: int = 200) -> Reply:
    return body(json.dumps(data), "application/json", code)


def chat(*pieces: str, **delta: str) -> Reply:
    events = [chat_delta(content=piece) for piece in pieces]
    events += [chat_delta(**{name: text}) for name, text in delta.items()]
    lines = [f"data: {json.dumps(event)}\n\n" for event in (*events, chat_delta("stop"))]
    return body("".join(lines) + "data: [DONE]\n\n", "text/event-stream")


def servers(site: Site) -> None:

    def ranked(handler: Any) -> None:
        number = len(json.loads(site.bodies[-1])["documents"])
        answer({"results": [{"index": n, "relevance_score": 1 / (n + 1)} for n in range(number)]})(handler)

    site.replies |= {
        "/v1/models": answer({"data": [{"id": "small"}]}),
        "/v1/chat/completions": chat("It froze in ", "1987 [1]."),
        "/v1/rerank": ranked,
        "/search": answer({"results": [{"url": "https://example.org/", "title": "T", "content": "Gulls."}]}),
        "/page.html": body("<title>Ferry</title><p>The ferry Aurora stayed in port for nine days.</p>"),
    }


def said_to(site: Site) -> str:
    return repr(site.requests) + repr(site.bodies)


@pytest.fixture
def strays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ear: Ear) -> None:
    """Put keys, addresses and proxies of other programs into the environment, and passwords into ~/.netrc."""
    for name in OF_OTHERS:
        monkeypatch.setenv(name, STRAY)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Stray: {STRAY}\nAuthorization: Bearer {STRAY}")
    for name in ADDRESSES:
        monkeypatch.setenv(name, f"http://127.0.0.1:{ear.port}/v1")
    for name in PROXIES:
        monkeypatch.setenv(name, f"http://{STRAY}:{STRAY}@127.0.0.1:{ear.port}")
    netrc = tmp_path / "netrc"
    netrc.write_text(f"default login {STRAY} password {STRAY}\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))


def ask_everybody(library: Library, run: Run, site: Site, papers: Path) -> None:
    """Let the program send every kind of request to a server."""
    base = site.url("")
    for key, value in {
        "rerank_url": f"{base}/v1",
        "network_tools": "yes",
        "web_search_url": base,
        "allow_private_addresses": "yes",
    }.items():
        run(operations.put_setting(library, key, value))
    run(operations.add_documents(library, [papers]))
    run(operations.add_urls(library, [site.url("/page.html")]))
    for api in (WireApi.CHAT, WireApi.RESPONSES, WireApi.AUTO):
        profile = ModelProfile(f"p-{api.value}", f"{base}/v1", "small", api)
        run(operations.put_profile(library, profile))
        run(operations.list_server_models(library, profile))
        run(operations.examine_profile(library, profile))
        run(operations.ask(library, "When did the harbour freeze?", profile=profile.name))
    run(operations.find_model_servers(library, [f"{base}/v1"]))
    run(operations.put_setting(library, "reranking", "server"))
    run(operations.search(library, "harbour ferry"))


def test_credentials_of_other_programs_in_the_environment_are_sent_to_no_server(
    library: Library, run: Run, site: Site, ear: Ear, strays: None, papers: Path, ring: Any
) -> None:
    servers(site)
    ask_everybody(library, run, site, papers)
    asked = set(site.paths)
    assert {"/v1/models", "/v1/chat/completions", "/v1/responses", "/v1/rerank", "/page.html"} <= asked
    assert STRAY not in said_to(site)
    assert ear.heard == [], "a proxy or an address of the environment was asked, for a server on this computer"


def test_a_server_elsewhere_is_asked_by_the_proxy_with_its_own_key_and_no_other(
    library: Library, run: Run, site: Site, strays: None, ring: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in PROXIES:
        monkeypatch.setenv(name, site.url(""))
    servers(site)
    profile = ModelProfile("far", "http://models.example.com/v1", "small", WireApi.CHAT)
    run(operations.put_profile(library, profile, key=KEY))
    assert run(operations.list_server_models(library, profile)) == ("small",)
    ((path, headers),) = site.requests
    assert path == "http://models.example.com/v1/models"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert STRAY not in said_to(site)


def test_a_library_of_another_person_does_not_receive_a_key_for_its_own_server(
    library: Library, run: Run, site: Site, ring: Any
) -> None:
    servers(site)
    run(operations.put_profile(library, ModelProfile("work", "https://models.example.com/v1", "m"), key=KEY))
    # As in a library from elsewhere: the same name, another address.
    library.profiles.put(ModelProfile("work", site.url("/v1"), "m", WireApi.CHAT))
    run(operations.ask(library, "When?", profile="work"))
    run(operations.list_server_models(library, ModelProfile("work", site.url("/v1"), "m")))
    assert site.requests
    assert KEY not in said_to(site)


@pytest.mark.parametrize("code", [302, 308])
def test_a_redirect_carries_a_key_to_no_other_host(
    library: Library, run: Run, site: Site, ear: Ear, ring: Any, papers: Path, code: int
) -> None:
    elsewhere = f"http://localhost:{ear.port}/v1"
    for path in ("/v1/models", "/v1/chat/completions", "/v1/responses", "/v1/rerank", "/search"):
        site.replies[path] = sent_on(code, Location=f"{elsewhere}{path}")
    run(operations.add_documents(library, [papers]))
    profile = ModelProfile("p", site.url("/v1"), "m")
    run(operations.put_profile(library, profile, key=KEY))
    run(operations.put_setting(library, "rerank_url", site.url("/v1")))
    run(operations.put_rerank_key(library, KEY))
    run(operations.put_setting(library, "reranking", "server"))
    with pytest.raises(ModelError):
        run(operations.list_server_models(library, profile))
    run(operations.ask(library, "When did the harbour freeze?", profile="p"))
    assert KEY in said_to(site)
    assert not any(KEY.encode() in heard for heard in ear.heard)


def test_a_key_of_a_web_search_stays_with_its_server_when_that_redirects(
    library: Library, run: Run, site: Site, ear: Ear, ring: Any
) -> None:
    from test_operations_tool_web import called, settings_for

    from workbench.errors import ToolError

    site.replies["/search"] = sent_on(302, Location=f"http://localhost:{ear.port}/search")
    settings = settings_for(site)
    library.setting_values.put("web_search_url", settings.web_search_url)
    library.setting_values.put("allow_private_addresses", "yes")
    run(put_web_search_key(library, KEY))
    with pytest.raises(ToolError):
        called(library, settings, "web_search", query="gulls")
    assert KEY in said_to(site)
    assert not any(KEY.encode() in heard for heard in ear.heard)


def bytes_below(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_key_that_a_server_repeats_in_its_replies_is_written_to_no_file(
    library: Library, run: Run, events: list[Any], site: Site, ring: Any, papers: Path, tmp_path: Path
) -> None:
    log = LogFile("test", tmp_path / "log")
    logging.getLogger().addHandler(log)
    logging.getLogger("workbench").setLevel(logging.DEBUG)
    half, rest = KEY[:9], KEY[9:]
    try:
        run(operations.add_documents(library, [papers]))
        run(operations.put_profile(library, ModelProfile("p", site.url("/v1"), "m", WireApi.CHAT), key=KEY))
        replies = (
            chat(f"You sent {half}", f"{rest} to me [1].", reasoning_content=f"The key is {KEY}."),
            answer({"error": {"message": f"bad request with Bearer {KEY}"}}, 400),
        )
        for reply in replies:
            site.replies["/v1/chat/completions"] = reply
            kept = run(operations.ask(library, "When did the harbour freeze?", profile="p"))
            for format in ("md", "json", "kwbundle"):
                run(operations.export_session(library, kept.session, format, tmp_path / f"{kept.id}.{format}"))
        run(operations.export_network_requests(library, tmp_path / "network.jsonl"))
        report = run(operations.problem_report(library))
    finally:
        logging.getLogger().removeHandler(log)
        logging.getLogger("workbench").setLevel(logging.INFO)
    assert KEY in said_to(site)
    assert "[key] to me" in repr(events)
    written = bytes_below(library.folder) + bytes_below(tmp_path / "log") + report.encode() + repr(events).encode()
    written += b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    assert KEY.encode() not in written
    assert (tmp_path / "log" / NAME).exists()


class NoKeyring(keyring.backend.KeyringBackend):
    """Keyring backend of a server without a desktop."""

    priority = 1  # type: ignore[assignment]

    def get_password(self, *_asked: str) -> str | None:
        raise keyring.errors.NoKeyringError

    set_password = delete_password = get_password  # type: ignore[assignment]


@pytest.fixture
def no_ring() -> Iterator[None]:
    from workbench.operations.library import credentials

    before = keyring.get_keyring()
    keyring.set_keyring(NoKeyring())
    credentials._until_the_end.clear()
    yield
    keyring.set_keyring(before)
    credentials._until_the_end.clear()


def test_without_a_keyring_a_key_is_kept_until_the_program_ends_and_that_is_reported(
    library: Library, run: Run, events: list[Any], no_ring: None
) -> None:
    from workbench.operations.library import credentials

    profile = ModelProfile("p", "https://models.example.com/v1", "m")
    run(operations.put_profile(library, profile, key=KEY))
    assert KeyNotStored("p") in events
    assert load_key(profile) == KEY
    assert KEY.encode() not in bytes_below(library.folder)
    run(operations.remove_profile(library, "p"))
    assert load_key(profile) == ""
    assert credentials._until_the_end == {}


def test_without_a_keyring_a_variable_that_the_profile_names_holds_the_key(
    no_ring: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = ModelProfile("p", "https://models.example.com/v1", "m", key_env="A_KEY_OF_MINE")
    monkeypatch.setenv("A_KEY_OF_MINE", KEY)
    assert load_key(profile) == KEY
    monkeypatch.delenv("A_KEY_OF_MINE")
    with pytest.raises(ModelError, match="A_KEY_OF_MINE"):
        load_key(profile)


def test_with_a_keyring_nothing_is_kept_in_memory(library: Library, run: Run, events: list[Any], ring: Any) -> None:
    from workbench.operations.library import credentials

    profile = ModelProfile("p", "https://models.example.com/v1", "m")
    run(operations.put_profile(library, profile, key=KEY))
    assert not [event for event in events if isinstance(event, KeyNotStored)]
    assert list(ring.entries.values()) == [KEY]
    assert credentials._until_the_end == {}
    assert load_secret(key_entry(profile)) == KEY
    assert os.environ.get("A_KEY_OF_MINE") is None


@pytest.mark.parametrize(
    "server",
    [
        ToolServer("s", ("npx", "server", "--api-key", KEY)),
        ToolServer("s", ("server", f"--token={KEY}")),
        ToolServer("s", ("server", "sk-abcdefghijkl0123456")),
        ToolServer("s", url=f"https://ada:{KEY}@example.com/mcp"),
        ToolServer("s", url=f"https://example.com/mcp?api_key={KEY}"),
    ],
)
def test_a_key_in_the_command_or_address_of_a_tool_server_is_refused_and_not_repeated(
    library: Library, run: Run, server: ToolServer
) -> None:
    with pytest.raises(SettingError, match="looks like a key") as caught:
        run(put_tool_server(library, server))
    assert KEY not in str(caught.value)
    assert KEY.encode() not in bytes_below(library.folder)


@pytest.mark.parametrize(
    "server",
    [
        ToolServer("s", ("npx", "server", "--token-limit", "50", "--key-file", "/home/ada/key")),
        ToolServer("s", url="https://example.com/mcp?api_key=${SERVICE_KEY}"),
        ToolServer("s", url="https://example.com/mcp/${SERVICE_KEY}"),
    ],
)
def test_a_variable_in_the_place_of_a_key_is_taken(library: Library, run: Run, server: ToolServer) -> None:
    run(put_tool_server(library, server))


def test_no_error_of_a_server_repeats_a_key_of_anybody(library: Library, run: Run, site: Site, ring: Any) -> None:
    other = "sk-somebody-elses-0123456789"
    site.replies["/v1/models"] = answer({"error": {"message": f"not allowed: {other}, api_key={other}"}}, 500)
    profile = ModelProfile("p", site.url("/v1"), "m")
    with pytest.raises(WorkbenchError) as caught:
        run(operations.list_server_models(library, profile))
    assert other not in str(caught.value)


def test_the_prompt_as_it_was_sent_holds_no_key(
    library: Library, run: Run, site: Site, ring: Any, papers: Path
) -> None:
    servers(site)
    run(operations.add_documents(library, [papers]))
    run(operations.put_profile(library, ModelProfile("p", site.url("/v1"), "m", WireApi.CHAT), key=KEY))
    agent = Agent("clerk", search_knowledge=False, add_knowledge_to_context=True)
    kept = run(operations.ask(library, "When did the harbour freeze?", profile="p", agent=agent))
    assert kept.prompts
    assert KEY not in repr(kept)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("web_search_url", f"https://ada:{KEY}@search.example.com"),
        ("web_search_url", f"https://search.example.com/?api_key={KEY}"),
        ("rerank_url", f"https://ada:{KEY}@rerank.example.com/v1"),
        ("topic_url", f"https://example.com/{{topic}}?token={KEY}"),
        ("rerank_key_env", KEY),
        ("web_search_key_env", KEY),
    ],
)
def test_a_key_in_a_setting_is_refused_and_not_repeated(library: Library, run: Run, setting: str, value: str) -> None:
    with pytest.raises(SettingError) as caught:
        run(operations.put_setting(library, setting, value))
    assert KEY not in str(caught.value)
    assert KEY.encode() not in bytes_below(library.folder)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("web_search_url", "https://api.search.brave.com"),
        ("rerank_key_env", "COHERE_API_KEY"),
        ("topic_url", "https://en.wikipedia.org/wiki/Special:Search?go=Go&search={topic}"),
        ("rerank_model", "BAAI/bge-reranker-v2-m3"),
    ],
)
def test_ordinary_settings_are_taken(library: Library, run: Run, setting: str, value: str) -> None:
    assert getattr(run(operations.put_setting(library, setting, value)), setting) == value

"""Connections are made only in workbench/egress: no other package imports modules that connect, or creates a client."""

import ast
from collections.abc import Iterator
from functools import cache

import pytest
from source_trees import PACKAGE, module_name, modules_with, tree_of

OWN = "egress"

CONNECTING = {
    *("socket", "ssl", "socketserver", "urllib.request", "http.client", "http.server", "ftplib", "smtplib", "imaplib"),
    *("poplib", "telnetlib", "nntplib", "xmlrpc", "webbrowser", "asyncore", "requests", "urllib3", "aiohttp", "httpx"),
    *("httpcore", "httpcore2", "websockets", "huggingface_hub", "psycopg", "uvicorn", "PySide6.QtNetwork"),
    *("PySide6.QtWebEngineCore", "PySide6.QtWebEngineWidgets", "PySide6.QtWebSockets", "multiprocessing.managers"),
    *("grpc", "lancedb", "chromadb", "qdrant_client", "pymilvus", "milvus_lite"),
}
"""Modules that can connect."""

ALLOWED = {
    # libpq connects by itself; queries.py checks the gate before, and it runs in a child process.
    ("fetching/database_query.py", "psycopg"),
    # Clients of vector databases: the gate checks each connection (StoreLocation.enter) and each use of one
    # (StoreLocation.require_open). Embedded databases connect to nothing.
    ("indexing/stores/pgvector_engine.py", "psycopg"),
    ("indexing/stores/lancedb_engine.py", "lancedb"),
    ("indexing/stores/chroma_engine.py", "chromadb"),
    ("indexing/stores/qdrant_engine.py", "qdrant_client"),
    ("indexing/stores/milvus_engine.py", "pymilvus"),
    # A server behind a local socket file.
    ("indexing/stores/milvus_engine.py", "milvus_lite"),
    ("indexing/stores/milvus_engine.py", "grpc"),
    # Serves on a loopback socket created by egress/sockets.py.
    ("operations/mcp/mcp_server.py", "uvicorn"),
    # Other programs of this machine send requests to the window: local sockets, which have no network (below).
    ("ui/single_instance.py", "PySide6.QtNetwork"),
    ("ui/passing_on.py", "PySide6.QtNetwork"),
    # Checks whether a process listens at a local socket that a dead program may have left (below).
    ("worker/scratch.py", "socket"),
    # Distinguishes errors of connections.
    ("agent/providers/error_mapping.py", "ssl"),
}
LOCAL_SOCKETS = {"QLocalServer", "QLocalSocket"}

HTTP_WORDS = {
    *("URL", "Request", "Response", "Timeout", "Limits", "HTTPError", "TransportError", "TimeoutException"),
    *("ConnectError", "ConnectTimeout", "InvalidURL", "ReadError", "RemoteProtocolError"),
}
"""Names of httpx2 that other packages may use: addresses, errors, limits; nothing that sends."""

CLIENTS = {
    "OpenAI": (),
    "AsyncOpenAI": ("agent/providers/model_server.py",),
    "AzureOpenAI": (),
    "AsyncAzureOpenAI": (),
    "create_mcp_http_client": (),
    "sse_client": (),
    "streamable_http_client": ("agent/mcp_servers.py",),
    "QNetworkAccessManager": (),
    "QTcpSocket": (),
    "open_connection": (),
    "open_unix_connection": (),
    "start_server": (),
    "create_connection": (),
    "create_datagram_endpoint": (),
    "create_server": (),
    "getaddrinfo": (),
    "gethostbyname": (),
    "urlopen": (),
    "from_pretrained": (),
    "snapshot_download": (),
    "hf_hub_download": (),
}
"""Calls that connect or create a client, and the modules that may contain them."""

LOADING = {"SentenceTransformer", "CrossEncoder"}
"""Classes that would download a model by default."""


@cache
def modules() -> tuple[tuple[str, ast.Module], ...]:
    """Return the parsed modules of the other packages that contain any of these words."""
    words = {one.rpartition(".")[2] for one in CONNECTING} | {"httpx2"} | CLIENTS.keys() | LOADING
    paths = {module_name(path): path for path in modules_with(*words)}
    return tuple((name, tree_of(path)) for name, path in paths.items() if name.split("/")[0] != OWN)


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{one.name}" for one in node.names)


def connecting(name: str) -> str | None:
    parts = name.split(".")
    return next(
        (".".join(parts[:end]) for end in range(1, len(parts) + 1) if ".".join(parts[:end]) in CONNECTING), None
    )


def called(tree: ast.Module) -> Iterator[ast.Call]:
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def test_no_other_package_imports_a_network_client() -> None:
    found = {(name, module) for name, tree in modules() for one in imported(tree) if (module := connecting(one))}
    assert found - ALLOWED == set()
    assert ALLOWED - found == set(), "an exception that nobody needs any more"


def test_other_packages_use_only_addresses_errors_and_limits_of_httpx2() -> None:
    for name, tree in modules():
        used = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "httpx2"
        }
        assert used <= HTTP_WORDS, name
        assert not [one for one in imported(tree) if one.startswith("httpx2.")], name


def test_no_other_package_makes_a_client_or_a_connection() -> None:
    found = {(name, name_of(call)) for name, tree in modules() for call in called(tree)}
    assert {(name, call) for name, call in found if call in CLIENTS and name not in CLIENTS[call]} == set()


def test_the_clients_of_others_are_handed_one_of_ours() -> None:
    makers = {"AsyncOpenAI", "streamable_http_client"}
    made = [call for _name, tree in modules() for call in called(tree) if name_of(call) in makers]
    assert len(made) == 2
    assert all("http_client" in {given.arg for given in call.keywords} for call in made)


def test_models_are_loaded_from_folders_only() -> None:
    made = [call for _name, tree in modules() for call in called(tree) if name_of(call) in LOADING]
    assert len(made) == 2
    for call in made:
        given = {one.arg: one.value for one in call.keywords}
        only = given["local_files_only"]
        assert isinstance(only, ast.Constant)
        assert only.value is True


@pytest.mark.parametrize("module", [name for name, what in sorted(ALLOWED) if what == "PySide6.QtNetwork"])
def test_local_sockets_are_all_that_is_used_of_qts_network(module: str) -> None:
    tree = tree_of(PACKAGE / module)
    used = {one.rpartition(".")[2] for one in imported(tree) if one.startswith("PySide6.QtNetwork.")}
    assert used <= LOCAL_SOCKETS


def test_a_reader_asks_local_sockets_only_and_those_have_no_network() -> None:
    tree = tree_of(PACKAGE / "worker/scratch.py")
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "socket"
    }
    assert used <= {"socket", "AF_UNIX", "SOCK_STREAM"}
    assert "AF_UNIX" in used


@pytest.mark.parametrize("line", ["import socket", "from urllib import request", "from urllib.request import urlopen"])
def test_this_test_would_find_it(line: str) -> None:
    assert [one for one in imported(ast.parse(line)) if connecting(one)]

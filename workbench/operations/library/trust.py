"""Trust: in libraries on this machine, in tool and embedding servers by consent; and the exceptions of offline mode.

A library from another person, or a returned copy of one's own, contains settings and model profiles to which this user
has never consented. A home mark proves the consent: it is stored in the library, and only this user can create it,
because it is an HMAC of the library's path with a secret key that never leaves the user's own folder.
"""

import hashlib
import hmac
import logging
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from workbench.egress.gate import EgressGate
from workbench.errors import SettingError
from workbench.files.changes import replace_private_file
from workbench.model.egress import (
    AllowedHost,
    NetworkNeed,
    NetworkUse,
    OfflineMode,
    OfflineModeChoice,
    Purpose,
    is_here,
    port_of,
)
from workbench.model.embedding_server import EmbeddingServer, embedding_server_of
from workbench.model.extensions import ToolServer
from workbench.model.vector_store import BUILT_IN_STORE, StoreChoice
from workbench.operations.library.index_stores import chosen_store, store_in_use, stores_of_bases
from workbench.operations.shared.connections import connections_of
from workbench.plugins.plugin_consent import PluginConsentFile
from workbench.settings import Settings
from workbench.settings.preferences import config_folder
from workbench.store.configuration import ProfileStore, SettingStore, ToolServerStore
from workbench.store.database import Database
from workbench.store.egress_ledger import EgressLedger
from workbench.store.embedders import EmbedderStore
from workbench.store.vectors import VectorTable

logger = logging.getLogger(__name__)

_HOME_MARK_KEY = "home"
_SECRET_BYTES = 32


def is_trusted_library(database: Database) -> bool:
    """Return whether the library has a valid home mark for its folder; blocking, under a millisecond."""
    secret = _read(_secret_path())
    stored = SettingStore(database).state(_HOME_MARK_KEY)
    return secret is not None and hmac.compare_digest(stored.encode(), _mark(secret, database.folder).encode())


def settle(database: Database) -> None:
    """Store the home mark in the library, so that it is trusted in its folder; blocking.

    Raises:
        SettingError: The user's own folder cannot be written.
        LibraryError: The library cannot be written.
    """
    path = _secret_path()
    secret = _read(path) or _create_secret(path)
    SettingStore(database).set_state(_HOME_MARK_KEY, _mark(secret, database.folder))


def trust_new_library(database: Database) -> None:
    """Do the same for a newly created library, if possible: without the mark it works too, in offline mode."""
    try:
        settle(database)
    except SettingError as error:
        logger.warning("A new library is not at home: %s", error)


def _mark(secret: bytes, folder: Path) -> str:
    return hmac.digest(secret, os.fsencode(folder.resolve()), "sha256").hex()


def _secret_path() -> Path:
    return config_folder() / "home.key"


def _read(path: Path) -> bytes | None:
    try:
        secret = path.read_bytes()
    except OSError:
        return None
    return secret if len(secret) == _SECRET_BYTES else None


def _create_secret(path: Path) -> bytes:
    secret = secrets.token_bytes(_SECRET_BYTES)
    try:
        replace_private_file(path, secret)
    except OSError as error:
        raise SettingError(
            "The permission of this library to use the network could not be stored.",
            f"Check that {path.parent} can be written.",
        ) from error
    return secret


def consents() -> PluginConsentFile:
    """Return the consents of this user to tool servers."""
    return PluginConsentFile(config_folder() / "allowed-tool-servers.json")


def consent_key(library: Path, name: str) -> Path:
    """Return the key of a consent; it contains the library: the same name in another library is another server.

    Args:
        library: The library's folder.
        name: The server's name.
    """
    return library.resolve() / "tool-servers" / name


def is_consented(library: Path, server: ToolServer) -> bool:
    """Return whether the user consents to a server exactly as it is set up; blocking."""
    consent = consents().of(consent_key(library, server.name))
    return consent is not None and consent.sha256 == server.sha256


def embedding_consents() -> PluginConsentFile:
    """Return the consents of this user to send texts to embedding servers on other machines."""
    return PluginConsentFile(config_folder() / "allowed-embedding-servers.json")


def is_server_allowed(library: Path, server: EmbeddingServer) -> bool:
    """Return whether the user allows the texts of a library to be sent to an embedding server; blocking.

    Args:
        library: The library's folder.
        server: The server; one on this machine needs no consent.
    """
    return server.is_here or embedding_consents().of(_server_key(library, server)) is not None


def allow_server(library: Path, server: EmbeddingServer) -> None:
    """Store the user's consent to send the texts of a library to an embedding server and its model; blocking.

    Raises:
        PluginError: It cannot be stored.
    """
    key = _server_key(library, server)
    embedding_consents().allow(key, key.name, (server.name,))


def _server_key(library: Path, server: EmbeddingServer) -> Path:
    facts = "\n".join((server.format.value, server.url, server.model))
    return library.resolve() / "embedding-servers" / hashlib.sha256(facts.encode()).hexdigest()


def gate_of(database: Database, ledger: EgressLedger) -> EgressGate:
    """Return the gate of a library: its settings decide on requests, its ledger records them."""
    return EgressGate(ledger, lambda: offline_mode_in(database))


def offline_mode_in(database: Database) -> OfflineMode:
    """Return the offline mode of a library: whether it is on, and its exceptions; blocking.

    It is read for every request that would leave this machine, and never cached, so that changes apply at once.
    """
    settings = SettingStore(database).load()
    return OfflineMode(
        OfflineModeChoice(settings.offline_mode), _needs(database, settings), at_home=is_trusted_library(database)
    )


def allowed_hosts(names: Iterable[str], purposes: frozenset[Purpose]) -> tuple[AllowedHost, ...]:
    """Return the hosts that the user allows for one operation.

    Args:
        names: As entered: “example.org”, “example.org:8443”, “[::1]:8443”, “*.example.org” for all subdomains.
        purposes: Purposes for which they are allowed.

    Raises:
        SettingError: One of them is not a host.
    """
    return tuple(AllowedHost(purposes, *_named_host(name.strip())) for name in names)


def _named_host(name: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{name}")
        host, port = parts.hostname or "", parts.port or 0
        is_plain = bool(host.removeprefix("*.")) and "*" not in host.removeprefix("*.") and parts.netloc == name
    except ValueError:
        host, port, is_plain = "", 0, False
    if not is_plain or "@" in name or any(letter.isspace() for letter in name):
        raise SettingError(f"“{name}” is not the name of a host.", "Give it like “example.org” or “example.org:8443”.")
    return host, port


def _needs(database: Database, settings: Settings) -> tuple[NetworkNeed, ...]:
    """Return the features that the user has set up and that need the network; servers on this machine do not."""
    needs = [
        _need(NetworkUse.PROFILE, profile.name, profile.base_url)
        for profile in ProfileStore(database).list()
        if not profile.is_offline and _is_outside(profile.base_url)
    ]
    # A server that is not allowed is neither started nor called. A program can send requests to any host.
    needs += [
        NetworkNeed(NetworkUse.TOOL_SERVER, server.name, program=server.sha256)
        if server.is_program
        else _need(NetworkUse.TOOL_SERVER, server.name, server.url)
        for server in ToolServerStore(database).list()
        if (server.is_program or _is_outside(server.url)) and is_consented(database.folder, server)
    ]
    if _is_outside(settings.web_search_url):
        needs.append(_need(NetworkUse.WEB_SEARCH, "", settings.web_search_url))
    if settings.reranking == "server" and _is_outside(settings.rerank_url):
        needs.append(_need(NetworkUse.RERANKING, "", settings.rerank_url))
    values = SettingStore(database)
    in_use = {store_in_use(values), chosen_store(settings), *stores_of_bases(values).values()}
    # During a move both are asked.
    needs += [_need(NetworkUse.VECTOR_STORE, "", address) for one in in_use if (address := _store_address(one))]
    needs += [
        _need(NetworkUse.SHARED_LIBRARY, one.name, one.url)
        for one in connections_of(SettingStore(database))
        if _host(one.url) and _is_outside(one.url)  # a local socket has no host
    ]
    needs += [_need(NetworkUse.EMBEDDING, "", server.url) for server in _embedding_servers(database, settings)]
    if _is_outside(settings.update_feed):
        needs.append(_need(NetworkUse.RELEASE_FEED, "", settings.update_feed))
    if settings.network_tools == "yes":
        needs.append(NetworkNeed(NetworkUse.TOOLS, ""))
    return tuple(needs)


def _embedding_servers(database: Database, settings: Settings) -> list[EmbeddingServer]:
    """Return the servers on other machines that embed the library now, or after a change, as the user allowed."""
    current = EmbedderStore(database, VectorTable(database)).current
    servers = []
    for model in {settings.embedder, current.choice.model if current is not None else ""}:
        try:
            server = embedding_server_of(model)
        except SettingError:
            continue  # it is never asked
        if server is not None and not server.is_here and is_server_allowed(database.folder, server):
            servers.append(server)
    return servers


def _store_address(store: StoreChoice) -> str:
    """Return the address of a vector store on another machine, with its port; nothing for one that stays here."""
    if store.name == BUILT_IN_STORE or not _is_outside(store.url) or not _host(store.url):
        return ""
    from workbench.indexing.stores.store_registry import STORES  # numpy, which the window starts without

    if store.name not in STORES.names():
        return ""
    parts = _parts(store.url)
    return f"//{parts.netloc}" if parts.port else f"//{parts.netloc}:{STORES.get(store.name).port}"


def _need(use: NetworkUse, name: str, address: str) -> NetworkNeed:
    return NetworkNeed(use, name, _host(address), _port(address))


def _is_outside(address: str) -> bool:
    return bool(address.strip()) and not is_here(_host(address))


def _host(address: str) -> str:
    try:
        return _parts(address).hostname or ""
    except ValueError:
        # An invalid address is never requested; it still counts as set up until the error is reported.
        return address.strip()


def _port(address: str) -> int:
    try:
        return port_of(_parts(address))
    except ValueError:
        return 0  # an invalid address is never requested, as in _host


def _parts(address: str) -> SplitResult:
    text = address.strip()
    return urlsplit(text if "://" in text else f"//{text}")

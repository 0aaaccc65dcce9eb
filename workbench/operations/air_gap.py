"""What the air gap lets through: what the setting says, and what was set up that needs the network."""

from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit

from workbench.egress.gate import Gate
from workbench.errors import SettingError
from workbench.model.egress import (
    AirGap,
    AirGapChoice,
    AllowedHost,
    NetworkNeed,
    NetworkUse,
    Purpose,
    is_here,
    port_of,
)
from workbench.operations.home import is_at_home
from workbench.operations.tool_consents import is_consented
from workbench.settings import Settings
from workbench.store.configuration import ProfileStore, SettingStore, ToolServerStore
from workbench.store.database import Database
from workbench.store.egress_ledger import EgressLedger


def gate_of(database: Database, ledger: EgressLedger) -> Gate:
    """Return the gate of a library: its settings decide, its ledger keeps."""
    return Gate(ledger, lambda: air_gap_in(database))


def air_gap_in(database: Database) -> AirGap:
    """Return whether the air gap of a library is on, and what its exceptions are; blocking.

    It is asked for at every request that would leave, and never kept: what is switched holds from then on.
    """
    settings = SettingStore(database).load()
    return AirGap(AirGapChoice(settings.air_gap), _needs(database, settings), at_home=is_at_home(database))


def allowed_hosts(names: Iterable[str], purposes: frozenset[Purpose]) -> tuple[AllowedHost, ...]:
    """Return the hosts that the user lets be asked for one operation.

    Args:
        names: As typed: “example.org”, “example.org:8443”, “[::1]:8443”, “*.example.org” for all hosts below it.
        purposes: What they may be asked for.

    Raises:
        SettingError: One of them is no host.
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
    """Return what the user has set up that needs the network; what runs on this machine does not."""
    needs = [
        _need(NetworkUse.PROFILE, profile.name, profile.base_url)
        for profile in ProfileStore(database).list()
        if not profile.is_offline and _is_outside(profile.base_url)
    ]
    # A server that is not allowed is neither started nor asked. A program may ask whom it likes.
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
    if settings.network_tools == "yes":
        needs.append(NetworkNeed(NetworkUse.TOOLS, ""))
    return tuple(needs)


def _need(use: NetworkUse, name: str, address: str) -> NetworkNeed:
    return NetworkNeed(use, name, _host(address), _port(address))


def _is_outside(address: str) -> bool:
    return bool(address.strip()) and not is_here(_host(address))


def _host(address: str) -> str:
    try:
        return _parts(address).hostname or ""
    except ValueError:
        # What is no address is asked by nobody; until that is said, it counts as set up.
        return address.strip()


def _port(address: str) -> int:
    try:
        return port_of(_parts(address))
    except ValueError:
        return 0  # asked by nobody, as above


def _parts(address: str) -> SplitResult:
    text = address.strip()
    return urlsplit(text if "://" in text else f"//{text}")

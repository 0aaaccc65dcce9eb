"""Network requests as recorded in the ledger, and offline mode that decides which are permitted."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from urllib.parse import SplitResult, urlsplit

from workbench.language import mark

OFFLINE_MODE_HINT = mark("Switch “Offline mode” off in the settings if this may leave your computer.")
"""Hint of every error caused by offline mode; a window recognises such errors by it."""


class Purpose(StrEnum):
    """Purpose of a request."""

    ANSWER = "answer"
    CONNECTION_TEST = "connection_test"
    RERANKING = "reranking"
    WEB_PAGE = "web_page"
    WEB_TOOL = "web_tool"
    WEB_SEARCH = "web_search"
    WEATHER = "weather"
    TOPIC = "topic"
    TOOL_SERVER = "tool_server"
    PLUGIN = "plugin"
    MODEL_DOWNLOAD = "model_download"
    PACKAGE_DOWNLOAD = "package_download"
    DATABASE = "database"
    VECTOR_STORE = "vector_store"
    SHARED_LIBRARY = "shared_library"
    EMBEDDING = "embedding"
    BROWSER = "browser"
    RELEASE_FEED = "release_feed"


PURPOSES: Mapping[Purpose, str] = MappingProxyType(
    {
        Purpose.ANSWER: mark("Answer of a model"),
        Purpose.CONNECTION_TEST: mark("Connection test"),
        Purpose.RERANKING: mark("Reranking"),
        Purpose.WEB_PAGE: mark("Web page you added"),
        Purpose.WEB_TOOL: mark("Web page read by a tool"),
        Purpose.WEB_SEARCH: mark("Web search"),
        Purpose.WEATHER: mark("Weather"),
        Purpose.TOPIC: mark("Topic you added"),
        Purpose.TOOL_SERVER: mark("Tool server"),
        Purpose.PLUGIN: mark("Plug-in"),
        Purpose.MODEL_DOWNLOAD: mark("Download of a model"),
        Purpose.PACKAGE_DOWNLOAD: mark("Download of packages"),
        Purpose.DATABASE: mark("Database query"),
        Purpose.VECTOR_STORE: mark("Vector store"),
        Purpose.SHARED_LIBRARY: mark("Shared library"),
        Purpose.EMBEDDING: mark("Embedding"),
        Purpose.BROWSER: mark("Scripts of a web page"),
        Purpose.RELEASE_FEED: mark("Check for a newer version"),
    }
)
"""Descriptions of the purposes."""


class NetworkOutcome(StrEnum):
    """Outcome of a request."""

    UNDER_WAY = "under_way"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"


OUTCOMES: Mapping[NetworkOutcome, str] = MappingProxyType(
    {
        NetworkOutcome.UNDER_WAY: mark("Under way"),
        NetworkOutcome.DONE: mark("Done"),
        NetworkOutcome.FAILED: mark("Failed"),
        NetworkOutcome.REFUSED: mark("Refused by offline mode"),
    }
)
"""Descriptions of the outcomes."""


@dataclass(frozen=True, slots=True)
class NetworkRequest:
    """Request as recorded in the ledger; also emitted when it begins and when it ends.

    Attributes:
        id: Its number; 0 before it is stored.
        at: Start time: ISO 8601, UTC.
        host: The host, in lower case; empty for a program that was started.
        port: Port of the host; 0 for a program.
        is_here: It never left this machine: loopback, or a program without any network.
        address: The address without query, user and fragment; the command, for a program.
        status: HTTP status; None if there was no response, or it was not HTTP.
        sent: Bytes of the request, headers included, before encryption; None if unknown.
        received: Bytes of the response, likewise.
        milliseconds: From the start to the last byte; 0 while it is under way.
        session: Session of the request; None outside of any, or if the session was deleted.
        run: Id of the answer that it was made for; None for none.
        chunks: Ids of the chunks whose text was sent.
        via: Host and port of the proxy; empty for none.
        note: Reason of a failure or refusal, or other remarks.
    """

    id: int
    at: str
    purpose: Purpose
    host: str
    port: int = 0
    is_here: bool = False
    address: str = ""
    outcome: NetworkOutcome = NetworkOutcome.UNDER_WAY
    status: int | None = None
    sent: int | None = 0
    received: int | None = 0
    milliseconds: float = 0.0
    session: int | None = None
    run: int | None = None
    chunks: tuple[int, ...] = ()
    via: str = ""
    note: str = ""

    @property
    def is_program(self) -> bool:
        """True if a program was started, whose own requests cannot be observed."""
        return not self.host


@dataclass(frozen=True, slots=True)
class NetworkFilter:
    """Filter for requests; None or empty means any.

    Attributes:
        outside: True: only those that left this machine. False: only those that stayed on it.
        host: Exactly this host.
        text: Part of host, address or note, ignoring case.
        session: Only those of a session.
        run: Only those of one answer.
    """

    purpose: Purpose | None = None
    outcome: NetworkOutcome | None = None
    outside: bool | None = None
    host: str = ""
    text: str = ""
    session: int | None = None
    run: int | None = None


@dataclass(frozen=True, slots=True)
class NetworkTotals:
    """Totals of requests; bytes are of those that left this machine.

    Attributes:
        requests: Number of all requests.
        outside: Number of those that left this machine.
        refused: Number of those refused by offline mode.
        chunks: Number of different chunks sent.
        since: Start of the oldest request: ISO 8601, UTC; empty for none.
    """

    requests: int = 0
    outside: int = 0
    refused: int = 0
    sent: int = 0
    received: int = 0
    chunks: int = 0
    since: str = ""


@dataclass(frozen=True, slots=True)
class HostTotal:
    """Totals of the requests to one host; the host of a program that was started is its command."""

    host: str
    is_here: bool
    requests: int
    refused: int
    sent: int
    received: int


@dataclass(frozen=True, slots=True)
class NetworkPage:
    """Page of requests, newest first; older is the id for the next page, None at the end. totals covers all matches."""

    requests: tuple[NetworkRequest, ...]
    older: int | None
    totals: NetworkTotals


@dataclass(frozen=True, slots=True)
class SentChunk:
    """Chunk whose text was sent with a request, and its document; is_there is False after it was removed."""

    chunk: int
    document: int | None
    name: str
    text: str
    is_there: bool


class NetworkUse(StrEnum):
    """Kind of configured feature that needs the network."""

    PROFILE = "profile"
    TOOL_SERVER = "tool_server"
    WEB_SEARCH = "web_search"
    RERANKING = "reranking"
    VECTOR_STORE = "vector_store"
    SHARED_LIBRARY = "shared_library"
    EMBEDDING = "embedding"
    TOOLS = "tools"
    RELEASE_FEED = "release_feed"


_ASKED_BY: Mapping[NetworkUse, frozenset[Purpose]] = MappingProxyType(
    {
        NetworkUse.PROFILE: frozenset({Purpose.ANSWER, Purpose.CONNECTION_TEST}),
        NetworkUse.TOOL_SERVER: frozenset({Purpose.TOOL_SERVER}),
        NetworkUse.WEB_SEARCH: frozenset({Purpose.WEB_SEARCH}),
        NetworkUse.RERANKING: frozenset({Purpose.RERANKING}),
        NetworkUse.VECTOR_STORE: frozenset({Purpose.VECTOR_STORE}),
        NetworkUse.SHARED_LIBRARY: frozenset({Purpose.SHARED_LIBRARY}),
        NetworkUse.EMBEDDING: frozenset({Purpose.EMBEDDING}),
        NetworkUse.TOOLS: frozenset({Purpose.WEB_TOOL, Purpose.WEATHER}),
        NetworkUse.RELEASE_FEED: frozenset({Purpose.RELEASE_FEED}),
    }
)
"""Purposes of each configured feature; no exception permits any other purpose."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Destination of a request.

    Attributes:
        host: The host; empty for a program that is started.
        program: Identity of a program (ToolServer.sha256); empty for a program without a possible exception.
    """

    purpose: Purpose
    host: str = ""
    port: int = 0
    program: str = ""


@dataclass(frozen=True, slots=True)
class NetworkNeed:
    """Configured feature that needs the network: an exception of offline mode for this feature only.

    Attributes:
        host: Its host; empty for a program, and for tools, which may use any host.
        port: Port of the host.
        program: Identity of a program (ToolServer.sha256); empty if none is started.
    """

    use: NetworkUse
    name: str
    host: str = ""
    port: int = 0
    program: str = ""

    def covers(self, asked: Destination) -> bool:
        """Return whether the user's consent to it covers a destination."""
        if asked.purpose not in _ASKED_BY[self.use]:
            return False
        if not asked.host:
            return bool(self.program) and asked.program == self.program
        if self.use is NetworkUse.TOOLS:
            return True
        return bool(self.host) and _normalise_host(asked.host) == _normalise_host(self.host) and asked.port == self.port

    @property
    def words(self) -> str:
        """Its description, to be translated by translate()."""
        match self.use:
            case NetworkUse.PROFILE:
                return mark(f"the model profile “{self.name}”")
            case NetworkUse.TOOL_SERVER:
                return mark(f"the tool server “{self.name}”")
            case NetworkUse.WEB_SEARCH:
                return mark("the web search")
            case NetworkUse.RERANKING:
                return mark("reranking by a server")
            case NetworkUse.VECTOR_STORE:
                return mark("the vector store on a server")
            case NetworkUse.SHARED_LIBRARY:
                return mark(f"the shared library “{self.name}”")
            case NetworkUse.EMBEDDING:
                return mark("embedding by a server")
            case NetworkUse.TOOLS:
                return mark("tools that use the network")
            case NetworkUse.RELEASE_FEED:
                return mark("the release feed")


def _normalise_host(host: str) -> str:
    """Return a host in the spelling used for comparison: lower case, international names in IDNA encoding."""
    bare = host.strip("[]").rstrip(".").lower()
    try:
        return bare.encode("idna").decode("ascii")
    except UnicodeError:
        return bare


PAGE_PURPOSES = frozenset({Purpose.WEB_PAGE, Purpose.TOPIC, Purpose.BROWSER})
"""Purposes of adding or fetching a page; scripts only if the user lets them run."""
MODEL_PURPOSES = frozenset({Purpose.MODEL_DOWNLOAD})
"""Purposes of downloading a model."""
PACKAGE_PURPOSES = frozenset({Purpose.PACKAGE_DOWNLOAD})
"""Purposes of installing the packages that load other models."""
EMBEDDING_PURPOSES = frozenset({Purpose.EMBEDDING})
"""Purposes of trying an embedding server."""
QUERY_PURPOSES = frozenset({Purpose.DATABASE})
"""Purposes of adding or running a query on a database server."""
DATABASE_PORT = 5432
"""Default port of PostgreSQL."""


@dataclass(frozen=True, slots=True)
class AllowedHost:
    """Host that the user permits for one operation although offline mode is on.

    Attributes:
        purposes: Permitted purposes.
        host: Its name; “*.example.org” is every host below example.org.
        port: 0 means the default ports: those of https and http, or that of a database.
    """

    purposes: frozenset[Purpose]
    host: str
    port: int = 0

    def covers(self, asked: Destination) -> bool:
        """Return whether the user's consent to it covers a destination; it never covers a program."""
        if asked.purpose not in self.purposes or not asked.host:
            return False
        usual = (DATABASE_PORT,) if asked.purpose is Purpose.DATABASE else (443, 80)
        if asked.port not in ((self.port,) if self.port else usual):
            return False
        if self.host.startswith("*."):
            return _normalise_host(asked.host).endswith("." + _normalise_host(self.host[2:]))
        return _normalise_host(asked.host) == _normalise_host(self.host)


class OfflineModeChoice(StrEnum):
    """Setting of offline mode; AUTO is on with exceptions for configured features, ON has no exceptions."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class OfflineMode:
    """Offline mode: decides which requests may leave this machine.

    Attributes:
        choice: The setting.
        needs: Configured features that need the network; with AUTO, the exceptions of offline mode.
        at_home: False if the library was created by another user or elsewhere: then nothing leaves the machine,
            whatever is configured in the library, until the user decides otherwise.
    """

    choice: OfflineModeChoice = OfflineModeChoice.AUTO
    needs: tuple[NetworkNeed, ...] = ()
    at_home: bool = True

    @property
    def is_on(self) -> bool:
        """True if nothing may leave except its exceptions; only the user switches it off."""
        return self.choice is not OfflineModeChoice.OFF or not self.at_home

    @property
    def exceptions(self) -> tuple[NetworkNeed, ...]:
        """Features that may use the network although it is on."""
        return self.needs if self.choice is OfflineModeChoice.AUTO and self.at_home else ()

    @property
    def is_shut(self) -> bool:
        """True if it is on without any exception."""
        return self.is_on and not self.exceptions

    def allows(self, asked: Destination) -> bool:
        """Return whether another machine may be contacted, or a program with network access be started."""
        return not self.is_on or any(one.covers(asked) for one in self.exceptions)

    @property
    def sentence(self) -> str:
        """State of offline mode and its reason, to be translated by translate()."""
        if not self.is_on:
            return mark("Offline mode is off: what you ask for may leave this computer.")
        if not self.at_home and self.choice is not OfflineModeChoice.ON:
            return mark("Offline mode is on: this library is new to this computer, or was moved.")
        if self.choice is OfflineModeChoice.ON:
            return mark("Offline mode is on: nothing leaves this computer.")
        if not self.needs:
            return mark(
                "Offline mode is on: nothing leaves this computer, for nothing that needs the network is set up."
            )
        if len(self.needs) == 1:
            return mark(f"Offline mode is on, with one exception: {self.needs[0].words}.")
        return mark(f"Offline mode is on, with {len(self.needs):d} exceptions, first {self.needs[0].words}.")


MODEL_HUB = "https://huggingface.co"
"""Source of models, unless the setting “model_hub” names a mirror."""
_FILES_OF_HUB = ("*.huggingface.co", "*.hf.co")
"""Hosts to which Hugging Face redirects requests for large files; their names differ by region and over time."""


def hub_hosts(model_hub: str) -> tuple[str, ...]:
    """Return the hosts contacted for a model: the hub's own, and those of its files.

    Args:
        model_hub: The setting of that name; empty for Hugging Face. A mirror is assumed to serve its files itself.
    """
    host = host_of(model_hub or MODEL_HUB)
    return (host, *_FILES_OF_HUB) if host == host_of(MODEL_HUB) else (host,)


def host_of(address: str) -> str:
    """Return the host of a web address as a consent names it: “example.org”, or “example.org:8443”.

    The default port is left out. Empty for an invalid address.
    """
    try:
        parts = urlsplit(address if "://" in address else f"https://{address}")
        host, port = parts.hostname or "", port_of(parts)
    except ValueError:
        return ""
    host = f"[{host}]" if ":" in host else host
    return host if port == (80 if parts.scheme == "http" else 443) else f"{host}:{port}"


def port_of(address: SplitResult) -> int:
    """Return the port of a web address; an address without a scheme is treated as https.

    Raises:
        ValueError: The port is invalid.
    """
    return address.port or (80 if address.scheme == "http" else 443)


def is_here(host: str) -> bool:
    """Return whether a host, as written in an address, is this machine itself, so that nothing sent to it leaves.

    Only literal addresses and localhost names count: resolving any other name would contact a name server.
    """
    bare = host.strip("[]").rstrip(".").lower()
    if bare == "localhost" or bare.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return False

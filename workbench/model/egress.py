"""What the program asks of the network: each request as it stands in the ledger, and the air gap."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from urllib.parse import SplitResult, urlsplit

from workbench.language import mark

AIR_GAP_HINT = mark("Switch “Air gap” off in the settings if this may leave your machine.")
"""The hint of every error that says that the air gap is on; by it a window knows what to offer."""


class Purpose(StrEnum):
    """What a request is for."""

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
    DATABASE = "database"
    VECTOR_STORE = "vector_store"
    BROWSER = "browser"


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
        Purpose.DATABASE: mark("Database query"),
        Purpose.VECTOR_STORE: mark("Vector store"),
        Purpose.BROWSER: mark("Scripts of a web page"),
    }
)
"""Each purpose in words for people."""


class NetworkOutcome(StrEnum):
    """What became of a request."""

    UNDER_WAY = "under_way"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"


OUTCOMES: Mapping[NetworkOutcome, str] = MappingProxyType(
    {
        NetworkOutcome.UNDER_WAY: mark("Under way"),
        NetworkOutcome.DONE: mark("Done"),
        NetworkOutcome.FAILED: mark("Failed"),
        NetworkOutcome.REFUSED: mark("Refused by the air gap"),
    }
)
"""Each outcome in words for people."""


@dataclass(frozen=True, slots=True)
class NetworkRequest:
    """One request as it stands in the ledger; also emitted when it begins and when it ends.

    Attributes:
        id: Its number; 0 before it is kept.
        at: When it began: ISO 8601, UTC.
        host: Who was asked, in lower case; empty for a program that was started.
        port: Of the host; 0 for a program.
        is_here: It never left this machine: loopback, or a program without any network.
        address: What was asked for, without query, user and fragment; the command, for a program.
        status: Of HTTP; None where there was no answer, or it was not HTTP.
        sent: Bytes of the request, headers included, before encryption; None where that cannot be seen.
        received: Bytes of the answer, likewise.
        milliseconds: From the beginning to the last byte; 0 while it is under way.
        session: In which session it was asked; None outside of any, or the session is gone.
        run: Id of the answer it was for; None for none.
        chunks: Ids of the chunks whose text went with it.
        via: Host and port of the proxy that was asked instead; empty for none.
        note: Why it failed or was refused, or what else is to be known.
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
        """Whether a program was started, of whose own requests nothing can be seen."""
        return not self.host


@dataclass(frozen=True, slots=True)
class NetworkFilter:
    """Which requests are wanted; what is None or empty does not narrow.

    Attributes:
        outside: True: only what left this machine. False: only what stayed on it.
        host: Exactly this one.
        text: Part of host, address or note, without regard to case.
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
    """What requests add up to; bytes are of those that left this machine.

    Attributes:
        requests: All of them.
        outside: Those that left this machine.
        refused: By the air gap.
        chunks: How many different chunks went out.
        since: When the oldest of them began: ISO 8601, UTC; empty for none.
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
    """What the requests to one host add up to; the host of a program that was started is its command."""

    host: str
    is_here: bool
    requests: int
    refused: int
    sent: int
    received: int


@dataclass(frozen=True, slots=True)
class NetworkPage:
    """Some requests, the newest first; older is the id to ask on with, None at the end. totals is of all that match."""

    requests: tuple[NetworkRequest, ...]
    older: int | None
    totals: NetworkTotals


@dataclass(frozen=True, slots=True)
class SentChunk:
    """A chunk whose text went with a request: its document's name and place; is_there is False once it is removed."""

    chunk: int
    document: int | None
    name: str
    text: str
    is_there: bool


class NetworkUse(StrEnum):
    """What was set up that needs the network."""

    PROFILE = "profile"
    TOOL_SERVER = "tool_server"
    WEB_SEARCH = "web_search"
    RERANKING = "reranking"
    VECTOR_STORE = "vector_store"
    TOOLS = "tools"


_ASKED_BY: Mapping[NetworkUse, frozenset[Purpose]] = MappingProxyType(
    {
        NetworkUse.PROFILE: frozenset({Purpose.ANSWER, Purpose.CONNECTION_TEST}),
        NetworkUse.TOOL_SERVER: frozenset({Purpose.TOOL_SERVER}),
        NetworkUse.WEB_SEARCH: frozenset({Purpose.WEB_SEARCH}),
        NetworkUse.RERANKING: frozenset({Purpose.RERANKING}),
        NetworkUse.VECTOR_STORE: frozenset({Purpose.VECTOR_STORE}),
        NetworkUse.TOOLS: frozenset({Purpose.WEB_TOOL, Purpose.WEATHER}),
    }
)
"""What is asked for what was set up; all other purposes are let through by no exception."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Whom a request asks.

    Attributes:
        host: Empty for a program that is started.
        program: What identifies a program (ToolServer.sha256); empty for one that no exception is made for.
    """

    purpose: Purpose
    host: str = ""
    port: int = 0
    program: str = ""


@dataclass(frozen=True, slots=True)
class NetworkNeed:
    """One thing that was set up by the user and needs the network: an exception of the air gap, for itself only.

    Attributes:
        host: The one it asks; empty for a program, and for tools, which ask whom they like.
        port: Of the host.
        program: What identifies a program (ToolServer.sha256); empty where none is started.
    """

    use: NetworkUse
    name: str
    host: str = ""
    port: int = 0
    program: str = ""

    def covers(self, asked: Destination) -> bool:
        """Tell whether the user's consent to it is a consent to what is about to be asked."""
        if asked.purpose not in _ASKED_BY[self.use]:
            return False
        if not asked.host:
            return bool(self.program) and asked.program == self.program
        if self.use is NetworkUse.TOOLS:
            return True
        return bool(self.host) and _spelt(asked.host) == _spelt(self.host) and asked.port == self.port

    @property
    def words(self) -> str:
        """What it is, for people; to be said in their language by said()."""
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
            case NetworkUse.TOOLS:
                return mark("tools that use the network")


def _spelt(host: str) -> str:
    """Return a host in the one spelling that it is compared in: of an international name that of the name servers."""
    bare = host.strip("[]").rstrip(".").lower()
    try:
        return bare.encode("idna").decode("ascii")
    except UnicodeError:
        return bare


PAGE_PURPOSES = frozenset({Purpose.WEB_PAGE, Purpose.TOPIC, Purpose.BROWSER})
"""What is asked for when a page is added or fetched again; scripts only where the user lets them run."""
MODEL_PURPOSES = frozenset({Purpose.MODEL_DOWNLOAD})
"""What is asked for when a model is downloaded."""
QUERY_PURPOSES = frozenset({Purpose.DATABASE})
"""What is asked for when a query on a database server is added or run again."""
DATABASE_PORT = 5432
"""Where PostgreSQL listens unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class AllowedHost:
    """A host that the user lets be asked for one operation, although the air gap is on.

    Attributes:
        purposes: What it may be asked for.
        host: Its name; “*.example.org” is every host below example.org.
        port: 0 stands for the usual ones: those of https and http, or that of a database.
    """

    purposes: frozenset[Purpose]
    host: str
    port: int = 0

    def covers(self, asked: Destination) -> bool:
        """Tell whether the user's consent to it is a consent to what is about to be asked; never to a program."""
        if asked.purpose not in self.purposes or not asked.host:
            return False
        usual = (DATABASE_PORT,) if asked.purpose is Purpose.DATABASE else (443, 80)
        if asked.port not in ((self.port,) if self.port else usual):
            return False
        if self.host.startswith("*."):
            return _spelt(asked.host).endswith("." + _spelt(self.host[2:]))
        return _spelt(asked.host) == _spelt(self.host)


class AirGapChoice(StrEnum):
    """What the setting says; AUTO is on but for what was set up, ON without any exception."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class AirGap:
    """What may leave this machine.

    Attributes:
        choice: What the setting says.
        needs: What was set up that needs the network; with AUTO, the exceptions of the air gap.
        at_home: False where the library was made by somebody else, or elsewhere: nothing leaves then, whatever came
            with it, until the user says otherwise.
    """

    choice: AirGapChoice = AirGapChoice.AUTO
    needs: tuple[NetworkNeed, ...] = ()
    at_home: bool = True

    @property
    def is_on(self) -> bool:
        """Whether nothing may leave but its exceptions; only the user switches it off."""
        return self.choice is not AirGapChoice.OFF or not self.at_home

    @property
    def exceptions(self) -> tuple[NetworkNeed, ...]:
        """What may leave although it is on, each for itself only."""
        return self.needs if self.choice is AirGapChoice.AUTO and self.at_home else ()

    @property
    def is_shut(self) -> bool:
        """Whether it is on without any exception: nothing at all may leave."""
        return self.is_on and not self.exceptions

    def allows(self, asked: Destination) -> bool:
        """Tell whether something on another machine may be asked, or a program be started that may: the one rule."""
        return not self.is_on or any(one.covers(asked) for one in self.exceptions)

    @property
    def sentence(self) -> str:
        """Whether it is on, and why, for people; to be said in their language by said()."""
        if not self.is_on:
            return mark("The air gap is off: what you ask for may leave this machine.")
        if not self.at_home and self.choice is not AirGapChoice.ON:
            return mark("The air gap is on: this library is new to this machine, or was moved.")
        if self.choice is AirGapChoice.ON:
            return mark("The air gap is on: nothing leaves this machine.")
        if not self.needs:
            return mark("The air gap is on: nothing leaves this machine, for nothing that needs the network is set up.")
        if len(self.needs) == 1:
            return mark(f"The air gap is on, with one exception: {self.needs[0].words}.")
        return mark(f"The air gap is on, with {len(self.needs):d} exceptions, first {self.needs[0].words}.")


MODEL_HUB = "https://huggingface.co"
"""Where models come from unless the setting “model_hub” names a mirror."""
_FILES_OF_HUB = ("*.huggingface.co", "*.hf.co")
"""Where Hugging Face sends on who wants a large file; the names before these differ by region and over time."""


def hub_hosts(model_hub: str) -> tuple[str, ...]:
    """Return the hosts that are asked for a model: the hub's own, and those that its files come from.

    Args:
        model_hub: The setting of that name; empty for Hugging Face. A mirror is taken to send its files itself.
    """
    host = host_of(model_hub or MODEL_HUB)
    return (host, *_FILES_OF_HUB) if host == host_of(MODEL_HUB) else (host,)


def host_of(address: str) -> str:
    """Return the host of an address of the web as a consent names it: “example.org”, or “example.org:8443”.

    The port is left out where it is the usual one. Empty for what is no address.
    """
    try:
        parts = urlsplit(address if "://" in address else f"https://{address}")
        host, port = parts.hostname or "", port_of(parts)
    except ValueError:
        return ""
    host = f"[{host}]" if ":" in host else host
    return host if port == (80 if parts.scheme == "http" else 443) else f"{host}:{port}"


def port_of(address: SplitResult) -> int:
    """Return the port that an address of the web is asked at; an address without a scheme is one of https.

    Raises:
        ValueError: What stands there is no port.
    """
    return address.port or (80 if address.scheme == "http" else 443)


def is_here(host: str) -> bool:
    """Tell whether a host, as it stands in an address, is this machine itself: nothing sent to it leaves.

    Only what says so by itself counts: to resolve any other name would ask a name server.
    """
    bare = host.strip("[]").rstrip(".").lower()
    if bare == "localhost" or bare.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return False

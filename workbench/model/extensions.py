"""Extensions of a library: custom retrievers, plug-in files, tools, and MCP tool servers."""

import hashlib
import json
import shlex
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from workbench.language import mark

if TYPE_CHECKING:
    from workbench.model.agent import Agent


Filters = dict[str, Any] | list[Any] | None
"""Restriction in the form for retrievers: equalities by key, or a list of expressions; None for no restriction."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """Context of a run, passed to a retriever with a `run_context` parameter.

    Attributes:
        agent: The agent that asks.
        dependencies: The agent's values for its tools and retrievers.
        knowledge_filters: Restriction of the search, resolved and checked.
        session_state: Values stored in the session.
        metadata: Metadata of the run.
    """

    run_id: str = ""
    session_id: str = ""
    user_id: str = ""
    agent: "Agent | None" = None
    dependencies: dict[str, Any] | None = None
    knowledge_filters: Filters = None
    session_state: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class RetrieverQuestion:
    """Request to a retriever.

    Attributes:
        query: The query.
        num_documents: Number of passages requested; None leaves it to the retriever.
        agent_id: The agent that asks: its name in the file system or, without one, its name.
    """

    query: str
    num_documents: int | None = None
    agent_id: str = ""
    context: RunContext = field(default_factory=RunContext)


class RetrieverKind(StrEnum):
    """Source of a retriever."""

    CODE = "code"
    PACKAGE = "package"
    PLUG_IN = "plug-in"


class RetrieverState(StrEnum):
    """Availability of a retriever."""

    NOT_STARTED = "not started"
    READY = "ready"
    FAILED = "failed"
    NEEDS_CONSENT = "needs consent"


@dataclass(frozen=True, slots=True)
class RetrieverInfo:
    """State of a retriever.

    Attributes:
        problem: Reason why it is unavailable, in a sentence.
        note: Remark about an available retriever.
        milliseconds: Duration of its last request; None before the first.
        file: The plug-in file that contains it.
    """

    name: str
    kind: RetrieverKind
    state: RetrieverState
    problem: str = ""
    note: str = ""
    milliseconds: float | None = None
    file: str = ""


class PluginState(StrEnum):
    """State of a plug-in file: consent and health."""

    NEW = "new"
    CHANGED = "changed"
    ALLOWED = "allowed"
    BROKEN = "broken"

    @property
    def needs_consent(self) -> bool:
        """True if a person has to review it first."""
        return self in (PluginState.NEW, PluginState.CHANGED)


@dataclass(frozen=True, slots=True)
class PluginText:
    """Text of a plug-in file, and the hash of exactly that text."""

    name: str
    sha256: str
    text: str


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """Plug-in file.

    Attributes:
        name: File name in the library's plug-in folder.
        path: Its full path.
        sha256: Hash of its current bytes; empty if they cannot be read.
        offers: The retrievers in it; known once it was allowed.
        problem: Its problem, in a sentence.
    """

    name: str
    path: str
    sha256: str
    state: PluginState
    offers: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """Tool, and whether it may be called.

    Attributes:
        name: Name used by agents and models.
        title: Title for users.
        help: One sentence for users.
        needs_network: It sends data from this machine.
        has_side_effects: It changes the library, or something outside it.
        is_on: Whether the settings permit it: tools that need the network are off until the user allows them.
    """

    name: str
    title: str
    help: str
    needs_network: bool
    has_side_effects: bool
    is_on: bool


RUNS_OUTSIDE = mark(
    "While it is allowed, this program runs outside offline mode: its own requests, and what it sends of the arguments"
    " of its tools, can neither be seen nor blocked. Offline mode stays on for everything else."
)
"""Consequence of a consent to a program, shown before it is given."""


@dataclass(frozen=True, slots=True)
class ToolServer:
    """Connection to an MCP server; either command or url is given.

    Attributes:
        name: Prefix of its tools: “name.tool”.
        command: The program to run, and its arguments.
        url: Its address, for a server that is connected to over HTTP (Streamable HTTP).
        variables: Names of environment variables passed to the program in addition to the default ones.
        token_env: Name of the environment variable whose value is sent to the address, as a bearer token; empty for
            the token that the user entered (operations/questions/tool_servers.py), if there is one.
    """

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    variables: tuple[str, ...] = ()
    token_env: str = ""

    @property
    def is_program(self) -> bool:
        """True if it is a program that is run on this machine."""
        return bool(self.command)

    @property
    def reached_by(self) -> str:
        """The command as it would be typed, or the address."""
        return shlex.join(self.command) if self.command else self.url

    @property
    def sha256(self) -> str:
        """Hash of everything that the user consents to: another command, address or variable needs a new consent."""
        # Without a token the value is the same as before tokens existed: consents stay valid.
        token = [self.token_env] if self.token_env else []
        serialized = json.dumps([self.command, self.url, self.variables, *token], ensure_ascii=False)
        return hashlib.sha256(serialized.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class ToolServerState:
    """Server, and whether the user allows its current configuration."""

    server: ToolServer
    is_allowed: bool

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
"""A restriction as retrievers are given it: equalities by key, or a list of expressions; None for no restriction."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """The run for which a retriever is asked; what it is given where it names `run_context`.

    Attributes:
        agent: Who asks.
        dependencies: Whatever the agent was given for its tools and retrievers.
        knowledge_filters: What the search is restricted to, resolved and checked.
        session_state: What the session remembers.
        metadata: What the run was started with.
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
    """One question to a retriever.

    Attributes:
        query: What is searched for.
        num_documents: How many passages are wanted; None leaves it to the retriever.
        agent_id: Which agent asks, by its name in the file system or, without one, by its name.
    """

    query: str
    num_documents: int | None = None
    agent_id: str = ""
    context: RunContext = field(default_factory=RunContext)


class RetrieverKind(StrEnum):
    """Where a retriever comes from."""

    CODE = "code"
    PACKAGE = "package"
    PLUG_IN = "plug-in"


class RetrieverState(StrEnum):
    """Whether a retriever can be asked."""

    NOT_STARTED = "not started"
    READY = "ready"
    FAILED = "failed"
    NEEDS_CONSENT = "needs consent"


@dataclass(frozen=True, slots=True)
class RetrieverInfo:
    """How a retriever stands.

    Attributes:
        problem: Why it cannot be asked, in a sentence.
        note: What to know of it although it can be asked.
        milliseconds: How long its last answer took; None before the first.
        file: The plug-in file it stands in.
    """

    name: str
    kind: RetrieverKind
    state: RetrieverState
    problem: str = ""
    note: str = ""
    milliseconds: float | None = None
    file: str = ""


class PluginState(StrEnum):
    """Whether a plug-in file may run, and does."""

    NEW = "new"
    CHANGED = "changed"
    ALLOWED = "allowed"
    BROKEN = "broken"

    @property
    def needs_consent(self) -> bool:
        """Whether a person has to look at it first."""
        return self in (PluginState.NEW, PluginState.CHANGED)


@dataclass(frozen=True, slots=True)
class PluginText:
    """What stands in a plug-in file, and the hash of exactly that."""

    name: str
    sha256: str
    text: str


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """A plug-in file.

    Attributes:
        name: The file's name in the library's plug-in folder.
        path: All of its path.
        sha256: Of its bytes as they are now; empty where they cannot be read.
        offers: The retrievers in it; known once it was allowed.
        problem: What is wrong with it, in a sentence.
    """

    name: str
    path: str
    sha256: str
    state: PluginState
    offers: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """A tool, and whether it may be called.

    Attributes:
        name: What agents and models call it.
        title: For people.
        help: One sentence for people.
        needs_network: It sends something away from this machine.
        has_side_effects: It changes the library, or something outside it.
        is_on: Whether the settings let it be called: tools that need the network are off until the user allows them.
    """

    name: str
    title: str
    help: str
    needs_network: bool
    has_side_effects: bool
    is_on: bool


RUNS_OUTSIDE = mark(
    "While it is allowed, this program runs outside of the air gap: whom it asks, and what it sends of what its tools"
    " are given, can neither be seen nor refused. The air gap stays on for everything else."
)
"""What a consent to a program means, said before it is given."""


@dataclass(frozen=True, slots=True)
class ToolServer:
    """How an MCP server is reached; either command or url is given.

    Attributes:
        name: What its tools are called by: “name.tool”.
        command: The program that is run, and its arguments.
        url: Its address, for one that is asked over HTTP (Streamable HTTP).
        variables: Names of environment variables that the program is handed besides the usual ones.
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
        """Whether it is a program that is run on this machine."""
        return bool(self.command)

    @property
    def reached_by(self) -> str:
        """The command as it would be typed, or the address."""
        return shlex.join(self.command) if self.command else self.url

    @property
    def sha256(self) -> str:
        """Of all that the user consents to: another command, address or variable asks anew."""
        # Without one as it was before there were any: consents stay.
        token = [self.token_env] if self.token_env else []
        said = json.dumps([self.command, self.url, self.variables, *token], ensure_ascii=False)
        return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class ToolServerState:
    """A server, and whether the user allows it as it is."""

    server: ToolServer
    is_allowed: bool

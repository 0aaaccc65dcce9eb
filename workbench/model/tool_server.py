"""A server whose tools agents may use, by the Model Context Protocol: a program of this machine, or an address."""

import hashlib
import json
import shlex
from dataclasses import dataclass

from workbench.language import mark

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
            the token that the user entered (operations/tool_servers.py), if there is one.
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

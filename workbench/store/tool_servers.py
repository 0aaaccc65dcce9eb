"""MCP servers whose tools agents may use; whether they may be run is kept for the user, not here."""

import re

from workbench.errors import NotFound, SettingError
from workbench.model.tool_server import ToolServer
from workbench.store.database import Database
from workbench.store.values import loaded_json, loaded_text, stored_json, stored_text

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,31}")
# The method list() hides the type inside the class.
ToolServers = list[ToolServer]


class ToolServerStore:
    """What was set up, by name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self) -> ToolServers:
        """Return the servers, by name."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT name, command, url, variables, token_env FROM tool_servers ORDER BY name"
            ).fetchall()
        return [
            ToolServer(
                name, tuple(loaded_json(command)), loaded_text(url), tuple(loaded_json(variables)), loaded_text(token)
            )
            for name, command, url, variables, token in rows
        ]

    def get(self, name: str) -> ToolServer:
        """Return a server.

        Raises:
            NotFound: There is none of that name.
        """
        known = self.list()
        for server in known:
            if server.name == name:
                return server
        names = ", ".join(server.name for server in known)
        raise NotFound(
            f"There is no tool server “{name}”.", f"There are {names}." if names else "There are none yet: add one."
        )

    def put(self, server: ToolServer) -> None:
        """Keep a server, in the place of one of the same name.

        Raises:
            SettingError: Its name cannot be part of a tool's name, or it says not how it is reached.
        """
        if not _NAME.fullmatch(server.name):
            raise SettingError(
                f"A tool server cannot be called “{server.name}”.",
                "Use letters from a to z, digits and “-”, 32 at most: it becomes part of the names of its tools.",
            )
        if bool(server.command) == bool(server.url):
            raise SettingError("A tool server needs either a command or an address.", "Give one of the two.")
        if server.token_env and not server.url:
            raise SettingError(
                "A program is sent no token.", "Hand it the variable instead: workbench mcp-servers add --env."
            )
        row = (
            server.name,
            stored_json(server.command),
            stored_text(server.url),
            stored_json(server.variables),
            stored_text(server.token_env),
        )
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO tool_servers (name, command, url, variables, token_env) VALUES (?, ?, ?, ?, ?)",
                row,
            )

    def remove(self, name: str) -> ToolServer:
        """Forget a server; returns it as it was, so that it can be put back.

        Raises:
            NotFound: There is none of that name.
        """
        server = self.get(name)
        with self._database.write() as connection:
            connection.execute("DELETE FROM tool_servers WHERE name = ?", (name,))
        return server

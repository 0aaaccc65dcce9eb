"""Presenter of MCP servers; works without a window."""

import shlex
from functools import partial

from PySide6.QtCore import QObject, Signal

from workbench import operations
from workbench.errors import SettingError
from workbench.language import tr
from workbench.model.extensions import ToolServer, ToolServerState
from workbench.model.profile import NO_KEYRING
from workbench.ui.bridge import Bridge


class ToolServersPresenter(QObject):
    """Presenter of the MCP servers of the open library.

    Signals:
        changed: The list of ToolServerState.
        notified: A message about a completed action.
        removed: The name of a removed server, which can be restored.
        failed: An error and its details.
    """

    changed = Signal(list)
    notified = Signal(str)
    removed = Signal(str)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.servers: list[ToolServerState] = []
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._removed: ToolServer | None = None

    def set_library(self, library: "operations.Library | None") -> None:
        """Show the servers of another library."""
        self._library = library
        self._removed = None
        self.refresh()

    def add(self, name: str, typed: str) -> None:
        """Add a server by its address or its command; it is not started before it is allowed."""
        try:
            server = server_of(name, typed)
        except SettingError as error:
            self.failed.emit(error, "")
            return
        self._put(server, tr("“{name}” was added. Allow it if you trust it.", name=server.name))

    def allow(self, state: ToolServerState) -> None:
        """Allow exactly the command or address that was shown."""
        if self._library is not None:
            server = state.server
            self._bridge.submit(
                operations.allow_tool_server(self._library, server.name, sha256=server.sha256),
                done=partial(self._on_done, tr("“{name}” is allowed.", name=server.name)),
                failed=self._on_failed,
            )

    def forbid(self, state: ToolServerState) -> None:
        """Withdraw the permission."""
        if self._library is not None:
            self._bridge.submit(
                operations.forbid_tool_server(self._library, state.server.name),
                done=partial(self._on_done, tr("“{name}” is no longer allowed.", name=state.server.name)),
                failed=self._on_failed,
            )

    def put_token(self, state: ToolServerState, token: str) -> None:
        """Store the token that a server is sent; an empty one removes it."""
        if self._library is not None:
            self._bridge.submit(
                operations.put_tool_server_token(self._library, state.server.name, token),
                done=partial(self._on_token, bool(token)),
                failed=self._on_failed,
            )

    def check(self, state: ToolServerState) -> None:
        """Start or contact a server and report its tools."""
        if self._library is not None:
            self._bridge.submit(
                operations.check_tool_server(self._library, state.server.name),
                done=partial(self._on_checked, state.server.name),
                failed=self._on_failed,
            )

    def remove(self, state: ToolServerState) -> None:
        """Remove a server; `put_back` restores it."""
        if self._library is not None:
            self._bridge.submit(
                operations.remove_tool_server(self._library, state.server.name),
                done=self._on_removed,
                failed=self._on_failed,
            )

    def put_back(self) -> None:
        """Restore the server that was removed last; it must be allowed again."""
        server, self._removed = self._removed, None
        if server is not None:
            self._put(server, tr("“{name}” was restored. Allow it if you trust it.", name=server.name))

    def _put(self, server: ToolServer, sentence: str) -> None:
        if self._library is not None:
            self._bridge.submit(
                operations.put_tool_server(self._library, server),
                done=partial(self._on_done, sentence),
                failed=self._on_failed,
            )

    def refresh(self) -> None:
        """Load the servers of the library again."""
        if self._library is None:
            self._on_servers([])
        else:
            self._bridge.submit(
                operations.list_tool_servers(self._library), done=self._on_servers, failed=self._on_failed
            )

    def _on_servers(self, servers: list[ToolServerState]) -> None:
        self.servers = servers
        self.changed.emit(servers)

    def _on_done(self, sentence: str, _value: object) -> None:
        self.notified.emit(sentence)
        self.refresh()

    def _on_token(self, is_given: bool, is_stored: bool) -> None:
        kept = tr("The token was saved.") if is_given else tr("The token was removed.")
        self.notified.emit(kept if is_stored else tr(NO_KEYRING))

    def _on_removed(self, server: ToolServer) -> None:
        self._removed = server
        self.removed.emit(server.name)
        self.refresh()

    def _on_checked(self, name: str, tools: tuple[str, ...]) -> None:
        listed = ", ".join(f"{name}.{tool}" for tool in tools) or tr("none")
        self.notified.emit(tr("The server works. Tools: {tools}.", tools=listed))

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.failed.emit(error, details)


def server_of(name: str, typed: str) -> ToolServer:
    """Return the server for a typed address or command.

    Raises:
        SettingError: The quotation marks of the command do not match.
    """
    text = typed.strip()
    if text.startswith(("http://", "https://")):
        return ToolServer(name.strip(), url=text)
    try:
        return ToolServer(name.strip(), tuple(shlex.split(text)))
    except ValueError as error:
        raise SettingError("The quotation marks of the command do not match.", "Close every quotation mark.") from error

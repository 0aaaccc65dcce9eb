"""Single window per library, with a server for the requests of other programs.

Other programs send it their files and links, or ask it to make a change (forwarded_changes.py).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QDir, QObject, Qt, QTimer, Slot

from workbench.errors import SettingError
from workbench.model.memory import user_name
from workbench.system import current

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

    from workbench.ui.app_controller import AppController
    from workbench.ui.forwarded_changes import ForwardedChange

_PATIENCE = 2000
"""Milliseconds for the first window to answer; a blocked one must not delay the second start."""
TAKEN = b"taken"
_ACTIVATION = "XDG_ACTIVATION_TOKEN"
"""Environment variable with the Wayland token to raise the window: the second start passes it on, and Qt reads it."""


def socket_name(library: Path) -> str:
    """Return the socket name of a library's window; it is unique for each system user and library."""
    import hashlib  # 3 ms

    digest = hashlib.sha256(os.fsencode(library.resolve())).hexdigest()[:16]
    name = f"knowledge-workbench-{digest}"
    return current().socket_name(name, QDir.tempPath())


def connected(library: Path) -> QLocalSocket | None:
    """Return a connection to the window that has a library open; None if no window listens."""
    name = socket_name(library)
    if not current().owns_socket(name):
        return None
    # Imported here, because it takes 20 ms, and most starts find no other window.
    from PySide6.QtNetwork import QLocalSocket

    socket = QLocalSocket()
    socket.connectToServer(name)
    return socket if socket.waitForConnected(_PATIENCE) else None


def forward_to_running_window(library: Path, sources: Sequence[str], user: str | None = None) -> bool:
    """Send files and links to the window that has a library open, and raise it; False if there is none.

    Args:
        library: The library folder.
        sources: Files and links.
        user: User to switch the window to, as user_name() returns it; None keeps its current user.
    """
    socket = connected(library)
    if socket is None:
        return False
    request = {"sources": list(sources), "token": os.environ.get(_ACTIVATION, ""), "user": user}
    socket.write(json.dumps(request).encode() + b"\n")
    socket.flush()
    # Wait for the reply: data written to the socket of a window that just closed is lost.
    if not socket.waitForReadyRead(_PATIENCE):
        return False
    return socket.readAll().data() == TAKEN


class SingleInstance(QObject):
    """Server for other programs, active while a window has a library open."""

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        self._server: QLocalServer | None = None
        self._connections: list[_Connection] = []
        shell.settled.connect(self.listen)

    @Slot()
    def listen(self) -> None:
        """Listen for the library that is currently open."""
        self.close()
        if self._shell.library is None:
            return
        from PySide6.QtNetwork import QLocalServer

        name = socket_name(self._shell.folder)
        # This process holds the library's lock, so the process that left this socket has ended.
        QLocalServer.removeServer(name)
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(self._on_connection)
        if server.listen(name):
            self._server = server

    def close(self) -> None:
        """Stop listening; changes requested by other programs are stopped."""
        for connection in tuple(self._connections):
            connection.hang_up()
        if self._server is not None:
            self._server.close()
            self._server.deleteLater()
            self._server = None

    @Slot()
    def _on_connection(self) -> None:
        while self._server is not None and self._server.hasPendingConnections():
            connection = _Connection(self._shell, self._server.nextPendingConnection(), self._connections.remove)
            self._connections.append(connection)


class _Connection(QObject):
    """Connection of another program, which sends one line and receives the results."""

    def __init__(self, shell: AppController, socket: QLocalSocket, gone: Callable[[_Connection], None]) -> None:
        super().__init__(shell)
        from workbench.operations.library.change_messages import LONGEST_MESSAGE

        self._longest = LONGEST_MESSAGE
        self._shell = shell
        self._socket: QLocalSocket | None = socket
        self._closed = gone
        self._is_read = False
        self._change: ForwardedChange | None = None
        # One byte more than the limit of a message, so that a longer one can be recognised.
        socket.setReadBufferSize(self._longest + 1)
        socket.readyRead.connect(self._on_ready)
        socket.disconnected.connect(self._on_disconnected)

    def hang_up(self) -> None:
        """Close the connection now, and stop the change that it requested."""
        if self._socket is not None:
            self._socket.abort()
        self._on_disconnected()

    @Slot()
    def _on_ready(self) -> None:
        if self._socket is None or self._is_read:
            return
        if not self._socket.canReadLine() and self._socket.bytesAvailable() <= self._longest:
            return
        self._is_read = True
        from workbench.operations.library.change_messages import object_of

        line = bytes(self._socket.readLine().data())
        request = object_of(line) if line.endswith(b"\n") else {}
        if "change" in request:
            from workbench.ui.forwarded_changes import ForwardedChange

            self._change = ForwardedChange(self._tell, self._end)
            self._change.start(self._shell, request)
        elif _is_start(request):
            self._on_start(request)
        else:
            self._refuse()

    def _on_start(self, said: dict[str, Any]) -> None:
        self._write(TAKEN)
        self._end()
        if said["token"]:
            os.environ[_ACTIVATION] = said["token"]
        if self._shell.library is None:
            # The window is switching to another user or folder.
            self._shell.settled.connect(partial(_begin, self._shell, said), Qt.ConnectionType.SingleShotConnection)
        else:
            # Confirmations wait until this connection is closed; the timer is dropped if the window is deleted.
            QTimer.singleShot(0, self._shell, partial(_begin, self._shell, said))

    def _refuse(self) -> None:
        from workbench.operations.library.change_messages import failure_message, not_understood

        self._tell(failure_message(not_understood()))
        self._end()

    def _tell(self, message: Mapping[str, object]) -> None:
        from workbench.operations.library.change_messages import line_of

        self._write(line_of(message))

    def _write(self, line: bytes) -> None:
        if self._socket is not None:
            self._socket.write(line)
            self._socket.flush()

    def _end(self) -> None:
        self._change = None
        if self._socket is not None:
            self._socket.disconnectFromServer()

    @Slot()
    def _on_disconnected(self) -> None:
        if self._socket is None:
            return
        self._socket.deleteLater()
        self._socket = None
        self._closed(self)
        if self._change is not None:
            self._change.stop()
        self.deleteLater()


def _begin(shell: AppController, said: dict[str, Any]) -> None:
    """Handle the request of a second start; it may need confirmation."""
    bring_to_front(shell)
    if said.get("user") is not None:
        shell.dialogs.ask_as(said["user"])
    # After that, because switching the user stops the imports of the current one.
    shell.take(said["sources"])


def bring_to_front(shell: AppController) -> None:
    """Raise the window above those of other programs."""
    window = shell.window
    window.setWindowState((window.windowState() & ~Qt.WindowState.WindowMinimized) | Qt.WindowState.WindowActive)
    window.show()
    window.raise_()
    window.activateWindow()


def _is_start(said: dict[str, Any]) -> bool:
    """Return True if a message is a second start: its sources, an activation token, and the user.

    A program of an earlier version sends no user.
    """
    sources, user = said.get("sources"), said.get("user")
    texts = [*sources, said.get("token"), "" if user is None else user] if isinstance(sources, list) else [None]
    if not all(isinstance(one, str) for one in texts):
        return False
    try:
        return user is None or user_name(user) == user
    except SettingError:
        return False

"""One window a library.

Other programs hand it their files and links, or have it make a change (forwarded_changes.py).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QDir, QObject, Qt, QTimer, Slot

from workbench.errors import SettingError
from workbench.model.memory import user_name

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

    from workbench.ui.app_controller import AppController
    from workbench.ui.forwarded_changes import ForwardedChange

_PATIENCE = 2000
"""Milliseconds for the first window to answer; one that is stuck must not keep the second start waiting."""
TAKEN = b"taken"
_ACTIVATION = "XDG_ACTIVATION_TOKEN"
"""By which Wayland knows that the person asked for the window: it comes with the second start, and Qt looks for it."""


def socket_name(library: Path) -> str:
    """Return the name under which the window of a library listens; another for each person and library."""
    import hashlib  # 3 ms

    digest = hashlib.sha256(os.fsencode(library.resolve())).hexdigest()[:16]
    name = f"knowledge-workbench-{digest}"
    if sys.platform == "win32":
        return f"{name}-{os.environ.get('USERNAME', '')}"
    # The person's own folder for such things, where the system has one.
    folder = os.environ.get("XDG_RUNTIME_DIR") or QDir.tempPath()
    return str(Path(folder) / f"{name}-{os.getuid()}")


def connected(library: Path) -> QLocalSocket | None:
    """Return a connection to the window that a library is open in; None where no window listens."""
    name = socket_name(library)
    if sys.platform != "win32" and not _is_ours(name):
        return None
    # 20 ms to import, and most starts are the first one.
    from PySide6.QtNetwork import QLocalSocket

    socket = QLocalSocket()
    socket.connectToServer(name)
    return socket if socket.waitForConnected(_PATIENCE) else None


def forward_to_running_window(library: Path, sources: Sequence[str], user: str | None = None) -> bool:
    """Give files and links to the window that a library is open in, which is raised; False where there is none.

    Args:
        library: The library folder.
        sources: Files and links.
        user: Whom the window is to turn to, as user_name() returns it; None leaves who is asking there.
    """
    socket = connected(library)
    if socket is None:
        return False
    said = {"sources": list(sources), "token": os.environ.get(_ACTIVATION, ""), "user": user}
    socket.write(json.dumps(said).encode() + b"\n")
    socket.flush()
    # Only its word counts: what was written into the socket of a window that just closed is lost.
    if not socket.waitForReadyRead(_PATIENCE):
        return False
    return socket.readAll().data() == TAKEN


class SingleInstance(QObject):
    """Listens for other programs as long as a shell has a library open."""

    def __init__(self, shell: AppController) -> None:
        super().__init__(shell)
        self._shell = shell
        self._server: QLocalServer | None = None
        self._connections: list[_Connection] = []
        shell.settled.connect(self.listen)

    @Slot()
    def listen(self) -> None:
        """Listen for the library that is open now, and for no other."""
        self.close()
        if self._shell.library is None:
            return
        from PySide6.QtNetwork import QLocalServer

        name = socket_name(self._shell.folder)
        # The library's lock is ours, so whoever left this socket behind is gone.
        QLocalServer.removeServer(name)
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(self._on_connection)
        if server.listen(name):
            self._server = server

    def close(self) -> None:
        """Listen no more; what is under way for other programs is stopped."""
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
    """Another program that says one line, and is told what comes of it."""

    def __init__(self, shell: AppController, socket: QLocalSocket, gone: Callable[[_Connection], None]) -> None:
        super().__init__(shell)
        from workbench.operations.library.change_messages import LONGEST_MESSAGE

        self._longest = LONGEST_MESSAGE
        self._shell = shell
        self._socket: QLocalSocket | None = socket
        self._gone = gone
        self._is_heard = False
        self._change: ForwardedChange | None = None
        # One more than a message may have: so one that is too long is known.
        socket.setReadBufferSize(self._longest + 1)
        socket.readyRead.connect(self._on_ready)
        socket.disconnected.connect(self._on_disconnected)

    def hang_up(self) -> None:
        """End the connection now, and what it asked for."""
        if self._socket is not None:
            self._socket.abort()
        self._on_disconnected()

    @Slot()
    def _on_ready(self) -> None:
        if self._socket is None or self._is_heard:
            return
        if not self._socket.canReadLine() and self._socket.bytesAvailable() <= self._longest:
            return
        self._is_heard = True
        from workbench.operations.library.change_messages import object_of

        line = bytes(self._socket.readLine().data())
        said = object_of(line) if line.endswith(b"\n") else {}
        if "change" in said:
            from workbench.ui.forwarded_changes import ForwardedChange

            self._change = ForwardedChange(self._tell, self._end)
            self._change.start(self._shell, said)
        elif _is_start(said):
            self._on_start(said)
        else:
            self._refuse()

    def _on_start(self, said: dict[str, Any]) -> None:
        self._write(TAKEN)
        self._end()
        if said["token"]:
            os.environ[_ACTIVATION] = said["token"]
        if self._shell.library is None:
            # It is on its way from one user, or one folder, to another.
            self._shell.settled.connect(partial(_begin, self._shell, said), Qt.ConnectionType.SingleShotConnection)
        else:
            # A question is asked once this connection is over; not of a window that is gone by then.
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
        self._gone(self)
        if self._change is not None:
            self._change.stop()
        self.deleteLater()


def _begin(shell: AppController, said: dict[str, Any]) -> None:
    """Do what a second start is for; it may have to be asked about."""
    bring_to_front(shell)
    if said.get("user") is not None:
        shell.dialogs.ask_as(said["user"])
    # Behind that: who turns to another user ends what is being read for this one.
    shell.take(said["sources"])


def bring_to_front(shell: AppController) -> None:
    """Raise the window over those of other programs."""
    window = shell.window
    window.setWindowState((window.windowState() & ~Qt.WindowState.WindowMinimized) | Qt.WindowState.WindowActive)
    window.show()
    window.raise_()
    window.activateWindow()


def _is_ours(name: str) -> bool:
    """Whether a socket is there that this person made: anybody may put one into the folder for temporary files."""
    try:
        return os.stat(name).st_uid == os.getuid()
    except OSError:
        return False


def _is_start(said: dict[str, Any]) -> bool:
    """Whether a message is what a second start says: its sources, by what it may raise the window, and who is asking.

    A program of an earlier version does not say who.
    """
    sources, user = said.get("sources"), said.get("user")
    texts = [*sources, said.get("token"), "" if user is None else user] if isinstance(sources, list) else [None]
    if not all(isinstance(one, str) for one in texts):
        return False
    try:
        return user is None or user_name(user) == user
    except SettingError:
        return False

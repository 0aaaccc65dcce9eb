"""One window a library: a second start hands its files and links to the first one, and goes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, QObject, Qt, Slot

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer

    from workbench.ui.shell import Shell

_PATIENCE = 2000
"""Milliseconds for the first window to answer; one that is stuck must not keep the second start waiting."""
_LONGEST = 1_000_000
"""Bytes of a message: 10,000 long paths."""
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


def hand_over(library: Path, sources: Sequence[str], *, knowledge_base: str | None = None) -> bool:
    """Give files and links to the window that a library is open in; False where there is none.

    Args:
        library: The library folder.
        sources: Files and links.
        knowledge_base: Of files only: add them there, without a question and behind the windows of other programs. None
            raises the window, which adds them to what it shows.
    """
    name = socket_name(library)
    if sys.platform != "win32" and not _is_ours(name):
        return False
    # 20 ms to import, and most starts are the first one.
    from PySide6.QtNetwork import QLocalSocket

    socket = QLocalSocket()
    socket.connectToServer(name)
    if not socket.waitForConnected(_PATIENCE):
        return False
    said = {"sources": list(sources), "token": os.environ.get(_ACTIVATION, "")}
    if knowledge_base is not None:
        said["knowledge_base"] = knowledge_base
    socket.write(json.dumps(said).encode() + b"\n")
    socket.flush()
    # Only its word counts: what was written into the socket of a window that just closed is lost.
    if not socket.waitForReadyRead(_PATIENCE):
        return False
    return socket.readAll().data() == TAKEN


class SingleInstance(QObject):
    """Listens for second starts as long as a shell has a library open."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._shell = shell
        self._server: QLocalServer | None = None
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
        """Listen no more."""
        if self._server is not None:
            self._server.close()
            self._server.deleteLater()
            self._server = None

    @Slot()
    def _on_connection(self) -> None:
        while self._server is not None and self._server.hasPendingConnections():
            socket = self._server.nextPendingConnection()
            socket.setReadBufferSize(_LONGEST)
            socket.readyRead.connect(self._on_message)
            socket.disconnected.connect(socket.deleteLater)

    @Slot()
    def _on_message(self) -> None:
        socket = self.sender()
        from PySide6.QtNetwork import QLocalSocket

        if not isinstance(socket, QLocalSocket) or not socket.canReadLine():
            return
        sources, token, knowledge_base = _understood(bytes(socket.readLine().data()))
        socket.write(TAKEN)
        socket.flush()
        socket.disconnectFromServer()
        if knowledge_base:
            self._shell.documents.import_with("add_documents", list(map(Path, sources)), knowledge_base=knowledge_base)
            return
        if token:
            os.environ[_ACTIVATION] = token
        self._shell.take(sources)
        bring_to_front(self._shell)


def bring_to_front(shell: Shell) -> None:
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


def _understood(line: bytes) -> tuple[list[str], str, str]:
    """Return what a second start was given, its token and its knowledge base; nothing for what no such start sends."""
    try:
        said = json.loads(line)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        return [], "", ""
    sources = said.get("sources")
    given = [one for one in sources if isinstance(one, str)] if isinstance(sources, list) else []
    token, knowledge_base = (said.get(key, "") for key in ("token", "knowledge_base"))
    return given, token if isinstance(token, str) else "", knowledge_base if isinstance(knowledge_base, str) else ""

"""The decisions of the sessions pane; works without a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from workbench.ui.bridge import Bridge
from workbench.ui.sessions.model import SessionModel
from workbench.ui.verbs import operations

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.session import Session, SessionInfo


# Characters of a title in a message.
_TITLE = 40


class SessionsPresenter(QObject):
    """Lists, opens, renames, removes and exports sessions.

    Signals:
        opened: A Session to show, or None for a new one.
        listed: The sessions are there; how many.
        said: A sentence for a toast, and whether it can be undone.
        failed: An error and its details, for the banner.
    """

    opened = Signal(object)
    listed = Signal(int)
    said = Signal(str, bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.model = SessionModel(self)
        self.current: int | None = None
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._removed: int | None = None
        self._wanted: int | None = None
        self.model.rename_asked.connect(self.rename)

    def set_library(self, library: operations.Library | None) -> None:
        """Show another library's sessions."""
        self._library = library
        self.current = None
        self.model.replace_all(())
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Read the list anew."""
        if self._library is not None:
            self._bridge.submit(operations.list_sessions(self._library), done=self._on_listed, failed=self._on_failed)

    @Slot()
    def new(self) -> None:
        """Begin a new session; it is kept from its first question on."""
        self.current = None
        self.opened.emit(None)
        self.listed.emit(self.model.rowCount())

    @Slot(int)
    def open(self, number: int) -> None:
        """Open a session unless it is open."""
        if self._library is not None and number != self.current:
            self.current = number
            self._bridge.submit(
                operations.open_session(self._library, number), done=self._on_opened, failed=self._on_failed
            )

    def restore(self, number: int) -> None:
        """Open a session as soon as the list is there, if it is still kept."""
        self._wanted = number
        self.refresh()

    @Slot(int, str)
    def rename(self, number: int, title: str) -> None:
        """Give a session another title."""
        if self._library is not None:
            self._bridge.submit(
                operations.rename_session(self._library, number, title), done=self._on_changed, failed=self._on_failed
            )

    def remove(self, number: int) -> None:
        """Remove a session and offer to bring it back."""
        if self._library is None:
            return
        self._removed = number
        if self.current == number:
            self.new()
        self._bridge.submit(
            operations.remove_session(self._library, number), done=self._on_changed, failed=self._on_failed
        )
        title = self.model.index_of(number).data() or "the session"
        self.said.emit(f"Removed “{title if len(title) <= _TITLE else title[:_TITLE].rstrip() + '…'}”", True)

    @Slot()
    def undo_remove(self) -> None:
        """Bring back the session that was removed last."""
        number, self._removed = self._removed, None
        if self._library is not None and number is not None:
            self._bridge.submit(
                operations.restore_session(self._library, number), done=self._on_changed, failed=self._on_failed
            )

    def export(self, number: int, kind: str, path: Path) -> None:
        """Write a session to a file: md, html or json."""
        if self._library is not None:
            self._bridge.submit(
                operations.export_session(self._library, number, kind, path),
                done=self._on_exported,
                failed=self._on_failed,
            )

    @Slot(object)
    def follow(self, number: int) -> None:
        """Take note that the chat is in this session now, and list it."""
        self.current = number
        self.refresh()

    def _on_listed(self, sessions: list[SessionInfo]) -> None:
        self.model.replace_all(sessions)
        self.listed.emit(len(sessions))
        wanted, self._wanted = self._wanted, None
        if wanted is not None and any(session.id == wanted for session in sessions):
            self.open(wanted)

    def _on_opened(self, session: Session) -> None:
        # A second click may have come meanwhile; only the last one counts.
        if session.info.id == self.current:
            self.opened.emit(session)
            self.listed.emit(self.model.rowCount())

    def _on_changed(self, _value: object) -> None:
        self.refresh()

    def _on_exported(self, path: Path) -> None:
        self.said.emit(f"Exported to {path}", False)

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.failed.emit(error, details)

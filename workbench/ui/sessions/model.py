"""The item model of the sessions pane: frozen SessionInfo rows, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

if TYPE_CHECKING:
    from workbench.model.session import SessionInfo

AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
SESSION_ROLE = Qt.ItemDataRole.UserRole + 1
UNTITLED = "New session"


class SessionModel(QAbstractListModel):
    """Sessions by title; editing a row asks for another title.

    Signals:
        rename_asked: A session's id and its new title.
    """

    rename_asked = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sessions: list[SessionInfo] = []

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._sessions)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or not 0 <= index.row() < len(self._sessions):
            return None
        session = self._sessions[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole | Qt.ItemDataRole.ToolTipRole:
                return session.title or UNTITLED
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{session.title or UNTITLED}, {second_line(session)}"
            case _ if role == SESSION_ROLE:
                return session
        return None

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        title = str(value or "").strip()
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or not title:
            return False
        session = self._sessions[index.row()]
        if title != session.title:
            self.rename_asked.emit(session.id, title)
        return True

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.isValid() else flags

    def replace_all(self, sessions: Sequence[SessionInfo]) -> None:
        """Show these sessions, in this order."""
        if list(sessions) == self._sessions:
            return
        self.beginResetModel()
        self._sessions = list(sessions)
        self.endResetModel()

    def index_of(self, number: int) -> QModelIndex:
        """Return the index of a session's row, invalid when it is not there."""
        for row, session in enumerate(self._sessions):
            if session.id == number:
                return self.index(row)
        return QModelIndex()


def second_line(session: SessionInfo, now: datetime | None = None) -> str:
    """Return what stands under a session's title: how many questions, and when the last."""
    questions = "1 question" if session.runs == 1 else f"{session.runs:,} questions"
    return f"{questions} · {when(session.changed, now)}" if session.changed else questions


def when(moment: str, now: datetime | None = None) -> str:
    """Return a moment (ISO 8601, UTC) as people say it: today 14:05, yesterday, 3 March."""
    try:
        parsed = datetime.fromisoformat(moment)
    except ValueError:
        return moment
    local = (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone()
    today = (now or datetime.now(UTC)).astimezone()
    days = (today.date() - local.date()).days
    if days == 0:
        return f"today {local:%H:%M}"
    if days == 1:
        return f"yesterday {local:%H:%M}"
    return f"{local.day} {local:%B}" + ("" if local.year == today.year else f" {local.year}")

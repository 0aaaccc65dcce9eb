"""Item model of the sessions pane: frozen SessionInfo rows, the pinned first, filtered by the search words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from workbench.language import mark, tr, trn
from workbench.model.visible import visible_name
from workbench.ui.library.document_wording import join_with_commas
from workbench.ui.localisation import when

if TYPE_CHECKING:
    from workbench.model.session import SessionInfo, SessionMatch

AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
SESSION_ROLE = Qt.ItemDataRole.UserRole + 1
MATCH_ROLE = SESSION_ROLE + 1
"""SessionMatch of a session found by its content; None if its title contains the words, or if nothing is searched."""
WORDS_ROLE = SESSION_ROLE + 2
"""The search words."""
UNTITLED = mark("New session")
# Characters of an excerpt that are kept before the first match.
_LEAD = 16


class SessionModel(QAbstractListModel):
    """List model of sessions by title; editing a row requests another title.

    Signals:
        rename_asked: Id of a session and its new title.
    """

    rename_asked = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sessions: list[SessionInfo] = []
        self._rows: list[SessionInfo] = []
        self._words: tuple[str, ...] = ()
        self._matches: Mapping[int, SessionMatch] = {}
        self._with_archived = False

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or not 0 <= index.row() < len(self._rows):
            return None
        session = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.EditRole:
                return session.title or tr(UNTITLED)
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return title_of(session)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._accessible_text(session)
            case _ if role == SESSION_ROLE:
                return session
            case _ if role == MATCH_ROLE:
                return None if self._title_matches(session) else self._matches.get(session.id)
            case _ if role == WORDS_ROLE:
                return self._words
        return None

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        title = str(value or "").strip()
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or not title:
            return False
        session = self._rows[index.row()]
        if title != session.title:
            self.rename_asked.emit(session.id, title)
        return True

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.isValid() else flags

    def replace_all(self, sessions: Sequence[SessionInfo]) -> None:
        """Replace the list of sessions; the order is kept."""
        if list(sessions) != self._sessions:
            self._sessions = list(sessions)
            self._arrange()

    def find(self, words: str) -> None:
        """Show only the sessions whose title or content contains all these words; show all if there are none.

        Content matches of the previous words stay until show_matches is called with those of the new words.
        """
        self._words = tuple(words.casefold().split())
        if not self._words:
            self._matches = {}
        self._arrange()

    def show_matches(self, matches: Sequence[SessionMatch]) -> None:
        """Set the sessions whose content matches; they are listed below those whose titles contain the words."""
        self._matches = {match.session: match for match in matches}
        self._arrange()

    def show_archived(self, shown: bool) -> None:
        """Show or hide the archived sessions below the others."""
        self._with_archived = shown
        self._arrange()

    @property
    def is_finding(self) -> bool:
        """True while there are search words."""
        return bool(self._words)

    @property
    def archived(self) -> int:
        """Number of archived sessions."""
        return sum(session.archived for session in self._sessions)

    def sessions(self) -> list[SessionInfo]:
        """Return every session, shown or not, in the order of the list."""
        return list(self._sessions)

    def get(self, number: int) -> SessionInfo | None:
        """Return a session, shown or not; None if there is none with this number."""
        return next((session for session in self._sessions if session.id == number), None)

    def index_of(self, number: int) -> QModelIndex:
        """Return the index of a session's row; invalid if the session is not shown."""
        for row, session in enumerate(self._rows):
            if session.id == number:
                return self.index(row)
        return QModelIndex()

    def _arrange(self) -> None:
        self.beginResetModel()
        if self._words:
            by_title = [session for session in self._sessions if self._title_matches(session)]
            by_content = [one for one in self._sessions if one.id in self._matches and not self._title_matches(one)]
            self._rows = by_title + by_content
        else:
            in_use = [session for session in self._sessions if not session.archived]
            archived = [session for session in self._sessions if session.archived]
            self._rows = in_use + archived if self._with_archived else in_use
        self.endResetModel()

    def _title_matches(self, session: SessionInfo) -> bool:
        title = (title_of(session)).casefold()
        return bool(self._words) and all(word in title for word in self._words)

    def _accessible_text(self, session: SessionInfo) -> str:
        match = None if self._title_matches(session) else self._matches.get(session.id)
        below = match.excerpt if match is not None else second_line(session)
        signs = [tr("pinned")] if session.pinned else []
        signs += [tr("archived")] if session.archived else []
        return join_with_commas([title_of(session), *signs, below])


def title_of(session: SessionInfo) -> str:
    """Return the title of a session, or a placeholder for a session without one."""
    return visible_name(" ".join(session.title.split())) or tr(UNTITLED)


def second_line(session: SessionInfo, now: datetime | None = None) -> str:
    """Return the second line of a session's row: the number of questions, and when the session last changed."""
    questions = trn("{n:,} question", "{n:,} questions", session.runs)
    return f"{questions} · {when(session.changed, now)}" if session.changed else questions


def excerpt_before_match(excerpt: str, words: Sequence[str]) -> str:
    """Return an excerpt from shortly before the first match: a narrow row shows 35 characters of it."""
    lowered = excerpt.lower()
    position = min((at for word in words if (at := lowered.find(word)) >= 0), default=0)
    if position <= _LEAD:
        return excerpt
    space = excerpt.find(" ", position - _LEAD, position)
    return f"…{excerpt[space + 1 if space >= 0 else position :]}"

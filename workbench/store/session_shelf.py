"""Where a session stands: pinned, archived, found by what was said in it, with a question that was not asked yet."""

from workbench.model.session import SessionMatch
from workbench.model.user import DEFAULT_USER
from workbench.store.database import Database
from workbench.store.values import loaded_text, stored_text

# Characters before and behind the word that was found.
_BEFORE, _BEHIND = 40, 120


class SessionShelf:
    """Beside sessions.py, which keeps what is said in them; what the user does not have is passed over."""

    def __init__(self, database: Database, user: str = DEFAULT_USER) -> None:
        """Take the database, and whose sessions it is about."""
        self._database = database
        self._user = stored_text(user)

    def pin(self, id: int, pinned: bool) -> None:
        """Keep a session at the top of the list, or no longer."""
        self._set("pinned", id, int(pinned))

    def archive(self, id: int, archived: bool) -> None:
        """Take a session out of the list of those in use, or put it back there."""
        self._set("archived", id, int(archived))

    def draft(self, id: int) -> str:
        """Return what was typed in a session and not asked; empty for nothing."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT draft FROM sessions WHERE id = ? AND user = ?", (id, self._user)
            ).fetchone()
        return loaded_text(row[0]) if row is not None else ""

    def put_draft(self, id: int, text: str) -> None:
        """Keep what was typed in a session and not asked."""
        self._set("draft", id, stored_text(text))

    def find(self, words: str) -> list[SessionMatch]:
        """Return the sessions in which all words are said, whatever their case: in the title, a question or an answer.

        Archived ones too. The one changed last comes first. Everything said is read: 5,000 answers of 2,000 characters
        take 40 ms, which no index would be worth that has to be kept in step.
        """
        wanted = words.casefold().split()
        if not wanted:
            return []
        found: dict[int, SessionMatch] = {}
        with self._database.read() as connection:
            said = connection.execute(
                "SELECT s.id, s.title, r.id, r.question, r.answer FROM sessions s LEFT JOIN runs r ON r.session = s.id"
                " WHERE s.removed = 0 AND s.user = ? ORDER BY s.changed DESC, s.id DESC, r.id DESC",
                (self._user,),
            )
            for session, title, run, *texts in said:
                if session in found:
                    continue
                whole = "\n".join(loaded_text(text) for text in (*texts, title) if text is not None)
                # Folding may make a text longer (ß): the place is only one to begin an excerpt at.
                folded = whole.casefold()
                if all(word in folded for word in wanted):
                    found[session] = SessionMatch(session, run, _excerpt(whole, folded.index(wanted[0])))
        return list(found.values())

    def _set(self, column: str, id: int, value: object) -> None:
        with self._database.write() as connection:
            connection.execute(f"UPDATE sessions SET {column} = ? WHERE id = ? AND user = ?", (value, id, self._user))


def _excerpt(text: str, place: int) -> str:
    """Return what stands around a place, on one line, cut at words."""
    start, end = max(0, place - _BEFORE), min(len(text), place + _BEHIND)
    start = text.find(" ", start, place) + 1 or start if start else 0
    cut = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{cut}{'…' if end < len(text) else ''}"

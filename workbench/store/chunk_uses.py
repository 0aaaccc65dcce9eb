"""Which answers cited a document: asked of the citations that each kept run has."""

from workbench.model.chunk_use import ChunkUse
from workbench.model.user import DEFAULT_USER
from workbench.store.database import Database
from workbench.store.values import loaded_text, stored_text

Uses = list[ChunkUse]

# The citations of a run are one JSON value. 10,000 runs with six citations each take 60 ms.
_CITATIONS = """
    SELECT s.id, s.title, r.id, r.question, json_extract(c.value, '$.start'), json_extract(c.value, '$.end')
    FROM runs r CROSS JOIN sessions s ON s.id = r.session AND s.removed = 0 AND s.user = ?
        CROSS JOIN json_each(CAST(r.citations AS TEXT)) c
    WHERE r.citations <> '[]' AND json_extract(c.value, '$.document') = ? AND json_extract(c.value, '$.valid')
    ORDER BY r.id DESC
"""


class ChunkUseStore:
    """Reads which answers to one user rest on a document."""

    def __init__(self, database: Database, user: str = DEFAULT_USER) -> None:
        """Take the database, and whose answers it is about."""
        self._database = database
        self._user = stored_text(user)

    def of(self, document: int) -> Uses:
        """Return each citation of a document in a session that is not removed, the latest answers first."""
        with self._database.read() as connection:
            rows = connection.execute(_CITATIONS, (self._user, document)).fetchall()
        return [
            ChunkUse(session, loaded_text(title), run, loaded_text(question), start, end)
            for session, title, run, question, start, end in rows
        ]

"""Index of documents by the words of their names, titles and authors, maintained by triggers of the schema."""

import json
from collections.abc import Iterable, Sequence

from workbench.model.document_name import DocumentNameWords
from workbench.store.bulk_reads import WriteInvalidatedCache
from workbench.store.name_words import NAMING
from workbench.store.sql import DocumentDatabase
from workbench.store.stored_values import put_state, state

# Up to this number of documents all words are read at once, 1 ms for 2,000; one by one, the forty of a question take 1
# ms.
_FEW = 2_000


class NameIndex:
    """Finds documents by the words of their names."""

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database
        self._known: WriteInvalidatedCache[str, dict[str, int]] = WriteInvalidatedCache(database)
        self._counted: WriteInvalidatedCache[str, int] = WriteInvalidatedCache(database)
        self._rebuild_if_outdated()

    @property
    def count(self) -> int:
        """Approximate number of documents, including permanently deleted ones."""
        return self._counted.get("all", self._count)

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return for each word the number of documents named by it; words that name none are left out."""
        if self.count <= _FEW:
            known = self._known.get("all", self._all_frequencies)
            return {word: known[word] for word in words if word in known}
        with self._database.read() as connection:
            return {
                str(word): int(documents)
                for word, documents in connection.execute(
                    "SELECT term, doc FROM json_each(?) j CROSS JOIN document_name_words w ON w.term = j.value",
                    (json.dumps(list(words)),),
                )
            }

    def _count(self) -> int:
        with self._database.read() as connection:
            return int(connection.execute("SELECT MAX(id) FROM documents").fetchone()[0] or 0)

    def _all_frequencies(self) -> dict[str, int]:
        with self._database.read() as connection:
            return dict(connection.execute("SELECT term, doc FROM document_name_words").fetchall())

    def called(self, word: str, *, most: int) -> list[DocumentNameWords]:
        """Return up to most existing documents named by a word, oldest first."""
        with self._database.read() as connection:
            return [
                DocumentNameWords(number, frozenset(name.split()), frozenset(title.split()), frozenset(author.split()))
                for number, name, title, author in connection.execute(
                    "SELECT n.rowid, n.name, n.title, n.author FROM document_names n JOIN documents d ON d.id = n.rowid"
                    " WHERE document_names MATCH ? AND d.removed = 0 AND d.chunks > 0 LIMIT ?",
                    (f'"{word}"', most),
                )
            ]

    def chunks(self, documents: Sequence[int]) -> dict[int, int]:
        """Return chunk -> document for these documents, the chunks ascending."""
        with self._database.read() as connection:
            return dict(
                connection.execute(
                    "SELECT c.id, c.document FROM json_each(?) j CROSS JOIN chunks c ON c.document = j.value"
                    " ORDER BY c.id",
                    (json.dumps(list(documents)),),
                ).fetchall()
            )

    def _rebuild_if_outdated(self) -> None:
        with self._database.read() as connection:
            if state(connection, "named_by") == NAMING:
                return
        with self._database.write() as connection:
            connection.execute(
                "UPDATE document_names SET (name, title, author) = (SELECT name_words(d.name), name_words(d.title),"
                " name_words(d.author) FROM documents d WHERE d.id = document_names.rowid)"
            )
            put_state(connection, "named_by", NAMING)

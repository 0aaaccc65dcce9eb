"""Index of the documents of a shared library by the words of their names, titles and authors."""

import json
from collections.abc import Iterable, Sequence

from workbench.model.document_name import DocumentNameWords
from workbench.store.name_index import NameIndex
from workbench.store.name_words import name_words
from workbench.store.postgres.postgres_database import PostgresConnection

_FEW = 2_000
"""Up to this number of documents all words are read at once, as in a personal library."""


class SharedNameIndex(NameIndex):
    """Finds documents of a shared library by the words of their names."""

    def _rebuild_if_outdated(self) -> None:
        """Do nothing: PostgresDatabase.open has checked the version of the words."""

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return for each word the number of documents named by it; words that name none are left out."""
        words = list(words)
        if self.count <= _FEW:
            known = self._known.get("all", self._all_frequencies)
            return {word: known[word] for word in words if word in known}
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT word, count_called(word) FROM json_each(CAST(? AS TEXT)) w(word)", (json.dumps(words),)
            ).fetchall()
        return {str(word): int(count) for word, count in rows if count}

    def _all_frequencies(self) -> dict[str, int]:
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT word, COUNT(*) FROM document_names n, unnest(n.words) word GROUP BY word"
            ).fetchall()
        return {str(word): int(count) for word, count in rows}

    def called(self, word: str, *, most: int) -> list[DocumentNameWords]:
        """Return up to most existing documents named by a word, oldest first."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT id, name, title, author FROM documents_called(?, ?)", (word, most))
            return [
                DocumentNameWords(number, frozenset(name.split()), frozenset(title.split()), frozenset(author.split()))
                for number, name, title, author in rows.fetchall()
            ]


def put_names(connection: PostgresConnection, document: int, knowledge_base: int, names: Sequence[str]) -> None:
    """Store the words by which a document can be named, within a transaction; names are its name, title and author."""
    words = [name_words(value) for value in names]
    connection.raw.execute(
        "INSERT INTO document_names (id, knowledge_base, name, title, author, words) VALUES (%s, %s, %s, %s, %s, %s)"
        " ON CONFLICT (id) DO UPDATE SET name = excluded.name, title = excluded.title, author = excluded.author,"
        " words = excluded.words",
        (document, knowledge_base, *words, sorted({word for value in words for word in value.split()})),
    )

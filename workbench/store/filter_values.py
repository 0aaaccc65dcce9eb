"""Which values the documents of a library have, so that a filter need not be guessed."""

import sqlite3

from workbench.model.filter import ChunkFilter
from workbench.model.filter_extent import FilterExtent
from workbench.store.database import Database
from workbench.store.filtering import by_page, conditions, custom_keys
from workbench.store.rows import NO_VALUE
from workbench.store.values import loaded_text

Values = dict[str, tuple[str, ...]]

# Names and titles are as many as documents: nobody chooses among those.
_COLUMNS = {
    "format": "d.format",
    "author": "d.author",
    "folder": "d.folder",
    "language": "d.language",
    "origin": "d.origin",
    "created": "substr(d.created, 1, 4)",
    "knowledge_base": "(SELECT name FROM knowledge_bases WHERE id = d.knowledge_base)",
}
_LISTS = {"tag": "d.tags", "keyword": "d.keywords", "passage_tag": "d.passage_tags"}


class FilterValues:
    """Reads what filters can be made of."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def in_use(self, most: int = 200) -> Values:
        """Return the keys of which documents say something, each with its values, the most used first.

        Those of the user's own metadata stand last.
        """
        columns = {key: (column, "documents d") for key, column in _COLUMNS.items()}
        lists = {
            key: ("j.value", f"documents d, json_each(CAST({column} AS TEXT)) j") for key, column in _LISTS.items()
        }
        found: Values = {}
        with self._database.read() as connection:
            for key, (value, tables) in (columns | lists).items():
                rows = connection.execute(
                    f"SELECT {value} AS value FROM {tables} WHERE d.removed = 0 AND value <> ''"
                    " GROUP BY value ORDER BY COUNT(*) DESC, value LIMIT ?",
                    (most,),
                )
                found[key] = tuple(loaded_text(row[0]) for row in rows)
            found |= _custom_values(connection, most)
        return {key: values for key, values in found.items() if values}

    def extent(self, filter: ChunkFilter) -> FilterExtent:
        """Return how many documents and passages pass a filter.

        Raises:
            NotFound: The filter names a knowledge base that is not there.
        """
        with self._database.read() as connection:
            condition, parameters = conditions(connection, filter)
            row = connection.execute(
                "SELECT COUNT(DISTINCT d.id), COUNT(c.id) FROM documents d CROSS JOIN chunks c ON c.document = d.id"
                f" WHERE {condition}",
                parameters,
            ).fetchone()
        return FilterExtent(int(row[0]), int(row[1]))

    def documents(self, filter: ChunkFilter) -> list[int]:
        """Return the ids of the documents of which at least one passage passes a filter, ascending.

        Raises:
            NotFound: The filter names a knowledge base that is not there.
        """
        chunks = "CROSS JOIN chunks c ON c.document = d.id" if by_page(filter) else ""
        with self._database.read() as connection:
            condition, parameters = conditions(connection, filter)
            rows = connection.execute(
                f"SELECT DISTINCT d.id FROM documents d {chunks} WHERE {condition} AND d.chunks > 0 ORDER BY d.id",
                parameters,
            ).fetchall()
        return [int(row[0]) for row in rows]


def _custom_values(connection: sqlite3.Connection, most: int) -> Values:
    found: Values = {}
    for key in custom_keys(connection):
        rows = connection.execute(
            "SELECT m.value FROM document_metadata m JOIN documents d ON d.id = m.document"
            f" WHERE m.key = ? AND m.kind <> '{NO_VALUE}' AND d.removed = 0"
            " GROUP BY m.folded ORDER BY COUNT(*) DESC, m.folded LIMIT ?",
            (key, most),
        )
        found[key] = tuple(str(row[0]) for row in rows)
    return found

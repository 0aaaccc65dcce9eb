"""Metadata of the user's own, as rows of document_metadata; filtering.py compares them."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence

from workbench.errors import MetadataError
from workbench.model.custom_fields import CustomField, CustomFields, ValueKind
from workbench.model.custom_metadata import MOST_KEYS, read_again, replaced
from workbench.model.document import Document
from workbench.store.database import Database
from workbench.store.rows import NO_VALUE, custom_fields_of, documents_where

Documents = list[Document]
KeyCounts = list[tuple[str, int]]
Merge = Callable[[CustomFields, Iterable[CustomField]], CustomFields]


class CustomMetadataStore:
    """Writes metadata of the user's own.

    No key leads out of a document's knowledge base: which one that is is no metadata.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, given: Mapping[int, Sequence[CustomField]]) -> Documents:
        """Return the documents with these fields in addition; a field without values takes its key away.

        Documents that are gone are left out.

        Raises:
            MetadataError: A document would have more than 100 keys; nothing is changed then.
        """
        return self._write(given, replaced)

    def put_back(self, before: Mapping[int, CustomFields]) -> Documents:
        """Return the documents with these fields in the place of all they have: undoes put()."""
        return self._write(before, lambda _now, fields: tuple(fields))

    def count(self, knowledge_base: str | None = None) -> KeyCounts:
        """Return the keys in use with the number of their documents, the most used first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT m.key, COUNT(DISTINCT m.document) FROM document_metadata m"
                f" JOIN documents d ON d.id = m.document WHERE d.removed = 0 AND m.kind <> '{NO_VALUE}'"
                " AND (?1 IS NULL OR d.knowledge_base = (SELECT id FROM knowledge_bases WHERE name = ?1))"
                " GROUP BY m.key ORDER BY 2 DESC, m.key",
                (knowledge_base,),
            ).fetchall()
        return [(str(key), int(count)) for key, count in rows]

    def _write(self, given: Mapping[int, Sequence[CustomField]], merge: Merge) -> Documents:
        changed: Documents = []
        if not given:
            return changed
        with self._database.write() as connection:
            for number, fields in given.items():
                found = documents_where(connection, "d.id = ? AND d.removed = 0", (number,))
                if not found:
                    continue
                after = merge(found[0].stored_custom, fields)
                if len(after) > MOST_KEYS:
                    raise MetadataError(
                        f"“{found[0].name}” would have {len(after)} keys of metadata.",
                        f"A document has at most {MOST_KEYS}; take others away first.",
                    )
                put_custom_fields(connection, number, after)
                changed += documents_where(connection, "d.id = ?", (number,))
            self._database.revision += 1
        return changed


def renew_custom_fields(connection: sqlite3.Connection, document: int, read: CustomFields) -> None:
    """Put what was read of a document's file in the place of what was read before; within a transaction."""
    stored = custom_fields_of(connection, document)
    if stored or read:
        put_custom_fields(connection, document, read_again(stored, read))


def put_custom_fields(connection: sqlite3.Connection, document: int, fields: CustomFields) -> None:
    """Put fields in the place of all that a document has; within a transaction."""
    connection.execute("DELETE FROM document_metadata WHERE document = ?", (document,))
    connection.executemany(
        "INSERT INTO document_metadata (document, key, place, kind, value, folded, number, source)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(document, *row) for field in fields for row in _rows(field)],
    )


def _rows(field: CustomField) -> Iterable[tuple[str, int, str, str, str, float | None, str]]:
    if not field.values:
        yield field.key, 0, NO_VALUE, "", "", None, field.source.value
    for place, value in enumerate(field.values, int(field.is_list)):
        number = float(value.text) if value.kind is ValueKind.NUMBER else None
        yield field.key, place, value.kind.value, value.text, value.text.casefold(), number, field.source.value

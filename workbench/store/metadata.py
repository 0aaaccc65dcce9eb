"""What the user writes of a document: its metadata fields and its tags."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from workbench.model.document import Document, Metadata
from workbench.model.metadata import FIELDS, checked_fields, checked_tags
from workbench.model.visible import visible_name
from workbench.store import common_words
from workbench.store.database import Database
from workbench.store.keywords import add_rows, remove_rows
from workbench.store.replacement import keyword_rows
from workbench.store.rows import documents_where
from workbench.store.values import loaded_text, stored_json, stored_text

Documents = list[Document]
Counted = list[tuple[str, int]]


class MetadataStore:
    """Fields that the user wrote are named in Document.edited; reading the file again leaves them alone.

    None of this can make a document appear in another knowledge base: that is no field, and not to be written here.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def edit(self, document: Document, fields: Mapping[str, object]) -> Document:
        """Return the document with these fields; each counts as the user's own from now on.

        Raises:
            MetadataError: There is no such field, or it cannot have that value; nothing is changed then.
        """
        checked = checked_fields(fields)
        edited = tuple(name for name in FIELDS if name in checked or name in document.edited)
        return self._put(document, checked, edited)

    def put_back(self, before: Document) -> Document:
        """Return the document with the fields it had before: undoes edit()."""
        return self._put(before, {name: getattr(before.metadata, name) for name in FIELDS}, before.edited)

    def put_tags(self, tags: Mapping[int, Sequence[str]]) -> Documents:
        """Return the documents with these tags in the place of their own; those that are gone are left out.

        Raises:
            MetadataError: A tag is blank or too long; nothing is changed then.
        """
        checked = {number: checked_tags(names) for number, names in tags.items()}
        with self._database.write() as connection:
            connection.executemany(
                "UPDATE documents SET tags = ? WHERE id = ? AND removed = 0",
                ((stored_json(names), number) for number, names in checked.items()),
            )
            self._database.revision += 1
            return _documents(connection, checked)

    def tags(self, knowledge_base: str | None = None) -> Counted:
        """Return the tags in use with the number of their documents, the most used first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT t.value, COUNT(*) FROM documents d, json_each(CAST(d.tags AS TEXT)) t WHERE d.removed = 0"
                " AND (?1 IS NULL OR d.knowledge_base = (SELECT id FROM knowledge_bases WHERE name = ?1))"
                " GROUP BY t.value ORDER BY COUNT(*) DESC, t.value",
                (knowledge_base,),
            ).fetchall()
        return [(str(name), int(count)) for name, count in rows]

    def _put(
        self, document: Document, fields: Mapping[str, str | tuple[str, ...]], edited: tuple[str, ...]
    ) -> Document:
        values = {name: stored_json(v) if isinstance(v, tuple) else stored_text(v) for name, v in fields.items()}
        columns = "".join(f"{name} = ?, " for name in values)
        with self._database.write() as connection:
            title = fields.get("title")
            if isinstance(title, str):
                _retitle(connection, document.id, title)
            connection.execute(
                f"UPDATE documents SET {columns}edited = ? WHERE id = ? AND removed = 0",
                (*values.values(), stored_json(edited), document.id),
            )
            self._database.revision += 1
            found = _documents(connection, [document.id])
        return found[0] if found else document


def kept_fields(document: Document, parsed: Metadata) -> Metadata:
    """Return what a document's metadata are after its file said these: the user's own fields stay.

    What a file says it is called is shown in many places, so nothing in it may be unseen.
    """
    title, author = (visible_name(" ".join(text.split())) for text in (parsed.title, parsed.author))
    parsed = replace(parsed, title=title, author=author)
    return Metadata(
        **{name: getattr(document.metadata if name in document.edited else parsed, name) for name in FIELDS}
    )


def _documents(connection: sqlite3.Connection, numbers: Iterable[int]) -> Documents:
    found: Documents = []
    for number in numbers:
        found += documents_where(connection, "d.id = ? AND d.removed = 0", (number,))
    return found


def _retitle(connection: sqlite3.Connection, document: int, title: str) -> None:
    """Put another title into the keyword rows and drop the vectors, which were made with the old one."""
    row = connection.execute("SELECT title FROM documents WHERE id = ? AND removed = 0", (document,)).fetchone()
    if row is None or loaded_text(row[0]) == title:
        return
    old = keyword_rows(connection, document)
    common_words.leave_out(connection, [row.chunk for row in old])
    remove_rows(connection, old)
    add_rows(connection, [replace(row, title=title) for row in old])
    embedders = {
        number
        for (number,) in connection.execute(
            "DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE document = ?) RETURNING embedder",
            (document,),
        ).fetchall()
    }
    connection.executemany("UPDATE embedders SET generation = generation + 1 WHERE id = ?", [(e,) for e in embedders])
    connection.execute(
        "UPDATE documents SET embedded = 0, status = 'indexed' WHERE id = ? AND status IN ('ready', 'embedding')"
        " AND chunks > 0",
        (document,),
    )

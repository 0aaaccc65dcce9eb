"""The knowledge bases of a library: made, renamed, removed; documents moved and copied between them."""

import os
import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from workbench.errors import LibraryError, NotFound
from workbench.language import mark
from workbench.model.document import Document, Origin
from workbench.model.knowledge_base import DEFAULT, KnowledgeBase, RefusedDocument, Removal, RemovedBase, Transfer
from workbench.store.checksums import VECTOR
from workbench.store.chunk_edit_log import copy_edits
from workbench.store.database import Database
from workbench.store.document_rows import documents_where
from workbench.store.document_writes import keyword_rows
from workbench.store.filtering import knowledge_base_id
from workbench.store.keywords import KeywordRow, add_rows
from workbench.store.linked_folders import is_below, linked_paths
from workbench.store.stored_values import is_row_number, loaded_text, now, stored_text

# The method list() hides the type inside the class.
Bases = list[KnowledgeBase]

_LONGEST = 100
_ALWAYS = mark(f"The knowledge base “{DEFAULT}” is always there.")


class KnowledgeBaseStore:
    """Each knowledge base stands alone: a document belongs to one, and nothing done in one touches another.

    A removed one is out of every list and search at once; its documents lie in the bin, and restore() brings all of it
    back.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self) -> Bases:
        """Return them with what they hold, oldest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT b.name, COUNT(d.id), TOTAL(d.chunks), TOTAL(d.embedded), TOTAL(d.status = 'failed'),"
                " TOTAL(d.size) FROM knowledge_bases b LEFT JOIN documents d ON d.knowledge_base = b.id"
                " AND d.removed = 0 WHERE b.removed = 0 GROUP BY b.id ORDER BY b.id"
            ).fetchall()
        return [KnowledgeBase(row[0], *(int(number) for number in row[1:])) for row in rows]

    def add(self, name: str) -> str:
        """Return the name of a new, empty knowledge base, without spaces around it.

        Raises:
            LibraryError: The name is blank, too long, or taken.
        """
        name = _checked(name)
        with self._database.write() as connection:
            _must_be_free(connection, name)
            connection.execute(
                "INSERT INTO knowledge_bases (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET removed = 0", (name,)
            )
        return name

    def rename(self, name: str, new: str) -> str:
        """Return the new name of a knowledge base.

        Raises:
            NotFound: There is none of that name.
            LibraryError: The new name is blank, too long, or taken; or it is the default one.
        """
        new = _checked(new)
        with self._database.write() as connection:
            number = knowledge_base_id(connection, name)
            if new == name:
                return new
            if name == DEFAULT:
                raise LibraryError(_ALWAYS, "Add a knowledge base and move the documents there.")
            _must_be_free(connection, new, but=number)
            # One that was removed under this name makes room: it is on its way out.
            connection.execute(
                "UPDATE knowledge_bases SET name = name || ' (removed ' || id || ')' WHERE name = ? AND id <> ?",
                (new, number),
            )
            connection.execute("UPDATE knowledge_bases SET name = ? WHERE id = ?", (new, number))
            self._database.revision += 1  # filters go by names
        return new

    def remove(self, name: str) -> RemovedBase:
        """Take a knowledge base and everything in it out of every list and search; restore() takes what this returns.

        Raises:
            NotFound: There is none of that name.
            LibraryError: It is the default one.
        """
        with self._database.write() as connection:
            number = knowledge_base_id(connection, name)
            if name == DEFAULT:
                raise LibraryError(_ALWAYS, "Remove the documents in it instead.")
            ids = connection.execute(
                "UPDATE documents SET removed = ?, removed_at = ? WHERE knowledge_base = ? AND removed = 0"
                " RETURNING id",
                (Removal.BY_USER.value, now(), number),
            ).fetchall()
            folders = connection.execute(
                "DELETE FROM linked_folders WHERE knowledge_base = ? RETURNING path", (number,)
            ).fetchall()
            connection.execute("UPDATE knowledge_bases SET removed = 1 WHERE id = ?", (number,))
            self._database.revision += 1
        documents = tuple(sorted(row[0] for row in ids))
        return RemovedBase(number, name, documents, tuple(loaded_text(row[0]) for row in folders))

    def restore(self, removed: RemovedBase) -> None:
        """Undo remove(); a document whose content was added anew meanwhile stays removed.

        Raises:
            LibraryError: Another knowledge base has its name by now.
        """
        with self._database.write() as connection:
            _must_be_free(connection, removed.name, but=removed.number)
            connection.execute(
                "UPDATE knowledge_bases SET name = ?, removed = 0 WHERE id = ?", (removed.name, removed.number)
            )
            connection.executemany(
                "UPDATE OR IGNORE documents SET removed = 0, removed_at = '' WHERE id = ? AND removed = ?",
                [(id, Removal.BY_USER.value) for id in removed.documents],
            )
            connection.executemany(
                "INSERT OR IGNORE INTO linked_folders (knowledge_base, path, added) VALUES (?, ?, ?)",
                [(removed.number, stored_text(path), now()) for path in removed.folders],
            )
            self._database.revision += 1

    def purge_removed(self) -> None:
        """Forget the removed ones for good, as soon as the last of their documents has left the bin."""
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM documents WHERE removed > 0 AND removed = ?"
                " AND knowledge_base IN (SELECT id FROM knowledge_bases WHERE removed = 1)",
                (Removal.FOR_GOOD.value,),
            )
            connection.execute(
                "DELETE FROM knowledge_bases WHERE removed = 1"
                " AND NOT EXISTS (SELECT 1 FROM documents WHERE knowledge_base = knowledge_bases.id)"
            )

    def move(self, documents: Sequence[int], target: str) -> Transfer:
        """Move documents with their chunks and vectors; one whose content is in the target already stays.

        Raises:
            NotFound: There is no such knowledge base or document; nothing is moved then.
        """
        return self._transfer(documents, target, copy=False)

    def copy(self, documents: Sequence[int], target: str) -> Transfer:
        """Copy documents with their chunks and vectors; from then on they are documents of their own.

        Raises:
            NotFound: There is no such knowledge base or document; nothing is copied then.
        """
        return self._transfer(documents, target, copy=True)

    def _transfer(self, documents: Sequence[int], target: str, *, copy: bool) -> Transfer:
        done: list[tuple[int, str]] = []
        refused: list[RefusedDocument] = []
        with self._database.write() as connection:
            base = knowledge_base_id(connection, target)
            for document in [_live(connection, number) for number in documents]:
                reason = _objection(connection, document, base, target)
                if not reason and not copy:
                    reason = _tie(connection, document)
                if reason:
                    refused.append(RefusedDocument(document.id, document.name, reason))
                elif copy:
                    done.append((copy_document(connection, document.id, base), document.knowledge_base))
                else:
                    connection.execute("UPDATE documents SET knowledge_base = ? WHERE id = ?", (base, document.id))
                    done.append((document.id, document.knowledge_base))
            self._database.revision += 1
        ids, sources = tuple(number for number, _ in done), tuple(source for _, source in done)
        return Transfer(target, ids, tuple(refused), sources)


def _checked(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise LibraryError("A knowledge base needs a name.", "Give one, for example “work”.")
    if len(name) > _LONGEST or not name.isprintable():
        raise LibraryError("A knowledge base cannot have this name.", f"Give one of at most {_LONGEST} characters.")
    return name


def _must_be_free(connection: sqlite3.Connection, name: str, *, but: int = 0) -> None:
    names = connection.execute("SELECT name FROM knowledge_bases WHERE removed = 0 AND id <> ?", (but,)).fetchall()
    for (taken,) in names:
        # “Work” beside “work” would be two that nobody can tell apart.
        if taken.casefold() == name.casefold():
            raise LibraryError(f"There is a knowledge base “{taken}” already.", "Choose another name.")


def _live(connection: sqlite3.Connection, number: int) -> Document:
    found = documents_where(connection, "d.id = ? AND d.removed = 0", (number,)) if is_row_number(number) else []
    if not found:
        raise NotFound(f"There is no document {number} in the library.", "It may have been removed meanwhile.")
    return found[0]


def _tie(connection: sqlite3.Connection, document: Document) -> str:
    """Return why a document cannot leave its knowledge base, or nothing."""
    if document.origin is not Origin.FILE:
        return ""
    folders = linked_paths(connection, knowledge_base_id(connection, document.knowledge_base))
    folder = next((folder for folder in folders if is_below(document.path, folder)), None)
    if folder is None:
        return ""
    # At the next look at the folder its file would be new there, and be added again.
    return mark(f"It belongs to the linked folder “{os.path.basename(folder)}”: copy it, or unlink the folder first.")


def _objection(connection: sqlite3.Connection, document: Document, base: int, target: str) -> str:
    """Return why a document cannot go to a knowledge base, or nothing."""
    if document.knowledge_base == target:
        return mark(f"It is in “{target}” already.")
    same = documents_where(
        connection, "d.knowledge_base = ? AND d.sha256 = ? AND d.removed = 0", (base, document.sha256)
    )
    if same:
        return mark(f"“{target}” holds the same content already, as “{same[0].name}”.")
    there = documents_where(
        connection, "d.knowledge_base = ? AND d.path = ? AND d.removed = 0", (base, stored_text(document.path))
    )
    return mark(f"“{target}” holds another version of the same file.") if there else ""


_OWN = ("id", "knowledge_base", "document", "chunk")
"""Columns that a copy has of its own."""


def copy_document(connection: sqlite3.Connection, document: int, knowledge_base: int) -> int:
    """Return the id of a copy of a document in a knowledge base, inside the caller's transaction."""
    columns = _columns(connection, "documents")
    made = connection.execute(
        f"INSERT INTO documents (knowledge_base, {columns}) SELECT ?, {columns} FROM documents WHERE id = ?",
        (knowledge_base, document),
    ).lastrowid
    assert made is not None
    for table in ("contents", "pages", "source_lines", "abbreviations", "document_metadata"):
        columns = _columns(connection, table)
        connection.execute(
            f"INSERT INTO {table} (document, {columns}) SELECT ?, {columns} FROM {table} WHERE document = ?",
            (made, document),
        )
    _copy_chunks(connection, document, made)
    return made


def _copy_chunks(connection: sqlite3.Connection, document: int, made: int) -> None:
    columns = _columns(connection, "chunks")
    added: list[KeywordRow] = []
    embedders: set[int] = set()
    numbers: dict[int, int] = {}
    for row in keyword_rows(connection, document):
        number = connection.execute(
            f"INSERT INTO chunks (document, {columns}) SELECT ?, {columns} FROM chunks WHERE id = ?", (made, row.chunk)
        ).lastrowid
        assert number is not None
        added.append(replace(row, chunk=number))
        numbers[row.chunk] = number
        vectors = connection.execute(
            # A copy of a damaged vector is none the better: its checksum stays wrong.
            "INSERT INTO vectors (embedder, chunk, vector, checksum) SELECT embedder, ?1, vector,"
            f" row_checksum(embedder, ?1, vector) + coalesce(checksum <> {VECTOR}, 0) FROM vectors WHERE chunk = ?2"
            " RETURNING embedder",
            (number, row.chunk),
        ).fetchall()
        embedders.update(embedder for (embedder,) in vectors)
        connection.execute(
            "INSERT INTO token_codes (vector, codes, checksum) SELECT copy.id, t.codes, row_checksum(copy.id, t.codes)"
            " + coalesce(t.checksum <> row_checksum(t.vector, t.codes), 0) FROM vectors v"
            " CROSS JOIN token_codes t ON t.vector = v.id"
            " CROSS JOIN vectors copy ON copy.chunk = ? AND copy.embedder = v.embedder WHERE v.chunk = ?",
            (number, row.chunk),
        )
    add_rows(connection, added)
    copy_edits(connection, document, made, numbers)
    connection.executemany(
        "UPDATE embedders SET generation = generation + 1 WHERE id = ?", [(embedder,) for embedder in embedders]
    )


def _columns(connection: sqlite3.Connection, table: str) -> str:
    """Return what a row of a table copies; asked of the database, so that a later schema is copied whole."""
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    return ", ".join(f'"{name}"' for name in names if name not in _OWN)

"""Knowledge bases of a library, and moving and copying documents between them."""

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
_ALWAYS = mark(f"The knowledge base “{DEFAULT}” cannot be renamed or removed.")


class KnowledgeBaseStore:
    """Store of knowledge bases. A document belongs to one of them, and operations on one do not affect others.

    A removed one disappears from every list and search at once; its documents are in the bin, and restore() restores
    everything.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self) -> Bases:
        """Return the knowledge bases with counts of their contents, oldest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT b.name, COUNT(d.id), TOTAL(d.chunks), TOTAL(d.embedded), TOTAL(d.status = 'failed'),"
                " TOTAL(d.size) FROM knowledge_bases b LEFT JOIN documents d ON d.knowledge_base = b.id"
                " AND d.removed = 0 WHERE b.removed = 0 GROUP BY b.id ORDER BY b.id"
            ).fetchall()
        return [KnowledgeBase(row[0], *(int(number) for number in row[1:])) for row in rows]

    def numbers(self, *, with_removed: bool = False) -> dict[str, int]:
        """Return the id of each knowledge base by its name, oldest first; of a removed one only on request."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT name, id FROM knowledge_bases WHERE removed <= ? ORDER BY id", (int(with_removed),)
            ).fetchall()
        return {str(name): int(number) for name, number in rows}

    def number_of(self, name: str) -> int:
        """Return the id of a knowledge base.

        Raises:
            NotFound: There is no knowledge base of that name.
        """
        with self._database.read() as connection:
            return knowledge_base_id(connection, name)

    def add(self, name: str) -> str:
        """Create an empty knowledge base and return its stripped name.

        Raises:
            LibraryError: The name is blank, too long, or taken.
        """
        name = _check_name(name)
        with self._database.write() as connection:
            _must_be_free(connection, name)
            connection.execute(
                "INSERT INTO knowledge_bases (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET removed = 0", (name,)
            )
        return name

    def rename(self, name: str, new: str) -> str:
        """Rename a knowledge base and return its new name.

        Raises:
            NotFound: There is no knowledge base of that name.
            LibraryError: The new name is blank, too long, or taken; or it is the default one.
        """
        new = _check_name(new)
        with self._database.write() as connection:
            number = knowledge_base_id(connection, name)
            if new == name:
                return new
            if name == DEFAULT:
                raise LibraryError(_ALWAYS, "Add a knowledge base and move the documents there.")
            _must_be_free(connection, new, but=number)
            # A removed knowledge base with this name is renamed to release the name; it will be purged.
            connection.execute(
                "UPDATE knowledge_bases SET name = name || ' (removed ' || id || ')' WHERE name = ? AND id <> ?",
                (new, number),
            )
            connection.execute("UPDATE knowledge_bases SET name = ? WHERE id = ?", (new, number))
            self._database.revision += 1  # filters depend on names
        return new

    def remove(self, name: str) -> RemovedBase:
        """Remove a knowledge base and its documents from every list and search; restore() accepts the result.

        Raises:
            NotFound: There is no knowledge base of that name.
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
        """Undo remove(); a document whose content was added again meanwhile stays removed.

        Raises:
            LibraryError: Its name is now used by another knowledge base.
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
        """Delete removed knowledge bases permanently after the last of their documents has left the bin."""
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
        """Move documents with their chunks and vectors; one whose content is already in the target stays.

        Raises:
            NotFound: There is no such knowledge base or document; nothing is moved.
        """
        return self._transfer(documents, target, copy=False)

    def copy(self, documents: Sequence[int], target: str) -> Transfer:
        """Copy documents with their chunks and vectors; the copies are independent documents.

        Raises:
            NotFound: There is no such knowledge base or document; nothing is copied.
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
                    reason = _reason_to_stay(connection, document)
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


def _check_name(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise LibraryError("A knowledge base needs a name.", "Enter a name, for example “work”.")
    if len(name) > _LONGEST or not name.isprintable():
        raise LibraryError("A knowledge base cannot have this name.", f"Enter a name of at most {_LONGEST} characters.")
    return name


def _must_be_free(connection: sqlite3.Connection, name: str, *, but: int = 0) -> None:
    names = connection.execute("SELECT name FROM knowledge_bases WHERE removed = 0 AND id <> ?", (but,)).fetchall()
    for (taken,) in names:
        # “Work” next to “work” could not be distinguished by users.
        if taken.casefold() == name.casefold():
            raise LibraryError(f"There is a knowledge base “{taken}” already.", "Choose another name.")


def _live(connection: sqlite3.Connection, number: int) -> Document:
    found = documents_where(connection, "d.id = ? AND d.removed = 0", (number,)) if is_row_number(number) else []
    if not found:
        raise NotFound(f"There is no document {number} in the library.", "It may have been removed meanwhile.")
    return found[0]


def _reason_to_stay(connection: sqlite3.Connection, document: Document) -> str:
    """Return the reason why a document cannot leave its knowledge base; empty if it can."""
    if document.origin is not Origin.FILE:
        return ""
    folders = linked_paths(connection, knowledge_base_id(connection, document.knowledge_base))
    folder = next((folder for folder in folders if is_below(document.path, folder)), None)
    if folder is None:
        return ""
    # Otherwise the next check of the folder would find its file as new and add it again.
    return mark(f"It belongs to the linked folder “{os.path.basename(folder)}”: copy it, or unlink the folder first.")


def _objection(connection: sqlite3.Connection, document: Document, base: int, target: str) -> str:
    """Return the reason why a document cannot be added to a knowledge base; empty if it can."""
    if document.knowledge_base == target:
        return mark(f"It is in “{target}” already.")
    same = documents_where(
        connection, "d.knowledge_base = ? AND d.sha256 = ? AND d.removed = 0", (base, document.sha256)
    )
    if same:
        return mark(f"“{target}” holds the same content already, as “{same[0].name}”.")
    same_path = documents_where(
        connection, "d.knowledge_base = ? AND d.path = ? AND d.removed = 0", (base, stored_text(document.path))
    )
    return mark(f"“{target}” holds another version of the same file.") if same_path else ""


_OWN = ("id", "knowledge_base", "document", "chunk")
"""Columns that are not copied."""


def copy_document(connection: sqlite3.Connection, document: int, knowledge_base: int) -> int:
    """Copy a document to a knowledge base and return the id of the copy, inside the caller's transaction."""
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
            # The copy of a damaged vector gets a wrong checksum too, so that the damage stays detectable.
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
    """Return the columns to copy; read from the database, so that a later schema is copied completely."""
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    return ", ".join(f'"{name}"' for name in names if name not in _OWN)

"""Intake of documents.

Rows exist before a file is read or a source is fetched, together with what is known of it.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from workbench.errors import NotFound
from workbench.model.document import Document, DocumentStatus, FailureKind, Origin, count_unread_pages, not_read
from workbench.store.bulk_reads import WriteInvalidatedCache
from workbench.store.document_rows import DOCUMENT_COLUMNS, document_of, findings_of
from workbench.store.filtering import knowledge_base_id
from workbench.store.sql import Connection, DocumentDatabase
from workbench.store.stored_values import (
    absolute_path,
    loaded_json,
    loaded_text,
    now,
    stored_json,
    stored_name,
    stored_text,
)

# Prefix of the provisional identity of a row whose bytes were not hashed yet; no hex digest begins with it.
_NEW = "new:"

IN_PART = (
    "removed = 0 AND chunks > 0 AND ("
    """instr(findings, '"no text"') OR instr(findings, '"garbled"') OR instr(findings, '"skipped"')"""
    """ OR instr(findings, '"unread"') OR instr(findings, '"truncated"'))"""
)
"""Condition for documents with findings about text that was not read; same as index documents_in_part."""

# Conditions of the indexes documents_not_read and documents_not_embedded.
_NOT_READ = "removed = 0 AND chunks = 0 AND status <> 'ready'"
_NOT_EMBEDDED = "removed = 0 AND embedded < chunks"
_UNLESS_IN_PART = """CASE WHEN reason <> '' AND instr(findings, '"unread"') THEN {} ELSE ? END"""

_ONE = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE d.id = ? AND d.removed = 0"


@dataclass(frozen=True, slots=True)
class FileStamp:
    """File size and modification time; while they are unchanged, the bytes are assumed to be unchanged."""

    size: int
    mtime_ns: int


NO_FILE = FileStamp(-1, -1)
"""Stamp of a document restored by the user although its file is missing: no folder scan removes it."""

MOST_PAGE_FACTS = 64 * 2**20
"""Maximum bytes that are kept of a partly read file: about 4,500 pages of a PDF."""

TRY_AGAIN = FileStamp(-2, -2)
"""Stamp of a file that failed for a reason that may be temporary: the next folder scan reads it again."""


class HashIdentified(Protocol):
    """Object identified by the hash of its bytes."""

    @property
    def sha256(self) -> str:
        """The hash, or a provisional identity."""


def is_hashed(document: HashIdentified) -> bool:
    """Return whether the bytes of a document were ever read; before that, its identity is derived from its path."""
    return not document.sha256.startswith(_NEW)


class Intake:
    """Writes many rows in one transaction: 2,000 dropped files become 2,000 rows at once, in 0.1 s instead of 5."""

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database
        self._not_read = WriteInvalidatedCache[str | None, dict[DocumentStatus, int]](database)
        self._visible = WriteInvalidatedCache[str | None, tuple[int, int]](database)
        self._in_part = WriteInvalidatedCache[str | None, dict[int, int]](database)

    def known(self, knowledge_base: str, paths: Iterable[Path]) -> dict[Path, tuple[Document, FileStamp]]:
        """Return the documents that came from these paths, each with the stamp of its stored bytes."""
        found: dict[Path, tuple[Document, FileStamp]] = {}
        with self._database.read() as connection:
            base = knowledge_base_id(connection, knowledge_base)
            for path in paths:
                row = connection.execute(
                    f"SELECT d.file_size, d.file_mtime_ns, {DOCUMENT_COLUMNS} FROM documents d"
                    " WHERE d.knowledge_base = ? AND d.path = ? AND d.removed = 0 ORDER BY d.id DESC LIMIT 1",
                    (base, _stored_path(path)),
                ).fetchone()
                if row is not None:
                    found[path] = (document_of(row[2:]), FileStamp(row[0], row[1]))
        return found

    def members(self, knowledge_base: str, archive: Path) -> list[Document]:
        """Return the documents that came from an archive."""
        with self._database.read() as connection:
            base = knowledge_base_id(connection, knowledge_base)
            rows = connection.execute(
                f"SELECT {DOCUMENT_COLUMNS} FROM documents d"
                " WHERE d.knowledge_base = ? AND d.origin = 'archive' AND d.removed = 0 ORDER BY d.id",
                (base,),
            ).fetchall()
        return [one for one in map(document_of, rows) if archive in Path(one.path).parents]

    def divided(self, knowledge_base: str, is_part: Callable[[Path], bool]) -> set[Path]:
        """Return the files whose parts are documents; is_part detects a part by its path."""
        with self._database.read() as connection:
            base = knowledge_base_id(connection, knowledge_base)
            rows = connection.execute(
                "SELECT path FROM documents WHERE knowledge_base = ? AND origin = 'archive' AND removed = 0", (base,)
            ).fetchall()
        return {path.parent for path in (Path(loaded_text(row[0])) for row in rows) if is_part(path)}

    def stamp(self, id: int) -> FileStamp:
        """Return the stamp of a document's stored bytes; FileStamp(0, 0) if it is unknown."""
        with self._database.read() as connection:
            row = connection.execute("SELECT file_size, file_mtime_ns FROM documents WHERE id = ?", (id,)).fetchone()
        return FileStamp(*row) if row else FileStamp(0, 0)

    def queue(
        self, knowledge_base: str, files: Mapping[Path, tuple[FileStamp, str]], *, archived: Collection[Path] = ()
    ) -> list[Document]:
        """Create QUEUED documents for files that were not read yet, and return them in order.

        Args:
            knowledge_base: Its name.
            files: Stamp of each file, and its location in the tree of its folder.
            archived: Files that are members of an archive.

        Raises:
            NotFound: There is no such knowledge base.
        """
        with self._database.write() as connection:
            base = knowledge_base_id(connection, knowledge_base)
            time = now()
            connection.executemany(
                "INSERT INTO documents (knowledge_base, path, name, sha256, size, format, status, title, added, folder,"
                " origin) VALUES (?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (
                    (
                        base,
                        _stored_path(path),
                        stored_name(path.name),
                        _identity(path),
                        stamp.size,
                        path.suffix.lower().lstrip("."),
                        stored_name(path.stem),
                        time,
                        stored_text(folder),
                        (Origin.ARCHIVE if path in archived else Origin.FILE).value,
                    )
                    for path, (stamp, folder) in files.items()
                ),
            )
            select = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE d.knowledge_base = ? AND d.sha256 = ?"
            return [
                document_of(connection.execute(f"{select} AND d.removed = 0", (base, _identity(path))).fetchone())
                for path in files
            ]

    def identify(self, id: int, sha256: str, stamp: FileStamp) -> Document | None:
        """Set the hash of a document without content and return it; None if it is missing or the hash is taken."""
        with self._database.write() as connection:
            changed = connection.execute(
                "UPDATE OR IGNORE documents SET sha256 = ?, size = ?, file_size = ?, file_mtime_ns = ?"
                " WHERE id = ? AND removed = 0",
                (sha256, stamp.size, stamp.size, stamp.mtime_ns, id),
            ).rowcount
            return document_of(connection.execute(_ONE, (id,)).fetchone()) if changed else None

    def put_stamp(self, id: int, stamp: FileStamp) -> None:
        """Store the stamp of the file whose bytes a document contains."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE documents SET file_size = ?, file_mtime_ns = ? WHERE id = ?", (stamp.size, stamp.mtime_ns, id)
            )

    def put_folders(self, folders: Mapping[int, str]) -> None:
        """Store the location of documents in the tree of a folder."""
        with self._database.write() as connection:
            connection.executemany(
                "UPDATE documents SET folder = ? WHERE id = ?",
                [(stored_text(folder), id) for id, folder in folders.items()],
            )
            self._database.revision += bool(folders)  # filters depend on folders

    def discard(self, id: int) -> None:
        """Delete a row without content, because another document has the same bytes; rows with content are kept."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM documents WHERE id = ? AND chunks = 0", (id,))

    def set_status(
        self,
        ids: Sequence[int],
        status: DocumentStatus,
        *,
        reason: str = "",
        hint: str = "",
        failure: FailureKind = FailureKind.NONE,
    ) -> list[Document]:
        """Set the status of documents in one transaction, and return those that exist.

        A document that has only the first pages of its file keeps the reason for that until its content is replaced,
        with the kind and the hint.
        """
        with self._database.write() as connection:
            connection.executemany(
                f"UPDATE documents SET status = ?, reason = {_UNLESS_IN_PART.format('reason')},"
                f" hint = {_UNLESS_IN_PART.format('hint')}, failure = {_UNLESS_IN_PART.format('failure')}"
                " WHERE id = ? AND removed = 0",
                ((status.value, stored_text(reason), stored_text(hint), failure.value, id) for id in ids),
            )
            rows = [connection.execute(_ONE, (id,)).fetchone() for id in ids]
        return [document_of(row) for row in rows if row is not None]

    def put_page_facts(self, id: int, sha256: str, parser_version: int, page_facts: bytes) -> None:
        """Keep the pages that were read of the file with this hash (PdfParser.page_facts); none if they are empty.

        More than MOST_PAGE_FACTS bytes are not kept: the file is then read from the pages that were kept before.
        """
        if len(page_facts) > MOST_PAGE_FACTS:
            return
        with self._database.write() as connection:
            if page_facts:
                connection.execute(
                    "INSERT OR REPLACE INTO partial_readings (document, sha256, parser_version, page_facts)"
                    " VALUES (?, ?, ?, ?)",
                    (id, sha256, parser_version, page_facts),
                )
            else:
                connection.execute("DELETE FROM partial_readings WHERE document = ?", (id,))

    def page_facts(self, id: int, sha256: str, parser_version: int) -> bytes:
        """Return the kept pages of a file with this hash, as this version of its parser read them; empty if none."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT page_facts FROM partial_readings WHERE document = ? AND sha256 = ? AND parser_version = ?",
                (id, sha256, parser_version),
            ).fetchone()
        return bytes(row[0]) if row else b""

    def hashes_by_size(self, knowledge_base: str) -> dict[int, dict[str, str]]:
        """Return the sizes of documents, each with the hashes of that size and their document names."""
        found: dict[int, dict[str, str]] = {}
        with self._database.read() as connection:
            base = knowledge_base_id(connection, knowledge_base)
            for size, sha256, name in connection.execute(
                "SELECT size, sha256, name FROM documents WHERE knowledge_base = ? AND removed = 0", (base,)
            ):
                found.setdefault(size, {})[sha256] = loaded_text(name)
        return found

    def hash_of(self, id: int) -> str:
        """Return the hash of a document's bytes, or its provisional identity; empty if there is no such document."""
        with self._database.read() as connection:
            row = connection.execute("SELECT sha256 FROM documents WHERE id = ? AND removed = 0", (id,)).fetchone()
        return str(row[0]) if row else ""

    def holds(self, sha256: str) -> bool:
        """Return whether any document contains these bytes, in any knowledge base or in the bin."""
        with self._database.read() as connection:
            # Each part uses an index: the identities in a knowledge base, and the removed documents.
            found = connection.execute(
                "SELECT 1 FROM documents WHERE knowledge_base IN (SELECT id FROM knowledge_bases) AND sha256 = ?1"
                " AND removed = 0 UNION ALL"
                " SELECT 1 FROM documents WHERE removed > 0 AND removed IN (1, 2) AND sha256 = ?1 LIMIT 1",
                (sha256,),
            ).fetchone()
        return found is not None

    def not_read(self, knowledge_base: str | None = None) -> dict[DocumentStatus, int]:
        """Return the number of unsearchable documents by status; served by an index."""
        return dict(self._not_read.get(knowledge_base, partial(self._count_not_read, knowledge_base)))

    def _count_not_read(self, knowledge_base: str | None) -> dict[DocumentStatus, int]:
        with self._database.read() as connection:
            if knowledge_base is None:
                rows = connection.execute(f"SELECT status, COUNT(*) FROM documents WHERE {_NOT_READ} GROUP BY status")
            else:
                rows = connection.execute(
                    f"SELECT status, COUNT(*) FROM documents WHERE {_NOT_READ} AND knowledge_base = ? GROUP BY status",
                    (knowledge_base_id(connection, knowledge_base),),
                )
            return {DocumentStatus(status): count for status, count in rows}

    def not_read_of(self, ids: Collection[int]) -> dict[DocumentStatus, int]:
        """Return the number of unsearchable documents among these by status."""
        with self._database.read() as connection:
            rows = connection.execute(f"SELECT id, status FROM documents WHERE {_NOT_READ}").fetchall()
        return dict(Counter(DocumentStatus(status) for id, status in rows if id in ids))

    def not_embedded_of(self, ids: Collection[int]) -> int:
        """Return the number of documents among these that lack vectors."""
        with self._database.read() as connection:
            rows = connection.execute(f"SELECT id FROM documents WHERE {_NOT_EMBEDDED}").fetchall()
        return sum(id in ids for (id,) in rows)

    def in_part(self, knowledge_base: str | None = None) -> Mapping[int, int]:
        """Return the documents that are searched in part, each with the number of its pages that cannot be searched.

        The number is 0 if a limit cut off the end. Served by an index.
        """
        found = self._in_part.get(knowledge_base, partial(self._find_in_part, knowledge_base))
        return MappingProxyType(found)

    def _find_in_part(self, knowledge_base: str | None) -> dict[int, int]:
        with self._database.read() as connection:
            base, parameters = "", list[int]()
            if knowledge_base is not None:
                base, parameters = " AND knowledge_base = ?", [knowledge_base_id(connection, knowledge_base)]
            rows = connection.execute(f"SELECT id, findings, pages FROM documents WHERE {IN_PART}{base}", parameters)
            found: dict[int, int] = {}
            for number, findings, pages in rows:
                known = findings_of(findings)
                unread = count_unread_pages(known, pages)
                if unread or not_read(known):
                    found[number] = unread
            return found

    def unread(self, knowledge_base: str | None = None) -> list[int]:
        """Return the ids of the unread documents: those without text, also failed ones, then those searched in part.

        Locked ones are left out, because they cannot be read without a password.
        """
        with self._database.read() as connection:
            base, parameters = "", list[int]()
            if knowledge_base is not None:
                base, parameters = " AND knowledge_base = ?", [knowledge_base_id(connection, knowledge_base)]
            rows = connection.execute(
                f"SELECT id FROM documents WHERE {_NOT_READ}"
                f" AND status IN ('queued', 'parsing', 'indexed', 'failed'){base} ORDER BY id",
                parameters,
            ).fetchall()
        in_part = self.in_part(knowledge_base)
        return [*(int(row[0]) for row in rows), *(number for number, pages in in_part.items() if pages)]

    def visible(self, knowledge_base: str | None = None) -> tuple[int, int]:
        """Return the number of documents, and the number of those that lack vectors; served by indexes."""
        return self._visible.get(knowledge_base, partial(self._count_visible, knowledge_base))

    def _count_visible(self, knowledge_base: str | None) -> tuple[int, int]:
        with self._database.read() as connection:
            base, parameters = "", list[int]()
            if knowledge_base is not None:
                base, parameters = " AND knowledge_base = ?", [knowledge_base_id(connection, knowledge_base)]
            count = f"SELECT COUNT(*) FROM documents WHERE removed = 0{base}"
            (documents,) = connection.execute(count, parameters).fetchone()
            without_vectors = f"SELECT COUNT(*) FROM documents WHERE {_NOT_EMBEDDED}{base}"
            (behind,) = connection.execute(without_vectors, parameters).fetchone()
            return documents, behind


def _identity(path: Path) -> str:
    return _NEW + hashlib.sha256(absolute_path(path).encode("utf-8", "surrogatepass")).hexdigest()


def _stored_path(path: Path) -> str | bytes:
    return stored_text(absolute_path(path))


Details = dict[str, str]
"""Known properties of a source: address, etag, connection, query..."""


class Origins:
    """Source addresses and their details; the resulting documents are ordinary documents."""

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database

    def queue(
        self, knowledge_base: str, address: str, *, path: str = "", name: str, origin: Origin, details: Details
    ) -> Document:
        """Create a QUEUED document for a source that was not read yet, and return it; an existing one is returned.

        Its identity is derived from its address until its bytes are known: no hash begins with "new:".

        Args:
            knowledge_base: Its name.
            address: Address that identifies the source.
            path: Location shown to the user; the address if empty.
            name: Name shown to the user.
            origin: Kind of source.
            details: Known properties of the source.

        Raises:
            NotFound: There is no such knowledge base.
        """
        identity = "new:" + hashlib.sha256(f"{origin}\n{address}".encode("utf-8", "surrogatepass")).hexdigest()
        with self._database.write() as connection:
            base = knowledge_base_id(connection, knowledge_base)
            connection.execute(
                "INSERT INTO documents"
                " (knowledge_base, path, name, sha256, size, format, status, title, added, origin, origin_details)"
                " VALUES (?, ?, ?, ?, 0, '', 'queued', ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (
                    base,
                    stored_text(path or address),
                    stored_name(name),
                    identity,
                    stored_name(name),
                    now(),
                    origin.value,
                    stored_json(details),
                ),
            )
            select = f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE d.knowledge_base = ? AND d.sha256 = ?"
            return document_of(connection.execute(f"{select} AND d.removed = 0", (base, identity)).fetchone())

    def by_address(self, knowledge_base: str, address: str, origin: Origin) -> Document | None:
        """Return the document that came from an address, either the requested one or the final one after redirects."""
        with self._database.read() as connection:
            base = knowledge_base_id(connection, knowledge_base)
            # Details that cannot be encoded in UTF-8 are bytes, which json_extract interprets as its own binary form.
            row = connection.execute(
                f"SELECT {DOCUMENT_COLUMNS} FROM documents d"
                " WHERE d.knowledge_base = ? AND d.origin = ? AND d.removed = 0"
                " AND (d.path = ? OR json_extract(CAST(d.origin_details AS TEXT), '$.address') = ?)"
                " ORDER BY d.chunks > 0 DESC, d.id LIMIT 1",
                (base, origin.value, stored_text(address), address),
            ).fetchone()
        return document_of(row) if row is not None else None

    def details(self, id: int) -> Details:
        """Return the known properties of a document's source; empty if there are none."""
        with self._database.read() as connection:
            row = connection.execute("SELECT origin_details FROM documents WHERE id = ?", (id,)).fetchone()
        return {str(key): str(value) for key, value in loaded_json(row[0]).items()} if row else {}

    def describe(self, id: int, *, path: str, name: str, origin: Origin, details: Mapping[str, Any]) -> Document:
        """Set the source of a document and return the document.

        Raises:
            NotFound: There is no such document (any more).
        """
        with self._database.write() as connection:
            connection.execute(
                "UPDATE documents SET path = ?, name = ?, origin = ?, origin_details = ? WHERE id = ? AND removed = 0",
                (stored_text(path), stored_name(name), origin.value, stored_json(dict(details)), id),
            )
            self._database.revision += 1  # filters depend on paths and origins
            return _one(connection, id)

    def identify(self, id: int, *, sha256: str, size: int) -> Document:
        """Set the hash of a document without content and return it; if interrupted later, it is read at the next start.

        Raises:
            NotFound: There is no such document (any more).
        """
        with self._database.write() as connection:
            connection.execute(
                "UPDATE OR IGNORE documents SET sha256 = ?, size = ? WHERE id = ? AND chunks = 0 AND removed = 0",
                (sha256, size, id),
            )
            return _one(connection, id)

    def discard(self, id: int) -> None:
        """Delete a row without content, because another document has the same content."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM documents WHERE id = ? AND chunks = 0", (id,))

    def discard_unwritten(self) -> None:
        """Delete rows of notes whose text was never written because of a kill: they were never reported as saved."""
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM documents WHERE origin = ? AND status = ? AND chunks = 0 AND sha256 LIKE 'new:%'",
                (Origin.NOTE.value, DocumentStatus.QUEUED.value),
            )


def _one(connection: Connection, id: int) -> Document:
    row = connection.execute(
        f"SELECT {DOCUMENT_COLUMNS} FROM documents d WHERE d.id = ? AND d.removed = 0", (id,)
    ).fetchone()
    if row is None:
        raise NotFound("This document is no longer in the library.", "Add it again.")
    return document_of(row)

"""Documents of a library with their text, blocks, pages and chunks."""

import json
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.errors import DocumentError, LibraryError, NotFound
from workbench.language import mark
from workbench.model.chunk import Chunk, ChunkText
from workbench.model.document import (
    Block,
    BlockKind,
    Document,
    DocumentStatus,
    FailureKind,
    Headings,
    Page,
    ParsedDocument,
)
from workbench.model.filter import ChunkFilter
from workbench.model.knowledge_base import Removal
from workbench.model.source_lines import LineTable, SourceLines
from workbench.model.visible import visible_name
from workbench.store.abbreviation_table import definitions_in
from workbench.store.bulk_reads import ChunkOwners, WriteInvalidatedCache
from workbench.store.chunk_edit_log import replace_chunks_edited
from workbench.store.document_rows import CHUNK_COLUMNS, chunk_of, documents_where, findings_value, page_of
from workbench.store.document_writes import kept_fields, replace_content
from workbench.store.filtering import by_page, conditions, custom_keys, knowledge_base_id
from workbench.store.sql import Connection, DocumentDatabase
from workbench.store.stored_values import (
    absolute_path,
    is_row_number,
    loaded_json,
    loaded_text,
    now,
    real_path,
    stored_json,
    stored_name,
    stored_text,
    unpacked_blocks,
    unpacked_headings,
    unpacked_lines,
    unpacked_text,
    unpacked_words,
)

if TYPE_CHECKING:  # The window starts without numpy.
    import numpy as np
    from numpy.typing import NDArray


_END = 2**62
"""Offset after the end of any text."""


# The method list() hides the type inside the class.
Names = list[str]
Numbers = list[int]
Documents = list[Document]
Chunks = list[Chunk]

_HINT = mark("“list” shows the documents with their numbers.")
_UNFINISHED = "('queued', 'parsing', 'indexed', 'embedding')"


class DocumentStore:
    """Store of documents in knowledge bases; operations on one knowledge base do not affect others.

    A removed document disappears from every list and search at once, and can be restored until the bin is purged. A
    document whose new content is being processed is found with the old one until put_content. Reading the content of a
    document that has none gives empty results.
    """

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database
        self._headings = WriteInvalidatedCache[int, Headings](database)
        self._owners, self._owned = ChunkOwners(), 0
        self._counts = WriteInvalidatedCache[str | None, tuple[int, int]](database)
        self._custom_keys = WriteInvalidatedCache[None, Names](database)
        self._searchable: dict[ChunkFilter, tuple[int, NDArray[np.int64] | None]] = {}

    def knowledge_bases(self) -> Names:
        """Return their names, oldest first; "default" always exists."""
        with self._database.read() as connection:
            return [
                row[0] for row in connection.execute("SELECT name FROM knowledge_bases WHERE removed = 0 ORDER BY id")
            ]

    def ensure_knowledge_base(self, name: str) -> None:
        """Create a knowledge base unless it exists.

        Raises:
            LibraryError: The name is blank.
        """
        if not name.strip():
            raise LibraryError("A knowledge base needs a name.", "Enter a name, for example “work”.")
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO knowledge_bases (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET removed = 0", (name,)
            )

    def queue(self, path: Path, *, knowledge_base: str, sha256: str, size: int, format: str) -> Document:
        """Create a QUEUED document and return it; if its hash is in the knowledge base already, return that document.

        Raises:
            NotFound: There is no such knowledge base.
        """
        with self._database.write() as connection:
            base = knowledge_base_id(connection, knowledge_base)
            connection.execute(
                "INSERT INTO documents (knowledge_base, path, name, sha256, size, format, status, title, added)"
                " VALUES (?, ?, ?, ?, ?, ?, 'queued', ?, ?) ON CONFLICT DO NOTHING",
                (
                    base,
                    _stored_path(path),
                    stored_name(path.name),
                    sha256,
                    size,
                    format,
                    stored_name(path.stem),
                    now(),
                ),
            )
            return _one(connection, "d.knowledge_base = ? AND d.sha256 = ? AND d.removed = 0", (base, sha256))

    def list(self, knowledge_base: str | None = None) -> Documents:
        """Return the documents in the order they were added.

        Raises:
            NotFound: There is no such knowledge base.
        """
        with self._database.read() as connection:
            if knowledge_base is None:
                return documents_where(connection, "d.removed = 0", ())
            base = knowledge_base_id(connection, knowledge_base)
            return documents_where(connection, "d.removed = 0 AND d.knowledge_base = ?", (base,))

    def get(self, id: int) -> Document:
        """Return a document that is not removed.

        Raises:
            NotFound: There is no document of that number.
        """
        with self._database.read() as connection:
            return _live(connection, id)

    def find(self, spec: str, knowledge_base: str | None = None) -> Document:
        """Return the only document that matches a number, a path in any spelling, a file name, or the start of a hash.

        Raises:
            NotFound: None matches, or more than one.
        """
        candidates = self.list(knowledge_base)
        path = absolute_path(spec)
        real = real_path(path)
        tests = (
            lambda d: str(d.id) == spec,
            lambda d: d.path in (spec, path, real) or real_path(d.path) == real,
            lambda d: d.name in (spec, visible_name(spec)),
            lambda d: len(spec) >= 6 and d.sha256.startswith(spec.lower()),
        )
        for test in tests:
            found = [document for document in candidates if test(document)]
            if len(found) == 1:
                return found[0]
            if found:
                numbers = ", ".join(f"{document.id} ({document.path})" for document in found[:5])
                raise NotFound(
                    f"“{spec}” can mean {len(found)} documents.", f"Enter the number of one of these: {numbers}."
                )
        raise NotFound(f"There is no document “{spec}” in the library.", _HINT)

    def by_hash(self, knowledge_base: str, sha256: str) -> Document | None:
        """Return the document with that hash."""
        with self._database.read() as connection:
            found = documents_where(
                connection,
                "d.knowledge_base = (SELECT id FROM knowledge_bases WHERE name = ?) AND d.sha256 = ? AND d.removed = 0",
                (knowledge_base, sha256),
            )
        return found[0] if found else None

    def set_status(
        self,
        id: int,
        status: DocumentStatus,
        *,
        reason: str = "",
        hint: str = "",
        failure: FailureKind = FailureKind.NONE,
    ) -> Document:
        """Set the status of a document and return it; the old reason, its kind and its hint are replaced.

        Raises:
            NotFound: There is no such document (any more).
        """
        with self._database.write() as connection:
            connection.execute(
                "UPDATE documents SET status = ?, reason = ?, hint = ?, failure = ? WHERE id = ? AND removed = 0",
                (status.value, stored_text(reason), stored_text(hint), failure.value, id),
            )
            return _live(connection, id)

    def put_content(
        self,
        id: int,
        parsed: ParsedDocument,
        chunks: Sequence[Chunk],
        *,
        sha256: str,
        size: int,
        words: Sequence[str] | None = None,
        status: DocumentStatus = DocumentStatus.INDEXED,
    ) -> Document:
        """Replace the content of a document and return it; unchanged chunks keep ids, vectors and edits.

        Args:
            id: The document.
            parsed: Its new content.
            chunks: Slices of that, in order.
            sha256: Hash of the file's bytes, in hexadecimal digits.
            size: Size of the file in bytes.
            words: segment() of each chunk's text, if already computed.
            status: The new status; PARSING if this is only a part.

        Raises:
            NotFound: There is no such document.
            DocumentError: Another document has the same bytes.
        """
        definitions = definitions_in(parsed.text)
        with self._database.write() as connection:
            metadata = kept_fields(self._only_one_of(sha256, _live(connection, id)), parsed.metadata)
            replace_content(connection, id, parsed, definitions)
            many, lost = replace_chunks_edited(connection, id, metadata.title, parsed, chunks, words)
            connection.execute(
                "UPDATE documents SET sha256 = ?, size = ?, format = ?, status = ?, title = ?, author = ?,"
                " created = ?, keywords = ?, language = ?, modified = ?, pages = ?, chunks = ?, reason = '', hint = '',"
                " failure = '', warnings = ?, page_kind = ?, parser_version = ?, findings = ?,"
                " embedded = (SELECT COUNT(*) FROM remembered r, embedders e, chunks c, vectors v"
                " WHERE r.scope = 'state' AND r.key = 'embedder' AND e.name = r.value AND c.document = documents.id"
                " AND v.chunk = c.id AND v.embedder = e.id) WHERE id = ?",
                (
                    sha256,
                    size,
                    parsed.format,
                    status.value,
                    stored_text(metadata.title),
                    stored_text(metadata.author),
                    stored_text(metadata.created),
                    stored_json(metadata.keywords),
                    stored_text(metadata.language),
                    stored_text(metadata.modified),
                    len(parsed.pages),
                    many,
                    stored_json((*parsed.warnings, *lost)),
                    parsed.page_kind.value,
                    parsed.parser_version,
                    findings_value(parsed.findings),
                    id,
                ),
            )
            self._database.revision += 1
            return _live(connection, id)

    def _only_one_of(self, sha256: str, document: Document) -> Document:
        """Return a document, unless another one of its knowledge base has these bytes."""
        if sha256 == document.sha256:
            return document  # the hash is unique by the schema
        same = self.by_hash(document.knowledge_base, sha256)
        if same is not None and same.id != document.id:
            raise DocumentError(
                f"“{document.name}” now has the same content as “{same.name}”, which is already in the library.",
                "Remove one of the two.",
            )
        return document

    def mark_removed(self, ids: Iterable[int], removal: Removal = Removal.BY_USER) -> Numbers:
        """Move documents to the bin, out of every list and search; return the ids of those that existed."""
        with self._database.write() as connection:
            moved = [
                row[0]
                for id in ids
                for row in connection.execute(
                    "UPDATE documents SET removed = ?, removed_at = ? WHERE id = ? AND removed = 0 RETURNING id",
                    (removal.value, now(), id),
                ).fetchall()
            ]
            self._database.revision += bool(moved)
        return moved

    def restore(self, ids: Iterable[int]) -> Numbers:
        """Undo mark_removed; return the ids of the restored documents.

        A document that was added again meanwhile stays in the bin, and a purged one cannot be restored.
        """
        with self._database.write() as connection:
            back = [
                row[0]
                for id in ids
                for row in connection.execute(
                    "UPDATE documents SET removed = 0, removed_at = '' WHERE id = ? AND removed IN (1, 2)"
                    " AND NOT EXISTS (SELECT 1 FROM documents o WHERE o.knowledge_base = documents.knowledge_base"
                    " AND o.sha256 = documents.sha256 AND o.removed = 0) RETURNING id",
                    (id,),
                ).fetchall()
            ]
            # A restored document also restores its knowledge base, if that was removed.
            connection.executemany(
                "UPDATE knowledge_bases SET removed = 0 WHERE removed = 1"
                " AND id = (SELECT knowledge_base FROM documents WHERE id = ?)",
                [(id,) for id in back],
            )
            self._database.revision += bool(back)
        return back

    def rename_path(self, id: int, path: Path) -> Document:
        """Set the path of a document and return it.

        Raises:
            NotFound: There is no such document.
        """
        with self._database.write() as connection:
            connection.execute(
                "UPDATE documents SET path = ?, name = ? WHERE id = ?", (_stored_path(path), stored_name(path.name), id)
            )
            self._database.revision += 1  # filters depend on paths and names
            return _live(connection, id)

    def unfinished(self) -> Documents:
        """Return the documents whose import was not finished."""
        with self._database.read() as connection:
            return documents_where(connection, f"d.removed = 0 AND d.status IN {_UNFINISHED}", ())

    def counts(self, knowledge_base: str | None = None) -> tuple[int, int]:
        """Return the number of searchable chunks, and the number of those that have a vector."""
        return self._counts.get(knowledge_base, partial(self._counted, knowledge_base))

    def _counted(self, knowledge_base: str | None) -> tuple[int, int]:
        with self._database.read() as connection:
            condition, parameters = conditions(connection, ChunkFilter(knowledge_base))
            row = connection.execute(
                f"SELECT TOTAL(d.chunks), TOTAL(d.embedded) FROM documents d WHERE {condition}", parameters
            ).fetchone()
        return int(row[0]), int(row[1])

    def custom_keys(self) -> Names:
        """Return the keys of the user's own metadata that documents have, in alphabetical order."""
        return self._custom_keys.get(None, self._read_custom_keys)

    def _read_custom_keys(self) -> Names:
        with self._database.read() as connection:
            return custom_keys(connection)

    def filter_problem(self, filter: ChunkFilter) -> str:
        """Return the message for a filter that finds nothing because of an unknown key; otherwise empty."""
        return filter.problem(self.custom_keys()) if filter.custom_keys else ""

    def searchable_chunks(self, filter: ChunkFilter) -> "NDArray[np.int64] | None":
        """Return the ids that pass the filter, ascending; None if every chunk of the library does.

        Raises:
            NotFound: The filter names a knowledge base that does not exist.
        """
        if filter.is_empty:
            return None  # chunks of documents in the bin are in no list
        revision = self._database.revision
        known = self._searchable.get(filter)
        if known is not None and known[0] == revision:
            return known[1]
        with self._database.read() as connection:
            passing = self._passing(connection, filter)
            (total,) = connection.execute("SELECT TOTAL(chunks) FROM documents WHERE removed = 0").fetchone()
        ids = None if len(passing) == total else passing
        if len(self._searchable) >= 16:
            self._searchable.clear()
        self._searchable[filter] = (revision, ids)
        return ids

    def passing_chunks(self, filter: ChunkFilter) -> "NDArray[np.int64]":
        """Return the ids that pass the filter, ascending, even if every chunk of the library does.

        Raises:
            NotFound: The filter names a knowledge base that does not exist.
        """
        ids = self.searchable_chunks(filter)
        if ids is not None:
            return ids
        with self._database.read() as connection:
            return self._passing(connection, filter)

    def _passing(self, connection: Connection, filter: ChunkFilter) -> "NDArray[np.int64]":
        import numpy as np  # 100 ms that the window does not wait for

        condition, parameters = conditions(connection, filter)
        if by_page(filter):
            rows = connection.execute(
                f"SELECT c.id FROM documents d CROSS JOIN chunks c ON c.document = d.id WHERE {condition}", parameters
            ).fetchall()
            return np.sort(np.fromiter((row[0] for row in rows), np.int64, len(rows)))
        if self._owned != self._database.returned:
            self._owners, self._owned = ChunkOwners(), self._database.returned
        return self._owners.of(connection, condition, parameters)

    def text(self, id: int) -> str:
        """Return the whole text; empty before the first put_content."""
        with self._database.read() as connection:
            row = connection.execute("SELECT text FROM contents WHERE document = ?", (id,)).fetchone()
        return unpacked_text(row[0]) if row else ""

    def blocks(self, id: int) -> tuple[Block, ...]:
        """Return the blocks in reading order."""
        with self._database.read() as connection:
            row = connection.execute("SELECT blocks FROM contents WHERE document = ?", (id,)).fetchone()
        return unpacked_blocks(row[0]) if row else ()

    def headings(self, id: int) -> Headings:
        """Return the headings with their positions; cached until anything is written."""

        def read() -> Headings:
            with self._database.read() as connection:
                row = connection.execute("SELECT blocks FROM contents WHERE document = ?", (id,)).fetchone()
            return unpacked_headings(row[0]) if row else Headings()

        return self._headings.get(id, read)

    def page(self, id: int, number: int) -> Page | None:
        """Return a page with the boxes of its words, or None if there is no such page."""
        with self._database.read() as connection:
            row = connection.execute(
                'SELECT number, start, "end", width, height, label, ocr, words FROM pages'
                " WHERE document = ? AND number = ?",
                (id, number),
            ).fetchone()
        if row is None:
            return None
        return page_of(row[:7], unpacked_words(row[7]))

    def pages(self, id: int) -> tuple[Page, ...]:
        """Return all pages without their words."""
        with self._database.read() as connection:
            rows = connection.execute(
                'SELECT number, start, "end", width, height, label, ocr FROM pages WHERE document = ? ORDER BY number',
                (id,),
            ).fetchall()
        return tuple(page_of(row) for row in rows)

    def page_breaks(self, document: int, first: int, last: int) -> tuple[int, ...]:
        """Return the starts of the pages after the first, up to the last, as offsets into the document's text."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT start FROM pages WHERE document = ? AND number > ? AND number <= ? ORDER BY number",
                (document, first, last),
            ).fetchall()
        return tuple(row[0] for row in rows)

    def source_lines(self, document: int, start: int = 0, end: int = _END) -> SourceLines | None:
        """Return the lines of the whole file that contain text[start:end]; None if the document is not a part."""
        with self._database.read() as connection:
            return _read_source_lines(connection, document, start, end)

    def source_lines_of(self, chunks: Sequence[Chunk]) -> dict[int, SourceLines]:
        """Return source_lines() by the ids of those chunks that belong to a part; most libraries hold no parts."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT j.value FROM json_each(?) j"
                " WHERE EXISTS (SELECT 1 FROM source_lines s WHERE s.document = j.value)",
                (json.dumps([*{chunk.document for chunk in chunks}]),),
            )
            parts = {document for (document,) in rows.fetchall()}
            found = {
                chunk.id: _read_source_lines(connection, chunk.document, chunk.start, chunk.end)
                for chunk in chunks
                if chunk.document in parts
            }
        return {id: lines for id, lines in found.items() if lines is not None}

    def chunks_on_pages(self, documents: Sequence[int], pages: Sequence[int]) -> tuple[int, ...]:
        """Return the ids of the chunks that begin or continue on any of these pages, 1-based, of these documents."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT DISTINCT c.id FROM json_each(?) d CROSS JOIN chunks c INDEXED BY chunks_document"
                " ON c.document = d.value JOIN json_each(?) p ON p.value BETWEEN c.page AND c.page_end"
                " WHERE c.disabled = 0",
                (json.dumps(list(documents)), json.dumps(list(pages))),
            ).fetchall()
        return tuple(row[0] for row in rows)

    def chunk_texts(self, ids: Sequence[int]) -> dict[int, ChunkText]:
        """Return the texts of chunks with their titles and headings: 0.5 ms for 120, while chunks_by_id() takes 2.

        Unknown chunks are left out.
        """
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT c.id, c.text, d.title, c.headings, c.kind FROM json_each(?) j"
                " CROSS JOIN chunks c ON c.id = j.value CROSS JOIN documents d ON d.id = c.document",
                (json.dumps([int(id) for id in ids]),),
            ).fetchall()
        return {
            id: ChunkText(loaded_text(text), loaded_text(title), " ".join(loaded_json(headings)), BlockKind(kind))
            for id, text, title, headings, kind in rows
        }

    def sample_chunks(self, most: int) -> tuple[int, ...]:
        """Return the ids of at most this many chunks, evenly distributed over the library: 2 ms for 500 of 100,000."""
        with self._database.read() as connection:
            first, last = connection.execute("SELECT MIN(id), MAX(id) FROM chunks").fetchone()
            if first is None:
                return ()
            step = max(1, (last - first + 1) / most)
            wanted = [first + int(number * step) for number in range(min(most, last - first + 1))]
            # Ids of deleted chunks are gaps: the next chunk takes their place.
            rows = connection.execute(
                "SELECT DISTINCT (SELECT id FROM chunks WHERE id >= j.value ORDER BY id LIMIT 1) FROM json_each(?) j",
                (json.dumps(wanted),),
            ).fetchall()
        return tuple(id for (id,) in rows if id is not None)

    def page_labels(self, document: int, first: int, last: int) -> tuple[str, ...]:
        """Return the labels of these pages, of sheets or chapters; empty strings for pages without."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT label FROM pages WHERE document = ? AND number BETWEEN ? AND ? ORDER BY number",
                (document, first, last),
            ).fetchall()
        return tuple(loaded_text(row[0]) for row in rows)

    def chunks(self, id: int) -> Chunks:
        """Return a document's chunks in order."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {CHUNK_COLUMNS} FROM chunks c WHERE c.document = ? ORDER BY c.ordinal", (id,)
            ).fetchall()
        return [chunk_of(row) for row in rows]

    def chunks_between(self, id: int, start: int, end: int) -> Chunks:
        """Return a document's chunks that overlap text[start:end], in order."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {CHUNK_COLUMNS} FROM chunks c WHERE c.document = ? AND c.start < ? AND c.end > ?"
                " ORDER BY c.ordinal",
                (id, end, start),
            ).fetchall()
        return [chunk_of(row) for row in rows]

    def chunks_at(self, id: int, first: int, last: int) -> Chunks:
        """Return a document's chunks with ordinals from first to last, from 0, in order."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {CHUNK_COLUMNS} FROM chunks c WHERE c.document = ? AND c.ordinal BETWEEN ? AND ?"
                " ORDER BY c.ordinal",
                (id, first, last),
            ).fetchall()
        return [chunk_of(row) for row in rows]

    def chunks_by_id(self, ids: Sequence[int]) -> dict[int, tuple[Chunk, Document]]:
        """Return these chunks with their documents, in the order of ids; those removed or unknown are left out."""
        wanted = json.dumps([int(id) for id in ids])
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {CHUNK_COLUMNS} FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value", (wanted,)
            ).fetchall()
            documents = {
                document.id: document
                for document in documents_where(
                    connection,
                    "d.id IN (SELECT value FROM json_each(?)) AND d.removed = 0",
                    (json.dumps([*{row[1] for row in rows}]),),
                )
            }
        found = {row[0]: (chunk_of(row), documents[row[1]]) for row in rows if row[1] in documents}
        return {int(id): found[int(id)] for id in ids if int(id) in found}


def _one(connection: Connection, condition: str, parameters: Sequence[Any]) -> Document:
    found = documents_where(connection, condition, parameters)
    if not found:
        raise NotFound("This document is no longer in the library.", "Add the file again.")
    return found[0]


def _live(connection: Connection, id: int) -> Document:
    found = documents_where(connection, "d.id = ? AND d.removed = 0", (id,)) if is_row_number(id) else []
    if not found:
        raise NotFound(f"There is no document {id} in the library.", _HINT)
    return found[0]


def _stored_path(path: Path) -> str | bytes:
    return stored_text(absolute_path(path))


def _read_source_lines(connection: Connection, document: int, start: int, end: int) -> SourceLines | None:
    rows = connection.execute(
        "SELECT kind, lines FROM source_lines WHERE document = ?1 AND start < ?3 AND start >= COALESCE("
        "(SELECT MAX(start) FROM source_lines WHERE document = ?1 AND start <= ?2), 0) ORDER BY start",
        (document, start, end),
    ).fetchall()
    tables = [unpacked_lines(kind, blob) for kind, blob in rows]
    if not tables:
        return None
    return LineTable(tables[0].kind, b"".join(table.data for table in tables)).unpacked.within(start, end)

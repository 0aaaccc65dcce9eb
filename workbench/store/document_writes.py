"""Writes to a stored document: content, metadata fields, tags and custom fields.

A chunk whose text, headings and title equal those of one of the document's old chunks keeps its number, its keyword row
and its vectors: adding an edited file again embeds only the edited parts, and old citations still find their chunk. The
user's edits of chunks are merged into the new chunks before (chunk_edit_log.py).
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from workbench.errors import MetadataError
from workbench.model.chunk import Chunk
from workbench.model.custom_metadata import MOST_KEYS, read_again, replaced
from workbench.model.document import Document, Metadata, ParsedDocument
from workbench.model.metadata import FIELDS, CustomField, CustomFields, ValueKind, checked_fields, checked_tags
from workbench.model.visible import visible_name
from workbench.store import common_words
from workbench.store.abbreviation_table import Definition, replace_definitions
from workbench.store.document_rows import CHUNK_VALUES, NO_VALUE, chunk_values, custom_fields_of, documents_where
from workbench.store.keywords import KeywordRow, add_rows, merge_many, remove_rows
from workbench.store.sql import Connection, DocumentDatabase
from workbench.store.stored_values import (
    loaded_json,
    loaded_text,
    packed_blocks,
    packed_lines,
    packed_text,
    packed_words,
    stored_json,
    stored_text,
)

_SEGMENT_LINES = 1024
"""Lines per row of source_lines: 1 KB; most hits read a single row."""

_Key = tuple[str, tuple[str, ...], str, bool]


def replace_content(
    connection: Connection, document: int, parsed: ParsedDocument, definitions: Sequence[Definition]
) -> None:
    """Replace the text, blocks, pages, lines, custom metadata and defined abbreviations of a document."""
    replace_custom_fields(connection, document, parsed.custom)
    replace_definitions(connection, document, definitions)
    connection.execute(
        "INSERT OR REPLACE INTO contents (document, text, blocks) VALUES (?, ?, ?)",
        (document, packed_text(parsed.text), packed_blocks(parsed.blocks)),
    )
    connection.execute("DELETE FROM pages WHERE document = ?", (document,))
    connection.executemany(
        "INSERT INTO pages (document, number, start, end, width, height, words, label, ocr)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                document,
                page.number,
                page.start,
                page.end,
                page.width,
                page.height,
                packed_words(page.words),
                stored_text(page.label),
                int(page.ocr),
            )
            for page in parsed.pages
        ),
    )
    connection.execute("DELETE FROM source_lines WHERE document = ?", (document,))
    connection.executemany(
        "INSERT INTO source_lines (document, start, kind, lines) VALUES (?, ?, ?, ?)",
        (
            (document, start, segment.kind.value, packed_lines(segment))
            for start, segment in parsed.lines.segments(_SEGMENT_LINES)
        ),
    )


def replace_chunks(
    connection: Connection, document: int, title: str, chunks: Sequence[Chunk], words: Sequence[str | None]
) -> list[int]:
    """Replace the chunks of a document and return the new ids; a chunk that has an id already keeps it if possible.

    Args:
        connection: A transaction.
        document: Its id.
        title: Its new title; the document's row still contains the old one.
        chunks: The new chunks.
        words: Each chunk's words for the keyword index, if known.
    """
    old_rows = keyword_rows(connection, document)
    old: dict[_Key, deque[KeywordRow]] = defaultdict(deque)
    for row in old_rows:
        old[row.title, row.headings, row.text, row.disabled].append(row)
    numbers = [0] * len(chunks)
    # Chunks that have an id choose first.
    for ordinal, chunk in sorted(enumerate(chunks), key=lambda item: not item[1].id):
        if same := old.get((title, chunk.headings, chunk.text, chunk.disabled)):
            own = next((row for row in same if row.chunk == chunk.id), same[0])
            same.remove(own)
            numbers[ordinal] = own.chunk
    kept = [(number, ordinal, chunks[ordinal]) for ordinal, number in enumerate(numbers) if number]
    remove_chunks(connection, [row for rows in old.values() for row in rows])
    connection.executemany(
        "UPDATE chunks SET ordinal = ?, start = ?, end = ?, text = ?, page = ?, page_end = ?, headings = ?, kind = ?,"
        " tokens = ?, oversize = ?, source = ?, by_hand = ?, disabled = ?, tags = ? WHERE id = ?",
        ((*chunk_values(chunk, ordinal), number) for number, ordinal, chunk in kept),
    )
    new = [(ordinal, chunks[ordinal]) for ordinal, number in enumerate(numbers) if not number]
    for number, (ordinal, _) in enumerate(new, _next_chunk_id(connection)):
        numbers[ordinal] = number
    values = ((numbers[ordinal], document, *chunk_values(chunk, ordinal)) for ordinal, chunk in new)
    connection.executemany(_INSERT_CHUNK, values)
    add_rows(
        connection,
        (
            KeywordRow(numbers[ordinal], title, chunk.headings, chunk.text, words[ordinal], chunk.disabled)
            for ordinal, chunk in new
        ),
    )
    merge_many(connection, [numbers[ordinal] for ordinal, _ in new])
    return numbers


_INSERT_CHUNK = (
    f"INSERT INTO chunks (id, document, {CHUNK_VALUES}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def _next_chunk_id(connection: Connection) -> int:
    """Return the id that AUTOINCREMENT would choose: one that no chunk has or had (sqlite.org/autoinc.html)."""
    query = "SELECT MAX(id) FROM chunks UNION ALL SELECT seq FROM sqlite_sequence WHERE name = 'chunks'"
    return max((number or 0 for (number,) in connection.execute(query)), default=0) + 1


def insert_chunk(connection: Connection, document: int, chunk: Chunk, ordinal: int) -> int:
    """Add a chunk to a document and return its id; id 0 gets a new one."""
    number = connection.execute(_INSERT_CHUNK, (chunk.id or None, document, *chunk_values(chunk, ordinal))).lastrowid
    assert number is not None
    return number


def remove_chunks(connection: Connection, rows: Sequence[KeywordRow]) -> None:
    """Delete chunks with their keyword rows and vectors, and mark every vector set that lost one."""
    if not rows:
        return
    numbers = [(row.chunk,) for row in rows]
    remove_rows(connection, rows)
    embedders: set[int] = set()
    for number in numbers:
        embedders.update(
            row[0] for row in connection.execute("DELETE FROM vectors WHERE chunk = ? RETURNING embedder", number)
        )
    connection.executemany("DELETE FROM chunks WHERE id = ?", numbers)
    connection.executemany(
        "UPDATE embedders SET generation = generation + 1 WHERE id = ?", [(embedder,) for embedder in embedders]
    )


def keyword_rows(connection: Connection, document: int) -> list[KeywordRow]:
    """Return a document's chunks as keyword rows, including those that are disabled and therefore not in the index."""
    return [
        KeywordRow(number, loaded_text(title), tuple(loaded_json(headings)), loaded_text(text), None, bool(disabled))
        for number, title, headings, text, disabled in connection.execute(
            "SELECT c.id, d.title, c.headings, c.text, c.disabled FROM chunks c JOIN documents d ON d.id = c.document"
            " WHERE c.document = ? ORDER BY c.ordinal",
            (document,),
        )
    ]


Documents = list[Document]
KeyCounts = list[tuple[str, int]]


class MetadataStore:
    """Store of metadata fields. Fields written by the user are listed in Document.edited and survive a new parsing.

    The knowledge base of a document is not a metadata field and cannot be changed here.
    """

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database

    def edit(self, document: Document, fields: Mapping[str, object]) -> Document:
        """Set fields of a document and return it; each field counts as the user's own from now on.

        Raises:
            MetadataError: There is no such field, or the value is invalid; nothing is changed.
        """
        checked = checked_fields(fields)
        edited = tuple(name for name in FIELDS if name in checked or name in document.edited)
        return self._put(document, checked, edited)

    def put_back(self, before: Document) -> Document:
        """Restore the fields of a document before edit(), and return it."""
        return self._put(before, {name: getattr(before.metadata, name) for name in FIELDS}, before.edited)

    def put_tags(self, tags: Mapping[int, Sequence[str]]) -> Documents:
        """Replace the tags of documents and return them; missing documents are left out.

        Raises:
            MetadataError: A tag is blank or too long; nothing is changed.
        """
        checked = {number: checked_tags(names) for number, names in tags.items()}
        with self._database.write() as connection:
            self._require_writable(connection, checked)
            connection.executemany(
                "UPDATE documents SET tags = ? WHERE id = ? AND removed = 0",
                ((stored_json(names), number) for number, names in checked.items()),
            )
            self._database.revision += 1
            return _documents(connection, checked)

    def tags(self, knowledge_base: str | None = None) -> KeyCounts:
        """Return the tags in use with the number of their documents, the most frequent first."""
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
            self._require_writable(connection, [document.id])
            self._update_indexes(connection, document, fields)
            connection.execute(
                f"UPDATE documents SET {columns}edited = ? WHERE id = ? AND removed = 0",
                (*values.values(), stored_json(edited), document.id),
            )
            self._database.revision += 1
            found = _documents(connection, [document.id])
        return found[0] if found else document

    def _require_writable(self, connection: Connection, documents: Iterable[int]) -> None:
        """Do nothing: everything in a personal library may be changed."""

    def _update_indexes(self, connection: Connection, document: Document, fields: Mapping[str, object]) -> None:
        """Replace the title in the keyword rows, before the fields are stored."""
        title = fields.get("title")
        if isinstance(title, str):
            _retitle(connection, document.id, title)


def kept_fields(document: Document, parsed: Metadata) -> Metadata:
    """Return a document's metadata after its file was parsed again: the user's own fields are kept.

    Title and author are shown in many places, so they must not contain invisible characters.
    """
    title, author = (visible_name(" ".join(text.split())) for text in (parsed.title, parsed.author))
    parsed = replace(parsed, title=title, author=author)
    return Metadata(
        **{name: getattr(document.metadata if name in document.edited else parsed, name) for name in FIELDS}
    )


def _documents(connection: Connection, numbers: Iterable[int]) -> Documents:
    found: Documents = []
    for number in numbers:
        found += documents_where(connection, "d.id = ? AND d.removed = 0", (number,))
    return found


def _retitle(connection: Connection, document: int, title: str) -> None:
    """Replace the title in the keyword rows; vectors contain no title (model/chunk.py, embedding_text)."""
    row = connection.execute("SELECT title FROM documents WHERE id = ? AND removed = 0", (document,)).fetchone()
    if row is None or loaded_text(row[0]) == title:
        return
    old = keyword_rows(connection, document)
    common_words.leave_out(connection, [row.chunk for row in old])
    remove_rows(connection, old)
    add_rows(connection, [replace(row, title=title) for row in old])


Merge = Callable[[CustomFields, Iterable[CustomField]], CustomFields]


class CustomMetadataStore:
    """Store of custom metadata.

    No key can change the knowledge base of a document, because it is not metadata.
    """

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database

    def put(self, given: Mapping[int, Sequence[CustomField]]) -> Documents:
        """Set these fields in addition to the others and return the documents; a field without values removes its key.

        Missing documents are left out.

        Raises:
            MetadataError: A document would have more than 100 keys; nothing is changed.
        """
        return self._write(given, replaced)

    def put_back(self, before: Mapping[int, CustomFields]) -> Documents:
        """Replace all custom fields of the documents and return them: undoes put()."""
        return self._write(before, lambda _now, fields: tuple(fields))

    def count(self, knowledge_base: str | None = None) -> KeyCounts:
        """Return the keys in use with the number of their documents, the most frequent first."""
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
            self._require_writable(connection, given)
            for number, fields in given.items():
                found = documents_where(connection, "d.id = ? AND d.removed = 0", (number,))
                if not found:
                    continue
                after = merge(found[0].stored_custom, fields)
                if len(after) > MOST_KEYS:
                    raise MetadataError(
                        f"“{found[0].name}” would have {len(after)} keys of metadata.",
                        f"A document has at most {MOST_KEYS}; remove some first.",
                    )
                put_custom_fields(connection, number, after)
                changed += documents_where(connection, "d.id = ?", (number,))
            self._database.revision += 1
        return changed

    def _require_writable(self, connection: Connection, documents: Iterable[int]) -> None:
        """Do nothing: everything in a personal library may be changed."""


def replace_custom_fields(connection: Connection, document: int, read: CustomFields) -> None:
    """Replace the custom fields that came from a document's file; within a transaction."""
    stored = custom_fields_of(connection, document)
    if stored or read:
        put_custom_fields(connection, document, read_again(stored, read))


def put_custom_fields(connection: Connection, document: int, fields: CustomFields) -> None:
    """Replace all custom fields of a document; within a transaction."""
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

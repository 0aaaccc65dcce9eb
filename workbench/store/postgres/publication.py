"""Publication: writing documents that a worker has read from its own library into the shared library.

A worker reads files into a personal library, with everything that this does (archives, OCR, tables). The rows of the
result are copied from SQLite to PostgreSQL, in one transaction with the end of the job.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.model.chunk import Chunk
from workbench.model.custom_metadata import read_again
from workbench.model.document import Document, DocumentStatus
from workbench.store.database import Database
from workbench.store.document_rows import CHUNK_COLUMNS, chunk_of, chunk_values, documents_where, findings_value
from workbench.store.document_writes import kept_fields, put_custom_fields
from workbench.store.postgres.dialect import storable
from workbench.store.postgres.import_jobs import end_job, put_original
from workbench.store.postgres.postgres_database import PostgresConnection, PostgresDatabase
from workbench.store.postgres.posting_lists import PUBLISHING
from workbench.store.postgres.shared_keywords import text_search_vector
from workbench.store.postgres.shared_names import put_names
from workbench.store.stored_values import loaded_text, now, stored_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_COPIED = {
    "contents": ("text", "blocks"),
    "pages": ("number", "start", '"end"', "width", "height", "words", "label", "ocr"),
    "source_lines": ("start", "kind", "lines"),
    "abbreviations": ("short", "long", "phrase"),
}
"""Tables whose rows belong to a document and are copied as they are, with their columns."""
_BLOBS = {"contents": {"text", "blocks"}, "pages": {"words"}, "source_lines": {"lines"}}
"""Columns that are packed; other bytes are texts that SQLite cannot hold as texts (stored_text)."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadDocument:
    """Document in the personal library of a worker, ready to be published.

    Attributes:
        document: The document.
        chunks: Its chunks.
        rows: Rows of the tables of _COPIED, by table.
        ids: Chunks that have a vector, int64 [n].
        vectors: float32 [n, dim], unit length.
        codes: Compressed token vectors, by chunk; made by the codec of the shared library.
        segments: text_search_vector() of each chunk: the words, and their number.
        original: The file it was read from, for a document of an archive or a divided file; None if the job has it.
    """

    document: Document
    chunks: Sequence[Chunk]
    rows: dict[str, list[tuple[Any, ...]]]
    ids: "NDArray[np.int64]"
    vectors: "NDArray[np.float32]"
    codes: Mapping[int, bytes]
    segments: Sequence[tuple[str, int]]
    original: Path | None = None

    @classmethod
    def of(
        cls,
        database: Database,
        document: int,
        ids: "NDArray[np.int64]",
        vectors: "NDArray[np.float32]",
        codes: Mapping[int, bytes],
        original: Path | None = None,
    ) -> "ReadDocument":
        """Return a document of a personal library, with the vectors and codes of its chunks."""
        with database.read() as connection:
            found = documents_where(connection, "d.id = ?", (document,))[0]
            rows = connection.execute(
                f"SELECT {CHUNK_COLUMNS} FROM chunks c WHERE c.document = ? ORDER BY c.ordinal", (document,)
            ).fetchall()
            copied = {
                table: connection.execute(
                    f"SELECT {', '.join(names)} FROM {table} WHERE document = ?", (document,)
                ).fetchall()
                for table, names in _COPIED.items()
            }
        chunks = [chunk_of(row) for row in rows]
        title = found.metadata.title
        segments = [
            ("", 0) if chunk.disabled else text_search_vector(title, chunk.headings, chunk.text) for chunk in chunks
        ]
        return cls(found, chunks, copied, ids, vectors, codes, segments, original)


def publish(database: PostgresDatabase, job: int, worker: str, documents: Sequence[ReadDocument]) -> list[int]:
    """Write what was read for a job, and end the job; return the ids of the documents in the shared library.

    One document replaces the content of the job's document, whose unchanged chunks keep their ids. Several, from an
    archive or a divided file, become documents of their own, and that of the job is deleted.

    Args:
        database: The shared library.
        job: Id of the document of the job.
        worker: The worker that has claimed it.
        documents: What was read, at least one.

    Returns:
        An empty list if the worker has lost the job, or the document was removed: then nothing is written.
    """
    with database.write() as connection:
        # Before any id of a chunk is taken: posting_lists.py waits for publications that have begun.
        connection.execute("SELECT pg_advisory_xact_lock_shared(?)", (PUBLISHING,))
        if not end_job(connection, job, worker):
            return []
        row = connection.execute(
            "SELECT knowledge_base, removed FROM documents WHERE id = ? FOR UPDATE", (job,)
        ).fetchone()
        if row is None or row[1]:
            return []
        base = int(row[0])
        if len(documents) == 1:
            _replace_content(connection, job, base, documents[0])
            return [job]
        numbers = []
        for one in documents:
            if (number := _insert(connection, base, one)) is not None:
                _replace_content(connection, number, base, one)
                if one.original is not None:
                    put_original(connection, number, base, one.original)
                numbers.append(number)
        connection.execute("DELETE FROM documents WHERE id = ?", (job,))
        return numbers


def _insert(connection: PostgresConnection, base: int, read: ReadDocument) -> int | None:
    """Add a row for a document of several; None if the knowledge base has the same bytes already."""
    document = read.document
    row = connection.execute(
        "INSERT INTO documents (knowledge_base, path, name, sha256, size, format, status, added, folder, origin)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
        (
            base,
            document.path,
            document.name,
            document.sha256,
            document.size,
            document.format,
            DocumentStatus.QUEUED.value,
            now(),
            document.folder,
            document.origin.value,
        ),
    ).fetchone()
    return None if row is None else int(row[0])


def _replace_content(connection: PostgresConnection, number: int, base: int, read: ReadDocument) -> None:
    document = read.document
    present = documents_where(connection, "d.id = ?", (number,))[0]
    metadata = kept_fields(present, document.metadata)
    put_custom_fields(connection, number, read_again(present.stored_custom, document.stored_custom))
    kept = _numbers_of_same_chunks(connection, number, read.chunks)
    connection.execute("DELETE FROM chunks WHERE document = ?", (number,))
    for table, names in _COPIED.items():
        connection.execute(f"DELETE FROM {table} WHERE document = ?", (number,))
        marks = ", ".join("?" * (len(names) + 2))
        connection.executemany(
            f"INSERT INTO {table} (document, knowledge_base, {', '.join(names)}) VALUES ({marks})",
            [(number, base, *_plain(row, names, _BLOBS.get(table, set()))) for row in read.rows[table]],
        )
    numbers = _insert_chunks(connection, number, base, read, kept)
    _insert_vectors(connection, base, read, numbers)
    connection.execute(
        "UPDATE documents SET format = ?, status = ?, title = ?, author = ?, created = ?, keywords = ?, language = ?,"
        " modified = ?, pages = ?, chunks = ?, embedded = ?, reason = ?, hint = ?, warnings = ?, page_kind = ?,"
        " parser_version = ?, findings = ?, words = ? WHERE id = ?",
        (
            document.format,
            document.status.value,
            metadata.title,
            metadata.author,
            metadata.created,
            _json(metadata.keywords),
            metadata.language,
            metadata.modified,
            document.pages,
            len(read.chunks),
            len(read.ids),
            document.reason,
            document.hint,
            _json(document.warnings),
            document.page_kind.value,
            document.parser_version,
            loaded_text(findings_value(document.findings)),
            sum(length for _, length in read.segments),
            number,
        ),
    )
    name = connection.execute("SELECT name FROM documents WHERE id = ?", (number,)).fetchone()[0]
    put_names(connection, number, base, (name, storable(metadata.title), storable(metadata.author)))


def _numbers_of_same_chunks(
    connection: PostgresConnection, document: int, chunks: Sequence[Chunk]
) -> dict[int, int | None]:
    """Return, by ordinal, the present id of a chunk with the same text under the same headings: it keeps its id."""
    rows = connection.execute(
        "SELECT headings, text, id FROM chunks WHERE document = ? ORDER BY ordinal", (document,)
    ).fetchall()
    present: dict[tuple[str, str], deque[int]] = defaultdict(deque)
    for headings, text, number in rows:
        present[headings, text].append(number)
    return {
        chunk.ordinal: same.popleft() if (same := present.get((_json(chunk.headings), storable(chunk.text)))) else None
        for chunk in chunks
    }


def _insert_chunks(
    connection: PostgresConnection, document: int, base: int, read: ReadDocument, kept: dict[int, int | None]
) -> dict[int, int]:
    """Insert the chunks and return their ids in the shared library by those in the personal one."""
    new = sum(number is None for number in kept.values())
    fresh = iter(
        connection.raw.execute("SELECT nextval('chunks_id_seq') FROM generate_series(1, %s)", (new,)).fetchall()
    )
    numbers = {
        chunk.id: number if (number := kept[chunk.ordinal]) is not None else int(next(fresh)[0])
        for chunk in read.chunks
    }
    connection.executemany(
        'INSERT INTO chunks (id, document, knowledge_base, ordinal, start, "end", text, page, page_end, headings,'
        " kind, tokens, oversize, source, by_hand, disabled, tags)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(numbers[chunk.id], document, base, *chunk_values(chunk, chunk.ordinal)) for chunk in read.chunks],
    )
    connection.executemany(
        "INSERT INTO chunk_words (chunk, knowledge_base, length, words) VALUES (?, ?, ?, CAST(? AS tsvector))",
        [
            (numbers[chunk.id], base, length, words)
            for chunk, (words, length) in zip(read.chunks, read.segments, strict=True)
            if not chunk.disabled
        ],
    )
    return numbers


def _insert_vectors(connection: PostgresConnection, base: int, read: ReadDocument, numbers: dict[int, int]) -> None:
    from pgvector import HalfVector

    connection.executemany(
        "INSERT INTO vectors (chunk, knowledge_base, vector) VALUES (?, ?, ?)",
        [
            (numbers[int(id)], base, HalfVector(vector))
            for id, vector in zip(read.ids, read.vectors, strict=True)
            if int(id) in numbers
        ],
    )
    connection.executemany(
        "INSERT INTO token_codes (chunk, knowledge_base, codes) VALUES (?, ?, ?)",
        [(numbers[chunk], base, bytearray(codes)) for chunk, codes in read.codes.items() if chunk in numbers],
    )


def _plain(row: Iterable[Any], names: Iterable[str], blobs: Set[str]) -> list[Any]:
    """Return a row of SQLite to bind, with its packed columns marked as such."""
    return [bytearray(value) if name in blobs else value for name, value in zip(names, row, strict=True)]


def _json(value: Any) -> str:
    return str(storable(loaded_text(stored_json(value))))

"""What the documents of a library hold: text, blocks, pages and chunks."""

import json
from collections.abc import Sequence

from workbench.model.chunk import Chunk, ChunkText
from workbench.model.document import Block, BlockKind, Document, Headings, Page
from workbench.store.database import Database
from workbench.store.latest import Latest
from workbench.store.packing import unpacked_blocks, unpacked_headings, unpacked_text, unpacked_words
from workbench.store.rows import CHUNK_COLUMNS, chunk_of, documents_where, page_of
from workbench.store.values import loaded_json, loaded_text


class DocumentContents:
    """Reads what documents hold; a document that has nothing yet gives nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._headings = Latest[int, Headings](database)

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
        """Return where the headings are; kept until anything is written."""

        def read() -> Headings:
            with self._database.read() as connection:
                row = connection.execute("SELECT blocks FROM contents WHERE document = ?", (id,)).fetchone()
            return unpacked_headings(row[0]) if row else Headings()

        return self._headings.get(id, read)

    def page(self, id: int, number: int) -> Page | None:
        """Return a page with the boxes of its words, or None where there is no such page."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT number, start, end, width, height, label, ocr, words FROM pages"
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
                "SELECT number, start, end, width, height, label, ocr FROM pages WHERE document = ? ORDER BY number",
                (id,),
            ).fetchall()
        return tuple(page_of(row) for row in rows)

    def page_breaks(self, document: int, first: int, last: int) -> tuple[int, ...]:
        """Return where the pages after the first begin, up to the last, as offsets into the document's text."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT start FROM pages WHERE document = ? AND number > ? AND number <= ? ORDER BY number",
                (document, first, last),
            ).fetchall()
        return tuple(row[0] for row in rows)

    def chunks_on_pages(self, documents: Sequence[int], pages: Sequence[int]) -> tuple[int, ...]:
        """Return the ids of the chunks that begin or go on on any of these pages, 1-based, of these documents."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT DISTINCT c.id FROM json_each(?) d CROSS JOIN chunks c INDEXED BY chunks_document"
                " ON c.document = d.value JOIN json_each(?) p ON p.value BETWEEN c.page AND c.page_end"
                " WHERE c.disabled = 0",
                (json.dumps(list(documents)), json.dumps(list(pages))),
            ).fetchall()
        return tuple(row[0] for row in rows)

    def chunk_texts(self, ids: Sequence[int]) -> dict[int, ChunkText]:
        """Return the texts of chunks and what stands over them: 0.5 ms for 120, where chunks_by_id() takes 2.

        Those that are unknown are left out.
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

    def page_labels(self, document: int, first: int, last: int) -> tuple[str, ...]:
        """Return the own names of these pages, of sheets or chapters; empty strings for pages without."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT label FROM pages WHERE document = ? AND number BETWEEN ? AND ? ORDER BY number",
                (document, first, last),
            ).fetchall()
        return tuple(loaded_text(row[0]) for row in rows)

    def chunks(self, id: int) -> list[Chunk]:
        """Return a document's chunks in order."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {CHUNK_COLUMNS} FROM chunks c WHERE c.document = ? ORDER BY c.ordinal", (id,)
            ).fetchall()
        return [chunk_of(row) for row in rows]

    def chunks_between(self, id: int, start: int, end: int) -> list[Chunk]:
        """Return those of a document's chunks that hold some of text[start:end], in order."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {CHUNK_COLUMNS} FROM chunks c WHERE c.document = ? AND c.start < ? AND c.end > ?"
                " ORDER BY c.ordinal",
                (id, end, start),
            ).fetchall()
        return [chunk_of(row) for row in rows]

    def chunks_at(self, id: int, first: int, last: int) -> list[Chunk]:
        """Return those of a document's chunks that have these places in it, from 0, in order."""
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
        return {row[0]: (chunk_of(row), documents[row[1]]) for row in rows if row[1] in documents}

"""Replace a document's content inside one transaction, keeping what did not change.

A chunk whose text, headings and title are the same as one of the document's old chunks keeps its number, its keyword
row and its vectors: adding an edited file again embeds only what was edited, and old citations still find their chunk.
What the user changed about chunks by hand was put among the new ones before (chunk_reapply.py).
"""

import sqlite3
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import replace

from workbench.model.chunk import Chunk
from workbench.model.document import ParsedDocument
from workbench.store.abbreviations import replace_definitions
from workbench.store.custom_metadata import renew_custom_fields
from workbench.store.definitions import Definition
from workbench.store.keywords import KeywordRow, add_rows, remove_rows
from workbench.store.packing import packed_blocks, packed_text, packed_words
from workbench.store.rows import CHUNK_VALUES, chunk_values
from workbench.store.values import loaded_json, loaded_text, stored_text

_Key = tuple[str, tuple[str, ...], str, bool]


def replace_content(
    connection: sqlite3.Connection, document: int, parsed: ParsedDocument, definitions: Sequence[Definition]
) -> None:
    """Put text, blocks, pages, metadata and the abbreviations that the text defines in the place of the old ones."""
    renew_custom_fields(connection, document, parsed.custom)
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


def replace_chunks(
    connection: sqlite3.Connection, document: int, title: str, chunks: Sequence[Chunk], words: Sequence[str | None]
) -> list[int]:
    """Put chunks in the place of the old ones and return their ids; one that has an id already keeps it if it can.

    Args:
        connection: Within a transaction.
        document: Its id.
        title: Its new title; the document's row still holds the old.
        chunks: The new ones.
        words: Each chunk's words for the keyword index, where they are known.
    """
    old_rows = keyword_rows(connection, document)
    old: dict[_Key, deque[KeywordRow]] = defaultdict(deque)
    for row in old_rows:
        old[row.title, row.headings, row.text, row.disabled].append(row)
    numbers = [0] * len(chunks)
    # Those with a number of their own choose first.
    for ordinal, chunk in sorted(enumerate(chunks), key=lambda item: not item[1].id):
        same = old[title, chunk.headings, chunk.text, chunk.disabled]
        if same:
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
    added: list[KeywordRow] = []
    for ordinal, chunk in enumerate(chunks):
        if not numbers[ordinal]:
            number = numbers[ordinal] = insert_chunk(
                connection, document, replace(chunk, id=0) if chunk.id else chunk, ordinal
            )
            row = KeywordRow(number, title, chunk.headings, chunk.text, words[ordinal], chunk.disabled)
            added.append(row)
    add_rows(connection, added)
    return numbers


def insert_chunk(connection: sqlite3.Connection, document: int, chunk: Chunk, ordinal: int) -> int:
    """Add a chunk to a document and return its id, a new one where it comes with 0."""
    number = connection.execute(
        f"INSERT INTO chunks (id, document, {CHUNK_VALUES}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (chunk.id or None, document, *chunk_values(chunk, ordinal)),
    ).lastrowid
    assert number is not None
    return number


def remove_chunks(connection: sqlite3.Connection, rows: Sequence[KeywordRow]) -> None:
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


def keyword_rows(connection: sqlite3.Connection, document: int) -> list[KeywordRow]:
    """Return a document's chunks as they stand in the keyword index, or do not while they are disabled."""
    return [
        KeywordRow(number, loaded_text(title), tuple(loaded_json(headings)), loaded_text(text), None, bool(disabled))
        for number, title, headings, text, disabled in connection.execute(
            "SELECT c.id, d.title, c.headings, c.text, c.disabled FROM chunks c JOIN documents d ON d.id = c.document"
            " WHERE c.document = ? ORDER BY c.ordinal",
            (document,),
        )
    ]

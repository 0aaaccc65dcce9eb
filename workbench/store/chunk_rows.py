"""Some chunks of a document put in the place of others, with their rows in the keyword index and their vectors."""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace

from workbench.model.chunk import Chunk
from workbench.store import common_words
from workbench.store.keywords import KeywordRow, add_rows, remove_rows
from workbench.store.replacement import insert_chunk, remove_chunks
from workbench.store.values import loaded_text, stored_json


def exchange(
    connection: sqlite3.Connection, document: int, before: Sequence[Chunk], after: Sequence[Chunk]
) -> tuple[Chunk, ...]:
    """Put chunks in the place of others and return them as they are now, with ids and ordinals.

    One that is among both keeps its id and its vector; one that comes with the id of a chunk that was there once has
    it again.

    Args:
        connection: Within a transaction.
        document: That holds them.
        before: Neighbours, in order, as they are in the library.
        after: What stands there from now on.
    """
    (title,) = connection.execute("SELECT title FROM documents WHERE id = ?", (document,)).fetchone()
    name = loaded_text(title)
    stay = {chunk.id for chunk in before} & {chunk.id for chunk in after}
    _remove(connection, name, [chunk for chunk in before if chunk.id not in stay])
    first = min(chunk.ordinal for chunk in before)
    connection.execute(
        "UPDATE chunks SET ordinal = ordinal + ? WHERE document = ? AND ordinal > ?",
        (len(after) - len(before), document, max(chunk.ordinal for chunk in before)),
    )
    old = {chunk.id: chunk for chunk in before}
    placed = []
    for ordinal, chunk in enumerate(after, first):
        number = chunk.id
        if number in stay:
            _change(connection, name, old[number], replace(chunk, ordinal=ordinal))
        else:
            number = insert_chunk(connection, document, chunk, ordinal)
        placed.append(replace(chunk, id=number, document=document, ordinal=ordinal))
    come = [chunk for chunk in placed if chunk.id not in stay]
    # A number that is given back may be among those whose words are kept beside the index.
    common_words.leave_out(connection, [chunk.id for chunk in come if chunk.id in {one.id for one in after}])
    add_rows(connection, _rows(name, come))
    return tuple(placed)


def _remove(connection: sqlite3.Connection, title: str, chunks: Iterable[Chunk]) -> None:
    remove_chunks(connection, _rows(title, chunks))


def _change(connection: sqlite3.Connection, title: str, old: Chunk, new: Chunk) -> None:
    """Give a chunk, whose text stays, other tags and another place, and have it found or not."""
    connection.execute(
        "UPDATE chunks SET ordinal = ?, tags = ?, disabled = ?, by_hand = ? WHERE id = ?",
        (new.ordinal, stored_json(new.tags), int(new.disabled), int(new.by_hand), new.id),
    )
    if old.disabled == new.disabled:
        return
    common_words.leave_out(connection, [new.id])
    remove_rows(connection, _rows(title, [old]))
    add_rows(connection, _rows(title, [new]))
    connection.execute(
        "UPDATE embedders SET generation = generation + 1 WHERE id IN (SELECT embedder FROM vectors WHERE chunk = ?)",
        (new.id,),
    )


def _rows(title: str, chunks: Iterable[Chunk]) -> list[KeywordRow]:
    return [KeywordRow(one.id, title, one.headings, one.text, disabled=one.disabled) for one in chunks]

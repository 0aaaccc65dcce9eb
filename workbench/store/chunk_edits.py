"""User edits of chunks: made, undone and redone in one transaction with keyword rows and vectors."""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.errors import ChunkError, NotFound
from workbench.language import mark
from workbench.model.chunk import Chunk, ChunkChange, ChunkEdit, EditKind
from workbench.store import common_words
from workbench.store.chunk_edit_log import (
    StoredEdit,
    are_there,
    count_edits,
    forget_edits,
    groups,
    is_same,
    kept_edits,
    origin,
    outcome,
    put_edit,
)
from workbench.store.database import Database
from workbench.store.document_rows import CHUNK_COLUMNS, chunk_of
from workbench.store.document_writes import insert_chunk, remove_chunks
from workbench.store.keywords import KeywordRow, add_rows, remove_rows
from workbench.store.stored_values import loaded_text, now, stored_json, unpacked_text
from workbench.store.vectors import CodedTokens, VectorTable

if TYPE_CHECKING:  # The window starts without numpy.
    import numpy as np
    from numpy.typing import NDArray


CHANGED = mark("This passage was changed meanwhile.")
CHANGED_HINT = mark("Look at it as it is now, and try again.")

# The method list() hides the type inside the class.
Edits = list[ChunkEdit]


@dataclass(frozen=True, slots=True)
class NewVectors:
    """Vectors for the new chunks of a change, by their indexes in ChunkChange.after; float32 [n, dim]."""

    embedder: str
    places: tuple[int, ...]
    rows: "NDArray[np.float32]"
    tokens: CodedTokens | None = None


class ChunkEditStore:
    """Store of chunk edits. Chunks, keyword index, vectors and the edit itself change in one transaction."""

    def __init__(self, database: Database, vectors: VectorTable) -> None:
        self._database = database
        self._vectors = vectors

    def list(self, document: int) -> Edits:
        """Return the stored edits of a document, oldest first."""
        with self._database.read() as connection:
            present = _chunks(connection, document)
            return [edit.describe(present) for edit in kept_edits(connection, document)]

    def make(self, change: ChunkChange, vectors: NewVectors | None = None) -> ChunkEdit:
        """Change chunks and return the edit; edits of the document that were undone before can no longer be redone.

        Raises:
            NotFound: The document was deleted.
            ChunkError: The chunks differ from change.before.
        """
        with self._database.write() as connection:
            edits = kept_edits(connection, change.document)
            forget_edits(connection, [edit.id for edit in edits if edit.undone])
            text = _text(connection, change.document)
            after = self._put(connection, change, vectors)
            start, end = change.before[0].start, max(chunk.end for chunk in change.before)
            edit = StoredEdit(
                0,
                change.document,
                change.kind,
                now(),
                0,
                False,
                start,
                end,
                text[start:end],
                change.before,
                after,
            )
            edit.id = put_edit(connection, edit)
            count_edits(connection, change.document)
            made = edit.describe(_chunks(connection, change.document))
        self._invalidate_caches()
        return made

    def way_back(self, edit: ChunkEdit, *, redo: bool = False) -> ChunkChange:
        """Return the change that undoes or redoes an edit."""
        before, after = (edit.before, edit.after) if redo else (edit.after, edit.before)
        with self._database.read() as connection:
            present = _chunks(connection, edit.document)
        if not are_there(before, present):
            raise ChunkError("This passage has been changed again since then.", "Undo the later change first.")
        return ChunkChange(edit.document, edit.kind, tuple(present[chunk.id] for chunk in before), after)

    def go_back(
        self, edit: ChunkEdit, change: ChunkChange, vectors: NewVectors | None = None, *, redo: bool = False
    ) -> ChunkEdit:
        """Undo or redo an edit by the change that way_back() returned; return the edit in its new state.

        Raises:
            NotFound: The document or the edit was deleted.
            ChunkError: The chunks differ from change.before.
        """
        with self._database.write() as connection:
            edits = kept_edits(connection, edit.document)
            kept = next((one for one in edits if one.id == edit.id and bool(one.undone) is redo), None)
            if kept is None:
                raise NotFound("This edit is no longer there.", "Look at the passage as it is now.")
            self._put(connection, change, vectors)
            kept.undone = 0 if redo else 1 + max(one.undone for one in edits)
            put_edit(connection, kept)
            count_edits(connection, edit.document)
            done = kept.describe(_chunks(connection, edit.document))
        self._invalidate_caches()
        return done

    def reset(self, document: int, chunk: int) -> ChunkChange | None:
        """Return the change that restores the original of a chunk; None if the chunk is unchanged.

        Chunks that were merged or split together are restored together.

        Raises:
            ChunkError: A chunk that belongs to the same edits was changed otherwise.
        """
        with self._database.read() as connection:
            present = _chunks(connection, document)
            edits = [edit for edit in kept_edits(connection, document) if not edit.undone and not edit.lost]
        group = next((group for group in groups(edits) if any(chunk in edit.numbers for edit in group)), None)
        if group is None:
            return None
        before, after = outcome(group), origin(group)
        if not are_there(before, present):
            raise ChunkError(CHANGED, CHANGED_HINT)
        now_there = tuple(present[one.id] for one in before)
        if len(before) == len(after) and all(
            one.id == other.id and is_same(one, other) for one, other in zip(now_there, after, strict=True)
        ):
            return None
        return ChunkChange(document, EditKind.RESET, now_there, tuple(after))

    def dismiss(self, document: int) -> int:
        """Delete the edits of a document that could not be reapplied; return their number."""
        with self._database.write() as connection:
            lost = [edit.id for edit in kept_edits(connection, document) if edit.lost]
            forget_edits(connection, lost)
            count_edits(connection, document)
        return len(lost)

    def _invalidate_caches(self) -> None:
        """Invalidate caches that are keyed by chunk id, after the transaction, because ids may have been reused."""
        self._database.returned += 1
        self._database.revision += 1

    def _put(
        self, connection: sqlite3.Connection, change: ChunkChange, vectors: NewVectors | None
    ) -> tuple[Chunk, ...]:
        """Store the chunks of a change."""
        row = connection.execute("SELECT removed FROM documents WHERE id = ?", (change.document,)).fetchone()
        if row is None or row[0]:
            raise NotFound("This document is no longer in the library.", "Restore it from the bin.")
        present = _chunks(connection, change.document)
        if not are_there(change.before, present):
            raise ChunkError(CHANGED, CHANGED_HINT)
        after = exchange(connection, change.document, [present[chunk.id] for chunk in change.before], change.after)
        if vectors is not None:
            self._put_vectors([after[place].id for place in vectors.places], vectors)
        connection.execute(
            "UPDATE documents SET chunks = (SELECT COUNT(*) FROM chunks WHERE document = documents.id),"
            " embedded = (SELECT COUNT(*) FROM remembered r, embedders e, chunks c, vectors v"
            " WHERE r.scope = 'state' AND r.key = 'embedder' AND e.name = r.value AND c.document = documents.id"
            " AND v.chunk = c.id AND v.embedder = e.id) WHERE id = ?",
            (change.document,),
        )
        self._database.revision += 1
        return after

    def _put_vectors(self, numbers: Sequence[int], vectors: NewVectors) -> None:
        import numpy as np  # 100 ms that the window does not wait for

        self._vectors.put(vectors.embedder, np.array(numbers, np.int64), vectors.rows, vectors.tokens)


def _text(connection: sqlite3.Connection, document: int) -> str:
    row = connection.execute("SELECT text FROM contents WHERE document = ?", (document,)).fetchone()
    return unpacked_text(row[0]) if row else ""


def _chunks(connection: sqlite3.Connection, document: int) -> dict[int, Chunk]:
    rows = connection.execute(
        f"SELECT {CHUNK_COLUMNS} FROM chunks c WHERE c.document = ? ORDER BY c.ordinal", (document,)
    )
    return {row[0]: chunk_of(row) for row in rows}


def exchange(
    connection: sqlite3.Connection, document: int, before: Sequence[Chunk], after: Sequence[Chunk]
) -> tuple[Chunk, ...]:
    """Replace chunks by others and return the new ones with ids and ordinals.

    A chunk that is among both keeps its id and its vector; a chunk with the id of a deleted one gets that id again.

    Args:
        connection: A transaction.
        document: The document that contains them.
        before: Adjacent chunks, in order, as they are in the library.
        after: Their replacement.
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
    added = [chunk for chunk in placed if chunk.id not in stay]
    # A restored id may be among those whose words are stored in the common word arrays.
    common_words.leave_out(connection, [chunk.id for chunk in added if chunk.id in {one.id for one in after}])
    add_rows(connection, _rows(name, added))
    return tuple(placed)


def _remove(connection: sqlite3.Connection, title: str, chunks: Iterable[Chunk]) -> None:
    remove_chunks(connection, _rows(title, chunks))


def _change(connection: sqlite3.Connection, title: str, old: Chunk, new: Chunk) -> None:
    """Update tags, ordinal and the disabled state of a chunk whose text is unchanged."""
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

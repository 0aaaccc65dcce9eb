"""The edits of chunks as they are kept, and what can be told of them: which are in force, which hang together."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.model.chunk import Chunk
from workbench.model.chunk_edit import ChunkEdit, EditKind
from workbench.store.event_codec import decoded, encoded
from workbench.store.values import loaded_json, loaded_text, stored_json, stored_text

_COLUMNS = "id, document, kind, made, undone, lost, start, end, source, before, after"


@dataclass(slots=True)
class KeptEdit:
    """A row of chunk_edits; source is what stood in the document from start to end."""

    id: int
    document: int
    kind: EditKind
    made: str
    undone: int
    lost: bool
    start: int
    end: int
    source: str
    before: tuple[Chunk, ...]
    after: tuple[Chunk, ...]

    @property
    def numbers(self) -> set[int]:
        """The ids of all its chunks."""
        return {chunk.id for chunk in (*self.before, *self.after)}

    def told(self, present: Mapping[int, Chunk]) -> ChunkEdit:
        """Return the edit for people, given the chunks that the document has."""
        can_undo = not self.lost and not self.undone and are_there(self.after, present)
        can_redo = bool(not self.lost and self.undone and are_there(self.before, present))
        return ChunkEdit(
            self.id,
            self.document,
            self.kind,
            self.made,
            self.before,
            self.after,
            self.undone,
            self.lost,
            can_undo,
            can_redo,
        )

    def moved(self, by: int) -> None:
        """Note that what it changed stands elsewhere in the document's text."""
        self.start, self.end = self.start + by, self.end + by
        self.before, self.after = (
            tuple(replace(chunk, start=chunk.start + by, end=chunk.end + by) for chunk in chunks)
            for chunks in (self.before, self.after)
        )

    def numbered(self, numbers: Mapping[int, int]) -> None:
        """Note that some of its chunks have other ids."""
        self.before, self.after = (
            tuple(replace(chunk, id=numbers.get(chunk.id, chunk.id)) for chunk in chunks)
            for chunks in (self.before, self.after)
        )


def are_there(chunks: Iterable[Chunk], present: Mapping[int, Chunk]) -> bool:
    """Tell whether chunks are in a document just as they are here."""
    return all(chunk.id in present and is_same(chunk, present[chunk.id]) for chunk in chunks)


def is_same(one: Chunk, other: Chunk) -> bool:
    """Tell whether two are the same in everything that an edit can change."""
    return (one.start, one.end, one.text, one.source, one.disabled, one.tags) == (
        other.start,
        other.end,
        other.text,
        other.source,
        other.disabled,
        other.tags,
    )


def kept_edits(connection: sqlite3.Connection, document: int) -> list[KeptEdit]:
    """Return the edits of a document, oldest first, those undone and lost too."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM chunk_edits WHERE document = ? ORDER BY id", (document,))
    return [
        KeptEdit(
            number,
            owner,
            EditKind(kind),
            made,
            undone,
            bool(lost),
            start,
            end,
            loaded_text(source),
            _chunks(before),
            _chunks(after),
        )
        for number, owner, kind, made, undone, lost, start, end, source, before, after in rows
    ]


def put_edit(connection: sqlite3.Connection, edit: KeptEdit) -> int:
    """Keep an edit, in the place of the one of its number; 0 is given a new one, which is returned."""
    values = (
        edit.document,
        edit.kind.value,
        edit.made,
        edit.undone,
        int(edit.lost),
        edit.start,
        edit.end,
        stored_text(edit.source),
        stored_json(encoded(edit.before)),
        stored_json(encoded(edit.after)),
    )
    marks = ", ".join("?" * (len(values) + 1))
    number = connection.execute(
        f"INSERT OR REPLACE INTO chunk_edits ({_COLUMNS}) VALUES ({marks})", (edit.id or None, *values)
    ).lastrowid
    assert number is not None
    return number


def forget_edits(connection: sqlite3.Connection, numbers: Collection[int]) -> None:
    """Delete edits."""
    connection.execute(
        "DELETE FROM chunk_edits WHERE id IN (SELECT value FROM json_each(?))", (json.dumps([*numbers]),)
    )


def count_edits(connection: sqlite3.Connection, document: int) -> None:
    """Note at the document how many edits of its chunks were not undone, and which tags these have."""
    connection.execute(
        "UPDATE documents SET chunk_edits = (SELECT COUNT(*) FROM chunk_edits WHERE document = ?1 AND undone = 0),"
        " passage_tags = (SELECT json_group_array(tag) FROM (SELECT DISTINCT j.value AS tag FROM chunks c"
        " CROSS JOIN json_each(CAST(c.tags AS TEXT)) j WHERE c.document = ?1 AND c.tags <> '[]' ORDER BY tag))"
        " WHERE id = ?1",
        (document,),
    )


def groups(edits: Sequence[KeptEdit]) -> list[list[KeptEdit]]:
    """Return edits in groups, each with all that have a chunk in common, by way of others too."""
    found: list[tuple[set[int], list[KeptEdit]]] = []
    for edit in edits:
        together = [group for group in found if group[0] & edit.numbers]
        numbers = edit.numbers.union(*(group[0] for group in together))
        members = [member for group in together for member in group[1]]
        found = [group for group in found if not any(group is one for one in together)]
        found.append((numbers, [*members, edit]))
    return [sorted(members, key=lambda edit: edit.id) for _, members in found]


def outcome(group: Iterable[KeptEdit]) -> list[Chunk]:
    """Return the chunks that a group of edits left in the end, in order."""
    left: dict[int, Chunk] = {}
    for edit in group:
        if not edit.undone:
            for chunk in edit.before:
                left.pop(chunk.id, None)
            left.update((chunk.id, chunk) for chunk in edit.after)
    return sorted(left.values(), key=lambda chunk: (chunk.start, chunk.end))


def origin(group: Iterable[KeptEdit]) -> list[Chunk]:
    """Return the chunks that there were before a group of edits, in order."""
    known: set[int] = set()
    first: dict[int, Chunk] = {}
    for edit in group:
        if not edit.undone:
            first.update((chunk.id, chunk) for chunk in edit.before if chunk.id not in known)
            known |= edit.numbers
    return sorted(first.values(), key=lambda chunk: (chunk.start, chunk.end))


def source_of(group: Sequence[KeptEdit]) -> tuple[int, str]:
    """Return where the text begins that a group of edits changed, and that text as it was in the document."""
    start = min(edit.start for edit in group)
    letters = [""] * (max(edit.end for edit in group) - start)
    for edit in group:
        letters[edit.start - start : edit.end - start] = edit.source
    return start, "".join(letters)


def copy_edits(connection: sqlite3.Connection, document: int, made: int, numbers: Mapping[int, int]) -> None:
    """Give a copy of a document copies of its edits.

    Args:
        connection: Within a transaction.
        document: Whose edits are copied.
        made: The copy.
        numbers: Chunk of the document -> chunk of the copy.
    """
    edits = kept_edits(connection, document)
    gone = sorted({number for edit in edits for number in edit.numbers} - numbers.keys())
    # Chunks that are there no more have numbers, too, under which an undo brings them back: the copy's are its own.
    (last,) = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").fetchone() or (0,)
    connection.execute("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'chunks'", (len(gone),))
    renumbered = {**numbers, **{number: last + place for place, number in enumerate(gone, 1)}}
    for edit in edits:
        edit.id, edit.document = 0, made
        edit.numbered(renumbered)
        put_edit(connection, edit)


def _chunks(value: str | bytes) -> tuple[Chunk, ...]:
    return tuple(decoded(Chunk, one) for one in loaded_json(value))

"""Stored log of chunk edits, and reapplication of the edits after a document was parsed or chunked again.

Edits with common chunks are applied as a group: if the file still contains the text that they changed, their resulting
chunks are inserted, and the chunker's chunks are kept for the remaining text. Otherwise the edits are kept as lost,
because a later version of the file may contain the text again.
"""

import json
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.language import mark
from workbench.model.chunk import Chunk, ChunkEdit, EditKind
from workbench.model.document import Page, ParsedDocument
from workbench.store.document_writes import replace_chunks
from workbench.store.sql import Connection
from workbench.store.stored_values import decode_value, encode_value, loaded_json, loaded_text, stored_json, stored_text

_COLUMNS = "id, document, kind, made, undone, lost, start, end, source, before, after"


@dataclass(slots=True)
class StoredEdit:
    """Row of chunk_edits; source is the document's text from start to end before the edit."""

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
        """The ids of all chunks before and after the edit."""
        return {chunk.id for chunk in (*self.before, *self.after)}

    def describe(self, present: Mapping[int, Chunk]) -> ChunkEdit:
        """Return the edit for display, given the current chunks of the document."""
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
        """Move the edit by an offset in the document's text."""
        self.start, self.end = self.start + by, self.end + by
        self.before, self.after = (
            tuple(replace(chunk, start=chunk.start + by, end=chunk.end + by) for chunk in chunks)
            for chunks in (self.before, self.after)
        )

    def numbered(self, numbers: Mapping[int, int]) -> None:
        """Replace the ids of some of its chunks."""
        self.before, self.after = (
            tuple(replace(chunk, id=numbers.get(chunk.id, chunk.id)) for chunk in chunks)
            for chunks in (self.before, self.after)
        )


def are_there(chunks: Iterable[Chunk], present: Mapping[int, Chunk]) -> bool:
    """Return whether a document contains the given chunks unchanged."""
    return all(chunk.id in present and is_same(chunk, present[chunk.id]) for chunk in chunks)


def is_same(one: Chunk, other: Chunk) -> bool:
    """Return whether two chunks agree in everything that an edit can change."""
    return (one.start, one.end, one.text, one.source, one.disabled, one.tags) == (
        other.start,
        other.end,
        other.text,
        other.source,
        other.disabled,
        other.tags,
    )


def kept_edits(connection: Connection, document: int) -> list[StoredEdit]:
    """Return the edits of a document, oldest first, including those undone and lost."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM chunk_edits WHERE document = ? ORDER BY id", (document,))
    return [
        StoredEdit(
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


def put_edit(connection: Connection, edit: StoredEdit) -> int:
    """Store an edit, replacing the one with its id; for id 0, assign a new id. Return the id."""
    values = (
        edit.document,
        edit.kind.value,
        edit.made,
        edit.undone,
        int(edit.lost),
        edit.start,
        edit.end,
        stored_text(edit.source),
        stored_json(encode_value(edit.before)),
        stored_json(encode_value(edit.after)),
    )
    marks = ", ".join("?" * (len(values) + 1))
    number = connection.execute(
        f"INSERT OR REPLACE INTO chunk_edits ({_COLUMNS}) VALUES ({marks})", (edit.id or None, *values)
    ).lastrowid
    assert number is not None
    return number


def forget_edits(connection: Connection, numbers: Collection[int]) -> None:
    """Delete edits."""
    connection.execute(
        "DELETE FROM chunk_edits WHERE id IN (SELECT value FROM json_each(?))", (json.dumps([*numbers]),)
    )


def count_edits(connection: Connection, document: int) -> None:
    """Update the document's count of edits that are not undone, and its list of chunk tags."""
    connection.execute(
        "UPDATE documents SET chunk_edits = (SELECT COUNT(*) FROM chunk_edits WHERE document = ?1 AND undone = 0),"
        " passage_tags = (SELECT json_group_array(tag) FROM (SELECT DISTINCT j.value AS tag FROM chunks c"
        " CROSS JOIN json_each(CAST(c.tags AS TEXT)) j WHERE c.document = ?1 AND c.tags <> '[]' ORDER BY tag))"
        " WHERE id = ?1",
        (document,),
    )


def groups(edits: Sequence[StoredEdit]) -> list[list[StoredEdit]]:
    """Return the edits in groups that are connected, directly or through others, by common chunks."""
    found: list[tuple[set[int], list[StoredEdit]]] = []
    for edit in edits:
        together = [group for group in found if group[0] & edit.numbers]
        numbers = edit.numbers.union(*(group[0] for group in together))
        members = [member for group in together for member in group[1]]
        found = [group for group in found if not any(group is one for one in together)]
        found.append((numbers, [*members, edit]))
    return [sorted(members, key=lambda edit: edit.id) for _, members in found]


def outcome(group: Iterable[StoredEdit]) -> list[Chunk]:
    """Return the final chunks of a group of edits, in order."""
    left: dict[int, Chunk] = {}
    for edit in group:
        if not edit.undone:
            for chunk in edit.before:
                left.pop(chunk.id, None)
            left.update((chunk.id, chunk) for chunk in edit.after)
    return sorted(left.values(), key=lambda chunk: (chunk.start, chunk.end))


def origin(group: Iterable[StoredEdit]) -> list[Chunk]:
    """Return the original chunks before a group of edits, in order."""
    known: set[int] = set()
    first: dict[int, Chunk] = {}
    for edit in group:
        if not edit.undone:
            first.update((chunk.id, chunk) for chunk in edit.before if chunk.id not in known)
            known |= edit.numbers
    return sorted(first.values(), key=lambda chunk: (chunk.start, chunk.end))


def source_of(group: Sequence[StoredEdit]) -> tuple[int, str]:
    """Return the start of the text changed by a group of edits, and that text as it was in the document."""
    start = min(edit.start for edit in group)
    letters = [""] * (max(edit.end for edit in group) - start)
    for edit in group:
        letters[edit.start - start : edit.end - start] = edit.source
    return start, "".join(letters)


def copy_edits(connection: Connection, document: int, made: int, numbers: Mapping[int, int]) -> None:
    """Copy the edits of a document to a copy of it.

    Args:
        connection: A transaction.
        document: The document whose edits are copied.
        made: The copy.
        numbers: Chunk of the document -> chunk of the copy.
    """
    edits = kept_edits(connection, document)
    deleted = sorted({number for edit in edits for number in edit.numbers} - numbers.keys())
    # Deleted chunks also have ids, under which an undo restores them: the copy gets its own.
    (last,) = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").fetchone() or (0,)
    connection.execute("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'chunks'", (len(deleted),))
    renumbered = {**numbers, **{number: last + place for place, number in enumerate(deleted, 1)}}
    for edit in edits:
        edit.id, edit.document = 0, made
        edit.numbered(renumbered)
        put_edit(connection, edit)


def _chunks(value: str | bytes) -> tuple[Chunk, ...]:
    return tuple(decode_value(Chunk, one) for one in loaded_json(value))


Words = Sequence[str | None]


@dataclass(slots=True)
class Reapplied:
    """Chunks of a document after its edits were reapplied; the user's chunks keep their ids.

    Attributes:
        chunks: In order.
        words: Words of each chunk for the keyword index, None if unknown.
        edits: All remaining edits of the document, at their current positions.
        gone: Ids of undone edits whose text is missing.
    """

    chunks: list[Chunk]
    words: Words
    edits: list[StoredEdit]
    gone: list[int]

    @property
    def lost(self) -> int:
        """Number of edits that cannot be applied."""
        return sum(edit.lost for edit in self.edits)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about lost edits, shown at the document."""
        if not self.lost:
            return ()
        if self.lost == 1:
            return (mark("One of your edits could not be applied again: the text is not in the file any more."),)
        return (mark(f"{self.lost} of your edits could not be applied again: the text is not in the file any more."),)


def replace_chunks_edited(
    connection: Connection,
    document: int,
    title: str,
    parsed: ParsedDocument,
    chunks: Sequence[Chunk],
    words: Sequence[str] | None,
) -> tuple[int, tuple[str, ...]]:
    """Replace the chunks of a document and reapply its edits; return the number of chunks and the warnings."""
    done = reapplied(connection, document, parsed, chunks, words or [None] * len(chunks))
    numbers = replace_chunks(connection, document, title, done.chunks, done.words)
    keep_reapplied(connection, document, done, numbers)
    return len(numbers), done.warnings


def reapplied(
    connection: Connection, document: int, parsed: ParsedDocument, chunks: Sequence[Chunk], words: Words
) -> Reapplied:
    """Return new chunks of a document with the user's edits applied.

    Args:
        connection: A transaction.
        document: Id of the document.
        parsed: Its current content.
        chunks: The chunker's chunks.
        words: Words of each chunk, as in Reapplied.
    """
    edits = kept_edits(connection, document)
    if not edits:
        return Reapplied(list(chunks), words, [], [])
    taken: list[tuple[int, int]] = []
    claims: list[Chunk] = []
    obsolete: list[int] = []
    moved = 0
    for group in sorted(groups(edits), key=lambda group: source_of(group)[0]):
        start, source = source_of(group)
        place = _find_again(parsed.text, source, start + moved, taken)
        for edit in group:
            edit.lost = place is None and not edit.undone
            if place is None and edit.undone:
                obsolete.append(edit.id)
            elif place is not None:
                edit.moved(place - start)
        if place is not None:
            moved = place - start
            taken.append((place, place + len(source)))
            claims += [chunk for chunk in outcome(group) if chunk.is_changed]
    kept = [edit for edit in edits if edit.id not in obsolete]
    placed = [_update_place(claim, chunks, parsed.pages) for claim in claims]
    known = dict(zip(((chunk.start, chunk.end) for chunk in chunks), words, strict=True))
    merged = [*_chunks_outside(chunks, placed, parsed), *placed]
    merged.sort(key=lambda chunk: (chunk.start, chunk.end))
    is_new = {(claim.start, claim.end) for claim in placed}
    of_merged = [None if (one.start, one.end) in is_new else known.get((one.start, one.end)) for one in merged]
    return Reapplied(merged, of_merged, kept, obsolete)


def keep_reapplied(connection: Connection, document: int, done: Reapplied, numbers: Sequence[int]) -> None:
    """Store the current positions of the edits.

    Args:
        connection: The same transaction.
        document: Id of the document.
        done: The result of reapplied().
        numbers: The ids that its chunks were given.
    """
    others = {one.id: number for one, number in zip(done.chunks, numbers, strict=True) if one.id not in (0, number)}
    for edit in done.edits:
        edit.numbered(others)
        put_edit(connection, edit)
    forget_edits(connection, done.gone)
    if done.edits or done.gone:
        count_edits(connection, document)


def _find_again(text: str, source: str, expected: int, taken: Iterable[tuple[int, int]]) -> int | None:
    """Return the position of a text nearest to its former one that overlaps no other edit; None if it is missing."""
    places = [
        place
        for place in _places(text, source, expected)
        if not any(place < end and place + len(source) > start for start, end in taken)
    ]
    return min(places, key=lambda place: abs(place - expected), default=None)


def _places(text: str, source: str, expected: int) -> Iterator[int]:
    if text.startswith(source, max(expected, 0)):
        yield max(expected, 0)
    place = text.find(source)
    while place >= 0:
        yield place
        place = text.find(source, place + 1)


def _update_place(claim: Chunk, chunks: Sequence[Chunk], pages: Sequence[Page]) -> Chunk:
    """Return one of the user's chunks with the headings and pages of its current position."""
    container = next((chunk for chunk in chunks if chunk.start <= claim.start < chunk.end), None)
    headings = container.headings if container is not None else claim.headings
    return replace(on_pages(claim, pages), headings=headings)


def on_pages(chunk: Chunk, pages: Sequence[Page]) -> Chunk:
    """Return a chunk with the pages that contain it."""
    if not pages:
        return replace(chunk, page=None, page_end=None)
    starts = [page.start for page in pages]
    first, last = (max(0, bisect_right(starts, place) - 1) for place in (chunk.start, max(chunk.start, chunk.end - 1)))
    return replace(chunk, page=pages[first].number, page_end=pages[last].number)


def _chunks_outside(chunks: Iterable[Chunk], claims: Sequence[Chunk], parsed: ParsedDocument) -> Iterator[Chunk]:
    """Yield the chunks, or the parts of them that lie outside the claims."""
    for chunk in chunks:
        over = [claim for claim in claims if claim.start < chunk.end and claim.end > chunk.start]
        if not over:
            yield chunk
            continue
        start = chunk.start
        for claim in [*sorted(over, key=lambda claim: claim.start), None]:
            end = chunk.end if claim is None else claim.start
            if parsed.text[start:end].strip():
                yield _cut_chunk(chunk, start, end, parsed)
            start = max(start, chunk.end if claim is None else claim.end)


def _cut_chunk(chunk: Chunk, start: int, end: int, parsed: ParsedDocument) -> Chunk:
    # The embedder's tokenizer is not available here: a proportional count is accurate enough for a remainder.
    tokens = max(1, round(chunk.tokens * (end - start) / max(1, len(chunk.text))))
    cut = replace(chunk, start=start, end=end, text=parsed.text[start:end], tokens=tokens)
    return on_pages(cut, parsed.pages)

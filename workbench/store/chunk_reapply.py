"""What the user changed about chunks by hand, applied again when their document was read or cut anew.

Edits that hang together go together: where the file still holds the text that they changed, the chunks that they left
stand there, and what the chunker made of the rest is kept. Where it does not, they are kept as lost: a later version of
the file may hold it again.
"""

import sqlite3
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.language import mark
from workbench.model.chunk import Chunk
from workbench.model.document import Page, ParsedDocument
from workbench.store.chunk_log import (
    KeptEdit,
    count_edits,
    forget_edits,
    groups,
    kept_edits,
    outcome,
    put_edit,
    source_of,
)
from workbench.store.replacement import replace_chunks

Words = Sequence[str | None]


@dataclass(slots=True)
class Reapplied:
    """A document's chunks with the user's own among them; these have the ids that they had.

    Attributes:
        chunks: In order.
        words: Of each for the keyword index, where they are known.
        edits: All edits of the document, where they apply now.
        gone: Edits that were undone, and are of nothing that is there.
    """

    chunks: list[Chunk]
    words: Words
    edits: list[KeptEdit]
    gone: list[int]

    @property
    def lost(self) -> int:
        """How many edits cannot be applied."""
        return sum(edit.lost for edit in self.edits)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is to be said of them at the document."""
        if not self.lost:
            return ()
        if self.lost == 1:
            return (mark("One of your edits could not be applied again: the text is not in the file any more."),)
        return (mark(f"{self.lost} of your edits could not be applied again: the text is not in the file any more."),)


def replace_chunks_edited(
    connection: sqlite3.Connection,
    document: int,
    title: str,
    parsed: ParsedDocument,
    chunks: Sequence[Chunk],
    words: Sequence[str] | None,
) -> tuple[int, tuple[str, ...]]:
    """Put chunks in the place of the old ones, the user's own among them; returns how many, and what is to be said."""
    done = reapplied(connection, document, parsed, chunks, words or [None] * len(chunks))
    numbers = replace_chunks(connection, document, title, done.chunks, done.words)
    keep_reapplied(connection, document, done, numbers)
    return len(numbers), done.warnings


def reapplied(
    connection: sqlite3.Connection, document: int, parsed: ParsedDocument, chunks: Sequence[Chunk], words: Words
) -> Reapplied:
    """Return what becomes of new chunks of a document by the user's edits.

    Args:
        connection: Within a transaction.
        document: Its id.
        parsed: What it holds now.
        chunks: As the chunker made them.
        words: Of each, as in Reapplied.
    """
    edits = kept_edits(connection, document)
    if not edits:
        return Reapplied(list(chunks), words, [], [])
    taken: list[tuple[int, int]] = []
    claims: list[Chunk] = []
    gone: list[int] = []
    moved = 0
    for group in sorted(groups(edits), key=lambda group: source_of(group)[0]):
        start, source = source_of(group)
        place = _found_again(parsed.text, source, start + moved, taken)
        for edit in group:
            edit.lost = place is None and not edit.undone
            if place is None and edit.undone:
                gone.append(edit.id)
            elif place is not None:
                edit.moved(place - start)
        if place is not None:
            moved = place - start
            taken.append((place, place + len(source)))
            claims += [chunk for chunk in outcome(group) if chunk.is_changed]
    kept = [edit for edit in edits if edit.id not in gone]
    placed = [_placed(claim, chunks, parsed.pages) for claim in claims]
    known = dict(zip(((chunk.start, chunk.end) for chunk in chunks), words, strict=True))
    merged = [*_around(chunks, placed, parsed), *placed]
    merged.sort(key=lambda chunk: (chunk.start, chunk.end))
    is_new = {(claim.start, claim.end) for claim in placed}
    of_merged = [None if (one.start, one.end) in is_new else known.get((one.start, one.end)) for one in merged]
    return Reapplied(merged, of_merged, kept, gone)


def keep_reapplied(connection: sqlite3.Connection, document: int, done: Reapplied, numbers: Sequence[int]) -> None:
    """Keep where edits apply now.

    Args:
        connection: Within the same transaction.
        document: Its id.
        done: What reapplied() gave.
        numbers: The ids that its chunks have by now.
    """
    others = {one.id: number for one, number in zip(done.chunks, numbers, strict=True) if one.id not in (0, number)}
    for edit in done.edits:
        edit.numbered(others)
        put_edit(connection, edit)
    forget_edits(connection, done.gone)
    if done.edits or done.gone:
        count_edits(connection, document)


def _found_again(text: str, source: str, expected: int, taken: Iterable[tuple[int, int]]) -> int | None:
    """Return where a text stands that stood at a place before: the nearest to it that no other edit has."""
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


def _placed(claim: Chunk, chunks: Sequence[Chunk], pages: Sequence[Page]) -> Chunk:
    """Return a chunk of the user's with the headings and pages that its place has now."""
    there = next((chunk for chunk in chunks if chunk.start <= claim.start < chunk.end), None)
    headings = there.headings if there is not None else claim.headings
    return replace(on_pages(claim, pages), headings=headings)


def on_pages(chunk: Chunk, pages: Sequence[Page]) -> Chunk:
    """Return a chunk with the pages on which it stands."""
    if not pages:
        return replace(chunk, page=None, page_end=None)
    starts = [page.start for page in pages]
    first, last = (max(0, bisect_right(starts, place) - 1) for place in (chunk.start, max(chunk.start, chunk.end - 1)))
    return replace(chunk, page=pages[first].number, page_end=pages[last].number)


def _around(chunks: Iterable[Chunk], claims: Sequence[Chunk], parsed: ParsedDocument) -> Iterator[Chunk]:
    """Yield the chunks, or what of them lies outside of the claims."""
    for chunk in chunks:
        over = [claim for claim in claims if claim.start < chunk.end and claim.end > chunk.start]
        if not over:
            yield chunk
            continue
        start = chunk.start
        for claim in [*sorted(over, key=lambda claim: claim.start), None]:
            end = chunk.end if claim is None else claim.start
            if parsed.text[start:end].strip():
                yield _cut(chunk, start, end, parsed)
            start = max(start, chunk.end if claim is None else claim.end)


def _cut(chunk: Chunk, start: int, end: int, parsed: ParsedDocument) -> Chunk:
    # The embedder's tokenizer is not at hand here: a share of the count is near enough for a remainder.
    tokens = max(1, round(chunk.tokens * (end - start) / max(1, len(chunk.text))))
    cut = replace(chunk, start=start, end=end, text=parsed.text[start:end], tokens=tokens)
    return on_pages(cut, parsed.pages)

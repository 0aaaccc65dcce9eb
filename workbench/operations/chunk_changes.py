"""What a verb makes of chunks: another text, one in the place of two, two in the place of one; nothing is stored."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from workbench.errors import ChunkError
from workbench.model.chunk import Chunk, ChunkChange, EditKind
from workbench.model.document import BlockKind, Page
from workbench.model.metadata import checked_tags
from workbench.store.chunk_edit_log import on_pages

LONGEST = 100_000
"""Characters of a passage: more than that is a document."""

_NEW = 0


def with_text(chunk: Chunk, text: str) -> ChunkChange:
    """Return the change that gives a chunk another text.

    Raises:
        ChunkError: There is no text, or too much.
    """
    written = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2029", "\n")
    if not written.strip():
        raise ChunkError("A passage needs some text.", "Disable it if it is not to be found.")
    if len(written) > LONGEST:
        raise ChunkError(f"A passage has at most {LONGEST:,} characters.", "Shorten it, or split it.")
    return ChunkChange(chunk.document, EditKind.TEXT, (chunk,), (_written(chunk, written),))


def merged(chunks: Sequence[Chunk], text: str, pages: Sequence[Page]) -> ChunkChange:
    """Return the change that makes one chunk of neighbours.

    Args:
        chunks: In order, nothing left out between them.
        text: The whole text of their document.
        pages: Of the document.

    Raises:
        ChunkError: There is only one, or they are no neighbours.
    """
    first, last = chunks[0], chunks[-1]
    if len(chunks) < 2:
        raise ChunkError("There is no passage beside this one to merge it with.")
    if [one.ordinal for one in chunks] != list(range(first.ordinal, first.ordinal + len(chunks))):
        raise ChunkError("Only passages that follow one another can be merged.", "Choose neighbours.")
    end = max(one.end for one in chunks)
    same_kind = first.kind if all(one.kind is first.kind for one in chunks) else BlockKind.PARAGRAPH
    one = replace(
        first,
        id=_NEW,
        end=end,
        text=text[first.start : end],
        kind=same_kind,
        source="",
        by_hand=True,
        disabled=all(chunk.disabled for chunk in chunks),
        tags=tuple(dict.fromkeys(tag for chunk in chunks for tag in chunk.tags)),
    )
    if any(chunk.is_edited for chunk in chunks):
        one = _written(one, _joined(chunks, text))
    return ChunkChange(last.document, EditKind.MERGE, tuple(chunks), (on_pages(one, pages),))


def split(chunk: Chunk, at: int, pages: Sequence[Page]) -> ChunkChange:
    """Return the change that makes two chunks of one.

    Args:
        chunk: The one.
        at: First character of the second part, in the chunk's text.
        pages: Of the document.

    Raises:
        ChunkError: One part would hold nothing.
    """
    head, tail = chunk.text[: max(0, at)], chunk.text[max(0, at) :]
    cut = _in_source(chunk, at)
    halves = (chunk.slice[:cut], chunk.slice[cut:])
    if not (head.strip() and tail.strip() and halves[0].strip() and halves[1].strip()):
        raise ChunkError("One of the two parts would be empty.", "Place the cursor between two words of the passage.")
    bare = replace(chunk, id=_NEW, source="", by_hand=True)
    parts = (
        replace(bare, end=chunk.start + cut, text=halves[0]),
        replace(bare, start=chunk.start + cut, text=halves[1]),
    )
    after = tuple(on_pages(_written(part, text), pages) for part, text in zip(parts, (head, tail), strict=True))
    return ChunkChange(chunk.document, EditKind.SPLIT, (chunk,), after)


def switched(chunk: Chunk, *, disabled: bool) -> ChunkChange:
    """Return the change that has a chunk found no more, or again."""
    kind = EditKind.DISABLE if disabled else EditKind.ENABLE
    return ChunkChange(chunk.document, kind, (chunk,), (replace(chunk, disabled=disabled),))


def tagged(chunk: Chunk, tags: Sequence[str]) -> ChunkChange:
    """Return the change that gives a chunk these tags in the place of its own.

    Raises:
        MetadataError: A tag is blank or too long.
    """
    return ChunkChange(chunk.document, EditKind.TAG, (chunk,), (replace(chunk, tags=checked_tags(tags)),))


def counted(change: ChunkChange, count: Callable[[str], int], most: int) -> ChunkChange:
    """Return a change whose new chunks have their tokens counted.

    Args:
        change: Any.
        count: The embedder's own count.
        most: How many tokens the embedder sees.
    """

    def with_tokens(chunk: Chunk) -> Chunk:
        tokens = count(chunk.text)
        return replace(chunk, tokens=tokens, oversize=tokens > most)

    return replace(change, after=tuple(one if one.id else with_tokens(one) for one in change.after))


def _written(chunk: Chunk, text: str) -> Chunk:
    """Return a new chunk that says this: what stands in the document itself is no edited text."""
    source = chunk.slice
    return replace(chunk, id=_NEW, text=text, source="" if text == source else source)


def _joined(chunks: Sequence[Chunk], text: str) -> str:
    """Return the texts of chunks with what stands between them; what two share is said once."""
    parts = [chunks[0].text]
    reached = chunks[0].end
    for chunk in chunks[1:]:
        shared = max(0, reached - chunk.start)
        parts.append(text[reached : chunk.start])
        parts.append(chunk.text if chunk.is_edited else chunk.text[shared:])
        reached = max(reached, chunk.end)
    return "".join(parts)


def _in_source(chunk: Chunk, at: int) -> int:
    """Return where in what the document has the place lies that was chosen in the text.

    Edited text begins and ends like its source as far as it was not changed; in between the place is a share.
    """
    text, source = chunk.text, chunk.slice
    if not chunk.is_edited:
        return max(0, at)
    shorter = min(len(text), len(source))
    head = next((place for place in range(shorter) if text[place] != source[place]), shorter)
    left = shorter - head
    tail = next((place for place in range(left) if text[-1 - place] != source[-1 - place]), left)
    if at <= head:
        return max(0, at)
    if at >= len(text) - tail:
        return len(source) - (len(text) - at)
    share = (at - head) / (len(text) - tail - head)
    return head + round(share * (len(source) - tail - head))

"""Chunk edits: edit, merge, split, disable, tag, reset, undo and redo; and the chunks that each creates.

    plan (chunk_edits.py) -> tokens and vectors of new chunks -> one transaction (store/chunk_edits.py) -> the index

Before the transaction, a search finds only the old chunks, and after it only the new ones: the index, which refers to
chunks by id, follows the store, and a chunk with another text gets a new id.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from workbench.errors import ChunkError, EmbeddingError, NotFound
from workbench.model.chunk import Chunk, ChunkChange, ChunkEdit, ChunksEdited, EditKind, embedding_text
from workbench.model.document import BlockKind, Document, Page
from workbench.model.import_progress import DocumentChanged
from workbench.model.metadata import checked_tags
from workbench.operations.library.derived_vectors import embedded
from workbench.operations.library.library import Library
from workbench.operations.shared.federated_ids import require_personal
from workbench.store.chunk_edit_log import on_pages
from workbench.store.chunk_edits import NewVectors
from workbench.worker.job import JobContext, Operation

Plan = Callable[[Sequence[Chunk], int], ChunkChange | None]
"""Function of the chunks of a document in order and the index of the edited one; it returns None to change nothing."""


def edit_chunk(library: Library, chunk: int, text: str) -> Operation[ChunkEdit | None]:
    """Replace the text of a chunk; its citations still show the text of the document at that place.

    Every edit here emits ChunksEdited and DocumentChanged, and returns None if it changes nothing. Every edit raises
    NotFound if the chunk was deleted, and ChunkError while its document is being read.

    Raises:
        ChunkError: The text is empty or too long.
    """

    def plan(chunks: Sequence[Chunk], place: int) -> ChunkChange | None:
        same = text == chunks[place].text
        return None if same else with_text(chunks[place], text)

    return _edit_operation(library, chunk, plan)


def merge_chunks(library: Library, chunk: int, *, other: int = 1) -> Operation[ChunkEdit | None]:
    """Merge a chunk with its neighbours: the next one (1), the previous one (-1), the next two (2), ...

    Raises:
        ChunkError: It has no such neighbour.
    """

    def plan(chunks: Sequence[Chunk], place: int) -> ChunkChange:
        document = chunks[place].document
        first, last = min(place, place + other), max(place, place + other)
        together = chunks[max(0, first) : last + 1] if other else chunks[place : place + 1]
        return merged(together, library.documents.text(document), library.documents.pages(document))

    return _edit_operation(library, chunk, plan)


def split_chunk(library: Library, chunk: int, at: int) -> Operation[ChunkEdit | None]:
    """Split a chunk into two; at is the offset in its text of the first character of the second one.

    Raises:
        ChunkError: One of the two would be empty.
    """

    def plan(chunks: Sequence[Chunk], place: int) -> ChunkChange:
        one = chunks[place]
        return split(one, at, library.documents.pages(one.document))

    return _edit_operation(library, chunk, plan)


def disable_chunk(library: Library, chunk: int, *, disabled: bool = True) -> Operation[ChunkEdit | None]:
    """Exclude a chunk from searches, or include it again."""

    def plan(chunks: Sequence[Chunk], place: int) -> ChunkChange | None:
        one = chunks[place]
        return None if one.disabled is disabled else switched(one, disabled=disabled)

    return _edit_operation(library, chunk, plan)


def tag_chunk(library: Library, chunk: int, tags: Sequence[str]) -> Operation[ChunkEdit | None]:
    """Replace the tags of a chunk; filters match them with “passage_tag:”.

    Raises:
        MetadataError: A tag is blank or too long.
    """

    def plan(chunks: Sequence[Chunk], place: int) -> ChunkChange | None:
        change = tagged(chunks[place], tags)
        return None if change.after[0].tags == chunks[place].tags else change

    return _edit_operation(library, chunk, plan)


def reset_chunk(library: Library, chunk: int) -> Operation[ChunkEdit | None]:
    """Restore the original chunks of an edited chunk; chunks that were merged or split together are reset together."""

    def plan(chunks: Sequence[Chunk], place: int) -> ChunkChange | None:
        return library.chunk_edits.reset(chunks[place].document, chunks[place].id)

    return _edit_operation(library, chunk, plan)


def undo_chunk_edit(library: Library, document: int, edit: int | None = None) -> Operation[ChunkEdit]:
    """Undo an edit of a document; by default the last one that can be undone.

    Raises:
        NotFound: There is no such edit to undo.
        ChunkError: A later edit depends on it.
    """
    return _undo_or_redo(library, document, edit, redo=False)


def redo_chunk_edit(library: Library, document: int, edit: int | None = None) -> Operation[ChunkEdit]:
    """Redo an undone edit of a document; by default the one that was undone last.

    Raises:
        NotFound: There is no such edit to redo.
        ChunkError: The chunks that it changed have changed since.
    """
    return _undo_or_redo(library, document, edit, redo=True)


def list_chunk_edits(library: Library, document: int) -> Operation[list[ChunkEdit]]:
    """Return the recorded edits of a document, oldest first: in force, undone, and lost (cannot be applied again)."""

    async def operation(_context: JobContext) -> list[ChunkEdit]:
        return await library.on_store(library.chunk_edits.list, document)

    return operation


def dismiss_lost_edits(library: Library, document: int) -> Operation[int]:
    """Delete the record of the edits of a document that could not be applied again; returns their number."""

    async def operation(context: JobContext) -> int:
        forgotten = await library.on_store(library.chunk_edits.dismiss, document)
        context.emit(DocumentChanged(await library.on_store(library.documents.get, document)))
        return forgotten

    return operation


def _edit_operation(library: Library, chunk: int, plan: Plan) -> Operation[ChunkEdit | None]:
    async def operation(context: JobContext) -> ChunkEdit | None:
        require_personal([chunk])
        # On the search threads, because a person waits for it: an import blocks the other threads for seconds.
        edit = await library.on_search(_apply_plan, library, chunk, plan)
        if edit is not None:
            await _emit_changes(library, context, edit)
        return edit

    return operation


def _apply_plan(library: Library, chunk: int, plan: Plan) -> ChunkEdit | None:
    found = library.documents.chunks_by_id([chunk])
    if chunk not in found:
        raise NotFound("This passage is no longer in the library.", "Look at the document as it is now.")
    document = found[chunk][1]
    chunks = library.documents.chunks(document.id)
    change = plan(chunks, next(place for place, one in enumerate(chunks) if one.id == chunk))
    if change is None:
        return None
    ready, vectors = _with_vectors(library, document, change)
    edit = library.chunk_edits.make(ready, vectors)
    library.models.follow_documents()
    return edit


def _undo_or_redo(library: Library, document: int, number: int | None, *, redo: bool) -> Operation[ChunkEdit]:
    def go() -> ChunkEdit:
        store = library.chunk_edits
        edit = _select_edit(store.list(document), number, redo=redo)
        change, vectors = _with_vectors(library, library.documents.get(document), store.way_back(edit, redo=redo))
        done = store.go_back(edit, change, vectors, redo=redo)
        library.models.follow_documents()
        return done

    async def operation(context: JobContext) -> ChunkEdit:
        require_personal([document])
        edit = await library.on_search(go)
        await _emit_changes(library, context, edit)
        return edit

    return operation


def _select_edit(edits: Sequence[ChunkEdit], number: int | None, *, redo: bool) -> ChunkEdit:
    if number is not None:
        named = next((edit for edit in edits if edit.id == number), None)
        if named is None or bool(named.undone) is not redo or named.lost:
            raise NotFound(
                f"There is no edit {number} to redo." if redo else f"There is no edit {number} to undo.",
                "Look at the list of edits.",
            )
        return named
    able = [edit for edit in edits if (edit.can_redo if redo else edit.can_undo)]
    if not able:
        raise NotFound(
            "There is nothing to redo in this document." if redo else "There is nothing to undo in this document."
        )
    return max(able, key=lambda edit: (edit.undone, edit.id))


def _with_vectors(library: Library, document: Document, change: ChunkChange) -> tuple[ChunkChange, NewVectors | None]:
    """Return a change with the token counts and the vectors of its new chunks; blocking.

    Without an embedder the new chunks get no vectors yet; the next start of the program computes them.
    """
    if library.is_reading(document.id):
        raise ChunkError(f"“{document.name}” is being read just now.", "Change its passages when it is ready.")
    stay = {chunk.id for chunk in change.before}
    places = tuple(place for place, chunk in enumerate(change.after) if chunk.id not in stay)
    embedder = library.models.embedder_or_none() if places else None
    if embedder is None:
        return (_estimate_tokens(change) if places else change), None
    library.models.bind()
    ready = counted(change, embedder.tokenizer.count, embedder.tokenizer.max_tokens)
    texts = [embedding_text(ready.after[place].headings, ready.after[place].text) for place in places]
    try:
        rows, tokens = embedded(library.models, embedder, texts, waits=False)
    except EmbeddingError:
        return ready, None
    return ready, NewVectors(embedder.id, places, rows, tokens)


def _estimate_tokens(change: ChunkChange) -> ChunkChange:
    """Return a change with token counts of its new chunks estimated from their length, as no tokenizer is available."""
    letters = max(1, sum(len(chunk.text) for chunk in change.before))
    rate = sum(chunk.tokens for chunk in change.before) / letters
    after = tuple(replace(one, tokens=one.tokens if one.id else round(rate * len(one.text))) for one in change.after)
    return replace(change, after=after)


async def _emit_changes(library: Library, context: JobContext, edit: ChunkEdit) -> None:
    context.emit(ChunksEdited(edit))
    context.emit(DocumentChanged(await library.on_store(library.documents.get, edit.document)))


LONGEST = 100_000
"""Maximum length of a chunk in characters: a longer text is a document."""

_NO_ID = 0


def with_text(chunk: Chunk, text: str) -> ChunkChange:
    """Return the change that replaces the text of a chunk.

    Raises:
        ChunkError: The text is empty or too long.
    """
    written = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2029", "\n")
    if not written.strip():
        raise ChunkError("A passage needs some text.", "To hide it from searches, disable it.")
    if len(written) > LONGEST:
        raise ChunkError(f"A passage has at most {LONGEST:,} characters.", "Shorten it, or split it.")
    return ChunkChange(chunk.document, EditKind.TEXT, (chunk,), (_written(chunk, written),))


def merged(chunks: Sequence[Chunk], text: str, pages: Sequence[Page]) -> ChunkChange:
    """Return the change that merges neighbouring chunks into one.

    Args:
        chunks: Consecutive chunks, in order.
        text: The whole text of their document.
        pages: The pages of the document.

    Raises:
        ChunkError: There is only one chunk, or they are not consecutive.
    """
    first, last = chunks[0], chunks[-1]
    if len(chunks) < 2:
        raise ChunkError("There is no passage beside this one to merge it with.")
    if [one.ordinal for one in chunks] != list(range(first.ordinal, first.ordinal + len(chunks))):
        raise ChunkError("Only passages that follow one another can be merged.", "Choose adjacent passages.")
    end = max(one.end for one in chunks)
    same_kind = first.kind if all(one.kind is first.kind for one in chunks) else BlockKind.PARAGRAPH
    one = replace(
        first,
        id=_NO_ID,
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
    """Return the change that splits a chunk into two.

    Args:
        chunk: The chunk.
        at: Offset in the chunk's text of the first character of the second part.
        pages: The pages of the document.

    Raises:
        ChunkError: One part would be empty.
    """
    head, tail = chunk.text[: max(0, at)], chunk.text[max(0, at) :]
    cut = _in_source(chunk, at)
    halves = (chunk.slice[:cut], chunk.slice[cut:])
    if not (head.strip() and tail.strip() and halves[0].strip() and halves[1].strip()):
        raise ChunkError("One of the two parts would be empty.", "Place the cursor between two words of the passage.")
    bare = replace(chunk, id=_NO_ID, source="", by_hand=True)
    parts = (
        replace(bare, end=chunk.start + cut, text=halves[0]),
        replace(bare, start=chunk.start + cut, text=halves[1]),
    )
    after = tuple(on_pages(_written(part, text), pages) for part, text in zip(parts, (head, tail), strict=True))
    return ChunkChange(chunk.document, EditKind.SPLIT, (chunk,), after)


def switched(chunk: Chunk, *, disabled: bool) -> ChunkChange:
    """Return the change that disables or enables a chunk."""
    kind = EditKind.DISABLE if disabled else EditKind.ENABLE
    return ChunkChange(chunk.document, kind, (chunk,), (replace(chunk, disabled=disabled),))


def tagged(chunk: Chunk, tags: Sequence[str]) -> ChunkChange:
    """Return the change that replaces the tags of a chunk.

    Raises:
        MetadataError: A tag is blank or too long.
    """
    return ChunkChange(chunk.document, EditKind.TAG, (chunk,), (replace(chunk, tags=checked_tags(tags)),))


def counted(change: ChunkChange, count: Callable[[str], int], most: int) -> ChunkChange:
    """Return a change with the token counts of its new chunks.

    Args:
        change: Any change.
        count: The embedder's function that counts tokens.
        most: Maximum number of tokens that the embedder reads at once.
    """

    def with_tokens(chunk: Chunk) -> Chunk:
        tokens = count(chunk.text)
        return replace(chunk, tokens=tokens, oversize=tokens > most)

    return replace(change, after=tuple(one if one.id else with_tokens(one) for one in change.after))


def _written(chunk: Chunk, text: str) -> Chunk:
    """Return a new chunk with this text; it has no source if the text equals that of the document."""
    source = chunk.slice
    return replace(chunk, id=_NO_ID, text=text, source="" if text == source else source)


def _joined(chunks: Sequence[Chunk], text: str) -> str:
    """Return the texts of chunks and the text between them; text that two chunks share is included once."""
    parts = [chunks[0].text]
    reached = chunks[0].end
    for chunk in chunks[1:]:
        shared = max(0, reached - chunk.start)
        parts.append(text[reached : chunk.start])
        parts.append(chunk.text if chunk.is_edited else chunk.text[shared:])
        reached = max(reached, chunk.end)
    return "".join(parts)


def _in_source(chunk: Chunk, at: int) -> int:
    """Return the offset in the chunk's slice of the document that corresponds to an offset in the chunk's text.

    In the common prefix and suffix of the edited text and the slice it is exact; between them it is interpolated.
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

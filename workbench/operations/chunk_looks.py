"""What is looked at about chunks: how long a text is, where they stand on a page, which answers cited them."""

from workbench.errors import NotFound
from workbench.model.chunk import ChunkUse, Neighbours, Outline, TextSize
from workbench.operations.library import Library
from workbench.parsing.page_renderer import mark_boxes
from workbench.store.sessions import ChunkUseStore
from workbench.worker.job import JobContext, Operation


def text_size(library: Library, text: str) -> Operation[TextSize]:
    """Return how many tokens a text has for the embedder in force, and how many of a text that sees."""

    def size() -> TextSize:
        embedder = library.embedder_or_none()
        if embedder is None:
            return TextSize(0, 0)
        return TextSize(embedder.tokenizer.count(text), embedder.tokenizer.max_tokens)

    async def operation(_context: JobContext) -> TextSize:
        return await library.on_search(size)

    return operation


def page_outlines(library: Library, document: int, page: int) -> Operation[tuple[Outline, ...]]:
    """Return where the chunks of a document stand on one of its pages, in order; nothing where it has no such page."""

    def outlines() -> tuple[Outline, ...]:
        place = library.documents.page(document, page)
        if place is None:
            return ()
        on_page = library.documents.chunks_between(document, place.start, place.end)
        found = (Outline(chunk.id, mark_boxes(place, chunk.start, chunk.end)) for chunk in on_page)
        return tuple(outline for outline in found if outline.boxes)

    async def operation(_context: JobContext) -> tuple[Outline, ...]:
        return await library.on_store(outlines)

    return operation


def chunk_neighbours(library: Library, chunk: int) -> Operation[Neighbours]:
    """Return a chunk as it is now, with the one before it and the one after it.

    Raises:
        NotFound: It is no longer in the library.
    """

    def neighbours() -> Neighbours:
        found = library.documents.chunks_by_id([chunk])
        if chunk not in found:
            raise NotFound("This passage no longer stands in the library.", "Search again.")
        one = found[chunk][0]
        at = {
            other.ordinal: other
            for other in library.documents.chunks_at(one.document, one.ordinal - 1, one.ordinal + 1)
        }
        return Neighbours(one, at.get(one.ordinal - 1), at.get(one.ordinal + 1))

    async def operation(_context: JobContext) -> Neighbours:
        return await library.on_store(neighbours)

    return operation


def cited_in(library: Library, document: int) -> Operation[list[ChunkUse]]:
    """Return each citation of a document by an answer that is kept for the user, the latest answers first."""

    async def operation(_context: JobContext) -> list[ChunkUse]:
        return await library.on_store(ChunkUseStore(library.database, library.user).of, document)

    return operation

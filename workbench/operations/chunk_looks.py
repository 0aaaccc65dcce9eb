"""What is looked at about chunks: how long a text is, where they stand on a page, which answers cited them."""

from workbench.model.chunk_use import ChunkUse, Outline, TextSize
from workbench.operations.library import Library
from workbench.parsing.render import mark_boxes
from workbench.store.chunk_uses import ChunkUseStore
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
        on_page = [
            chunk for chunk in library.documents.chunks(document) if chunk.start < place.end and chunk.end > place.start
        ]
        found = (Outline(chunk.id, mark_boxes(place, chunk.start, chunk.end)) for chunk in on_page)
        return tuple(outline for outline in found if outline.boxes)

    async def operation(_context: JobContext) -> tuple[Outline, ...]:
        return await library.on_store(outlines)

    return operation


def cited_in(library: Library, document: int) -> Operation[list[ChunkUse]]:
    """Return each citation of a document by an answer that is kept, the latest answers first."""

    async def operation(_context: JobContext) -> list[ChunkUse]:
        return await library.on_store(ChunkUseStore(library.database).of, document)

    return operation

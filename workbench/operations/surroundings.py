"""A passage -> what stands around it."""

from workbench.errors import NotFound
from workbench.model.chunk import Chunk, Stretch
from workbench.operations.library import Library
from workbench.retrieval.chunk_context import MOST_TOKENS, Surroundings
from workbench.worker.job import JobContext, Operation


def neighbours(library: Library, chunk: Chunk, *, before: int = 1, after: int = 1) -> Operation[Stretch]:
    """Return a chunk with so many before and after it.

    Raises:
        NotFound: The chunk or its document is no longer in the library.
    """

    async def operation(_context: JobContext) -> Stretch:
        return await library.on_search(Surroundings(library.documents).neighbours, chunk, before, after)

    return operation


def section(library: Library, chunk: Chunk, *, most_tokens: int = MOST_TOKENS) -> Operation[Stretch]:
    """Return the section in which a chunk stands; of one with more tokens the part around the chunk.

    Raises:
        NotFound: The chunk or its document is no longer in the library.
    """

    async def operation(_context: JobContext) -> Stretch:
        def work() -> Stretch:
            return Surroundings(library.documents).section(chunk, most_tokens=most_tokens)

        return await library.on_search(work)

    return operation


def section_at(library: Library, document: int, start: int) -> Operation[Stretch]:
    """Return the section in which a character of a document's text stands.

    Raises:
        NotFound: The document is no longer in the library, or no chunk holds the character.
    """

    async def operation(_context: JobContext) -> Stretch:
        def work() -> Stretch:
            held = [chunk for chunk in library.documents.chunks(document) if chunk.start <= start < chunk.end]
            if not held:
                raise NotFound("No passage of this document stands there.", "Choose another passage.")
            return Surroundings(library.documents).section(held[0])

        return await library.on_search(work)

    return operation

"""What can be filtered by in this library, and how much a filter lets through."""

from workbench.model.filter import ChunkFilter, FilterExtent
from workbench.operations.library import Library
from workbench.worker.job import JobContext, Operation


def filter_values(library: Library) -> Operation[dict[str, tuple[str, ...]]]:
    """Return the filter keys of which documents say something, each with its values, the most used first."""

    async def operation(_context: JobContext) -> dict[str, tuple[str, ...]]:
        return await library.on_store(library.filter_values.in_use)

    return operation


def filter_extent(library: Library, filter: ChunkFilter) -> Operation[FilterExtent]:
    """Return how much of the library a search with this filter sees.

    Raises:
        NotFound: The filter names a knowledge base that is not there.
    """

    async def operation(_context: JobContext) -> FilterExtent:
        return await library.on_search(library.filter_values.extent, filter)

    return operation

"""Question -> hits."""

import dataclasses

from workbench.model.filter import ChunkFilter
from workbench.model.hit import SearchMode, SearchResult
from workbench.operations.coverage import coverage
from workbench.operations.library import Library
from workbench.worker.job import JobContext, Operation


def search(
    library: Library,
    question: str,
    *,
    k: int | None = None,
    mode: SearchMode = SearchMode.HYBRID,
    filter: ChunkFilter | None = None,
    rerank: bool = True,
) -> Operation[SearchResult]:
    """Search the library; k defaults to the setting "Passages per search", rerank to what the settings choose.

    Raises:
        RetrievalError: The search failed, or the filter names an unknown key; never "nothing found" instead.
    """

    async def operation(_context: JobContext) -> SearchResult:
        def work() -> SearchResult:
            count = k if k is not None else library.settings.search_results
            chosen = filter or ChunkFilter()
            result = library.retriever().search(question, k=count, mode=mode, filter=chosen, rerank=rerank)
            if notice := library.take_notice():
                result = dataclasses.replace(result, notes=(*result.notes, notice))
            if chosen.where:
                return result  # whoever asks about one document or author is not told about the others
            return dataclasses.replace(result, coverage=coverage(library, result, chosen.knowledge_base))

        return await library.on_search(work)

    return operation

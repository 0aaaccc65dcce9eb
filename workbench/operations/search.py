"""Question -> hits."""

import dataclasses

from workbench.model.filter import ChunkFilter
from workbench.model.hit import SearchResult
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations.coverage import coverage
from workbench.operations.library import Library
from workbench.worker.job import JobContext, Operation


def search(
    library: Library,
    question: str,
    *,
    k: int | None = None,
    filter: ChunkFilter | None = None,
    configuration: SearchConfiguration | None = None,
) -> Operation[SearchResult]:
    """Search the library; k defaults to the setting "Passages per search", the configuration to what is promoted.

    Raises:
        RetrievalError: The search failed, or the filter names an unknown key; never "nothing found" instead.
        SettingError: There is no reranker of that name.
    """

    async def operation(_context: JobContext) -> SearchResult:
        def work() -> SearchResult:
            count = k if k is not None else library.settings.search_results
            chosen = filter or ChunkFilter()
            steps = configuration or library.search_configurations.in_force(chosen.knowledge_base).configuration
            result = library.retriever().search(question, k=count, filter=chosen, configuration=steps)
            if notice := library.take_notice():
                result = dataclasses.replace(result, notes=(*result.notes, notice))
            seen = coverage(library, result, chosen.knowledge_base)
            # Whoever asks about one document or author is not told about the others, but for those still to be read:
            # one of them may be what was asked about.
            if chosen.where and (result.hits or not seen.waiting):
                return result
            return dataclasses.replace(result, coverage=seen)

        return await library.on_search(work)

    return operation

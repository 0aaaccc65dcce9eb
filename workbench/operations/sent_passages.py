"""What went with a request to the network: its passages, as they stand in the library now."""

from workbench.model.hit import Hit
from workbench.operations.library import Library
from workbench.operations.tool_documents import Layout, layout_of, passage_of
from workbench.worker.job import JobContext, Operation


def passages_sent(library: Library, request: int) -> Operation[tuple[Hit, ...]]:
    """Return the passages whose text went with a request, in the order in which they were sent.

    What was removed since, or cut anew, is not among them (chunks_sent names it).

    Raises:
        NotFound: There is no such request.
    """

    def passages() -> tuple[Hit, ...]:
        chunks = library.network.get(request).chunks
        found = library.documents.chunks_by_id(chunks)
        layouts: dict[int, Layout] = {}
        hits: list[Hit] = []
        for chunk, document in (found[number] for number in chunks if number in found):
            if document.id not in layouts:
                layouts[document.id] = layout_of(library.documents, document.id)
            hits.append(passage_of(document, chunk, layouts[document.id], len(hits) + 1))
        return tuple(hits)

    async def operation(_context: JobContext) -> tuple[Hit, ...]:
        return await library.on_store(passages)

    return operation

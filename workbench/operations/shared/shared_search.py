"""Search of the personal library and the connected shared ones for one question, in one list of hits."""

import logging
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from workbench.errors import NotFound, SharedLibraryUnreachable, WorkbenchError
from workbench.language import mark
from workbench.model.document import DocumentStatus
from workbench.model.filter import ChunkFilter
from workbench.model.hit import Coverage, Hit, SearchMode, SearchResult
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations.shared.federated_documents import FederatedDocuments
from workbench.operations.shared.shared_library import SharedLibraries, SharedLibrary
from workbench.store.filtering import FilterValues
from workbench.store.intake import Intake

if TYPE_CHECKING:
    from workbench.retrieval.retriever import Retriever

logger = logging.getLogger(__name__)

# A document whose pages are all pictures is INDEXED before OCR has read any.
_WITHOUT_TEXT = (DocumentStatus.QUEUED, DocumentStatus.PARSING, DocumentStatus.INDEXED, DocumentStatus.EMBEDDING)


@dataclass(frozen=True, slots=True)
class _Request:
    question: str
    k: int
    filter: ChunkFilter
    configuration: SearchConfiguration


class FederatedSearch:
    """Searches all libraries that a filter covers, those of servers beside the personal one. Blocking."""

    def __init__(self, documents: FederatedDocuments, shared: SharedLibraries) -> None:
        """Search the documents of these libraries."""
        self._documents = documents
        self._shared = shared

    def search(
        self, own: "Retriever", question: str, *, k: int, filter: ChunkFilter, configuration: SearchConfiguration
    ) -> tuple[SearchResult, Coverage, bool]:
        """Return the best hits of all libraries, the coverage of the shared ones, and whether the own one was searched.

        Each library ranks its own passages; their lists are merged by the calibrated relevance. A library that cannot
        be reached is named in the notes and counted in the coverage: its knowledge is not missing, only unread.

        Args:
            own: The retriever of the personal library.
            question: The question.
            k: Number of hits.
            filter: The filter, with ids and names of all libraries.
            configuration: Lists and steps.

        Raises:
            RetrievalError: The search of the personal library failed.
            NotFound: The filter names a knowledge base that does not exist.
            SharedLibraryUnreachable: The only library that the filter covers cannot be reached.
        """
        request = _Request(question, k, filter, configuration)
        waiting: list[tuple[SharedLibrary, Future[tuple[SearchResult, Coverage] | None]]] = [
            (one, self._shared.executor().submit(_search_shared, one, request))
            for one in self._shared
            if filter.knowledge_base is None or one.ids.local_knowledge_base(filter.knowledge_base) is not None
        ]
        own_filter = self._documents.own_filter(filter)
        if filter.knowledge_base is not None and waiting:
            own_filter = None
        results: list[SearchResult] = []
        if own_filter is not None:
            results.append(own.search(question, k=k, filter=own_filter, configuration=configuration))
        coverage = Coverage(0)
        notes: list[str] = []
        for one, future in waiting:
            try:
                found = future.result()
            except WorkbenchError as error:
                if isinstance(error, NotFound) or (own_filter is None and len(waiting) == 1):
                    raise
                logger.warning("A shared library was not searched: %s", error)
                one.failed(error)
                coverage = add_coverage(coverage, Coverage(0, unreached=1))
                notes.append(mark(f"The shared library “{one.name}” was not searched. {error.message}"))
                continue
            if found is not None:
                results.append(found[0])
                coverage = add_coverage(coverage, found[1])
        if not results:
            empty = SearchResult(question, configuration.mode, (), 0.0)
            return replace(empty, notes=tuple(notes)), coverage, False
        return _merge(results, k, notes), coverage, own_filter is not None

    def coverage(self, own: "SearchableTables", filter: ChunkFilter) -> Coverage:
        """Return how much of the text of all libraries that a filter covers can be read, without a search. Blocking.

        Args:
            own: The stores of the personal library.
            filter: The filter, with ids and names of all libraries.
        """
        own_filter = self._documents.own_filter(filter)
        seen = coverage_of(own, None, own_filter) if own_filter is not None else Coverage(0)
        for one in self._shared:
            if filter.knowledge_base is not None and one.ids.local_knowledge_base(filter.knowledge_base) is None:
                continue
            try:
                tables = one.tables()
                local = one.ids.filter(filter, [name for name, _ in tables.knowledge_bases.list()])
                more = Coverage(0) if local is None else coverage_of(tables, None, local)
            except WorkbenchError as error:
                logger.warning("It is not known what a shared library holds: %s", error)
                more = Coverage(0, unreached=1)
            seen = add_coverage(seen, more)
        return seen


def _search_shared(library: SharedLibrary, request: _Request) -> tuple[SearchResult, Coverage] | None:
    """Return the hits of one shared library with ids of all libraries; None if the filter excludes all of it."""
    tables = library.tables()
    try:
        retriever = library.retriever()
        with tables.database.snapshot():
            names = [name for name, _ in tables.knowledge_bases.list()]
            local = library.ids.filter(request.filter, names)
            if local is None:
                return None
            if local.knowledge_base is not None and local.knowledge_base not in names:
                raise NotFound(
                    mark(f"There is no knowledge base “{request.filter.knowledge_base}”."),
                    mark("“workbench shared list” shows those that you may read."),
                )
            with library.vectors().within(local):
                result = retriever.search(
                    request.question, k=request.k, filter=local, configuration=request.configuration
                )
            coverage = coverage_of(tables, result, local)
    except SharedLibraryUnreachable as error:
        library.failed(error)
        raise
    return (
        replace(result, hits=library.ids.value(result.hits), beside=library.ids.value(result.beside)),
        coverage,
    )


class SearchableTables(Protocol):
    """Stores of one library that tell what of it a search could see."""

    intake: Intake
    filter_values: FilterValues


def coverage_of(tables: SearchableTables, result: SearchResult | None, filter: ChunkFilter) -> Coverage:
    """Return the coverage of a search in one library: of the documents that pass the filter or could pass it. Blocking.

    Args:
        tables: The stores of the library.
        result: Result of the search; None if every passage is read instead, so that vectors do not matter.
        filter: The filter of the search, with the ids and names of this library.
    """
    intake = tables.intake
    counts = intake.not_read(filter.knowledge_base)
    documents, behind = intake.visible(filter.knowledge_base)
    in_part = intake.in_part(filter.knowledge_base)
    # Where the whole library was read, its documents need not be looked through for those in the filter.
    if filter.where and (counts or behind or in_part):
        scope = tables.filter_values.in_scope(filter)
        documents, behind, counts = len(scope), intake.not_embedded_of(scope), intake.not_read_of(scope)
        in_part = {document: pages for document, pages in in_part.items() if document in scope}
    # A search by keyword alone, as requested or because there is no model, reports this itself.
    behind = behind if result is not None and result.by_meaning else 0
    is_dense = result is not None and result.mode is SearchMode.DENSE
    return Coverage(
        documents=documents,
        by_keyword=0 if is_dense else behind,
        waiting=sum(counts.get(status, 0) for status in _WITHOUT_TEXT),
        locked=counts.get(DocumentStatus.LOCKED, 0),
        failed=counts.get(DocumentStatus.FAILED, 0),
        not_embedded=behind if is_dense else 0,
        pages=sum(in_part.values()),
        cut=sum(not pages for pages in in_part.values()),
    )


def add_coverage(one: Coverage, other: Coverage) -> Coverage:
    """Return the coverage of two libraries together."""
    return Coverage(**{name: getattr(one, name) + getattr(other, name) for name in Coverage.__dataclass_fields__})


def _merge(results: Sequence[SearchResult], k: int, notes: Sequence[str]) -> SearchResult:
    """Return one result: the lists merged by relevance, each in its own order."""
    heads = [list(result.hits) for result in results]
    chosen: list[tuple[int, Hit]] = []
    while len(chosen) < k and any(heads):
        best = max(
            (place for place, hits in enumerate(heads) if hits), key=lambda place: heads[place][0].scores.relevance
        )
        chosen.append((best, heads[best].pop(0)))
    ranks = {(place, hit.rank): rank for rank, (place, hit) in enumerate(chosen, 1)}
    beside = [
        replace(hit, rank=ranks[place, hit.rank])
        for place, result in enumerate(results)
        for hit in result.beside
        if (place, hit.rank) in ranks
    ]
    # A key of the user's own metadata that one library lacks is no problem if another one has it.
    said = [note for result in results if result.hits or len(results) == 1 for note in result.notes]
    return replace(
        max(results, key=lambda result: result.certainty),
        hits=tuple(replace(hit, rank=rank) for rank, (_, hit) in enumerate(chosen, 1)),
        beside=tuple(sorted(beside, key=lambda hit: hit.rank)),
        milliseconds=max(result.milliseconds for result in results),
        searched_chunks=sum(result.searched_chunks for result in results),
        embedded_chunks=sum(result.embedded_chunks for result in results),
        notes=tuple(dict.fromkeys((*notes, *said))),
        by_meaning=any(result.by_meaning for result in results),
    )

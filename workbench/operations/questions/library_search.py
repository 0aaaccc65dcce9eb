"""Search: hits of a question and its coverage, filter values, surrounding text, explanation of a result."""

import dataclasses
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.errors import NotFound
from workbench.model.chunk import Chunk, Stretch
from workbench.model.document import Document
from workbench.model.explanation import DocumentSpot, Explanation, Stage
from workbench.model.filter import EVERYTHING, ChunkFilter, FilterExtent
from workbench.model.hit import Coverage, SearchResult
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations.documents.document_management import list_bin, show_document
from workbench.operations.library.library import Library
from workbench.operations.library.profiles import sentence_ranker
from workbench.operations.shared.federated_ids import local_id
from workbench.operations.shared.shared_library import SharedLibrary
from workbench.operations.shared.shared_search import add_coverage, coverage_of
from workbench.retrieval.chunk_context import MOST_TOKENS, ChunkContextReader
from workbench.worker.job import JobContext, Operation

if TYPE_CHECKING:
    from workbench.retrieval.explanation_summary import PassageLocation
    from workbench.retrieval.search_explanation import Explainer, ExplanationRequest
    from workbench.retrieval.unknown_abbreviations import ReadQuestion


_MOST_ASKED = 20
"""Maximum number of documents that go first after a search: if all do, none does."""


def search(
    library: Library,
    question: str,
    *,
    k: int | None = None,
    filter: ChunkFilter | None = None,
    configuration: SearchConfiguration | None = None,
) -> Operation[SearchResult]:
    """Search the library; k defaults to the setting "Passages per search", the configuration to the promoted one.

    Raises:
        RetrievalError: The search failed, or the filter names an unknown key; such errors never yield an empty result.
        SettingError: There is no reranker of that name.
    """

    async def operation(_context: JobContext) -> SearchResult:
        asked: list[int] = []

        def work() -> SearchResult:
            count = k if k is not None else library.settings.search_results
            chosen = filter or ChunkFilter()
            steps = configuration or library.search_steps(chosen.knowledge_base)
            read = read_question(library, question)
            result, shared, is_own = library.federated_search.search(
                library.models.retriever(), read.text, k=count, filter=chosen, configuration=steps
            )
            if read.readings:
                notes = (*read.notes, *result.notes)
                result = dataclasses.replace(result, question=question, notes=notes, readings=read.readings)
            if notice := library.models.take_notice():
                result = dataclasses.replace(result, notes=(*result.notes, notice))
            asked[:] = _asked_about(library, result, chosen)
            own_filter = library.documents.own_filter(chosen)
            own = coverage_of(library, result, own_filter) if is_own and own_filter is not None else Coverage(0)
            seen = add_coverage(own, shared)
            # A search restricted to a document or author says nothing of what else is there if it saw all of that.
            return result if chosen.where and seen.is_complete else dataclasses.replace(result, coverage=seen)

        found = await library.on_search(work)
        if asked:
            library.queue.first(asked)
        return found

    return operation


def read_question(library: Library, question: str) -> "ReadQuestion":
    """Return a question with each abbreviation that stands in no document read, if it can be read safely. Blocking.

    It is unchanged while shared libraries are connected, whose words are not known here, and if it is a pasted text.
    """
    from workbench.retrieval.question_words import LONGEST_QUESTION
    from workbench.retrieval.unknown_abbreviations import ReadQuestion

    if library.shared or len(question) > LONGEST_QUESTION:
        return ReadQuestion(question)
    return library.abbreviation_reader.read(question)


def _asked_about(library: Library, result: SearchResult, chosen: ChunkFilter) -> list[int]:
    """Return the documents of a search that imports are working on: those of its filter, then those of its hits."""
    if not library.active:
        return []
    of_filter = library.filter_values.every_document(chosen) if chosen.where else []
    documents = dict.fromkeys([*of_filter, *(hit.chunk.document for hit in result.hits)])
    return [document for document in documents if document in library.active][:_MOST_ASKED]


def filter_values(library: Library) -> Operation[dict[str, tuple[str, ...]]]:
    """Return the filter keys that documents have values for, each with its values, the most used first."""

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


def neighbours(library: Library, chunk: Chunk, *, before: int = 1, after: int = 1) -> Operation[Stretch]:
    """Return a chunk with the given numbers of chunks before and after it.

    Raises:
        NotFound: The chunk or its document is no longer in the library.
    """

    async def operation(_context: JobContext) -> Stretch:
        return await library.on_search(ChunkContextReader(library.documents).neighbours, chunk, before, after)

    return operation


def section(library: Library, chunk: Chunk, *, most_tokens: int = MOST_TOKENS) -> Operation[Stretch]:
    """Return the section that contains a chunk; if the section has more tokens, only the part around the chunk.

    Raises:
        NotFound: The chunk or its document is no longer in the library.
    """

    async def operation(_context: JobContext) -> Stretch:
        def work() -> Stretch:
            return ChunkContextReader(library.documents).section(chunk, most_tokens=most_tokens)

        return await library.on_search(work)

    return operation


def section_at(library: Library, document: int, start: int) -> Operation[Stretch]:
    """Return the section that contains a character of a document's text.

    Raises:
        NotFound: The document is no longer in the library, or no chunk contains the character.
    """

    async def operation(_context: JobContext) -> Stretch:
        def work() -> Stretch:
            found = [chunk for chunk in library.documents.chunks(document) if chunk.start <= start < chunk.end]
            if not found:
                raise NotFound("There is no passage of this document at this place.", "Choose another passage.")
            return ChunkContextReader(library.documents).section(found[0])

        return await library.on_search(work)

    return operation


WHOLE_DOCUMENT = DocumentSpot()


def explained_document(library: Library, spec: str) -> Operation[int]:
    """Return the id of a document by its id, path, name or the start of its hash; in the bin not by its hash.

    Raises:
        NotFound: There is no such document, or more than one.
    """

    async def operation(context: JobContext) -> int:
        try:
            return (await show_document(library, spec)(context)).id
        except NotFound:
            for binned in await list_bin(library)(context):
                if spec in (str(binned.document.id), binned.document.name, binned.document.path):
                    return binned.document.id
            raise

    return operation


def explain(
    library: Library,
    question: str,
    document: int,
    spot: DocumentSpot = WHOLE_DOCUMENT,
    *,
    k: int | None = None,
    filter: ChunkFilter | None = None,
    configuration: SearchConfiguration | None = None,
) -> Operation[Explanation]:
    """Explain why a search for a question finds or misses a part of a document; nothing is changed.

    Args:
        library: The open library.
        question: The question.
        document: The document's id, which may be in the bin.
        spot: The part of the document.
        k: Number of passages that the search returns; None takes the setting "Passages per search".
        filter: Filter of the search; None for everything.
        configuration: Lists and steps of the search; None for the promoted configuration.

    Raises:
        NotFound: There is no such document or page, or the filter names a knowledge base that does not exist.
        RetrievalError: The question is empty, or the search failed.
    """

    async def operation(_context: JobContext) -> Explanation:
        # This imports numpy, as a search does: not during the start of the window.
        from workbench.retrieval.search_explanation import ExplanationRequest

        wanted = k if k is not None else library.settings.search_results
        allowed = filter or EVERYTHING
        steps = configuration or library.search_steps(allowed.knowledge_base)
        inquiry = ExplanationRequest(question, wanted, allowed, steps)
        return await library.on_search(_explained, library, inquiry, document, spot)

    return operation


def _explained(library: Library, inquiry: "ExplanationRequest", number: int, spot: DocumentSpot) -> Explanation:
    began = time.perf_counter()
    read = read_question(library, inquiry.question)
    asked, inquiry = inquiry.question, dataclasses.replace(inquiry, question=read.text)
    shared = library.shared.of_number(number)
    if shared is None:
        document, where = _located(library, number, spot)
        own = dataclasses.replace(inquiry, filter=library.documents.own_filter(inquiry.filter) or inquiry.filter)
        explanation = _explained_at(own, number, document, where, lambda: _explainer(library))
    else:
        explanation = _explained_in(library, shared, inquiry, number, spot)
    return dataclasses.replace(
        explanation,
        question=asked,
        milliseconds=(time.perf_counter() - began) * 1000,
        notes=(*read.notes, *explanation.notes),
    )


def _explained_in(
    library: Library, shared: SharedLibrary, inquiry: "ExplanationRequest", number: int, spot: DocumentSpot
) -> Explanation:
    """Return the explanation for a document of a shared library: its way through the search of that library."""
    from workbench.retrieval.explanation_summary import locate
    from workbench.retrieval.search_explanation import Explainer

    def explainer() -> Explainer:
        return Explainer(shared.retriever(), tables.documents, tables.keywords, sentence_ranker(library))

    tables = shared.tables()
    allowed = shared.ids.filter(inquiry.filter, [name for name, _ in tables.knowledge_bases.list()])
    with tables.database.snapshot():
        document = tables.documents.get(local_id(number))
        where = locate(document, tables.documents, spot)
        request = dataclasses.replace(inquiry, filter=allowed or EVERYTHING)
        explanation = _explained_at(request, number, document, where, explainer)
    accounts = tuple(dataclasses.replace(one, chunk=shared.ids.value(one.chunk)) for one in explanation.accounts)
    return dataclasses.replace(explanation, accounts=accounts)


def _explained_at(
    inquiry: "ExplanationRequest",
    number: int,
    document: Document,
    where: "PassageLocation",
    make_explainer: "Callable[[], Explainer]",
) -> Explanation:
    """Return the explanation for a place of a document that was located in its library."""
    from workbench.retrieval.explanation_summary import advice, sentence

    explanation = Explanation(
        inquiry.question,
        inquiry.mode,
        inquiry.wanted,
        0,
        number,
        document.name,
        where.start,
        where.end,
        where.stage,
        where.sentence,
        where.advice,
    )
    if not where.chunks:
        return explanation
    explainer = make_explainer()
    found = explainer.explain(inquiry, [chunk.id for chunk in where.chunks])
    first = found.accounts[0]
    tried = (explainer.better_question, explainer.enough_passages) if first.stage is Stage.BEYOND else ()
    helps = (help for attempt in tried if (help := attempt(inquiry, first)) is not None)
    return dataclasses.replace(
        explanation,
        given=len(found.result.hits),
        stage=first.stage,
        sentence=sentence(first, found.result),
        advice=(*where.advice, *helps, *advice(first)),
        accounts=found.accounts,
        notes=found.result.notes,
    )


def _located(library: Library, number: int, spot: DocumentSpot) -> "tuple[Document, PassageLocation]":
    from workbench.retrieval.explanation_summary import locate, locate_in_bin

    try:
        document = library.documents.get(number)
    except NotFound:
        for one in library.bin.list():
            if one.document.id == number:
                return one.document, locate_in_bin(one.document)
        raise
    return document, locate(document, library.documents, spot)


def _explainer(library: Library) -> "Explainer":
    from workbench.retrieval.search_explanation import Explainer

    ranker = sentence_ranker(library)
    return Explainer(library.models.retriever(), library.documents, library.keywords, ranker)

"""Question and a place in a document -> why the search found the passage there, or where it was lost."""

import dataclasses
import time
from typing import TYPE_CHECKING

from workbench.errors import NotFound
from workbench.model.document import Document
from workbench.model.explanation import Explanation, Spot, Stage
from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations.bin import list_bin
from workbench.operations.documents import show_document
from workbench.operations.library import Library
from workbench.worker.job import JobContext, Operation

if TYPE_CHECKING:
    from workbench.retrieval.explanation import Explainer, ExplanationRequest
    from workbench.retrieval.passage_location import PassageLocation

WHOLE_DOCUMENT = Spot()


def explained_document(library: Library, spec: str) -> Operation[int]:
    """Return the number of a document by its id, path, name or the start of its hash; of one in the bin not by a hash.

    Raises:
        NotFound: There is none, or more than one is meant.
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
    spot: Spot = WHOLE_DOCUMENT,
    *,
    k: int | None = None,
    filter: ChunkFilter | None = None,
    configuration: SearchConfiguration | None = None,
) -> Operation[Explanation]:
    """Explain what a search for this question makes of a place in a document; nothing is changed.

    Args:
        library: The open library.
        question: As it was asked.
        document: The document's id; one in the bin too.
        spot: Which part of it.
        k: How many passages the search gives; None takes the setting "Passages per search".
        filter: What it may find; None for everything.
        configuration: Its lists and steps; None for those that are promoted.

    Raises:
        NotFound: There is no such document or page, or the filter names a knowledge base that is not there.
        RetrievalError: The question is empty, or the search failed.
    """

    async def operation(_context: JobContext) -> Explanation:
        # numpy, as for a search: not on the way to the window.
        from workbench.retrieval.explanation import ExplanationRequest

        wanted = k if k is not None else library.settings.search_results
        allowed = filter or EVERYTHING
        steps = configuration or library.search_configurations.in_force(allowed.knowledge_base).configuration
        inquiry = ExplanationRequest(question, wanted, allowed, steps)
        return await library.on_search(_explained, library, inquiry, document, spot)

    return operation


def _explained(library: Library, inquiry: "ExplanationRequest", number: int, spot: Spot) -> Explanation:
    from workbench.retrieval.explanation_summary import advice, sentence

    began = time.perf_counter()
    document, where = _located(library, number, spot)
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
    if where.chunks:
        explainer = _explainer(library)
        found = explainer.explain(inquiry, [chunk.id for chunk in where.chunks])
        first = found.accounts[0]
        tried = (explainer.better_question, explainer.enough_passages) if first.stage is Stage.BEYOND else ()
        helps = (help for attempt in tried if (help := attempt(inquiry, first)) is not None)
        explanation = dataclasses.replace(
            explanation,
            given=len(found.result.hits),
            stage=first.stage,
            sentence=sentence(first, found.result),
            advice=(*where.advice, *helps, *advice(first)),
            accounts=found.accounts,
            notes=found.result.notes,
        )
    return dataclasses.replace(explanation, milliseconds=(time.perf_counter() - began) * 1000)


def _located(library: Library, number: int, spot: Spot) -> "tuple[Document, PassageLocation]":
    from workbench.retrieval.passage_location import binned, locate

    try:
        document = library.documents.get(number)
    except NotFound:
        for one in library.bin.list():
            if one.document.id == number:
                return one.document, binned(one.document)
        raise
    return document, locate(document, library.documents, spot)


def _explainer(library: Library) -> "Explainer":
    from workbench.retrieval.answer_sentences import SentenceRanker
    from workbench.retrieval.explanation import Explainer

    ranker = SentenceRanker(library.embedder_or_none(), library.keywords, library.names)
    return Explainer(library.retriever(), library.documents, library.keywords, ranker)

"""What was read -> the conclusion: by the model of the findings alone; offline, or without findings, in set words."""

from collections.abc import Sequence

from workbench.agent.built_in_agent import refusal_for
from workbench.agent.exhaustive.conclusion import ConclusionWriter, Finding, numbered
from workbench.language import mark
from workbench.model.exhaustive import DocumentReading, DocumentVerdict, ReadingInfo
from workbench.model.hit import Citation, NumberedHit
from workbench.operations.exhaustive_reader import OpenedReader
from workbench.operations.exhaustive_records import table_of
from workbench.operations.library import Library
from workbench.operations.tool_documents import layout_of, passage_of
from workbench.store.exhaustive import Spent


async def concluded(
    library: Library, info: ReadingInfo, opened: OpenedReader
) -> tuple[str, tuple[Citation, ...], Spent]:
    """Return the conclusion with its citations, and what it took.

    Raises:
        ModelError: The model could not be asked.
    """
    documents = await library.on_search(table_of, library, info.id)
    if opened.provider is None or opened.packing.room is None:
        return offline_conclusion(documents), (), Spent()
    read = await library.on_store(library.reading_passages.read, info.id)
    order = {one.document: place for place, one in enumerate(documents)}
    passages = sorted(read.values(), key=lambda one: (order.get(one.document, 0), one.ordinal))
    findings = numbered(passages)
    if not findings:
        return _nothing_found(info.question, documents), (), Spent()
    references = await library.on_search(_references, library, findings)
    concluder = ConclusionWriter(opened.provider, opened.packing.spending, opened.packing.room.tokens)
    made = await concluder.conclude(info.question, documents, findings, references)
    return made.text, made.citations, Spent(made.calls, made.input_tokens, made.output_tokens)


def offline_conclusion(documents: Sequence[DocumentReading]) -> str:
    """Return how many documents something was found in: all that can be concluded without a model."""
    found = sum(one.verdict is DocumentVerdict.YES for one in documents)
    if len(documents) == 1:
        return mark(
            "Found in 1 of 1 document: the quotes stand in the table." if found else "Found in none of 1 document."
        )
    if not found:
        return mark(f"Found in none of {len(documents):,} documents.")
    return mark(f"Found in {found:,} of {len(documents):,} documents: the quotes stand in the table.")


def _nothing_found(question: str, documents: Sequence[DocumentReading]) -> str:
    unread = sum(one.unreadable for one in documents)
    if not unread:
        return refusal_for(question)
    if unread == 1:
        return mark("Nothing was found; but 1 passage could not be read, so that this is not certain.")
    return mark(f"Nothing was found; but {unread:,} passages could not be read, so that this is not certain.")


def _references(library: Library, findings: Sequence[Finding]) -> dict[int, NumberedHit]:
    """Return the passages of the findings under their numbers; blocking."""
    by_chunk = {one.passage.chunk: one for one in findings}
    stored = library.documents.chunks_by_id(list(by_chunk))
    layouts = {number: layout_of(library.documents, number) for number in {one.id for _, one in stored.values()}}
    return {
        by_chunk[chunk.id].number: NumberedHit(
            by_chunk[chunk.id].number, passage_of(document, chunk, layouts[document.id], rank)
        )
        for rank, (chunk, document) in enumerate(stored.values(), start=1)
    }

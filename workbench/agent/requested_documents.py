"""A request about whole documents -> these documents, as far as the run may see them."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.agent.even_choice import spread
from workbench.agent.outline import section_named
from workbench.agent.tools.access import DocumentAccess, ReadableDocument
from workbench.agent.tools.find_table import listed_in
from workbench.errors import NotFound
from workbench.model.document import Document
from workbench.model.hit import Hit
from workbench.retrieval.document_names import ReferencedDocuments, referenced_documents
from workbench.retrieval.request_recognition import Request, RequestKind

MOST_DOCUMENTS = 40
"""Whose texts are held at once; of more of them as many are taken, spread over all."""

_READ = (RequestKind.OVERVIEW, RequestKind.COMPARISON, RequestKind.LISTING)


@dataclass(frozen=True, slots=True)
class RequestedDocument:
    """A document with the passages that are meant: all of it, or those of one part."""

    readable: ReadableDocument
    passages: tuple[Hit, ...]
    part: str = ""


@dataclass(frozen=True, slots=True)
class Requested:
    """What a request means.

    Attributes:
        documents: Of those that are meant, the ones that are read.
        passages: How many passages all that are meant have.
        is_named: Whether the request says which documents; a list is looked for in whatever there is.
    """

    documents: tuple[RequestedDocument, ...]
    passages: int
    is_named: bool = True


def is_read(request: Request) -> bool:
    """Tell whether a request is answered from what documents say; the others ask how many there are, or who wrote."""
    return request.kind in _READ


async def requested_documents(request: Request, access: DocumentAccess) -> Requested | None:
    """Return what a request means; None where it means no document."""
    there = await access.documents()
    meant, is_named = _meant(request, there)
    if not meant:
        return None
    parts = {one.id: (one, each.part) for each in meant for one in each.documents}
    found = []
    for number in sorted(spread(len(parts))[:MOST_DOCUMENTS]):
        document, part = list(parts.values())[number]
        try:
            found.append(_requested(await access.read(document), part))
        except NotFound:  # removed meanwhile
            continue
    documents = tuple(one for one in found if one is not None and one.passages)
    read = {one.readable.document.id for one in documents}
    more = sum(one.chunks for one, part in parts.values() if one.id not in read and not part)
    return Requested(documents, sum(len(one.passages) for one in documents) + more, is_named) if documents else None


def _meant(request: Request, there: Sequence[Document]) -> tuple[list[ReferencedDocuments], bool]:
    """Return the documents that are meant, nothing where some words mean none; and whether they are named."""
    if request.kind is RequestKind.LISTING:
        _, named = listed_in(request.subject, there)
        return ([ReferencedDocuments(tuple(named or there))] if there else []), bool(named)
    said = [one for one in (request.subject, request.other) if one] or [""]
    meant = [referenced_documents(one, there) for one in said]
    return ([one for one in meant if one is not None] if None not in meant else []), True


def _requested(readable: ReadableDocument, part: str) -> RequestedDocument | None:
    if not part:
        return RequestedDocument(readable, readable.passages)
    section = section_named(readable, part)
    if section is None:
        return None
    within = (hit for hit in readable.passages if hit.chunk.start < section.end and hit.chunk.end > section.start)
    return RequestedDocument(readable, tuple(within), part)

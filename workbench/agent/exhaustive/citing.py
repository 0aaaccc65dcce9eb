"""A stretch of a passage -> a citation that opens it."""

from workbench.agent.exhaustive.base import Span
from workbench.model.hit import Citation, Hit


def cited(hit: Hit, span: Span, number: int = 0) -> Citation:
    """Return a citation of a stretch of a passage, by its place in the chunk's text."""
    chunk = hit.chunk
    start, end = chunk.span(*span)
    page = hit.page_at(start)
    return Citation(
        marker=number,
        valid=True,
        document=chunk.document,
        document_name=hit.document_name,
        path=hit.path,
        page=page,
        chunk=chunk.id,
        chunk_ordinal=chunk.ordinal,
        start=start,
        end=end,
        quote=chunk.text[span[0] : span[1]],
        sha256=chunk.sha256,
        headings=hit.headings_of(start, end),
        page_kind=hit.page_kind,
        page_label=hit.label_of(page),
        ocr=page in hit.ocr_pages,
    )

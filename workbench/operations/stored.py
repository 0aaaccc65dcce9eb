"""A stored document as it was parsed, and what was read of it later put in its place; blocking."""

from workbench.errors import NotFound
from workbench.model.document import Document, ParsedDocument
from workbench.model.metadata import CustomSource
from workbench.operations.library import Library
from workbench.preparation.prepare import Prepared


def stored_document(library: Library, document: Document) -> ParsedDocument:
    """Return a document as it was parsed, from the library."""
    store = library.documents
    numbers = [page.number for page in store.pages(document.id)]
    return ParsedDocument(
        store.text(document.id),
        store.blocks(document.id),
        tuple(page for number in numbers if (page := store.page(document.id, number)) is not None),
        document.metadata,
        document.format,
        document.warnings,
        document.page_kind,
        document.findings,
        document.parser_version,
        tuple(field for field in document.stored_custom if field.source is not CustomSource.USER),
    )


def put_prepared(library: Library, document: Document, ready: Prepared) -> Document:
    """Return the document with what was read of it later: unchanged chunks keep their numbers and vectors.

    Raises:
        NotFound: It was removed or changed meanwhile.
    """
    if library.documents.get(document.id).sha256 != document.sha256:
        raise NotFound("The document was changed while its pages were read.", "Its new version is read instead.")
    return library.documents.put_content(
        document.id, ready.parsed, ready.chunks, sha256=document.sha256, size=document.size, words=ready.words
    )

"""The documents to which a session refers, and their files."""

from collections.abc import Iterable
from pathlib import Path

from workbench.errors import NotFound
from workbench.model.document import Document
from workbench.model.session import CitedDocument, PartSize, Session
from workbench.operations.foreign_documents import known_digits
from workbench.operations.library import Library
from workbench.operations.sources import find_original


def cited_documents(library: Library, session: Session) -> tuple[CitedDocument, ...]:
    """Return every document that an answer cites or a search found; of one that is gone, what the session kept."""
    names = {
        numbered.hit.chunk.document: numbered.hit.document_name
        for run in session.runs
        for reference in run.references
        for numbered in reference.hits
        if not numbered.hit.is_outside
    }
    cited = {
        citation.document: citation.document_name
        for run in session.runs
        for citation in run.citations
        if citation.document is not None
    }
    return tuple(
        _described(library, number, name, is_cited=number in cited) for number, name in sorted((names | cited).items())
    )


def originals_of(library: Library, documents: Iterable[CitedDocument]) -> tuple[tuple[str, Path], ...]:
    """Return the files of the cited ones of these documents that are still there, by hash; blocking."""
    found = {}
    for document in documents:
        known = _document(library, document.number) if document.is_cited else None
        file = find_original(library.originals, known) if known else None
        if file is not None:
            found[document.sha256] = file
    return tuple(found.items())


def originals_size(library: Library, sessions: Iterable[Session]) -> PartSize:
    """Return how many files would be exported with these sessions, and how large they are; blocking."""
    documents = {
        document.sha256: document
        for session in sessions
        for document in cited_documents(library, session)
        if document.is_cited
    }
    files = originals_of(library, documents.values())
    return PartSize(len(files), sum(documents[sha256].bytes for sha256, _file in files))


def _described(library: Library, number: int, name: str, *, is_cited: bool) -> CitedDocument:
    document = _document(library, number)
    if document is None:
        return CitedDocument(number, name, "", known_digits(number), 0, 0, "", is_cited)
    return CitedDocument(
        number,
        name,
        document.metadata.title,
        document.sha256,
        document.size,
        document.pages,
        document.format,
        is_cited,
        document.parser_version,
    )


def _document(library: Library, number: int) -> Document | None:
    try:
        return library.documents.get(number)
    except NotFound:
        return None

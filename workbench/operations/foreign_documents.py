"""Documents that an imported session cites and this library may not hold.

A document is known by the hash of its bytes. One that is here is cited by its number here; one that is not gets a
number below zero, made of its hash: no document of a library has such a one, so that the passage kept with the answer
is shown in its place (kept_pages.py: its page, too). Once the document is added, the session leads to it.
"""

import dataclasses
import re
from collections.abc import Callable
from typing import Any

from workbench.export.session_json import rewritten
from workbench.model.approval import CurationAsked, CurationGiven
from workbench.model.chunk import Chunk
from workbench.model.claim import Support
from workbench.model.document import Document
from workbench.model.hit import Citation, Hit
from workbench.model.session import CitedDocument, Session
from workbench.model.visible import visible_name
from workbench.operations.library import Library

_OUTSIDE = 0
_DIGITS = 8
_HEXADECIMAL = re.compile("[0-9a-f]{8}")
_MOST = 1 << 30
"""Numbers stay within 32 bits, for Qt's signals do: 30 for those made of a hash, as many for those without one."""


def foreign_number(sha256: str) -> int | None:
    """Return the number of a document that is not here; None for what is no hash."""
    digits = sha256[:_DIGITS].lower()
    return -1 - (int(digits, 16) >> 2) if _HEXADECIMAL.fullmatch(digits) else None


def known_digits(number: int) -> str:
    """Return the beginning of a hash of which a foreign number could be made; empty for what was made of none."""
    return f"{(-1 - number) << 2:0{_DIGITS}x}" if -_MOST <= number < 0 else ""


def arrived(library: Library, session: Session, documents: tuple[CitedDocument, ...]) -> Session:
    """Return a session from elsewhere with the numbers of this library; blocking."""
    session = _with_seen_names(session)
    # What nobody knows the hash of must not be taken for a document of this library either.
    numbers = {number: -1 - _MOST - abs(number) % _MOST for number in _documents_of(session) if number != _OUTSIDE}
    numbers |= {document.number: known for document in documents if (known := foreign_number(document.sha256))}
    here = {document.sha256: document.id for document in reversed(library.documents.list())}
    found = {document.number: here[document.sha256] for document in documents if document.sha256 in here}
    found = _by_their_words(library, session) | found
    return _renumbered(_Renumbering(library, numbers | found, session, unknown=lambda number: -abs(number)), session)


def settled(library: Library, session: Session) -> Session:
    """Return a session whose foreign documents that are here by now go by their numbers here; blocking."""
    if not _has_foreign(session):
        return session
    foreign = {number for number in _documents_of(session) if number < 0}
    here = _by_foreign_number(library)
    cited = _cited(session)
    # 30 bits alone could be those of another document.
    found = {
        number: here[number].id
        for number in foreign
        if number in here and _is_meant(library, here[number], cited.get(number, []))
    }
    return _renumbered(_Renumbering(library, found, session, unknown=int), session) if found else session


def _with_seen_names(session: Session) -> Session:
    """Return a session in whose names nothing is unseen: those of this library went through its own door."""

    def change(value: Any) -> Any:
        if isinstance(value, Citation | Hit) and (name := visible_name(value.document_name)) != value.document_name:
            return dataclasses.replace(value, document_name=name)
        return value

    seen: Session = rewritten(session, change)
    return seen


def _has_foreign(session: Session) -> bool:
    """Tell whether a session came from elsewhere; asked at every opening, so not all of its million values are seen."""
    cited = (citation.document or 0 for run in session.runs for citation in run.citations)
    found = (numbered.hit.chunk.document for run in session.runs for one in run.references for numbered in one.hits)
    return any(number < 0 for number in cited) or any(number < 0 for number in found)


def _documents_of(session: Session) -> set[int]:
    """Return the numbers of all documents that are named anywhere."""
    found: set[int] = set()

    def note(value: Any) -> Any:
        if isinstance(value, Chunk | Citation | Support) and value.document is not None:
            found.add(value.document)
        return value

    rewritten(session, note)
    return found


def _by_foreign_number(library: Library) -> dict[int, Document]:
    # Of the same bytes in two knowledge bases, the one that was added first.
    documents = reversed(library.documents.list())
    return {number: document for document in documents if (number := foreign_number(document.sha256))}


def _cited(session: Session) -> dict[int, list[Citation]]:
    """Return the citations of each document."""
    cited: dict[int, list[Citation]] = {}
    for run in session.runs:
        for citation in run.citations:
            if citation.valid and citation.document:
                cited.setdefault(citation.document, []).append(citation)
    return cited


def _by_their_words(library: Library, session: Session) -> dict[int, int]:
    """Return the documents here that have the name of a cited one, and the cited words in the cited places.

    A JSON export names no hashes of documents.
    """
    named: dict[str, list[Document]] = {}
    for document in library.documents.list():
        named.setdefault(document.name, []).append(document)
    return {
        number: document.id
        for number, citations in _cited(session).items()
        for document in named.get(citations[0].document_name, [])
        if _has_all(library.documents.text(document.id), citations)
    }


def _is_meant(library: Library, document: Document, citations: list[Citation]) -> bool:
    if not citations or citations[0].document_name == document.name:
        return True
    return _has_all(library.documents.text(document.id), citations)


def _has_all(text: str, citations: list[Citation]) -> bool:
    return all(citation.quote and text[citation.start : citation.end] == citation.quote for citation in citations)


class _Renumbering:
    """Gives documents and chunks their new numbers, wherever they are named."""

    def __init__(
        self, library: Library, documents: dict[int, int], session: Session, *, unknown: Callable[[int], int]
    ) -> None:
        self._documents = documents
        self._unknown = unknown
        self._chunks: dict[int, int] = {}
        self._match(library, session)

    def _match(self, library: Library, session: Session) -> None:
        """Find the chunks of documents that are here by their places: another library cut them the same way, or not."""
        chunks = {
            numbered.hit.chunk.id: numbered.hit.chunk
            for run in session.runs
            for reference in run.references
            for numbered in reference.hits
            if numbered.hit.chunk.document in self._documents
        }
        for document in {chunk.document for chunk in chunks.values()}:
            local = self._documents[document]
            places = {(one.start, one.end): one.id for one in library.documents.chunks(local)} if local > 0 else {}
            for chunk in chunks.values():
                if chunk.document == document:
                    self._chunks[chunk.id] = places.get((chunk.start, chunk.end), -abs(chunk.id))

    def __call__(self, value: Any) -> Any:
        match value:
            case Chunk() if value.document in self._documents:
                changes = {"document": self._documents[value.document], "id": self._chunk(value.id)}
            case Citation() | Support() if value.document in self._documents:
                changes = {"document": self._documents[value.document], "chunk": self._chunk(value.chunk)}
            case CurationAsked():
                changes = {"pinned": tuple(map(self._chunk, value.pinned))}
            case CurationGiven():
                changes = {"chunks": tuple(map(self._chunk, value.chunks))}
            case _:
                return value
        return dataclasses.replace(value, **changes)

    def _chunk(self, number: Any) -> Any:
        return self._chunks.get(number, self._unknown(number)) if isinstance(number, int) else None


def _renumbered(renumbering: _Renumbering, session: Session) -> Session:
    """Return the session with other numbers."""
    changed: Session = rewritten(session, renumbering)
    return changed

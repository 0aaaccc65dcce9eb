"""Import of a session from a bundle or JSON: check, store, map its documents, keep its original files.

Documents are identified by the hash of their bytes. A document in this library is cited by its number. A document that
is not gets a negative number computed from its hash, which no document of a library has; the passage stored with the
answer is shown for it, and its page image (imported_page_images.py). Once the document is added to the library, the
session refers to it.
"""

import dataclasses
import filecmp
import logging
import re
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from workbench.errors import ExportError
from workbench.export.bundle import BundleContents, KeptPicture, UnpackedOriginal, unpack
from workbench.export.escaping import number_file_names
from workbench.export.session_json import rewritten
from workbench.files.changes import delete_folder, move_file
from workbench.files.modes import make_folder, new_file
from workbench.indexing.atomic_files import fsync_file, fsync_new_name
from workbench.language import mark
from workbench.model.approval import CurationAsked, CurationGiven
from workbench.model.chunk import Chunk
from workbench.model.claim import Support
from workbench.model.document import Document
from workbench.model.hit import Citation, Hit
from workbench.model.import_progress import DocumentChanged, FileFinished, FileOutcome
from workbench.model.run import Run
from workbench.model.session import CitedDocument, ExportProgress, ImportedSession, KeptOriginal, Session
from workbench.model.visible import visible_name
from workbench.operations.documents.document_management import add_documents
from workbench.operations.imports.temp_files import staging_folder
from workbench.operations.library.library import Library
from workbench.operations.sessions.atomic_write import atomic_file
from workbench.operations.sessions.imported_page_images import ORIGINALS, store_page_image
from workbench.store.sessions import StoredSessionIntake
from workbench.worker.child_messages import unpack_value as read_answer
from workbench.worker.confinement import Confinement
from workbench.worker.job import JobContext, Operation, finish_despite_cancel
from workbench.worker.processes import ProcessFailure, ProcessPool

SECONDS = 600
MEGABYTES = 2048


def import_session(
    library: Library,
    path: Path,
    *,
    documents: Path | None = None,
    keep_originals: bool = False,
    user: str | None = None,
) -> Operation[ImportedSession]:
    """Import a bundle or a JSON export as a new session.

    Args:
        library: The library.
        path: The file.
        documents: A folder to which the documents in the bundle are written, and from which they are added to the
            library; None leaves them in the bundle.
        keep_originals: Keep the documents in the bundle that are not in the library, so that add_kept_originals can
            add them later.
        user: Owner of the session; None means the user for whom the library was opened.

    Raises:
        ExportError: The file is neither, or it is damaged, changed or too large.
    """

    async def operation(context: JobContext) -> ImportedSession:
        context.emit(ExportProgress(0, 2, mark(f"Checking “{path.name}”")))
        # Unpack in the library's folder, so that kept files can be moved into place atomically.
        with staging_folder(library) as folder:
            unpacked = await _unpack(library, path, folder, with_originals=keep_originals or documents is not None)
            context.emit(ExportProgress(1, 2, mark(f"Importing “{path.name}”")))
            if documents is not None and unpacked.originals:
                files = [one.file for one in unpacked.originals]
                written = await library.on_store(_write_originals, library, files, documents)
                await add_documents(library, written)(context)
            return await finish_despite_cancel(
                library.on_store(_put, library, unpacked, path if keep_originals else None, user)
            )

    return operation


async def _unpack(library: Library, path: Path, folder: Path, *, with_originals: bool) -> BundleContents:
    rights = Confinement(writes=(folder,), largest=None)
    pool = ProcessPool(1, preload=("workbench.export.bundle",), confined=lambda: rights)
    try:
        unpacking = partial(unpack, path.absolute(), folder, with_originals=with_originals)
        return await pool.run(unpacking, seconds=SECONDS, megabytes=MEGABYTES)
    except ProcessFailure as error:
        reason = mark("it is damaged, or far too large")
        raise ExportError(f"“{path.name}” cannot be read: {reason}.", "Have it exported again.") from error
    finally:
        await finish_despite_cancel(library.on_store(pool.close))


def _write_originals(library: Library, files: Sequence[Path], folder: Path) -> list[Path]:
    """Copy files into a folder; existing files are never replaced, and identical ones are not copied again."""
    written = []
    for file in files:
        target = folder / file.name
        if not (target.is_file() and filecmp.cmp(file, target, shallow=False)):
            taken = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
            target = folder / number_file_names([*taken, file.name])[-1]
            with atomic_file(target, library.unfinished) as partial_file:
                shutil.copyfile(file, partial_file)
        written.append(target)
    return written


def _put(library: Library, unpacked: BundleContents, keeps_from: Path | None, user: str | None) -> ImportedSession:
    runs: list[Run] = [read_answer(run) for run in unpacked.runs]
    session = with_local_numbers(library, Session(unpacked.info, tuple(runs)), unpacked.documents)
    info = StoredSessionIntake(library.database, library.resolve_user(user)).put(session)
    hashes = {document.number: document.sha256 for document in unpacked.documents}
    _keep(library, info.id, unpacked.pictures, hashes)
    cited = {
        citation.document: citation.document_name
        for run in session.runs
        for citation in run.citations
        if citation.document is not None
    }
    missing = tuple(dict.fromkeys(name for number, name in cited.items() if number < 0))
    kept = keep_files(library, info.id, keeps_from, unpacked.originals) if keeps_from else []
    return ImportedSession(info, sum(number >= 0 for number in cited), missing, tuple(kept))


def _keep(library: Library, session: int, pictures: Sequence[KeptPicture], hashes: dict[int, str]) -> None:
    for picture in pictures:
        place = (picture.page, picture.start, picture.end)
        if number := foreign_number(hashes.get(picture.document, "")):
            store_page_image(library.folder, session, number, place, picture.file)


logger = logging.getLogger(__name__)
_SOURCE = "source"
"""Name of a file next to the kept ones that contains the path of their bundle."""
_HERE = (FileOutcome.READY, FileOutcome.UNCHANGED)


def kept_original(library: Library, document: int) -> Operation[KeptOriginal | None]:
    """Return the file that an imported session contained for a document that is not in the library, or None."""

    async def operation(_context: JobContext) -> KeptOriginal | None:
        return await library.on_store(_describe_kept, library, document)

    return operation


def add_kept_originals(
    library: Library, documents: Sequence[int], *, knowledge_base: str = "default"
) -> Operation[list[FileFinished]]:
    """Add documents from the files of imported sessions; sessions that are opened later refer to them.

    Emits the events of add_documents. A file is kept until its document is completely imported.

    Args:
        library: The library.
        documents: Their negative numbers in the sessions; those without a kept file are ignored.
        knowledge_base: The knowledge base for them; created if none has that name.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        found = [await library.on_store(_file_of, library, number) for number in documents]
        files = [file for file in found if file is not None]
        finished = await add_documents(library, files, knowledge_base=knowledge_base)(context)
        for one in finished:
            if one.outcome in _HERE and one.document is not None:
                await library.on_store(_settle, library, context, one.document, Path(one.path))
        return finished

    return operation


def keep_files(library: Library, session: int, bundle: Path, originals: Sequence[UnpackedOriginal]) -> list[int]:
    """Move the unpacked files of documents that are not in the library to the kept files of a session; blocking.

    Returns:
        The numbers of their documents in the session.
    """
    here = {document.sha256 for document in library.documents.list()}
    kept = []
    for original in originals:
        number = foreign_number(original.sha256)
        if number is None or original.sha256 in here:
            continue
        folder = library.folder / ORIGINALS / str(session) / str(-number)
        try:
            made = make_folder(folder, inherit=True)
            new_file(folder.parent / _SOURCE, inherit=True)
            (folder.parent / _SOURCE).write_text(str(bundle), "utf-8", "surrogateescape")
            fsync_file(original.file)
            move_file(original.file, folder / original.file.name, within=library.folder)
            fsync_new_name(folder / original.file.name, made)
        except OSError as error:
            # The session is imported with its passages and pages; only the button to add this file will be missing.
            logger.info("the file of %s could not be kept: %s", original.file.name, error)
            delete_folder(folder, within=library.folder)
            continue
        kept.append(number)
    return kept


def _describe_kept(library: Library, document: int) -> KeptOriginal | None:
    file = _file_of(library, document)
    return None if file is None else KeptOriginal(document, file.name, file.stat().st_size)


def _file_of(library: Library, document: int) -> Path | None:
    if document >= 0:
        return None
    files = sorted((library.folder / ORIGINALS).glob(f"*/{-document}/*"))
    return files[0] if files else None


def _settle(library: Library, context: JobContext, document: int, file: Path) -> None:
    """Set the path of an added document to its bundle, and delete the kept file."""
    source = file.parent.parent / _SOURCE
    if source.is_file() and library.documents.get(document).path == str(file):
        bundle = Path(source.read_text("utf-8", "surrogateescape"))
        context.emit(DocumentChanged(library.documents.rename_path(document, bundle / file.name)))
    for folder in (library.folder / ORIGINALS).glob(f"*/{file.parent.name}"):
        delete_folder(folder, within=library.folder)


_OUTSIDE = 0
_DIGITS = 8
_HEXADECIMAL = re.compile("[0-9a-f]{8}")
_MOST = 1 << 30
"""Numbers must fit in 32 bits, the int of Qt's signals: 30 bits for those made of a hash, 30 for those without one."""


def foreign_number(sha256: str) -> int | None:
    """Return the number of a document that is not in the library; None if the argument is not a hash."""
    digits = sha256[:_DIGITS].lower()
    return -1 - (int(digits, 16) >> 2) if _HEXADECIMAL.fullmatch(digits) else None


def known_digits(number: int) -> str:
    """Return the first digits of a hash that has this foreign number; empty if it was not made of a hash."""
    return f"{(-1 - number) << 2:0{_DIGITS}x}" if -_MOST <= number < 0 else ""


def with_local_numbers(library: Library, session: Session, documents: tuple[CitedDocument, ...]) -> Session:
    """Return a session of another library with the numbers of this one; blocking."""
    session = _with_visible_names(session)
    # Documents without a known hash must not be confused with documents of this library either.
    numbers = {number: -1 - _MOST - abs(number) % _MOST for number in _documents_of(session) if number != _OUTSIDE}
    numbers |= {document.number: known for document in documents if (known := foreign_number(document.sha256))}
    here = {document.sha256: document.id for document in reversed(library.documents.list())}
    found = {document.number: here[document.sha256] for document in documents if document.sha256 in here}
    found = _match_by_quotes(library, session) | found
    return _renumbered(_Renumbering(library, numbers | found, session, unknown=lambda number: -abs(number)), session)


def with_added_documents(library: Library, session: Session) -> Session:
    """Return a session with the numbers of foreign documents that have been added to the library; blocking."""
    if not _has_foreign(session):
        return session
    foreign = {number for number in _documents_of(session) if number < 0}
    here = _by_foreign_number(library)
    cited = _cited(session)
    # Another document could have the same 30 bits.
    found = {
        number: here[number].id
        for number in foreign
        if number in here and _is_meant(library, here[number], cited.get(number, []))
    }
    return _renumbered(_Renumbering(library, found, session, unknown=int), session) if found else session


def _with_visible_names(session: Session) -> Session:
    """Return a session without invisible characters in document names; an import of documents removes them too."""

    def change(value: Any) -> Any:
        if isinstance(value, Citation | Hit) and (name := visible_name(value.document_name)) != value.document_name:
            return dataclasses.replace(value, document_name=name)
        return value

    visible: Session = rewritten(session, change)
    return visible


def _has_foreign(session: Session) -> bool:
    """Return whether a session has foreign documents, without a visit to all of its up to a million values."""
    cited = (citation.document or 0 for run in session.runs for citation in run.citations)
    found = (numbered.hit.chunk.document for run in session.runs for one in run.references for numbered in one.hits)
    return any(number < 0 for number in cited) or any(number < 0 for number in found)


def _documents_of(session: Session) -> set[int]:
    """Return the numbers of all documents that occur in a session."""
    found: set[int] = set()

    def note(value: Any) -> Any:
        if isinstance(value, Chunk | Citation | Support) and value.document is not None:
            found.add(value.document)
        return value

    rewritten(session, note)
    return found


def _by_foreign_number(library: Library) -> dict[int, Document]:
    # If two knowledge bases have the same bytes, the document that was added first is used.
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


def _match_by_quotes(library: Library, session: Session) -> dict[int, int]:
    """Return the documents that have the name of a cited one and the quotes at the cited offsets, by foreign number.

    A JSON export does not contain the hashes of documents.
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
    """Function that replaces the numbers of documents and chunks in any value."""

    def __init__(
        self, library: Library, documents: dict[int, int], session: Session, *, unknown: Callable[[int], int]
    ) -> None:
        self._documents = documents
        self._unknown = unknown
        self._chunks: dict[int, int] = {}
        self._match(library, session)

    def _match(self, library: Library, session: Session) -> None:
        """Map chunks by their offsets, which are equal if the other library chunked the document in the same way."""
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
    """Return the session with the new numbers."""
    changed: Session = rewritten(session, renumbering)
    return changed

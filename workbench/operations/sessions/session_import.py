"""Import of a session from a bundle or JSON: checked, stored, its documents mapped, its original files kept.

A document is known by the hash of its bytes. One that is here is cited by its number here; one that is not gets a
number below zero, made of its hash: no document of a library has such a one, so that the passage kept with the answer
is shown in its place (imported_page_images.py: its page, too). Once the document is added, the session leads to it.
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
from workbench.export.bundle_reader import BundleContents, KeptPicture, UnpackedOriginal, unpack
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
from workbench.operations.documents.documents import add_documents
from workbench.operations.imports.temp_files import staging_folder
from workbench.operations.library.library import Library
from workbench.operations.sessions.atomic_write import whole
from workbench.operations.sessions.imported_page_images import ORIGINALS, keep_page
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
    """Take in a session from a bundle or a JSON export, as a new one.

    Args:
        library: The library.
        path: The file.
        documents: A folder to which documents that the bundle holds are written, and from which they are added to the
            library; None leaves them in the bundle.
        keep_originals: Keep the documents that it holds and the library does not, so that add_kept_originals can add
            them later.
        user: Whose it is to be; None means the one that the library was opened for.

    Raises:
        ExportError: The file is neither, or it is damaged, changed or too large.
    """

    async def operation(context: JobContext) -> ImportedSession:
        context.emit(ExportProgress(0, 2, mark(f"Checking “{path.name}”")))
        # In the library's own folder: what is kept of it is moved to its place whole.
        with staging_folder(library) as folder:
            unpacked = await _unpacked(library, path, folder, with_originals=keep_originals or documents is not None)
            context.emit(ExportProgress(1, 2, mark(f"Taking in “{path.name}”")))
            if documents is not None and unpacked.originals:
                files = [one.file for one in unpacked.originals]
                written = await library.on_store(_write_originals, library, files, documents)
                await add_documents(library, written)(context)
            return await finish_despite_cancel(
                library.on_store(_put, library, unpacked, path if keep_originals else None, user)
            )

    return operation


async def _unpacked(library: Library, path: Path, folder: Path, *, with_originals: bool) -> BundleContents:
    rights = Confinement(writes=(folder,), largest=None)
    pool = ProcessPool(1, preload=("workbench.export.bundle_reader",), confined=lambda: rights)
    try:
        unpacking = partial(unpack, path, folder, with_originals=with_originals)
        return await pool.run(unpacking, seconds=SECONDS, megabytes=MEGABYTES)
    except ProcessFailure as error:
        reason = mark("it is damaged, or far too large")
        raise ExportError(f"“{path.name}” cannot be read: {reason}.", "Have it exported again.") from error
    finally:
        await finish_despite_cancel(library.on_store(pool.close))


def _write_originals(library: Library, files: Sequence[Path], folder: Path) -> list[Path]:
    """Copy files into a folder; none that is there is replaced, the same one is not written twice."""
    written = []
    for file in files:
        target = folder / file.name
        if not (target.is_file() and filecmp.cmp(file, target, shallow=False)):
            taken = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
            target = folder / number_file_names([*taken, file.name])[-1]
            with whole(target, library.unfinished) as partial_file:
                shutil.copyfile(file, partial_file)
        written.append(target)
    return written


def _put(library: Library, unpacked: BundleContents, keeps_from: Path | None, user: str | None) -> ImportedSession:
    runs: list[Run] = [read_answer(run) for run in unpacked.runs]
    session = arrived(library, Session(unpacked.info, tuple(runs)), unpacked.documents)
    info = StoredSessionIntake(library.database, library.whose(user)).put(session)
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
            keep_page(library.folder, session, number, place, picture.file)


logger = logging.getLogger(__name__)
_SOURCE = "source"
"""A file beside the others that says where the bundle lay out of which they are."""
_HERE = (FileOutcome.READY, FileOutcome.UNCHANGED)


def kept_original(library: Library, document: int) -> Operation[KeptOriginal | None]:
    """Return the file that came with an imported session for a document that is not here; None where none did."""

    async def operation(_context: JobContext) -> KeptOriginal | None:
        return await library.on_store(_described, library, document)

    return operation


def add_kept_originals(
    library: Library, documents: Sequence[int], *, knowledge_base: str = "default"
) -> Operation[list[FileFinished]]:
    """Add documents whose files came with imported sessions; sessions that are opened from then on lead to them.

    Emits what add_documents does. A file stays kept until the document is here whole.

    Args:
        library: The library.
        documents: Their numbers in the sessions, below zero; those of which no file was kept are left out.
        knowledge_base: Where they go; made if there is none of that name.
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
    """Keep the files of documents that are not here, moved from where they were unpacked; blocking.

    Returns:
        The numbers by which the session knows their documents.
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
            # The session is here, with its passages and pages; only this button will be missing.
            logger.info("the file of %s could not be kept: %s", original.file.name, error)
            delete_folder(folder, within=library.folder)
            continue
        kept.append(number)
    return kept


def _described(library: Library, document: int) -> KeptOriginal | None:
    file = _file_of(library, document)
    return None if file is None else KeptOriginal(document, file.name, file.stat().st_size)


def _file_of(library: Library, document: int) -> Path | None:
    if document >= 0:
        return None
    files = sorted((library.folder / ORIGINALS).glob(f"*/{-document}/*"))
    return files[0] if files else None


def _settle(library: Library, context: JobContext, document: int, file: Path) -> None:
    """Let a document that is here say which bundle it is out of; its file is no longer needed."""
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

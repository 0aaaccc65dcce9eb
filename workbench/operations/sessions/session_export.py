"""Export of sessions to files: the job with its child process and page images, and the cited documents."""

import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import workbench
from workbench.errors import ExportError, FileIsThere, NotFound, WorkbenchError
from workbench.export.base import ExportContext, Exporter, no_page
from workbench.export.escaping import number_file_names, safe_file_name
from workbench.export.format_registry import PackedSession, PictureFolder, exporter_for, write_file
from workbench.export.session_parts import inventory
from workbench.language import mark
from workbench.model.document import Document, PageKind
from workbench.model.hit import Citation
from workbench.model.session import CitedDocument, ExportProgress, Inventory, Part, Parts, PartSize, Session
from workbench.operations.documents.page_images import draw_page
from workbench.operations.library.library import Library
from workbench.operations.sessions.atomic_write import atomic_file
from workbench.operations.sessions.imported_page_images import KEPT_SCALE
from workbench.operations.sessions.session_import import known_digits, with_added_documents
from workbench.operations.shared.originals import original_of
from workbench.worker.confinement import Confinement
from workbench.worker.job import JobContext, Operation, finish_despite_cancel
from workbench.worker.processes import ProcessFailure, ProcessPool

ARCHIVE = ".zip"


def export_session(
    library: Library, session: int, format: str, path: Path, *, parts: Parts | None = None, replace: bool = True
) -> Operation[Path]:
    """Write a session to a file and return its path; an existing file is replaced atomically.

    Args:
        library: The library.
        session: Its number.
        format: The name of an exporter: "md", "html", "pdf", "docx", "json", "kwbundle".
        path: The file.
        parts: Parts in addition to questions, answers and passages; None for the default of the format.
        replace: Whether an existing file may be replaced.

    Raises:
        NotFound: No session has that number.
        FileIsThere: The file exists and may not be replaced.
        ExportError: Unknown format, or the file cannot be written.
    """

    async def operation(context: JobContext) -> Path:
        async with ExportJob(library, context, format, parts, 1) as job:
            kept = await job.session(session)
            await library.on_store(_refuse_existing, [path], replace)
            await job.write(kept, path)
        return path

    return operation


def export_sessions(
    library: Library,
    sessions: Sequence[int],
    format: str,
    target: Path,
    *,
    parts: Parts | None = None,
    replace: bool = False,
) -> Operation[tuple[Path, ...]]:
    """Write sessions to a folder, one file each named by its title, or to a ZIP archive if target ends in .zip.

    Raises:
        NotFound: No session has one of the numbers.
        FileIsThere: One of the files exists and may not be replaced; nothing is written then.
        ExportError: Unknown format, or a file cannot be written.
    """

    async def operation(context: JobContext) -> tuple[Path, ...]:
        async with ExportJob(library, context, format, parts, len(sessions)) as job:
            titles = [(await job.session(number)).info.title for number in sessions]
            names = number_file_names([safe_file_name(title, job.suffix) for title in titles])
            is_archive = target.suffix.lower() == ARCHIVE
            folder = job.folder / "files" if is_archive else target
            paths = [folder / name for name in names]
            await library.on_store(_refuse_existing, [target] if is_archive else paths, replace)
            for number, path in zip(sessions, paths, strict=True):
                await job.write(await job.session(number), path)
            if not is_archive:
                return tuple(paths)
            await library.on_store(_archive, library, paths, target)
        return (target,)

    return operation


def export_inventory(library: Library, sessions: Sequence[int]) -> Operation[Inventory]:
    """Return the amount of each optional part of an export of these sessions.

    Raises:
        NotFound: No session has one of the numbers.
    """

    async def operation(_context: JobContext) -> Inventory:
        kept = [await library.on_store(library.sessions.get, number) for number in sessions]
        originals = await library.on_store(originals_size, library, kept)
        return await library.on_store(inventory, kept, originals)

    return operation


def _refuse_existing(paths: Sequence[Path], replace: bool) -> None:
    existing = [] if replace else [path.name for path in paths if path.exists()]
    if existing:
        raise FileIsThere(
            f"“{existing[0]}” already exists."
            if len(existing) == 1
            else f"“{existing[0]}” and {len(existing) - 1} more already exist.",
            "Allow it to be replaced, or choose another place.",
        )


def _archive(library: Library, paths: Sequence[Path], target: Path) -> None:
    if not paths:
        raise ExportError("There is no session to export.", "Choose at least one.")
    with (
        atomic_file(target, library.unfinished) as partial,
        zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for path in paths:
            archive.write(path, path.name)


SCALE = KEPT_SCALE
"""Pixels per point of exported page images: readable on a screen at about 150 KB a page."""
SECONDS = 600
MEGABYTES = 2048
_STEPS = 100
"""Number of progress steps for one session."""
_DRAWN = 80


class ExportJob:
    """Export of sessions one after the other; an async context manager that owns a child process and a folder."""

    def __init__(self, library: Library, context: JobContext, format: str, parts: Parts | None, total: int) -> None:
        """Create the job; raise ExportError if the format is unknown."""
        self._library = library
        self._context = context
        self._exporter: Exporter = exporter_for(format)
        self._parts = (self._exporter.usual if parts is None else parts) & self._exporter.offered
        self._total = total
        self._done = 0
        self._targets: set[Path] = set()
        self._exported = datetime.now(UTC).isoformat(timespec="seconds")

    async def __aenter__(self) -> "ExportJob":
        self._folder_context = self._library.unfinished.folder()
        self._folder = await self._library.on_store(self._folder_context.__enter__)
        self._pool = ProcessPool(1, preload=("workbench.export.format_registry",), confined=self._rights)
        return self

    async def __aexit__(self, *_error: object) -> None:
        await finish_despite_cancel(self._library.on_store(self._clear))

    @property
    def folder(self) -> Path:
        """Temporary folder of the export."""
        return self._folder

    @property
    def suffix(self) -> str:
        """Suffix of the exported files."""
        return self._exporter.suffix

    async def session(self, number: int) -> Session:
        """Return a session with all its parts, its document numbers updated."""
        return await self._library.on_store(self._session, number)

    async def write(self, session: Session, path: Path) -> None:
        """Write a session to a file; on failure or cancellation no partial file is left.

        Raises:
            ExportError: The file cannot be written.
        """
        pictures = PictureFolder(self._folder)
        if Part.PAGES in self._parts:
            await self._draw(session, pictures)
        self._report(_DRAWN, mark(f"Writing “{path.name}”"))
        context = await self._library.on_store(self._context_of, session, pictures)
        packed = await self._library.on_store(PackedSession.of, session)
        # Absolute: the child may have been started in another working folder.
        with atomic_file(path.absolute(), self._library.unfinished) as partial:
            if partial.parent not in self._targets:
                self._targets.add(partial.parent)
                await self._library.on_store(self._pool.rest)  # a child keeps the rights with which it was started
            try:
                await self._pool.run(
                    write_file,
                    packed,
                    self._exporter.format,
                    self._parts,
                    context,
                    partial,
                    seconds=SECONDS,
                    megabytes=MEGABYTES,
                )
            except ProcessFailure as error:
                raise ExportError(
                    f"“{path.name}” could not be made: it took too long, or too much memory.",
                    "Leave something out, or export as Markdown.",
                ) from error
        self._done += 1
        self._report(0, mark(f"Written: “{path.name}”"))

    async def _draw(self, session: Session, pictures: PictureFolder) -> None:
        """Draw each cited passage once; a deleted document has no image, only its quote."""
        wanted = {pictures.file(citation): citation for run in session.runs for citation in run.citations}
        waiting = [(file, citation) for file, citation in wanted.items() if _has_page(citation)]
        for count, (file, citation) in enumerate(waiting):
            self._report(_DRAWN * count // len(waiting), mark(f"Drawing cited page {count + 1} of {len(waiting)}"))
            if citation.document is None or citation.page is None:
                continue
            try:
                drawn = await draw_page(
                    self._library,
                    citation.document,
                    citation.page,
                    scale=SCALE,
                    start=citation.start,
                    end=citation.end,
                )
            except WorkbenchError:
                continue
            await self._library.on_store(file.write_bytes, drawn.png)

    def _rights(self) -> Confinement:
        # The export reads cited files, which can be in any folder.
        return Confinement(reads=None, writes=(self._folder, *self._targets), largest=None)

    def _session(self, number: int) -> Session:
        return with_added_documents(self._library, self._library.sessions.get(number))

    def _context_of(self, session: Session, pictures: PictureFolder) -> ExportContext:
        context = ExportContext(
            version=workbench.__version__,
            exported=self._exported,
            library=self._library.folder.name,
            page_image=pictures if Part.PAGES in self._parts else no_page,
        )
        documents = cited_documents(self._library, session)
        originals = originals_of(self._library, documents) if Part.ORIGINALS in self._parts else ()
        return replace(context, documents=documents, originals=originals)

    def _report(self, steps: int, doing: str) -> None:
        self._context.emit(ExportProgress(self._done * _STEPS + steps, self._total * _STEPS, doing))

    def _clear(self) -> None:
        self._pool.close()
        self._folder_context.__exit__(None, None, None)


def _has_page(citation: Citation) -> bool:
    return citation.valid and citation.page_kind is PageKind.PAGE and None not in (citation.document, citation.page)


def cited_documents(library: Library, session: Session) -> tuple[CitedDocument, ...]:
    """Return every document that an answer cites or a search found; deleted ones with the data in the session."""
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
        _describe(library, number, name, is_cited=number in cited) for number, name in sorted((names | cited).items())
    )


def originals_of(library: Library, documents: Iterable[CitedDocument]) -> tuple[tuple[str, Path], ...]:
    """Return the (hash, file) pairs of the cited documents among these whose files still exist; blocking."""
    found = {}
    for document in documents:
        known = _document(library, document.number) if document.is_cited else None
        file = original_of(library, known) if known else None
        if file is not None:
            found[document.sha256] = file
    return tuple(found.items())


def originals_size(library: Library, sessions: Iterable[Session]) -> PartSize:
    """Return the number and total size of the files that would be exported with these sessions; blocking."""
    documents = {
        document.sha256: document
        for session in sessions
        for document in cited_documents(library, session)
        if document.is_cited
    }
    files = originals_of(library, documents.values())
    return PartSize(len(files), sum(documents[sha256].bytes for sha256, _file in files))


def _describe(library: Library, number: int, name: str, *, is_cited: bool) -> CitedDocument:
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

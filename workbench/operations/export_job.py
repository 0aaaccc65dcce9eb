"""One export under way: draws the cited pages, then has a child process write the file."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import workbench
from workbench.errors import ExportError, WorkbenchError
from workbench.export.base import ExportContext, Exporter, no_page
from workbench.export.registry import PackedSession, PictureFolder, exporter_for, write_file
from workbench.language import mark
from workbench.model.document import PageKind
from workbench.model.hit import Citation
from workbench.model.session import ExportProgress, Part, Parts, Session
from workbench.operations.cited_documents import cited_documents, originals_of
from workbench.operations.foreign_documents import settled
from workbench.operations.kept_pages import KEPT_SCALE
from workbench.operations.library import Library
from workbench.operations.pages import draw_page
from workbench.operations.whole_file import whole
from workbench.worker.confinement import Confinement
from workbench.worker.job import JobContext, finish_despite_cancel
from workbench.worker.processes import ProcessFailure, ProcessPool

SCALE = KEPT_SCALE
"""Pixels a point of exported page pictures: readable on a screen at about 150 KB a page."""
SECONDS = 600
MEGABYTES = 2048
_STEPS = 100
"""Into which the progress of one session is divided."""
_DRAWN = 80


class ExportJob:
    """Writes sessions one after the other; an async context manager, for it holds a child process and a folder."""

    def __init__(self, library: Library, context: JobContext, format: str, parts: Parts | None, total: int) -> None:
        """Raise ExportError where there is no such format."""
        self._library = library
        self._context = context
        self._exporter: Exporter = exporter_for(format)
        self._parts = (self._exporter.usual if parts is None else parts) & self._exporter.offered
        self._total = total
        self._done = 0
        self._targets: set[Path] = set()
        self._exported = datetime.now(UTC).isoformat(timespec="seconds")

    async def __aenter__(self) -> "ExportJob":
        self._lent = self._library.unfinished.folder()
        self._folder = await self._library.on_store(self._lent.__enter__)
        self._pool = ProcessPool(1, preload=("workbench.export.registry",), confined=self._rights)
        return self

    async def __aexit__(self, *_error: object) -> None:
        await finish_despite_cancel(self._library.on_store(self._clear))

    @property
    def folder(self) -> Path:
        """A folder for what is on the way."""
        return self._folder

    @property
    def suffix(self) -> str:
        """Of the files."""
        return self._exporter.suffix

    async def session(self, number: int) -> Session:
        """Return a session as it is exported, but whole."""
        return await self._library.on_store(self._session, number)

    async def write(self, session: Session, path: Path) -> None:
        """Write a session to a file; if that fails or is cancelled, nothing is left of it.

        Raises:
            ExportError: It cannot be written.
        """
        pictures = PictureFolder(self._folder)
        if Part.PAGES in self._parts:
            await self._draw(session, pictures)
        self._say(_DRAWN, mark(f"Writing “{path.name}”"))
        context = await self._library.on_store(self._context_of, session, pictures)
        packed = await self._library.on_store(PackedSession.of, session)
        with whole(path, self._library.unfinished) as partial:
            if partial.parent not in self._targets:
                self._targets.add(partial.parent)
                await self._library.on_store(self._pool.rest)  # a child's rights are those it was started with
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
        self._say(0, mark(f"Written: “{path.name}”"))

    async def _draw(self, session: Session, pictures: PictureFolder) -> None:
        """Draw each cited passage once; a document that is gone has no picture, its quote stays."""
        wanted = {pictures.file(citation): citation for run in session.runs for citation in run.citations}
        waiting = [(file, citation) for file, citation in wanted.items() if _has_page(citation)]
        for count, (file, citation) in enumerate(waiting):
            self._say(_DRAWN * count // len(waiting), mark(f"Drawing cited page {count + 1} of {len(waiting)}"))
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
        # It reads what the session cites, from wherever that lies.
        return Confinement(reads=None, writes=(self._folder, *self._targets), largest=None)

    def _session(self, number: int) -> Session:
        return settled(self._library, self._library.sessions.get(number))

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

    def _say(self, steps: int, doing: str) -> None:
        self._context.emit(ExportProgress(self._done * _STEPS + steps, self._total * _STEPS, doing))

    def _clear(self) -> None:
        self._pool.close()
        self._lent.__exit__(None, None, None)


def _has_page(citation: Citation) -> bool:
    return citation.valid and citation.page_kind is PageKind.PAGE and None not in (citation.document, citation.page)

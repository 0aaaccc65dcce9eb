"""Session -> file."""

from datetime import UTC, datetime
from pathlib import Path

import workbench
from workbench.errors import WorkbenchError
from workbench.export.base import ExportContext
from workbench.export.registry import exporter_for
from workbench.model.hit import Citation
from workbench.model.place import PageKind
from workbench.model.session import Session
from workbench.operations.library import Library
from workbench.operations.pages import draw_page
from workbench.operations.whole_file import write_whole
from workbench.worker.job import JobContext, Operation

SCALE = 1.5
"""Pixels a point of exported page pictures: readable on a screen at about 150 KB a page."""


def export_session(library: Library, session: int, format: str, path: Path) -> Operation[Path]:
    """Write a session as "md", "html" or "json" and return the file's path; an existing file is replaced whole.

    Raises:
        NotFound: There is no such session.
        ExportError: Unknown format, or the file cannot be written.
    """

    async def operation(_context: JobContext) -> Path:
        exporter = exporter_for(format)
        kept = await library.on_store(library.sessions.get, session)
        pictures = await _pictures(library, kept) if exporter.format == "html" else {}
        context = ExportContext(
            version=workbench.__version__,
            exported=datetime.now(UTC).isoformat(timespec="seconds"),
            library=library.folder.name,
            page_image=lambda citation: pictures.get(_place(citation)),
        )
        await library.on_store(write_whole, path, exporter.render(kept, context))
        return path

    return operation


async def _pictures(library: Library, session: Session) -> dict[tuple[object, ...], bytes]:
    """Draw each cited passage once; a document that is gone has no picture, its quote stays."""
    pictures: dict[tuple[object, ...], bytes] = {}
    for citation in (citation for run in session.runs for citation in run.citations):
        if citation.page_kind is not PageKind.PAGE or _place(citation) in pictures:
            continue
        if not citation.valid or citation.document is None or citation.page is None:
            continue
        try:
            drawn = await draw_page(
                library, citation.document, citation.page, scale=SCALE, start=citation.start, end=citation.end
            )
        except WorkbenchError:
            continue
        pictures[_place(citation)] = drawn.png
    return pictures


def _place(citation: Citation) -> tuple[object, ...]:
    return citation.document, citation.page, citation.start, citation.end

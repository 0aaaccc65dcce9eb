"""Registry of exporters by format, the Word exporter, and export in a child process.

A child process is used because MuPDF holds the interpreter lock during layout, which would freeze the window.
"""

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from workbench.errors import ExportError
from workbench.export.base import PRINTED, READING, ExportContext, Exporter, LargeExporter
from workbench.export.bundle import BundleExporter
from workbench.export.html import HtmlExporter
from workbench.export.markdown import MarkdownExporter
from workbench.export.pdf import PdfExporter
from workbench.export.session_json import JsonExporter
from workbench.export.session_parts import trim_session
from workbench.language import language, mark, read_catalogue, speak
from workbench.model.hit import Citation
from workbench.model.run import Run
from workbench.model.session import Part, Parts, Session, SessionInfo
from workbench.plugins.registry import Registry


class DocxExporter:
    """Exporter of Word documents."""

    format: ClassVar[str] = "docx"
    suffix: ClassVar[str] = ".docx"
    title: ClassVar[str] = mark("Word document")
    description: ClassVar[str] = mark("For further editing, with each citation as a footnote.")
    offered: ClassVar[Parts] = READING | {Part.PAGES, Part.PROMPTS}
    usual: ClassVar[Parts] = PRINTED

    def render(self, session: Session, context: ExportContext) -> bytes:
        """Return the whole file; the same session and time give the same bytes."""
        # Imported here, because it takes 0.1 s and 15 MB and the window's process does not need it.
        from workbench.export.docx_body import DocxBody

        return DocxBody(context).finished(session)


EXPORTERS: Registry[Exporter] = Registry("workbench.exporters")
"""All exporters; other packages register theirs by the entry point group of that name."""

for _exporter in (MarkdownExporter, HtmlExporter, PdfExporter, DocxExporter, JsonExporter, BundleExporter):
    EXPORTERS.register(_exporter.format, _exporter)


def formats() -> tuple[str, ...]:
    """Return the names of all formats."""
    return EXPORTERS.names()


def exporter_for(format: str) -> Exporter:
    """Return the exporter of a format; name is case-insensitive.

    Raises:
        ExportError: There is no such format.
    """
    name = format.strip().lower().removeprefix(".")
    if name not in formats():
        raise ExportError(f"Sessions cannot be exported as “{format}”.", f"Choose one of: {', '.join(formats())}.")
    return EXPORTERS.get(name)


@dataclass(frozen=True, slots=True)
class PackedSession:
    """Session with separately pickled runs: pickling a whole long session would block the window for 0.3 s.

    Attributes:
        language: Language of the file's own words, which a child process does not inherit.
    """

    info: SessionInfo
    runs: tuple[bytes, ...]
    language: str = "en"

    @classmethod
    def of(cls, session: Session) -> "PackedSession":
        """Return the packed form of a session."""
        return cls(session.info, tuple(pickle.dumps(run) for run in session.runs), language())

    def unpacked(self) -> Session:
        """Return the unpickled session."""
        runs: list[Run] = [pickle.loads(run) for run in self.runs]
        return Session(self.info, tuple(runs))


@dataclass(frozen=True, slots=True)
class PictureFolder:
    """PageImage that reads pictures drawn beforehand from a folder; see page_image of ExportContext."""

    folder: Path

    def __call__(self, citation: Citation) -> bytes | None:
        """Return the picture of a citation's page, None if there is no file."""
        file = self.file(citation)
        return file.read_bytes() if file.is_file() else None

    def file(self, citation: Citation) -> Path:
        """Return the path of the picture of a citation's page."""
        return self.folder / f"{citation.document}-{citation.page}-{citation.start}-{citation.end}.png"


def write_file(packed: PackedSession, format: str, parts: Parts, context: ExportContext, path: Path) -> None:
    """Write the selected parts of a session to a file.

    Raises:
        ExportError: The session cannot be written in this format.
        OSError: The file cannot be written.
    """
    if packed.language != language():
        speak(None if packed.language == "en" else read_catalogue(packed.language))
    exporter = exporter_for(format)
    session = trim_session(packed.unpacked(), parts)
    with path.open("wb") as file:
        if isinstance(exporter, LargeExporter):
            exporter.write(session, context, file)
        else:
            file.write(exporter.render(session, context))

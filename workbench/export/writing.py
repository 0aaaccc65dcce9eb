"""A session, packed for the way, -> a file: what the child process does that makes an export.

In a child, for MuPDF holds the interpreter's lock while it lays out a page, and the window would stand still for it.
"""

import pickle
from dataclasses import dataclass
from pathlib import Path

from workbench.export.base import ExportContext, LargeExporter
from workbench.export.registry import exporter_for
from workbench.export.trimming import trimmed
from workbench.language import language, read_catalogue, speak
from workbench.model.export import Parts
from workbench.model.hit import Citation
from workbench.model.run import Run
from workbench.model.session import Session, SessionInfo


@dataclass(frozen=True, slots=True)
class PackedSession:
    """A session whose runs are pickled one by one: the whole of a long one would hold up the window for 0.3 s.

    Attributes:
        language: In which the file's own words are written; a child process knows of none.
    """

    info: SessionInfo
    runs: tuple[bytes, ...]
    language: str = "en"

    @classmethod
    def of(cls, session: Session) -> "PackedSession":
        """Return a session, packed."""
        return cls(session.info, tuple(pickle.dumps(run) for run in session.runs), language())

    def unpacked(self) -> Session:
        """Return the session."""
        runs: list[Run] = [pickle.loads(run) for run in self.runs]
        return Session(self.info, tuple(runs))


@dataclass(frozen=True, slots=True)
class PictureFolder:
    """Gives pictures of cited pages that were drawn before, from files; see page_image of ExportContext."""

    folder: Path

    def __call__(self, citation: Citation) -> bytes | None:
        """Return the picture of a citation's page."""
        file = self.file(citation)
        return file.read_bytes() if file.is_file() else None

    def file(self, citation: Citation) -> Path:
        """Return where the picture of a citation's page is kept."""
        return self.folder / f"{citation.document}-{citation.page}-{citation.start}-{citation.end}.png"


def write_file(packed: PackedSession, format: str, parts: Parts, context: ExportContext, path: Path) -> None:
    """Write a session to a file in a format, with those parts only.

    Raises:
        ExportError: It cannot be written in this format.
        OSError: The file cannot be written.
    """
    if packed.language != language():
        speak(None if packed.language == "en" else read_catalogue(packed.language))
    exporter = exporter_for(format)
    session = trimmed(packed.unpacked(), parts)
    with path.open("wb") as file:
        if isinstance(exporter, LargeExporter):
            exporter.write(session, context, file)
        else:
            file.write(exporter.render(session, context))

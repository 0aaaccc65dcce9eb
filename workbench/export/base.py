"""The exporter protocol, and what exporters share: pictures of cited pages, and the list of documents with hashes."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, ClassVar, Protocol, runtime_checkable

from workbench.errors import WorkbenchError
from workbench.language import mark, tr, trn
from workbench.model.hit import Citation
from workbench.model.session import CitedDocument, Part, Parts, Session

PageImage = Callable[[Citation], bytes | None]
"""Gives a PNG of the cited page with the passage marked, or None where there is no page to show."""

READING = frozenset({Part.STEPS, Part.TOOLS, Part.REASONING, Part.SEARCHES})
"""What formats that people read hold unless something else is chosen."""


def no_page(_citation: Citation) -> bytes | None:
    """Draw no page at all."""
    return None


@dataclass(frozen=True, slots=True)
class ExportContext:
    """What an exporter needs besides the session: who exports, when, and how to draw a cited page.

    Attributes:
        documents: The documents to which the session refers, where the format keeps them.
        originals: Their files by sha256, where those are wanted.
    """

    version: str
    exported: str
    library: str
    page_image: PageImage
    documents: tuple[CitedDocument, ...] = ()
    originals: tuple[tuple[str, Path], ...] = ()


class Exporter(Protocol):
    """Writes a session in one format.

    Attributes:
        format: Its name, which is the suffix without the dot.
        title: Its name for people, marked for translation as the description.
        description: What it is good for, one sentence.
        offered: The parts that it can hold.
        usual: Those of them that it holds unless something else is chosen.
    """

    format: ClassVar[str]
    suffix: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    offered: ClassVar[Parts]
    usual: ClassVar[Parts]

    def render(self, session: Session, context: ExportContext) -> bytes:
        """Return the whole file.

        Raises:
            ExportError: The session cannot be written in this format.
        """
        ...


@runtime_checkable
class LargeExporter(Protocol):
    """An exporter whose files may be too large for the memory."""

    def write(self, session: Session, context: ExportContext, file: BinaryIO) -> None:
        """Write the whole file piece by piece.

        Raises:
            ExportError: The session cannot be written in this format.
        """
        ...


logger = logging.getLogger(__name__)
_PNG = b"\x89PNG\r\n\x1a\n"


def drawn(draw: PageImage, citation: Citation) -> bytes | None:
    """Return the PNG of a cited page with the passage marked, None where there is none."""
    try:
        png = draw(citation)
    except WorkbenchError as error:
        # The document may be gone by now; the quote is kept, so the export goes on without the picture.
        logger.info("no image of page %s of %s: %s", citation.page, citation.document_name, error)
        return None
    return png if png and png.startswith(_PNG) else None


TITLE = mark("Documents cited")


def document_list(context: ExportContext) -> list[tuple[str, str]]:
    """Return name and description of each cited document; nothing of it is escaped yet."""
    cited = (document for document in context.documents if document.is_cited)
    return [(document.name, _about(document.pages, document.bytes, document.sha256)) for document in cited]


def _about(pages: int, size: int, sha256: str) -> str:
    if not size:
        return tr("not in the library any more")
    counted = [trn("{n} page", "{n} pages", pages)] if pages else []
    return " · ".join([*counted, tr("{n:,} bytes", n=size), tr("sha256 of the file {sha256}", sha256=sha256)])

"""Exporter protocol, and helpers shared by exporters: page images, list of cited documents."""

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
"""Callable that returns a PNG of the cited page with the passage highlighted, or None if there is no page to show."""

READING = frozenset({Part.STEPS, Part.TOOLS, Part.REASONING, Part.SEARCHES})
"""Parts that show how an answer was made."""
PRINTED = frozenset({Part.PAGES})
"""Default parts of the formats that people read and print: how the answers were made is an appendix that is chosen."""


def no_page(_citation: Citation) -> bytes | None:
    """Return None: a PageImage that draws no page."""
    return None


@dataclass(frozen=True, slots=True)
class ExportContext:
    """Inputs of an exporter other than the session: program version, time, library and page images.

    Attributes:
        documents: The documents to which the session refers, if the format stores them.
        originals: Pairs of sha256 and file of the original documents, if they are to be included.
    """

    version: str
    exported: str
    library: str
    page_image: PageImage
    documents: tuple[CitedDocument, ...] = ()
    originals: tuple[tuple[str, Path], ...] = ()


class Exporter(Protocol):
    """Protocol of a writer of sessions in one format.

    Attributes:
        format: Name of the format, which is the suffix without the dot.
        title: Display name, marked for translation like the description.
        description: One sentence about the purpose of the format.
        offered: Parts of a session that the format can contain.
        usual: Parts that it contains by default.
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
    """Protocol of an exporter whose files may not fit in memory."""

    def write(self, session: Session, context: ExportContext, file: BinaryIO) -> None:
        """Write the file incrementally.

        Raises:
            ExportError: The session cannot be written in this format.
        """
        ...


logger = logging.getLogger(__name__)
_PNG = b"\x89PNG\r\n\x1a\n"


def drawn(draw: PageImage, citation: Citation) -> bytes | None:
    """Return the PNG of a cited page with the passage highlighted, None if there is none."""
    try:
        png = draw(citation)
    except WorkbenchError as error:
        # The document may have been deleted. The quote is stored, so the export continues without the picture.
        logger.info("no image of page %s of %s: %s", citation.page, citation.document_name, error)
        return None
    return png if png and png.startswith(_PNG) else None


TITLE = mark("Documents cited")


def document_list(context: ExportContext, *, is_technical: bool = True) -> list[tuple[str, str]]:
    """Return name and description of each cited document, not yet escaped; is_technical adds size and hash."""
    cited = (document for document in context.documents if document.is_cited)
    return [(document.name, _describe_document(document, is_technical=is_technical)) for document in cited]


def _describe_document(document: CitedDocument, *, is_technical: bool) -> str:
    if not document.bytes:
        return tr("no longer in the library")
    parts = [trn("{n} page", "{n} pages", document.pages)] if document.pages else []
    if is_technical:
        parts.append(tr("{n:,} bytes", n=document.bytes))
        parts.append(tr("sha256 of the file {sha256}", sha256=document.sha256))
    return " · ".join(parts)

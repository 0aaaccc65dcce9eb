"""XPS, what Windows prints to instead of PDF: MuPDF makes a PDF of it, which is then read as any other."""

import dataclasses
from pathlib import Path
from typing import Any, ClassVar

from workbench.errors import DamagedDocument
from workbench.files.changes import temporary_folder
from workbench.model.document import ParsedDocument
from workbench.parsing.assembly import stem
from workbench.parsing.mupdf import mupdf
from workbench.parsing.ooxml import OfficePackage
from workbench.parsing.pdf_parser import PdfParser, open_pdf
from workbench.parsing.sniffing import sniff


class XpsParser:
    """Reads .xps and .oxps."""

    format: ClassVar[str] = "xps"
    suffixes: ClassVar[frozenset[str]] = frozenset({".xps", ".oxps"})
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:  # noqa: ARG002 - of the protocol
        """Return the document at path."""
        with temporary_folder("workbench-") as folder:
            printed = folder / "printed.pdf"
            printed.write_bytes(_as_pdf(path))
            document = PdfParser().parse(printed)
        said = OfficePackage.open(path, None).metadata(None, path)
        heading = document.metadata.title
        title = heading if said.title == stem(path) and heading != printed.stem else said.title
        return dataclasses.replace(document, format=self.format, metadata=dataclasses.replace(said, title=title))


def open_pages(path: Path, password: str | None) -> Any:
    """Open the pages of a PDF or an XPS document, to be drawn.

    Raises:
        EncryptedDocument: A password is needed, or the one given is wrong.
        DamagedDocument: It is neither, or too broken to be mended.
    """
    content = sniff(path)
    if content is not None and content.format == XpsParser.format:
        return mupdf().open(stream=_as_pdf(path), filetype="pdf")
    return open_pdf(path, password)


def _as_pdf(path: Path) -> bytes:
    try:
        document = mupdf().open(stream=path.read_bytes(), filetype="xps")
    except (RuntimeError, ValueError) as error:
        raise _damaged() from error
    try:
        return bytes(document.convert_to_pdf())
    except (RuntimeError, ValueError) as error:
        raise _damaged() from error
    finally:
        document.close()


def _damaged() -> DamagedDocument:
    return DamagedDocument("The XPS document is damaged.", "Open it in the XPS viewer and print it to a PDF.")

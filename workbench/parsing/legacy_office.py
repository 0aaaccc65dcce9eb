"""Parsers of Word and PowerPoint files before 2007, and of Excel's binary files, by conversion with LibreOffice."""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from workbench.errors import DamagedDocument, UnsupportedFormat
from workbench.files.changes import temporary_folder
from workbench.language import mark
from workbench.model.document import ParsedDocument
from workbench.parsing.assembly import stem
from workbench.parsing.base import Parser
from workbench.parsing.docx_parser import DocxParser
from workbench.parsing.formats import suffixes_of
from workbench.parsing.libreoffice import converted, find_libreoffice
from workbench.parsing.office_encryption import OLE_MAGIC, decrypted
from workbench.parsing.pptx_parser import PptxParser
from workbench.parsing.xlsx_parser import XlsxParser


class DocParser:
    """Parser of .doc files."""

    format: ClassVar[str] = "doc"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("doc")
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        return _read(path, password, "docx", mark("old Word"), DocxParser(), self.format)


class PptParser:
    """Parser of .ppt files."""

    format: ClassVar[str] = "ppt"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("ppt")
    version: ClassVar[int] = 2

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        return _read(path, password, "pptx", mark("old PowerPoint"), PptxParser(), self.format)


class XlsbParser:
    """Parser of .xlsb files; the only maintained library fails on real files."""

    format: ClassVar[str] = "xlsb"
    suffixes: ClassVar[frozenset[str]] = suffixes_of("xlsb")
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        return _read(path, password, "xlsx", mark("binary Excel"), XlsxParser(), self.format)


def _read(path: Path, password: str | None, suffix: str, kind: str, parser: Parser, format: str) -> ParsedDocument:
    """Return the document in the converted file, with the format of the original.

    Raises:
        UnsupportedFormat: LibreOffice is not installed.
        DocumentError: The converter or the parser of the new format failed.
    """
    old = path.suffix.lower().removeprefix(".") or format
    data = path.read_bytes()
    # Decrypt first: a file that needs a password should ask for it even if it cannot be converted here.
    plain = decrypted(data, password) if data.startswith(OLE_MAGIC) else data
    libreoffice = find_libreoffice()
    if libreoffice is None:
        raise UnsupportedFormat(
            f"Reading {kind} files (.{old}) needs LibreOffice, which is not installed.",
            f"Open it in {kind.rpartition(' ')[2]} and save as .{suffix}, or install LibreOffice.",
        )
    try:
        with _source(path, data, plain) as source, converted(libreoffice, source, suffix) as new:
            document = parser.parse(new)
    except DamagedDocument as error:
        if plain is data:
            raise
        # Not damaged: the password is correct, but LibreOffice cannot read a PowerPoint file decrypted by other
        # software.
        raise UnsupportedFormat(
            "The password fits, but LibreOffice cannot read the file without its protection.",
            f"Open it in {kind.rpartition(' ')[2]} and save it as .{suffix}.",
        ) from error
    title = document.metadata.title
    metadata = dataclasses.replace(document.metadata, title=stem(path) if title == "source" else title)
    return dataclasses.replace(document, format=format, metadata=metadata)


@contextmanager
def _source(path: Path, data: bytes, plain: bytes) -> Iterator[Path]:
    """Yield the file itself, or a copy without encryption that is deleted at the end."""
    if plain is data:
        yield path
        return
    with temporary_folder("workbench-") as folder:
        copy = folder / f"plain{path.suffix.lower()}"
        copy.write_bytes(plain)
        yield copy

"""Word and PowerPoint files of the years before 2007: LibreOffice makes new ones of them, which are then read."""

import dataclasses
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from workbench.errors import UnsupportedFormat
from workbench.model.document import ParsedDocument
from workbench.parsing.assembly import stem
from workbench.parsing.base import Parser
from workbench.parsing.docx_parser import DocxParser
from workbench.parsing.libreoffice import converted, find_libreoffice
from workbench.parsing.office_encryption import OLE_MAGIC, decrypted
from workbench.parsing.pptx_parser import PptxParser


class DocParser:
    """Reads .doc."""

    format: ClassVar[str] = "doc"
    suffixes: ClassVar[frozenset[str]] = frozenset({".doc", ".dot"})
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        return _read(path, password, "docx", "Word", DocxParser())


class PptParser:
    """Reads .ppt."""

    format: ClassVar[str] = "ppt"
    suffixes: ClassVar[frozenset[str]] = frozenset({".ppt", ".pps", ".pot"})
    version: ClassVar[int] = 1

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path."""
        return _read(path, password, "pptx", "PowerPoint", PptxParser())


def _read(path: Path, password: str | None, suffix: str, program: str, parser: Parser) -> ParsedDocument:
    """Return the document that the converted file holds, under the name of the old one.

    Raises:
        UnsupportedFormat: LibreOffice is not installed.
        DocumentError: As the converter and the parser of the new format raise it.
    """
    old = path.suffix.lower().removeprefix(".") or suffix[:-1]
    data = path.read_bytes()
    # First: a file that needs a password shall ask for it whether or not it can be converted here.
    plain = decrypted(data, password) if data.startswith(OLE_MAGIC) else data
    libreoffice = find_libreoffice()
    if libreoffice is None:
        raise UnsupportedFormat(
            f"Reading old {program} files (.{old}) needs LibreOffice, which is not installed.",
            f"Open it in {program} and save as .{suffix}, or install LibreOffice.",
        )
    with _source(path, data, plain) as source, converted(libreoffice, source, suffix) as new:
        document = parser.parse(new)
    title = document.metadata.title
    metadata = dataclasses.replace(document.metadata, title=stem(path) if title == "source" else title)
    return dataclasses.replace(document, format=old_format(suffix), metadata=metadata)


def old_format(suffix: str) -> str:
    """Return the short name of the format before this one."""
    return suffix.removesuffix("x")


@contextmanager
def _source(path: Path, data: bytes, plain: bytes) -> Iterator[Path]:
    """Give the file itself, or a copy without its encryption that is deleted at the end."""
    if plain is data:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="workbench-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder, f"plain{path.suffix.lower()}")
        copy.write_bytes(plain)
        yield copy

"""Which parser takes a file: by the ending of its name, and by its first bytes where these say otherwise."""

import re
from functools import cache
from pathlib import Path

from workbench.errors import DamagedDocument, UnreadableFile, UnsupportedFormat
from workbench.parsing.base import Parser
from workbench.parsing.html_parser import HtmlParser
from workbench.parsing.markdown_parser import MarkdownParser
from workbench.parsing.pdf_parser import PdfParser
from workbench.parsing.text_parser import TextParser
from workbench.plugins.registry import Registry

PARSERS: Registry[Parser] = Registry("workbench.parsers")
"""Every parser; other packages add theirs by the entry point group of that name."""

for _parser in (PdfParser, MarkdownParser, TextParser, HtmlParser):
    PARSERS.register(_parser.format, _parser)

_HEAD = 2048
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_BINARY = (
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\xd0\xcf\x11\xe0", "an old office document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"\x1f\x8b", "a compressed file"),
    (b"{\\rtf", "a rich text document"),
)


def supported_suffixes() -> frozenset[str]:
    """Return every file name ending that is taken, lower case, with the dot."""
    return frozenset(_by_suffix())


def parser_for(path: Path) -> Parser:
    """Return the parser for a file.

    Raises:
        UnsupportedFormat: There is none; the hint lists what is taken.
        DamagedDocument: The name promises a format that the content is not.
        UnreadableFile: The file cannot be opened.
    """
    named = parser_named(path)
    if path.suffix and named is None:
        raise _unsupported(f"Files ending in “{path.suffix.lower()}” cannot be read yet.")
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise UnreadableFile(f"The file cannot be opened: {error.strerror}.", "Check its permissions.") from error
    if b"%PDF-" in head[:1024] and (named is None or named.format != "text" or head.lstrip().startswith(b"%PDF-")):
        return PARSERS.get("pdf")
    for magic, what in _BINARY:
        if head.startswith(magic):
            if named is None:
                raise _unsupported(f"The file is {what}.")
            raise DamagedDocument(
                f"The file is named “{path.suffix}” but is {what}.", "Give it its right name, or save it again."
            )
    if (named is None or named.format == "pdf") and _HTML.match(head):
        return PARSERS.get("html")
    return named or PARSERS.get("text")


def parser_named(path: Path) -> Parser | None:
    """Return the parser that the ending of a file's name asks for."""
    return _by_suffix().get(path.suffix.lower())


@cache
def _by_suffix() -> dict[str, Parser]:
    return {suffix: parser for parser in PARSERS for suffix in parser.suffixes}


def _unsupported(message: str) -> UnsupportedFormat:
    return UnsupportedFormat(message, f"Files ending in {', '.join(sorted(_by_suffix()))} can be added.")

"""The parser protocol: the bytes of a file in, a ParsedDocument out."""

from pathlib import Path
from typing import ClassVar, Protocol

from workbench.errors import DamagedDocument, NotFound
from workbench.language import mark
from workbench.model.document import ParsedDocument


class Parser(Protocol):
    """Turns one format into text with structure; runs in a child process, so it may crash or hang.

    Attributes:
        format: Short name of the format, as in ParsedDocument.format.
        suffixes: File name endings it takes, lower case, with the dot.
        version: Raised whenever its output changes, so that a library can offer to re-index.
    """

    format: ClassVar[str]
    suffixes: ClassVar[frozenset[str]]
    version: ClassVar[int]

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path.

        Args:
            path: An existing file.
            password: For an encrypted file; the blank password is tried first in any case.

        Raises:
            DocumentError: The file cannot be read, with a sentence fit to be shown.
        """
        ...


def too_deep() -> DamagedDocument:
    """Return the error for a file that nests its parts so deep that reading it ran into Python's limit."""
    return DamagedDocument("The file nests its parts too deep to be read.", "It may have been made to break programs.")


def no_such_page(number: int, pages: int) -> NotFound:
    """Return the error for a page that a document of so many pages does not have."""
    hint = mark("It has 1 page.") if pages == 1 else mark(f"It has {pages:,} pages.")
    return NotFound(f"The document has no page {number}.", hint)

"""Protocol of parsers, which convert the bytes of a file into a ParsedDocument."""

from pathlib import Path
from typing import ClassVar, Protocol

from workbench.errors import DamagedDocument, NotFound
from workbench.language import mark
from workbench.model.document import ParsedDocument


class Parser(Protocol):
    """Converter of one format into structured text; it runs in a parser process, so it may crash or hang.

    Attributes:
        format: Short name of the format, as in ParsedDocument.format.
        suffixes: File name suffixes that it handles, lower case, with the dot.
        version: Increased whenever its output changes, so that a library can offer to re-index.
    """

    format: ClassVar[str]
    suffixes: ClassVar[frozenset[str]]
    version: ClassVar[int]

    def parse(self, path: Path, *, password: str | None = None) -> ParsedDocument:
        """Return the document at path.

        Args:
            path: An existing file.
            password: Password of an encrypted file; an empty password is always tried first.

        Raises:
            DocumentError: The file cannot be read; the message is suitable for display.
        """
        ...


def too_deep() -> DamagedDocument:
    """Return the error for a file that is nested so deeply that parsing exceeded Python's recursion limit."""
    return DamagedDocument("The file nests its parts too deep to be read.", "It may have been made to break programs.")


def no_such_page(number: int, pages: int) -> NotFound:
    """Return the error for a page number that a document with this number of pages does not have."""
    hint = mark("It has 1 page.") if pages == 1 else mark(f"It has {pages:,} pages.")
    return NotFound(f"The document has no page {number}.", hint)

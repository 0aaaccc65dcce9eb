"""Reading a file that is text: bytes to characters, with a limit, and what there is to say of it."""

from dataclasses import dataclass
from pathlib import Path

from workbench.errors import DocumentTooLarge, EmptyDocument
from workbench.language import mark
from workbench.model.document import Block, Finding, FindingKind
from workbench.parsing.assembly import clean
from workbench.parsing.encoding import read_text

MOST_BYTES = 32 * 1024 * 1024
"""Read of one file: 16 novels of the length of War and Peace, about 30,000 chunks."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file's text.

    Attributes:
        text: Line feeds as its only line ends.
        findings: Of its encoding and its length.
    """

    text: str
    findings: tuple[Finding, ...]


def read_source(path: Path, *, whole: bool = False) -> SourceText:
    """Return the text of a file, up to MOST_BYTES.

    Args:
        path: The file.
        whole: Half of it would be no document: one that is longer is refused.

    Raises:
        DamagedDocument: The bytes are no text.
        DocumentTooLarge: The whole is wanted, and is longer.
    """
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) <= MOST_BYTES:
        return source_text(data)
    if whole:
        raise DocumentTooLarge(
            f"The file has {path.stat().st_size >> 20:,} MB; of its kind one of {MOST_BYTES >> 20} MB at most is read.",
            "Divide it into several files, or save its records as JSON Lines or CSV, which are read in parts.",
        )
    source = source_text(data[: data.rfind(b"\n", 0, MOST_BYTES) + 1 or MOST_BYTES])
    limit = mark(f"the first {MOST_BYTES >> 20} MB of {path.stat().st_size >> 20} MB were read")
    return SourceText(source.text, (*source.findings, Finding(FindingKind.TRUNCATED, detail=limit)))


def source_text(data: bytes) -> SourceText:
    """Return the text that bytes spell.

    Raises:
        DamagedDocument: They are no text.
    """
    decoded = read_text(data)
    return SourceText(clean(decoded.text), decoded.findings)


def require_text(blocks: tuple[Block, ...]) -> None:
    """Refuse a file without a visible character.

    Raises:
        EmptyDocument: There are no blocks.
    """
    if not blocks:
        raise EmptyDocument("The file holds no text.", "There is nothing in it to search.")

"""One file -> its text, its chunks and their words; runs in a reader process."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.chunking.structure import StructureChunker
from workbench.errors import DocumentError
from workbench.model.chunk import Chunk
from workbench.model.document import FindingKind, ParsedDocument, pages_with
from workbench.model.embedder import TokenCounter
from workbench.parsing.ocr_document import insert_ocr_pages, with_pages_kept
from workbench.parsing.ocr_page import ReadPage
from workbench.parsing.parse import parse_file
from workbench.parsing.pdf_parser import PdfParser
from workbench.parsing.pdf_quality import with_reason
from workbench.parsing.pdf_tables import Grid
from workbench.parsing.registry import parser_for
from workbench.settings import Settings
from workbench.store.segmentation import segment
from workbench.worker.partial_results import say


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document ready to be stored.

    Attributes:
        parsed: The document.
        chunks: Its chunks.
        words: Each chunk's words for the keyword index.
    """

    parsed: ParsedDocument
    chunks: list[Chunk]
    words: list[str]


@dataclass(frozen=True, slots=True)
class PartialReading:
    """How a long file is read.

    Attributes:
        skipped: Pages that are left out, 1-based.
        seconds: Processor time after which what was read so far is said as a Prepared (worker/interim.py); each
            further part takes twice as long as the one before. 0 for never.
    """

    skipped: frozenset[int] = frozenset()
    seconds: float = 0.0


WHOLE = PartialReading()


def prepare(
    path: Path, password: str | None, tokenizer: TokenCounter, settings: Settings, parts: PartialReading = WHOLE
) -> Prepared:
    """Parse and chunk a file; runs in a child process, and says meanwhile how far it is where the file has pages.

    Raises:
        DocumentError: The file cannot be read.
    """

    def say_part(parsed: ParsedDocument) -> None:
        parsed = dataclasses.replace(parsed, parser_version=PdfParser.version)
        say(_prepared(parsed, path.name, tokenizer, settings))

    pdf = PdfParser(skipped=parts.skipped, on_part=say_part if parts.seconds else None, part_seconds=parts.seconds)
    return _prepared(parse_file(path, password, {PdfParser.format: pdf}), path.name, tokenizer, settings)


TEXT_FORMATS = frozenset({"text", "markdown", "rst", "asciidoc", "subtitles", "csv", "json", "code"})
"""Formats that are read in Python alone. A file of another could take its reader over, which sees all files of a call.
"""


@dataclass(frozen=True, slots=True)
class NotTogether:
    """Said of a file that is not what its name says, but of a format that is read in a call of its own."""


Outcome = Prepared | DocumentError | NotTogether


def prepare_each(tokenizer: TokenCounter, settings: Settings, together: int, *paths: Path) -> None:
    """Parse and chunk small files of TEXT_FORMATS, and say (worker/interim.py) the Outcomes of each so many of them."""
    for start in range(0, len(paths), together):
        say([_outcome(path, tokenizer, settings) for path in paths[start : start + together]])


def _outcome(path: Path, tokenizer: TokenCounter, settings: Settings) -> Outcome:
    try:
        parser = parser_for(path)
        if parser.format not in TEXT_FORMATS:
            return NotTogether()
        return _prepared(parse_file(path, parser=parser), path.name, tokenizer, settings)
    except DocumentError as error:
        return error


def _prepared(parsed: ParsedDocument, name: str, tokenizer: TokenCounter, settings: Settings) -> Prepared:
    """Chunk a document that was parsed; runs in a child process."""
    chunker = StructureChunker(tokenizer, target_tokens=settings.chunk_tokens, overlap_sentences=settings.chunk_overlap)
    chunks = chunker.chunk(parsed, name) if parsed.blocks else []
    # Here, because there is one child for each core, and one thread that writes for all: 0.3 ms a page.
    return Prepared(parsed, chunks, [segment(chunk.text) for chunk in chunks])


def with_tables(
    path: Path,
    password: str | None,
    grids: Mapping[int, Sequence[Grid]],
    failure: str,
    older: ParsedDocument,
    tokenizer: TokenCounter,
    settings: Settings,
) -> Prepared:
    """Read a PDF again, with the tables that the layout model found; runs in a child process.

    Args:
        path: The file.
        password: For an encrypted one.
        grids: By page number, for each page that the model looked at.
        failure: Why it could not look at others, as a sentence.
        older: The document as it is stored, some of whose pages OCR may have read.
        tokenizer: Counts.
        settings: Those of the library.

    Raises:
        DocumentError: The file cannot be read any more.
    """
    skipped = pages_with(older.findings, FindingKind.SKIPPED)
    parsed = parse_file(path, password, {PdfParser.format: PdfParser(grids, skipped=skipped)})
    return _prepared(with_reason(with_pages_kept(parsed, older), failure), path.name, tokenizer, settings)


def placed(
    parsed: ParsedDocument,
    name: str,
    read: Sequence[ReadPage],
    failure: str,
    tokenizer: TokenCounter,
    settings: Settings,
) -> Prepared:
    """Put pages in their places and chunk the document of that name anew; runs in a child process."""
    return _prepared(insert_ocr_pages(parsed, read, failure), name, tokenizer, settings)

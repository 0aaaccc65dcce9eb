"""Preparation of one file, or of several small ones, in a parser process: text, chunks and word segmentation.

file -> parsing -> ParsedDocument -> chunking -> Chunks -> their words for the keyword index -> Prepared

A module of its own, because a parser process imports nothing else: the operations, with embedding and agent, would cost
each process 25 MB and 0.6 s.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.chunking.structure import StructureChunker
from workbench.errors import DocumentError
from workbench.model.chunk import Chunk
from workbench.model.document import FindingKind, PageFailure, ParsedDocument, pages_with
from workbench.model.embedder import TokenCounter
from workbench.parsing.formats import CATALOGUE
from workbench.parsing.libreoffice import allow_seconds
from workbench.parsing.ocr_document import insert_ocr_pages, with_pages_kept
from workbench.parsing.ocr_page import ReadPage
from workbench.parsing.parse import parse_file
from workbench.parsing.parser_registry import parser_for
from workbench.parsing.pdf_parser import PdfParser
from workbench.parsing.pdf_quality import with_reason
from workbench.parsing.pdf_tables import Grid
from workbench.settings import Settings
from workbench.store.segmentation import segment
from workbench.worker.child_messages import send_partial_result


@dataclass(frozen=True, slots=True)
class Prepared:
    """Document that is ready to be stored.

    Attributes:
        parsed: Parsed document.
        chunks: Its chunks.
        words: Words of each chunk for the keyword index.
        page_facts: Pages of a PDF. Of a part: for reading on after them (PartialReading); of the whole: for
            with_tables(), empty if its tables were read. See PdfParser.page_facts.
    """

    parsed: ParsedDocument
    chunks: list[Chunk]
    words: list[str]
    page_facts: bytes = b""


@dataclass(frozen=True, slots=True)
class PartialReading:
    """Options for reading a long file in parts.

    Attributes:
        skipped: Pages that are left out, 1-based.
        seconds: Processor time after which the part read so far is reported as a Prepared (worker/child_messages.py);
            each further part takes twice as long as the one before. 0 disables this.
        page_facts: Prepared.page_facts of the last part, after which reading goes on; empty to begin at the first page.
    """

    skipped: frozenset[int] = frozenset()
    seconds: float = 0.0
    page_facts: bytes = b""


WHOLE = PartialReading()


def prepare(
    path: Path, password: str | None, tokenizer: TokenCounter, settings: Settings, parts: PartialReading = WHOLE
) -> Prepared:
    """Parse and chunk a file; runs in a child process and reports progress if the file has pages.

    Raises:
        DocumentError: The file cannot be read.
    """
    # The settings have the time limit of this call, so that a request for more time also reaches LibreOffice.

    def say_part(parsed: ParsedDocument, page_facts: bytes) -> None:
        parsed = dataclasses.replace(parsed, parser_version=PdfParser.version)
        part = _prepare_parsed(parsed, path.name, tokenizer, settings)
        send_partial_result(dataclasses.replace(part, page_facts=page_facts))

    pdf = PdfParser(
        skipped=parts.skipped,
        page_facts=parts.page_facts,
        on_part=say_part if parts.seconds else None,
        part_seconds=parts.seconds,
    )
    with allow_seconds(settings.parser_seconds):
        parsed = parse_file(path, password, {PdfParser.format: pdf})
    prepared = _prepare_parsed(parsed, path.name, tokenizer, settings)
    return dataclasses.replace(prepared, page_facts=pdf.page_facts)


TEXT_FORMATS = frozenset(one.format for one in CATALOGUE if one.is_text)
"""Formats of which one call to a parser process reads several small files."""


@dataclass(frozen=True, slots=True)
class NotTogether:
    """Reported for a file whose format is not what its name suggests and must be parsed in a separate call."""


Outcome = Prepared | DocumentError | NotTogether


def prepare_each(tokenizer: TokenCounter, settings: Settings, together: int, *paths: Path) -> None:
    """Parse and chunk small files of TEXT_FORMATS, and report (worker/child_messages.py) their Outcomes in batches."""
    for start in range(0, len(paths), together):
        send_partial_result([_prepare_small(path, tokenizer, settings) for path in paths[start : start + together]])


def _prepare_small(path: Path, tokenizer: TokenCounter, settings: Settings) -> Outcome:
    try:
        parser = parser_for(path)
        if parser.format not in TEXT_FORMATS:
            return NotTogether()
        return _prepare_parsed(parse_file(path, parser=parser), path.name, tokenizer, settings)
    except DocumentError as error:
        return error


def _prepare_parsed(parsed: ParsedDocument, name: str, tokenizer: TokenCounter, settings: Settings) -> Prepared:
    """Chunk a parsed document; runs in a child process."""
    chunker = StructureChunker(tokenizer, target_tokens=settings.chunk_tokens, overlap_sentences=settings.chunk_overlap)
    chunks = chunker.chunk(parsed, name) if parsed.blocks else []
    # Done here because there is one child process per core, but only one writer thread: 0.3 ms per page.
    return Prepared(parsed, chunks, [segment(chunk.text) for chunk in chunks])


def with_tables(
    path: Path,
    password: str | None,
    grids: Mapping[int, Sequence[Grid]],
    failure: PageFailure,
    page_facts: bytes,
    older: ParsedDocument,
    tokenizer: TokenCounter,
    settings: Settings,
) -> Prepared:
    """Parse a PDF again with the tables that the layout model found; runs in a child process.

    Args:
        path: The file.
        password: Password of an encrypted file.
        grids: Page number -> tables, for each page that the model analysed.
        failure: Reason why it could not analyse other pages.
        page_facts: The pages as the first reading found them (Prepared.page_facts); empty to read them again.
        older: Stored document, some of whose pages OCR may have read.
        tokenizer: Counts tokens.
        settings: Settings of the library.

    Raises:
        DocumentError: The file can no longer be read.
    """
    skipped = pages_with(older.findings, FindingKind.SKIPPED)
    parsed = parse_file(path, password, {PdfParser.format: PdfParser(grids, skipped=skipped, page_facts=page_facts)})
    return _prepare_parsed(with_reason(with_pages_kept(parsed, older), failure), path.name, tokenizer, settings)


def chunk_with_ocr_pages(
    parsed: ParsedDocument,
    name: str,
    read: Sequence[ReadPage],
    failure: PageFailure,
    tokenizer: TokenCounter,
    settings: Settings,
) -> Prepared:
    """Insert pages read by OCR and chunk the document of that name again; runs in a child process."""
    return _prepare_parsed(insert_ocr_pages(parsed, read, failure), name, tokenizer, settings)

"""The ingestion doctor: what was found in a document and lost, and what can be done about it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from workbench.model.chunk import Chunk, text_in_context
from workbench.model.diagnosis import (
    Bar,
    Diagnosis,
    Gravity,
    Patient,
    Remedy,
    Symptom,
    gravest_first,
    page_words,
    symptoms_of,
)
from workbench.model.document import Block, BlockKind, Document, FindingKind, Page
from workbench.model.embedder import TokenCounter
from workbench.operations.library import Library
from workbench.parsing.registry import current_version
from workbench.worker.job import JobContext, Operation

_BARS = 16
_SPECIAL_TOKENS = 2
# Shorter ones are captions, addresses and table cells, which repeat in any document.
_SHORTEST_PARAGRAPH = 80
_REPLACEMENT = "\ufffd"


def diagnose(library: Library, document: int) -> Operation[Diagnosis]:
    """Return the check of a document: its text, pages and chunks are read, nothing is changed.

    Raises:
        NotFound: There is no such document.
    """

    async def operation(_context: JobContext) -> Diagnosis:
        found = await library.on_store(library.documents.get, document)
        # Its tokenizer counts; without one the rest of the check stands.
        embedder = await library.on_search(library.embedder_or_none)
        return await library.on_store(_diagnose, library, found, embedder.tokenizer if embedder else None)

    return operation


def diagnose_library(library: Library, knowledge_base: str | None = None) -> Operation[list[Patient]]:
    """Return the documents with a symptom that matters or that can be cured, the gravest first; reads rows only."""

    async def operation(_context: JobContext) -> list[Patient]:
        documents = await library.on_store(library.documents.list, knowledge_base)
        patients = [Patient(d, symptoms_of(d, newest_parser=current_version(d.format))) for d in documents]
        ill = [patient for patient in patients if any(map(_matters, patient.symptoms))]
        return sorted(ill, key=lambda patient: -patient.symptoms[0].gravity)

    return operation


def _matters(symptom: Symptom) -> bool:
    # Pictures could be read too, but nearly every document has some.
    return symptom.gravity is not Gravity.NOTE or symptom.remedy not in (None, Remedy.OCR)


def _diagnose(library: Library, document: Document, tokenizer: TokenCounter | None) -> Diagnosis:
    store = library.documents
    text = store.text(document.id)
    chunks = store.chunks(document.id)
    symptoms = [
        *symptoms_of(document, newest_parser=current_version(document.format)),
        *_of_pages(document, store.pages(document.id), text),
        *_of_text(document, text, store.blocks(document.id)),
    ]
    if tokenizer is None or not chunks:
        return Diagnosis(document, gravest_first(symptoms), _bars([chunk.tokens for chunk in chunks], 0))
    lengths = _lengths(document, chunks, tokenizer)
    beyond = [length - tokenizer.max_tokens for length in lengths if length > tokenizer.max_tokens]
    share = sum(beyond) / sum(lengths)
    if beyond:
        symptoms.append(_of_long_chunks(len(beyond), share, tokenizer.max_tokens))
    return Diagnosis(
        document,
        gravest_first(symptoms),
        _bars(lengths, tokenizer.max_tokens),
        tokenizer.max_tokens,
        len(beyond),
        share,
    )


def _of_long_chunks(number: int, share: float, window: int) -> Symptom:
    return Symptom(
        "1 chunk is longer than the embedding model sees at once"
        if number == 1
        else f"{number:,} chunks are longer than the embedding model sees at once",
        f"It sees {window} tokens; {max(share, 0.01):.0%} of the text lies beyond. Such chunks are embedded in parts,"
        " so that a single sentence in them is found less surely by meaning.",
        Gravity.WARNING,
    )


def _lengths(document: Document, chunks: Sequence[Chunk], tokenizer: TokenCounter) -> list[int]:
    """Return how many tokens the embedder is given for each chunk: the text, what stands in front, special tokens."""
    context = {
        headings: tokenizer.count(text_in_context(document.name, document.metadata.title, headings, ""))
        for headings in {chunk.headings for chunk in chunks}
    }
    return [chunk.tokens + context[chunk.headings] + _SPECIAL_TOKENS for chunk in chunks]


def _bars(lengths: Sequence[int], window: int) -> tuple[Bar, ...]:
    """Return the lengths as a histogram of at most 16 bars of a round width, from 0 to the longest or the window."""
    if not lengths:
        return ()
    highest = max(*lengths, window, 1)
    width = next(width for width in _widths() if width * _BARS >= highest)
    counts = Counter((length - 1) // width if length else 0 for length in lengths)
    return tuple(Bar(index * width + 1, (index + 1) * width, counts[index]) for index in range(-(-highest // width)))


def _widths() -> Iterable[int]:
    """Yield 1, 2, 4, 8, 16, 32...: a window of 256 tokens then ends with a bar."""
    width = 1
    while True:
        yield width
        width *= 2


def _of_pages(document: Document, pages: Sequence[Page], text: str) -> Iterable[Symptom]:
    known = {finding.kind for finding in document.findings}
    kind = document.page_kind
    if FindingKind.NO_TEXT not in known and document.chunks:
        blank = tuple(page.number for page in pages if not text[page.start : page.end].strip())
        if blank:
            cured = Remedy.OCR if document.format == "pdf" else None
            words = f"1 {kind.value}" if len(blank) == 1 else f"{len(blank):,} {kind.plural}"
            where = page_words(kind, blank)
            yield Symptom(f"{words} without text", f"{where.capitalize()}.", Gravity.WARNING, cured, blank)
    read = tuple(page.number for page in pages if page.ocr)
    if read and FindingKind.OCR not in known:
        words = f"1 {kind.value}" if len(read) == 1 else f"{len(read):,} {kind.plural}"
        yield Symptom(f"{words} read by OCR", f"{page_words(kind, read).capitalize()}.", pages=read)


def _of_text(document: Document, text: str, blocks: Sequence[Block]) -> Iterable[Symptom]:
    replaced = text.count(_REPLACEMENT)
    if replaced and all(finding.kind is not FindingKind.REPLACED for finding in document.findings):
        yield Symptom(
            "1 character could not be read" if replaced == 1 else f"{replaced:,} characters could not be read",
            "They stand as “�”.",
            Gravity.WARNING,
        )
    tables = sum(block.kind is BlockKind.TABLE for block in blocks)
    if tables and all(finding.kind is not FindingKind.TABLES for finding in document.findings):
        yield Symptom("1 table found" if tables == 1 else f"{tables:,} tables found", "Each is kept whole.")
    yield from _of_repetition(text, blocks)


def _of_repetition(text: str, blocks: Sequence[Block]) -> Iterable[Symptom]:
    paragraphs = sorted(
        paragraph
        for block in blocks
        if block.kind in (BlockKind.PARAGRAPH, BlockKind.LIST)
        and len(paragraph := " ".join(text[block.start : block.end].split())) >= _SHORTEST_PARAGRAPH
    )
    repeated = {paragraph: count for paragraph, group in groupby(paragraphs) if (count := sum(1 for _ in group)) > 1}
    if repeated:
        copies = sum(repeated.values()) - len(repeated)
        most = max(repeated, key=lambda paragraph: repeated[paragraph])
        yield Symptom(
            "1 paragraph stands in it more than once"
            if copies == 1
            else f"{copies:,} paragraphs stand in it more than once",
            f"Most often, {repeated[most]} times: “{most[:80]}…” A search shows equal passages once.",
        )

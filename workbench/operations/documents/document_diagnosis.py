"""Diagnosis of documents: symptoms found by the import, and remedies that read some pages again."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from workbench.errors import DocumentError, MissingFile
from workbench.model.chunk import Chunk, text_in_context
from workbench.model.diagnosis import (
    Bar,
    Diagnosis,
    Gravity,
    Patient,
    Remedy,
    Symptom,
    gravest_first,
    is_in_progress,
    page_words,
    symptoms_of,
)
from workbench.model.document import DRAWN_FORMATS, Block, BlockKind, Document, FindingKind, Page, pages_with
from workbench.model.embedder import TokenCounter
from workbench.operations.imports.embedding import Embedding
from workbench.operations.imports.page_reading import Readers, UnfinishedDocument, find_tables, pages_that_lost_tables
from workbench.operations.imports.second_pass import at_once, deepen
from workbench.operations.imports.source_files import find_original
from workbench.operations.library.library import Library
from workbench.operations.shared.federated_ids import require_personal
from workbench.parsing.parser_registry import current_version
from workbench.worker.job import JobContext, Operation, finish_despite_cancel

_BARS = 16
_SPECIAL_TOKENS = 2
# Shorter paragraphs are captions, addresses and table cells, which repeat in any document.
_SHORTEST_PARAGRAPH = 80
_REPLACEMENT = "\ufffd"


def diagnose(library: Library, document: int) -> Operation[Diagnosis]:
    """Check a document and return the diagnosis; it reads the text, pages and chunks, and changes nothing.

    Raises:
        NotFound: There is no such document.
    """

    async def operation(_context: JobContext) -> Diagnosis:
        found = await library.on_store(library.documents.get, document)
        # The embedder's tokenizer measures chunks; without an embedder only that part of the check is skipped.
        embedder = await library.on_search(library.models.embedder_or_none)
        return await library.on_store(_diagnose, library, found, embedder.tokenizer if embedder else None)

    return operation


def diagnose_library(library: Library, knowledge_base: str | None = None) -> Operation[list[Patient]]:
    """Return the documents with a serious or curable symptom, the gravest first; reads only rows, no text or chunks.

    Those that an import is working on are left out.
    """

    async def operation(_context: JobContext) -> list[Patient]:
        listed = await library.on_store(library.documents.list, knowledge_base)
        documents = [one for one in listed if not (is_in_progress(one) and one.id in library.active)]
        patients = [Patient(d, symptoms_of(d, newest_parser=current_version(d.format))) for d in documents]
        ill = [patient for patient in patients if any(map(_matters, patient.symptoms))]
        return sorted(ill, key=lambda patient: -patient.symptoms[0].gravity)

    return operation


def _matters(symptom: Symptom) -> bool:
    # OCR could also read pictures, but nearly every document has some.
    return symptom.gravity is not Gravity.NOTE or symptom.remedy not in (None, Remedy.OCR)


def _diagnose(library: Library, document: Document, tokenizer: TokenCounter | None) -> Diagnosis:
    store = library.documents
    text = store.text(document.id)
    chunks = store.chunks(document.id)
    symptoms = [
        *symptoms_of(document, newest_parser=current_version(document.format)),
        *_page_symptoms(document, store.pages(document.id), text),
        *_text_symptoms(document, text, store.blocks(document.id)),
    ]
    if tokenizer is None or not chunks:
        return Diagnosis(document, gravest_first(symptoms), _bars([chunk.tokens for chunk in chunks], 0))
    lengths = _lengths(document, chunks, tokenizer)
    beyond = [length - tokenizer.max_tokens for length in lengths if length > tokenizer.max_tokens]
    share = sum(beyond) / sum(lengths)
    if beyond:
        symptoms.append(_long_chunks_symptom(len(beyond), share, tokenizer.max_tokens))
    return Diagnosis(
        document,
        gravest_first(symptoms),
        _bars(lengths, tokenizer.max_tokens),
        tokenizer.max_tokens,
        len(beyond),
        share,
    )


def _long_chunks_symptom(number: int, share: float, window: int) -> Symptom:
    return Symptom(
        "1 passage is longer than the embedding model reads at once"
        if number == 1
        else f"{number:,} passages are longer than the embedding model reads at once",
        f"It can read {window} tokens at once; {max(share, 0.01):.0%} of the text is beyond that. Such passages are"
        " embedded in parts, so single sentences in them are harder to find by meaning.",
        Gravity.WARNING,
    )


def _lengths(document: Document, chunks: Sequence[Chunk], tokenizer: TokenCounter) -> list[int]:
    """Return the number of tokens of the embedder's input for each chunk: its text, its context, special tokens."""
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
    """Yield 1, 2, 4, 8, 16, 32...: with these widths a window of 256 tokens ends at the end of a bar."""
    width = 1
    while True:
        yield width
        width *= 2


def _page_symptoms(document: Document, pages: Sequence[Page], text: str) -> Iterable[Symptom]:
    known = {finding.kind for finding in document.findings}
    kind = document.page_kind
    if FindingKind.NO_TEXT not in known and document.chunks:
        blank = tuple(page.number for page in pages if not text[page.start : page.end].strip())
        if blank:
            cured = Remedy.OCR if document.format in DRAWN_FORMATS else None
            words = f"1 {kind.value}" if len(blank) == 1 else f"{len(blank):,} {kind.plural}"
            where = page_words(kind, blank)
            yield Symptom(f"{words} without text", f"{where.capitalize()}.", Gravity.WARNING, cured, blank)
    read = tuple(page.number for page in pages if page.ocr)
    if read and FindingKind.OCR not in known:
        words = f"1 {kind.value}" if len(read) == 1 else f"{len(read):,} {kind.plural}"
        yield Symptom(f"{words} read by OCR", f"{page_words(kind, read).capitalize()}.", pages=read)


def _text_symptoms(document: Document, text: str, blocks: Sequence[Block]) -> Iterable[Symptom]:
    replaced = text.count(_REPLACEMENT)
    if replaced and all(finding.kind is not FindingKind.REPLACED for finding in document.findings):
        yield Symptom(
            "1 character could not be read" if replaced == 1 else f"{replaced:,} characters could not be read",
            "They are shown as “�”.",
            Gravity.WARNING,
        )
    tables = sum(block.kind is BlockKind.TABLE for block in blocks)
    if tables and all(finding.kind is not FindingKind.TABLES for finding in document.findings):
        yield Symptom("1 table found" if tables == 1 else f"{tables:,} tables found", "Each is kept whole.")
    yield from _repetition_symptoms(text, blocks)


def _repetition_symptoms(text: str, blocks: Sequence[Block]) -> Iterable[Symptom]:
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
            "1 paragraph is repeated in it" if copies == 1 else f"{copies:,} paragraphs are repeated in it",
            f"Most often, {repeated[most]} times: “{most[:80]}…” Searches show identical passages only once.",
        )


def ocr_pages(library: Library, document: int, pages: Iterable[int] | None = None) -> Operation[Document]:
    """Read pages of a PDF or picture by OCR, even if it is off in the settings, and embed the new text.

    Emits PageRead and DocumentChanged.

    Args:
        library: The open library.
        document: Its id.
        pages: 1-based page numbers; None for every page whose text is missing or garbled.

    Raises:
        NotFound: There is no such document.
        DocumentError: Its file is missing, it is being read, or OCR found no text.
    """
    wanted = None if pages is None else tuple(sorted(set(pages)))

    async def operation(context: JobContext) -> Document:
        require_personal([document])
        found = await library.on_store(library.documents.get, document)
        chosen = wanted or tuple(sorted(pages_with(found.findings, FindingKind.NO_TEXT, FindingKind.GARBLED)))
        if not chosen:
            return found

        async def by_ocr(readers: Readers, file: Path) -> Document:
            read = await deepen(
                library,
                context,
                UnfinishedDocument(found, file, chosen),
                readers,
                store=partial(_finish_write, library),
            )
            return read.document

        read = await _read(library, context, found, by_ocr)
        if reason := _failure_reason(read, chosen, FindingKind.NO_TEXT, FindingKind.GARBLED):
            raise DocumentError("OCR could not read it.", reason)
        return await library.on_store(library.documents.get, document)

    return operation


def read_tables(library: Library, document: int) -> Operation[Document]:
    """Apply the layout model to the pages of a PDF on which a table was read as lines, and embed the new text.

    Emits PageRead and DocumentChanged.

    Args:
        library: The open library.
        document: Its id.

    Raises:
        NotFound: There is no such document.
        DocumentError: Its file is missing, it is being read, or the model could read no page.
    """

    async def operation(context: JobContext) -> Document:
        require_personal([document])
        found = await library.on_store(library.documents.get, document)
        chosen = pages_that_lost_tables(found)
        if not chosen:
            return found

        async def by_model(readers: Readers, file: Path) -> Document:
            waiting, finder = UnfinishedDocument(found, file, tables=chosen), await readers.for_tables(library)
            store = partial(_finish_write, library)
            read = await find_tables(library, context, waiting, finder, store=store, may_go_on=at_once)
            return read.document

        read = await _read(library, context, found, by_model)
        if reason := _failure_reason(read, chosen, FindingKind.LOST_TABLES):
            raise DocumentError("The layout model could not read it.", reason)
        return await library.on_store(library.documents.get, document)

    return operation


async def _read(
    library: Library, context: JobContext, found: Document, work: Callable[[Readers, Path], Awaitable[Document]]
) -> Document:
    """Run this work on the file of a document, embed the result and return it; blocks imports of the document."""
    file = await library.on_store(find_original, library.originals, found)
    if file is None:
        raise MissingFile(f"The library's copy of “{found.name}” is gone.", "Add the file again.")
    if not library.claim(found.id):
        raise DocumentError(f"“{found.name}” is being read just now.", "Try again when it is done.")
    readers = Readers(await library.on_store(library.setting_values.load))
    try:
        read = await work(readers, file)
        embedding = Embedding(library, context, lambda _finished: None, reads_first=lambda: False, obeys_pause=False)
        embedding.put(read)
        embedding.no_more()
        await embedding.run()
    finally:
        library.release(found.id)
        await finish_despite_cancel(library.on_store(readers.close))
    return read


def _failure_reason(document: Document, pages: Iterable[int], *kinds: FindingKind) -> str:
    """Return the reason why none of these pages could be read; empty if at least one was read."""
    left = [one for one in document.findings if one.kind in kinds and one.detail]
    return left[0].detail if {*pages} <= pages_with(left, *kinds) else ""


async def _finish_write(library: Library, function: Callable[..., Any], *args: object) -> Any:
    return await finish_despite_cancel(library.on_store(function, *args))

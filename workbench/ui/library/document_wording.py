"""Display texts for documents: their state, size, format and import results."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import TYPE_CHECKING

from workbench.language import mark, tr, translate, trn
from workbench.model.document import Document, DocumentStatus, FailureKind, PageKind, not_read
from workbench.model.import_progress import FileFinished, FileOutcome
from workbench.model.metadata import CustomFields
from workbench.model.shared_library import is_in_shared_library

if TYPE_CHECKING:
    from workbench.model.diagnosis import Symptom
    from workbench.ui.library.model import Counts

BY_KEYWORD = "It is found by keyword only."
"""End of the reason that workbench.operations.imports.embedding sets if the embedder fails."""

_FORMATS = {
    "text": mark("Text"),
    "code": mark("Source code"),
    "asciidoc": "AsciiDoc",
    "webpage": mark("Web page"),
    "image": mark("Picture"),
}
_PAGES = {
    PageKind.PAGE: (mark("{n:,} page"), "{n:,} pages"),
    PageKind.SLIDE: (mark("{n:,} slide"), "{n:,} slides"),
    PageKind.SHEET: (mark("{n:,} sheet"), "{n:,} sheets"),
    PageKind.CHAPTER: (mark("{n:,} chapter"), "{n:,} chapters"),
    PageKind.MESSAGE: (mark("{n:,} message"), "{n:,} messages"),
    PageKind.CELL: (mark("{n:,} cell"), "{n:,} cells"),
    PageKind.RECORD: (mark("{n:,} record"), "{n:,} records"),
    PageKind.PART: (mark("{n:,} part"), "{n:,} parts"),
}


def format_words(format: str) -> str:
    """Return the display name of a format: "PDF", "DOCX", "Markdown", "Web page"."""
    if format in _FORMATS:
        return tr(_FORMATS[format])
    return format.upper() if len(format) <= 4 else format.capitalize()


def pages(number: int, kind: PageKind) -> str:
    """Return the number of pages as text: "1 page", "1,200 slides"."""
    return trn(*_PAGES[kind], number)


def join_with_commas(parts: Iterable[str]) -> str:
    """Join texts with commas."""
    found = list(parts)
    return reduce(lambda before, after: tr("{before}, {after}", before=before, after=after), found) if found else ""


def metadata_words(fields: CustomFields) -> str:
    """Return custom metadata in one line."""
    return join_with_commas(f"{field.key}: {field.written}" for field in fields)


def chunks(number: int) -> str:
    """Return the number of chunks as text: "1 chunk", "1,200 chunks"."""
    return trn("{n:,} passage", "{n:,} passages", number)


def _edits(document: Document) -> str:
    return trn("{n:,} edit", "{n:,} edits", document.chunk_edits)


def size_words(size: int) -> str:
    """Return a number of bytes as text with a suitable unit."""
    for unit, power in (("GB", 30), ("MB", 20), ("KB", 10)):
        if size >= 1 << power:
            return f"{size / (1 << power):,.1f} {unit}"
    return trn("{n:,} byte", "{n:,} bytes", size)


def is_trouble(document: Document) -> bool:
    """Return whether a row is shown as an error; a document that the user cancelled is not one."""
    return document.status is DocumentStatus.FAILED and document.failure is not FailureKind.CANCELLED


def is_locked(document: Document) -> bool:
    """Return whether a password might open the document."""
    is_failed = document.status is DocumentStatus.FAILED and document.failure is FailureKind.PASSWORD
    return is_failed or document.status is DocumentStatus.LOCKED


def troubles(document: Document) -> list[Symptom]:
    """Return what the row of a document reports as troubles, the gravest first."""
    # Imported here because the window's start does not need it: 3 ms.
    from workbench.model import diagnosis

    return diagnosis.troubles(document)


def is_shared(document: Document) -> bool:
    """Return whether a document belongs to a shared library."""
    return is_in_shared_library(document.id)


def second_line(document: Document) -> str:
    """Return the line below a document's name."""
    match document.status:
        case DocumentStatus.QUEUED if is_shared(document):
            return " · ".join((tr("Waiting for a worker"), document.knowledge_base))
        case DocumentStatus.QUEUED:
            return tr("Waiting")
        case DocumentStatus.PARSING:
            return f"{tr('Reading…')} {_pages_so_far(document)}" if document.pages_of_file else tr("Reading…")
        case DocumentStatus.FAILED:
            return translate(document.reason) or tr("Could not be read")
        case DocumentStatus.LOCKED:
            return translate(document.reason) or tr("Password required")
        case DocumentStatus.INDEXED:
            if not document.chunks:
                return tr("Scanned pages, waiting for OCR")
            read = [_pages_so_far(document)] if document.pages_of_file else []
            return " · ".join((tr("Searchable by keyword"), *read, chunks(document.chunks)))
        case DocumentStatus.EMBEDDING:
            return tr("Embedding {n:,} of {total:,}", n=document.embedded, total=document.chunks)
    if document.reason:
        return translate(document.reason)
    parts = [tr("Partly read")] if not_read(document.findings) else []
    if document.pages_of_file:
        parts.append(_pages_so_far(document))
    elif document.pages:
        parts.append(pages(document.pages, document.page_kind))
    parts += [chunks(document.chunks), format_words(document.format)]
    parts += [document.knowledge_base] if is_shared(document) else []
    parts += [_edits(document)] if document.chunk_edits else []
    return " · ".join([*parts, *([join_with_commas(document.tags)] if document.tags else [])])


def _pages_so_far(document: Document) -> str:
    return tr("pages 1 to {n:,} of {total:,}", n=document.pages, total=document.pages_of_file)


def tool_tip(document: Document) -> str:
    """Return the complete description of a row: title, path, reason with hint, warnings."""
    lines = [document.metadata.title or document.name, document.path]
    if document.reason:
        lines += ["", translate(document.reason), *([translate(document.hint)] if document.hint else [])]
    if document.tags:
        lines.append(tr("Tags: {tags}", tags=join_with_commas(document.tags)))
    if document.custom:
        lines.append(tr("Metadata: {metadata}", metadata=metadata_words(document.custom)))
    if document.chunk_edits:
        lines.append(tr("Passages you edited: {edits}", edits=_edits(document)))
    if document.warnings and not document.findings:
        lines += ["", *map(translate, document.warnings)]
    text = " ".join(lines)
    found = [one for one in troubles(document) if translate(one.title) not in text]
    if found:
        lines += ["", *(_sentence(translate(one.title), translate(one.detail)) for one in found)]
    return "\n".join(lines)


def _sentence(title: str, detail: str) -> str:
    return tr("{title}. {detail}", title=title, detail=detail) if detail else tr("{title}.", title=title)


def describe_row(document: Document) -> str:
    """Return the text of a row for a screen reader."""
    return join_with_commas((document.name, second_line(document)))


def folder_spoken(name: str, documents: int, *, expanded: bool) -> str:
    """Return the text of a folder's row for a screen reader."""
    number = trn("{n:,} document", "{n:,} documents", documents)
    if expanded:
        return tr("Folder {name}, {documents}, open", name=name, documents=number)
    return tr("Folder {name}, {documents}, closed", name=name, documents=number)


def time_left(seconds: float | None) -> str:
    """Return a rounded remaining time; empty if it is not known yet."""
    if seconds is None:
        return ""
    if seconds < 10:
        return tr("a few seconds left")
    if seconds < 60:
        return tr("about {n} s left", n=round(seconds / 10) * 10)
    if seconds < 5400:
        return tr("about {n} min left", n=round(seconds / 60))
    return tr("about {n:.1f} h left", n=seconds / 3600)


def summary(results: list[FileFinished]) -> str:
    """Return the results of an import in one line."""
    numbers = {outcome: sum(result.outcome is outcome for result in results) for outcome in FileOutcome}
    parts = []
    if numbers[FileOutcome.READY]:
        parts.append(trn("{n:,} document ready", "{n:,} documents ready", numbers[FileOutcome.READY]))
    if numbers[FileOutcome.SHARED]:
        parts.append(
            trn("{n:,} copied to the shared library", "{n:,} copied to the shared library", numbers[FileOutcome.SHARED])
        )
    if numbers[FileOutcome.UNCHANGED]:
        parts.append(tr("{n:,} already in the library", n=numbers[FileOutcome.UNCHANGED]))
    if numbers[FileOutcome.SKIPPED]:
        parts.append(tr("{n:,} skipped", n=numbers[FileOutcome.SKIPPED]))
    if numbers[FileOutcome.LOCKED]:
        parts.append(tr("{n:,} locked", n=numbers[FileOutcome.LOCKED]))
    if unembedded := sum(result.by_keyword for result in results):
        parts.append(trn("{n:,} found by keyword only", "{n:,} found by keyword only", unembedded))
    failed = [result for result in results if result.outcome is FileOutcome.FAILED and not result.by_keyword]
    if len(failed) == 1 and len(results) == 1:
        return translate(failed[0].reason)
    if failed:
        parts.append(tr("{n:,} could not be read", n=len(failed)))
    return join_with_commas(parts) or tr("Nothing to add.")


def index_words(counts: Counts) -> str:
    """Return the progress of the index, for the status bar."""
    if not counts.documents:
        return tr("No documents yet")
    parts = [trn("{n:,} document", "{n:,} documents", counts.documents), chunks(counts.chunks)]
    if counts.waiting:
        parts.append(tr("{n:,} waiting", n=counts.waiting))
    if counts.embedded < counts.chunks:
        parts.append(tr("embedding {n:,} of {total:,}", n=counts.embedded, total=counts.chunks))
    elif not counts.waiting and counts.chunks:
        parts.append(tr("all searchable"))
    if counts.locked:
        parts.append(tr("{n:,} locked", n=counts.locked))
    if counts.failed:
        parts.append(tr("{n:,} failed", n=counts.failed))
    return " · ".join(parts)

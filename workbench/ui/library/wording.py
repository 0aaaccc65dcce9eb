"""A document's state in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.model.document import Document, DocumentStatus
from workbench.model.progress import FileFinished, FileOutcome

if TYPE_CHECKING:
    from workbench.model.diagnosis import Symptom

CANCELLED = "Cancelled before it was read."
"""The reason that workbench.operations.importing gives; a test holds the two together."""

_FORMATS = {
    "text": "Text",
    "code": "Source code",
    "asciidoc": "AsciiDoc",
    "webpage": "Web page",
    "image": "Picture",
}


def format_words(format: str) -> str:
    """Return a format as people write it: "PDF", "DOCX", "Markdown", "Web page"."""
    return _FORMATS.get(format) or (format.upper() if len(format) <= 4 else format.capitalize())


def count(number: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun: "1 page", "1,200 pages"."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def is_trouble(document: Document) -> bool:
    """Return whether a row is to be shown as an error; what the user stopped is not one."""
    return document.status is DocumentStatus.FAILED and document.reason != CANCELLED


def is_locked(document: Document) -> bool:
    """Return whether a password would open the document."""
    if document.status is DocumentStatus.LOCKED:
        return True
    return document.status is DocumentStatus.FAILED and "password" in f"{document.reason} {document.hint}"


def troubles(document: Document) -> list[Symptom]:
    """Return a document's symptoms that are more than a note, the gravest first."""
    # Not on the way to the window: 3 ms.
    from workbench.model.diagnosis import Gravity, symptoms_of

    return [symptom for symptom in symptoms_of(document) if symptom.gravity is not Gravity.NOTE]


def second_line(document: Document) -> str:
    """Return what stands under a document's name."""
    match document.status:
        case DocumentStatus.QUEUED:
            return "Waiting"
        case DocumentStatus.PARSING:
            return "Reading…"
        case DocumentStatus.FAILED:
            return document.reason or "Could not be read."
        case DocumentStatus.LOCKED:
            return document.reason or "Waits for its password"
        case DocumentStatus.INDEXED:
            found = f"Searchable by keyword · {count(document.chunks, 'chunk')}"
            return found if document.chunks else "Its pages are pictures: to be read by OCR"
        case DocumentStatus.EMBEDDING:
            return f"Embedding {document.embedded:,} of {document.chunks:,}"
    if document.reason:
        return document.reason
    parts = [count(document.pages, document.page_kind.value)] if document.pages else []
    parts += [count(document.chunks, "chunk"), format_words(document.format)]
    parts += [count(document.chunk_edits, "edit")] if document.chunk_edits else []
    return " · ".join([*parts, *([", ".join(document.tags)] if document.tags else [])])


def tool_tip(document: Document) -> str:
    """Return all there is to say about a row: title, place, reason with hint, warnings."""
    lines = [document.metadata.title or document.name, document.path]
    if document.reason:
        lines += ["", document.reason, *([document.hint] if document.hint else [])]
    if document.tags:
        lines.append(f"Tags: {', '.join(document.tags)}")
    if document.chunk_edits:
        lines.append(f"You changed its passages: {count(document.chunk_edits, 'edit')}")
    if document.warnings and not document.findings:
        lines += ["", *document.warnings]
    said = " ".join(lines)
    found = [one for one in troubles(document) if one.title not in said]
    if found:
        lines += ["", *(" ".join(part for part in (f"{one.title}.", one.detail) if part) for one in found)]
    return "\n".join(lines)


def spoken(document: Document) -> str:
    """Return the row as a screen reader says it."""
    return f"{document.name}, {second_line(document)}"


def folder_spoken(name: str, documents: int, *, expanded: bool) -> str:
    """Return the row of a folder as a screen reader says it."""
    return f"Folder {name}, {count(documents, 'document')}, {'open' if expanded else 'closed'}"


def time_left(seconds: float | None) -> str:
    """Return a time left in round words, empty when it cannot be told yet."""
    if seconds is None:
        return ""
    if seconds < 10:
        return "a few seconds left"
    if seconds < 60:
        return f"about {round(seconds / 10) * 10} s left"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min left"
    return f"about {seconds / 3600:.1f} h left"


def summary(results: list[FileFinished]) -> str:
    """Return what became of an import, in one line."""
    numbers = {outcome: sum(result.outcome is outcome for result in results) for outcome in FileOutcome}
    words = []
    if numbers[FileOutcome.READY]:
        words.append(f"{count(numbers[FileOutcome.READY], 'document')} ready")
    if numbers[FileOutcome.UNCHANGED]:
        words.append(f"{numbers[FileOutcome.UNCHANGED]:,} already there")
    if numbers[FileOutcome.SKIPPED]:
        words.append(f"{numbers[FileOutcome.SKIPPED]:,} skipped")
    if numbers[FileOutcome.LOCKED]:
        words.append(f"{numbers[FileOutcome.LOCKED]:,} locked")
    failed = [result for result in results if result.outcome is FileOutcome.FAILED]
    if len(failed) == 1 and len(results) == 1:
        return failed[0].reason
    if failed:
        words.append(f"{len(failed):,} could not be read")
    return ", ".join(words) if words else "Nothing to add there."


def index_state(documents: list[Document]) -> str:
    """Return how far the index is, for the status bar."""
    if not documents:
        return "No documents yet"
    chunks = sum(document.chunks for document in documents)
    embedded = sum(min(document.embedded, document.chunks) for document in documents)
    failed = sum(is_trouble(document) for document in documents)
    waiting = sum(document.status in (DocumentStatus.QUEUED, DocumentStatus.PARSING) for document in documents)
    parts = [count(len(documents), "document"), count(chunks, "chunk")]
    if waiting:
        parts.append(f"{waiting:,} waiting")
    if embedded < chunks:
        parts.append(f"embedding {embedded:,} of {chunks:,}")
    elif not waiting and chunks:
        parts.append("all searchable")
    if locked := sum(document.status is DocumentStatus.LOCKED for document in documents):
        parts.append(f"{locked:,} locked")
    if failed:
        parts.append(f"{failed:,} failed")
    return " · ".join(parts)

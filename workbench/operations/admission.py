"""Deciding what becomes of a file that is to be added: read it, or say why not."""

from dataclasses import dataclass
from pathlib import Path

from workbench.model.document import Document, DocumentStatus
from workbench.model.progress import FileOutcome
from workbench.operations.library import Library
from workbench.operations.sources import Digest, Source, digest, keep_original
from workbench.parsing.registry import supported_suffixes


@dataclass(slots=True)
class ReadingTask:
    """A document to be read from file, the library's own copy.

    replaces means that the library holds earlier content of it, which stays searchable until the new is stored.
    """

    document: Document
    file: Path
    digest: Digest
    replaces: bool
    started: float = 0.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """The end of a file that need not be read: what came of it, and why."""

    path: Path
    outcome: FileOutcome
    document: Document | None
    reason: str


def admit(library: Library, source: Source, knowledge_base: str) -> ReadingTask | Verdict:
    """Return the task of reading a file, with its document queued and its copy made, or the verdict on it.

    Blocking. The identity of a document is the hash of its bytes within its knowledge base; the path only tells
    which earlier document a changed file replaces.

    Raises:
        WorkbenchError: The file cannot be read, or not be copied.
    """
    path = source.path
    if not source.explicit and path.suffix.lower() not in supported_suffixes():
        return Verdict(path, FileOutcome.SKIPPED, None, f"No parser for {path.suffix or 'files without an ending'}.")
    found = digest(path)
    same = library.documents.by_hash(knowledge_base, found.sha256)
    earlier = library.documents.by_path(knowledge_base, path)
    if same is not None and (same.status is DocumentStatus.READY or same.id in library.active):
        return _unchanged(library, path, same, earlier)
    document = same or earlier
    file = keep_original(path, library.originals, found)
    if document is None:
        document = library.documents.queue(
            path,
            knowledge_base=knowledge_base,
            sha256=found.sha256,
            size=found.size,
            format=path.suffix.lower().lstrip("."),
        )
    replaces = document.chunks > 0
    if not replaces:
        document = library.documents.set_status(document.id, DocumentStatus.QUEUED)
    return ReadingTask(document, file, found, replaces)


def _unchanged(library: Library, path: Path, same: Document, earlier: Document | None) -> Verdict:
    reason = ""
    if same.path != str(path):
        if Path(same.path).exists():
            reason = f"Same content as “{same.name}”."
        else:
            same = library.documents.rename_path(same.id, path)
            reason = "The file was moved; its new place was noted."
    if earlier is not None and earlier.id != same.id:
        # The file at this path now holds what another document holds: its own old content is gone.
        library.documents.mark_removed([earlier.id])
    return Verdict(path, FileOutcome.UNCHANGED, same, reason)

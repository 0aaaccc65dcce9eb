"""Deciding what becomes of a file that is to be added: read it, or say why not."""

import os
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import DocumentError, WorkbenchError
from workbench.model.document import Document, DocumentStatus
from workbench.model.progress import FileOutcome
from workbench.operations.library import Library
from workbench.operations.sources import Digest, Source, digest, find_original, keep_original
from workbench.parsing.registry import parser_for, supported_suffixes


@dataclass(slots=True)
class ReadingTask:
    """A document to be read from file, the library's own copy; path is where the user has it.

    replaces means that the library holds earlier content of it, which stays searchable until the new is stored.
    """

    path: Path
    document: Document
    file: Path
    digest: Digest
    replaces: bool
    started: float = 0.0

    @property
    def is_same_content(self) -> bool:
        """Whether it is read again rather than changed."""
        return self.digest.sha256 == self.document.sha256


@dataclass(frozen=True, slots=True)
class Verdict:
    """The end of a file that need not be read: what came of it, why, and which documents went for it."""

    path: Path
    outcome: FileOutcome
    document: Document | None
    reason: str
    removed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Busy:
    """The document that a file belongs to is being read: what becomes of the file can be told afterwards."""

    path: Path
    document: Document
    digest: Digest


def admit(library: Library, source: Source, knowledge_base: str) -> ReadingTask | Verdict | Busy:
    """Return the task of reading a file, with its document claimed and its copy made, or the verdict on it.

    Blocking. The identity of a document is the hash of its bytes within its knowledge base; the path only tells
    which earlier document a changed file replaces.

    Raises:
        WorkbenchError: The file cannot be read, or not be copied.
    """
    path = source.path
    if path.suffix and path.suffix.lower() not in supported_suffixes() and os.path.isfile(path):
        if source.explicit:
            parser_for(path)  # raises; before a film of 10 GB is hashed and copied
        return Verdict(path, FileOutcome.SKIPPED, None, f"No parser for {path.suffix}.")
    if not path.suffix and not source.explicit:
        return Verdict(path, FileOutcome.SKIPPED, None, "No parser for files without an ending.")
    found = digest(path)
    same = library.documents.by_hash(knowledge_base, found.sha256)
    earlier = library.documents.by_path(knowledge_base, path)
    document = same or earlier
    if document is not None and library.is_reading(document.id):
        return Busy(path, document, found)
    if same is not None and (same.status is DocumentStatus.READY or same.id in library.active):
        return _unchanged(library, path, found, same, earlier)
    file = keep_original(path, library.originals, found)
    if document is None:
        document = library.documents.queue(
            path,
            knowledge_base=knowledge_base,
            sha256=found.sha256,
            size=found.size,
            format=path.suffix.lower().lstrip("."),
        )
    if not library.claim(document.id):
        return Busy(path, document, found)
    replaces = document.chunks > 0
    try:
        if not replaces:
            if document.path != str(path):
                # It failed under another name, which may be why: the row goes by the name that is tried now.
                library.documents.rename_path(document.id, path)
            document = library.documents.set_status(document.id, DocumentStatus.QUEUED)
    except WorkbenchError:
        library.release(document.id)
        raise
    return ReadingTask(path, document, file, found, replaces)


def _unchanged(library: Library, path: Path, found: Digest, same: Document, earlier: Document | None) -> Verdict:
    reason = ""
    if same.path != str(path):
        if _holds(Path(same.path), found):
            reason = f"Same content as “{same.name}”."
        else:
            same = library.documents.rename_path(same.id, path)
            reason = "The file was moved; its new place was noted."
    if find_original(library.originals, same) is None:
        keep_original(path, library.originals, found)
    if same.reason and same.status is DocumentStatus.READY:
        # A change that could not be read was taken back.
        same = library.documents.set_status(same.id, same.status)
    removed: tuple[int, ...] = ()
    if earlier is not None and earlier.id != same.id:
        # The file at this path now holds what another document holds: its own old content is gone.
        removed = (earlier.id,)
        library.documents.mark_removed(removed)
    return Verdict(path, FileOutcome.UNCHANGED, same, reason, removed)


def _holds(path: Path, expected: Digest) -> bool:
    try:
        return path.stat().st_size == expected.size and digest(path) == expected
    except (OSError, ValueError, DocumentError):
        return False

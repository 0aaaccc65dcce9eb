"""Removal of documents: what every way of removing them does besides marking their rows."""

from collections.abc import Iterable

from workbench.model.import_progress import DocumentsRemoved
from workbench.model.knowledge_base import Removal
from workbench.operations.library.library import Library
from workbench.worker.job import JobContext

TOLD_AT_ONCE = 1000
"""Maximum number of documents in one event: a window would process an event of 100,000 without a pause."""


async def move_to_bin(
    library: Library, context: JobContext, documents: Iterable[int], removal: Removal = Removal.BY_USER
) -> list[int]:
    """Move documents to the bin, end their imports and report it; return the ids of those that existed."""
    removed: list[int] = await library.on_store(library.documents.mark_removed, documents, removal)
    end_removed(library, context, removed)
    return removed


def end_removed(library: Library, context: JobContext, documents: Iterable[int]) -> None:
    """End the imports of documents that were moved to the bin, and report that they were removed; in the event loop.

    Otherwise the rest of a long file would be read, and OCR and the layout model would go on, for nothing.
    """
    removed = tuple(documents)
    library.queue.cancel(removed)
    for start in range(0, len(removed), TOLD_AT_ONCE):
        context.emit(DocumentsRemoved(removed[start : start + TOLD_AT_ONCE]))

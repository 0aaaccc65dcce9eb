"""The bin: what was removed, brought back or deleted for good."""

import os
from collections.abc import Sequence

from workbench.model.document import Document, DocumentStatus
from workbench.model.import_progress import DocumentChanged
from workbench.model.knowledge_base import BinnedDocument
from workbench.operations.importing import Import
from workbench.operations.library import Library
from workbench.store.intake import NO_FILE
from workbench.worker.job import JobContext, Operation

PIECE = 100
"""Documents that are read in one go; others come to their turn between two."""


def list_bin(library: Library) -> Operation[list[BinnedDocument]]:
    """Return the removed documents that can still be brought back, the latest first."""

    async def operation(_context: JobContext) -> list[BinnedDocument]:
        return await library.on_store(library.bin.list)

    return operation


def restore_documents(library: Library, documents: Sequence[int]) -> Operation[list[int]]:
    """Bring documents back from the bin and return those that are back, found again as before.

    One that was added anew meanwhile stays in the bin: its content is there under another number.
    """

    async def operation(context: JobContext) -> list[int]:
        numbers = await library.on_store(library.documents.restore, documents)
        back: list[Document] = []
        for start in range(0, len(numbers), PIECE):
            back += await library.on_store(_back, library, numbers[start : start + PIECE])
        await library.on_embedding(library.follow_documents)
        for document in back:
            context.emit(DocumentChanged(document))
        # The embedder was changed while they were away.
        behind = [one for one in back if one.status is DocumentStatus.READY and one.embedded < one.chunks]
        if behind:
            await Import(library, context).finish(behind)
        return numbers

    return operation


def _back(library: Library, numbers: Sequence[int]) -> list[Document]:
    """Return documents, and note which files of linked folders are gone: the next look would remove those again."""
    documents = [library.documents.get(number) for number in numbers]
    for one in documents:
        if not os.path.lexists(one.path) and library.linked.covers(one.knowledge_base, one.path):
            library.intake.put_stamp(one.id, NO_FILE)
    return documents


def empty_bin(library: Library, documents: Sequence[int] | None = None) -> Operation[int]:
    """Delete removed documents for good, all of them or these; returns how many."""

    async def operation(_context: JobContext) -> int:
        lying = [one.document.id for one in await library.on_store(library.bin.list)]
        chosen = lying if documents is None else [number for number in documents if number in lying]
        deleted = await library.on_store(library.bin.purge, chosen)
        await library.on_store(library.drop_copies)
        return deleted

    return operation

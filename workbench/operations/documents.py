"""The documents of a library: add, list, show, remove, restore, re-index."""

from collections.abc import Sequence
from pathlib import Path

from workbench.model.chunk import Chunk
from workbench.model.document import Document, DocumentStatus
from workbench.model.progress import DocumentChanged, DocumentsRemoved, FileFinished
from workbench.operations.importing import Import
from workbench.operations.library import Library
from workbench.operations.sources import drop_orphans
from workbench.worker.job import JobContext, Operation


def add_documents(
    library: Library, paths: Sequence[Path], *, knowledge_base: str = "default", password: str | None = None
) -> Operation[list[FileFinished]]:
    """Add files and folders; unchanged files cost a hash, a changed file replaces its old version.

    Emits DocumentChanged, FileFinished and ImportProgress. Returns one FileFinished per file.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        await library.on_store(library.documents.ensure_knowledge_base, knowledge_base)
        return await Import(library, context, knowledge_base=knowledge_base, password=password).add(paths)

    return operation


def reindex_documents(library: Library, documents: Sequence[int]) -> Operation[list[FileFinished]]:
    """Read, chunk and embed documents anew from the library's own copies; the old content serves until then."""

    async def operation(context: JobContext) -> list[FileFinished]:
        chosen = [await library.on_store(library.documents.get, number) for number in documents]
        return await Import(library, context).again([d for d in chosen if d.id not in library.active])

    return operation


def resume_import(library: Library) -> Operation[list[FileFinished]]:
    """Go on with what a stop, a kill or a change of the embedding model left unfinished.

    Nothing to do costs two queries.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        embedder = await library.on_embedding(library.embedder_or_none)
        if embedder is not None:
            await library.on_store(library.vectors.use, embedder.id)
        documents = await library.on_store(library.documents.list)
        waiting = [d for d in documents if _is_unfinished(d) and d.id not in library.active]
        return await Import(library, context).finish(waiting) if waiting else []

    return operation


def _is_unfinished(document: Document) -> bool:
    if document.status is DocumentStatus.FAILED:
        return False
    return document.status is not DocumentStatus.READY or document.embedded < document.chunks


def list_documents(library: Library, knowledge_base: str | None = None) -> Operation[list[Document]]:
    """Return the documents of a knowledge base, or of all, in the order they were added."""

    async def operation(_context: JobContext) -> list[Document]:
        return await library.on_store(library.documents.list, knowledge_base)

    return operation


def list_knowledge_bases(library: Library) -> Operation[list[str]]:
    """Return the names of the knowledge bases."""

    async def operation(_context: JobContext) -> list[str]:
        return await library.on_store(library.documents.knowledge_bases)

    return operation


def show_document(library: Library, spec: str, *, knowledge_base: str | None = None) -> Operation[Document]:
    """Return the document that spec names: its id, its path in any spelling, its name, or the start of its hash.

    Raises:
        NotFound: There is none.
    """

    async def operation(_context: JobContext) -> Document:
        return await library.on_store(library.documents.find, spec, knowledge_base)

    return operation


def list_chunks(library: Library, document: int) -> Operation[list[Chunk]]:
    """Return a document's chunks in order."""

    async def operation(_context: JobContext) -> list[Chunk]:
        return await library.on_store(library.documents.chunks, document)

    return operation


def document_text(library: Library, document: int) -> Operation[str]:
    """Return a document's whole text, into which the offsets of chunks and citations point."""

    async def operation(_context: JobContext) -> str:
        return await library.on_store(library.documents.text, document)

    return operation


def remove_documents(library: Library, documents: Sequence[int], *, for_good: bool = False) -> Operation[None]:
    """Remove documents; they are neither listed nor searched from then on.

    Args:
        library: The open library.
        documents: Their ids.
        for_good: Delete everything at once; otherwise restore_documents brings them back until the library is closed.
    """

    async def operation(context: JobContext) -> None:
        await library.on_store(library.documents.mark_removed, documents)
        context.emit(DocumentsRemoved(tuple(documents)))
        if for_good:
            await library.on_store(library.documents.purge_removed)
            kept = {document.sha256 for document in await library.on_store(library.documents.list)}
            await library.on_store(drop_orphans, library.originals, kept)

    return operation


def restore_documents(library: Library, documents: Sequence[int]) -> Operation[None]:
    """Undo remove_documents."""

    async def operation(context: JobContext) -> None:
        await library.on_store(library.documents.restore, documents)
        back = {document.id: document for document in await library.on_store(library.documents.list)}
        for number in documents:
            # One that was added anew meanwhile stays removed: its content is there under another number.
            if number in back:
                context.emit(DocumentChanged(back[number]))

    return operation

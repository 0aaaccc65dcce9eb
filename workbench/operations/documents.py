"""The documents of a library: add, list, show, remove, re-index."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from workbench.model.chunk import Chunk
from workbench.model.custom_metadata import checked_metadata
from workbench.model.document import Document, DocumentStatus, Origin
from workbench.model.import_progress import DocumentChanged, DocumentsRemoved, FileFinished
from workbench.operations.choice import Choice
from workbench.operations.importing import Import
from workbench.operations.library import Library
from workbench.operations.refetch import bring_up_to_date
from workbench.store.intake import is_hashed
from workbench.worker.job import JobContext, Operation

LEAST_ROOM = 64 * 2**20
"""Bytes that must be free before it is tried again: less is gone as soon as anything is read."""

TOLD_AT_ONCE = 1000
"""Documents in one event: a window that is told of 100,000 in one goes through all of them in one go."""


def add_documents(
    library: Library,
    paths: Sequence[Path],
    *,
    knowledge_base: str = "default",
    folder: str = "",
    password: str | None = None,
    remember_password: bool = False,
    check_contents: bool = False,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    follow_links: bool | None = None,
    metadata: Mapping[str, object] = MappingProxyType({}),
) -> Operation[list[FileFinished]]:
    """Add files, folders and archives; a changed file replaces its old version, one of unchanged size and time is left.

    Emits DocumentChanged, FileFinished and ImportProgress. Returns one FileFinished per file.

    Args:
        library: The open library.
        paths: Files and folders.
        knowledge_base: Where new documents go; made if there is none of that name.
        folder: Where in its tree they stand ("Contracts/2024"), folders with what is in them; what is there
            already and unchanged moves there, too.
        password: Tried on every encrypted file, before those that the library remembers.
        remember_password: Keep the password in the system's keyring if it opens a file.
        check_contents: Read every file, whatever its time says.
        include: Patterns of which a file must match one, where there are any ("*.pdf", "2024/*").
        exclude: Patterns of which a file must match none.
        follow_links: Follow links to files that are found in folders; None leaves it to the setting. One that is
            named itself is always followed.
        metadata: Given to each document, those that were there too: texts, numbers, dates or lists of these by key.

    Raises:
        MetadataError: A key or a value cannot be; nothing is added then.
    """
    given = checked_metadata(metadata)

    async def operation(context: JobContext) -> list[FileFinished]:
        await library.on_store(library.documents.ensure_knowledge_base, knowledge_base)
        follows = follow_links
        if follows is None:
            follows = (await library.on_store(library.setting_values.load)).follow_links == "yes"
        adding = Import(
            library,
            context,
            knowledge_base=knowledge_base,
            folder=folder.strip("/"),
            password=password,
            remember_password=remember_password,
            check_contents=check_contents,
            choice=Choice(tuple(include), tuple(exclude), follows),
        )
        finished = await adding.add(paths)
        numbers = {one.document for one in finished if one.document is not None} if given else set()
        for document in await library.on_store(library.custom_metadata.put, dict.fromkeys(numbers, given)):
            context.emit(DocumentChanged(document))
        return finished

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
            await library.on_store(library.bind)
        documents = await library.on_store(library.documents.list)
        waiting = [d for d in documents if is_unfinished(d) and d.id not in library.active]
        unfetched = [d for d in waiting if d.origin in (Origin.URL, Origin.QUERY) and not is_hashed(d)]
        waiting = [d for d in waiting if d not in unfetched]
        results = await Import(library, context).finish(waiting) if waiting else []
        return [*results, *await bring_up_to_date(library, context, unfetched)] if unfetched else results

    return operation


def has_room(library: Library) -> Operation[bool]:
    """Return whether the disk has room for what a full one left unread: twice its size, and some more."""

    def is_there() -> bool:
        waiting = sum(one.size for one in library.documents.list() if is_unfinished(one))
        try:
            return shutil.disk_usage(library.folder).free > 2 * waiting + LEAST_ROOM
        except OSError:
            return False  # the drive is gone

    async def operation(_context: JobContext) -> bool:
        return await library.on_store(is_there)

    return operation


def is_unfinished(document: Document) -> bool:
    """Return whether a document was not read or embedded to its end, and nothing keeps it from being."""
    if document.status in (DocumentStatus.FAILED, DocumentStatus.LOCKED):
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
        for_good: Delete everything at once; otherwise they lie in the bin (bin.py) and can be brought back.
    """

    async def operation(context: JobContext) -> None:
        await library.on_store(library.documents.mark_removed, documents)
        for start in range(0, len(documents), TOLD_AT_ONCE):
            context.emit(DocumentsRemoved(tuple(documents[start : start + TOLD_AT_ONCE])))
        if for_good:
            await library.on_store(library.bin.purge, documents)
            await library.on_store(library.drop_copies)
        await library.on_embedding(library.follow_documents)

    return operation

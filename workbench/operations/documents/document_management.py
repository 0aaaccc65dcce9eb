"""Documents of a library: add, list, show, remove, restore, reindex, refetch; and read their chunks."""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from workbench.errors import NotFound
from workbench.language import mark
from workbench.model.chunk import Chunk, ChunkUse, Neighbours, Outline, TextSize
from workbench.model.custom_metadata import checked_metadata
from workbench.model.diagnosis import is_out_of_time, is_reading_out_of_time
from workbench.model.document import Document, DocumentStatus, Origin
from workbench.model.egress import PAGE_PURPOSES, QUERY_PURPOSES
from workbench.model.import_progress import DocumentChanged, FileFinished, FileOutcome
from workbench.model.knowledge_base import BinnedDocument
from workbench.model.metadata import CustomField
from workbench.operations.documents.removal import move_to_bin
from workbench.operations.imports.importing import Importer
from workbench.operations.imports.non_file_sources import gate_for
from workbench.operations.imports.path_expansion import PathPatterns
from workbench.operations.imports.queries import run_queries
from workbench.operations.imports.web_pages import fetch_pages
from workbench.operations.library.library import Library
from workbench.operations.shared.federated_ids import slot_of
from workbench.parsing.page_renderer import mark_boxes
from workbench.store.intake import NO_FILE, is_hashed
from workbench.store.sessions import ChunkUseStore
from workbench.worker.job import JobContext, Operation

LEAST_ROOM = 64 * 2**20
"""Bytes that must be free on the disk before an import is retried: less is used up by reading the first file."""


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
    """Add files, folders and archives. A changed file replaces its old version; same size and time means unchanged.

    Emits DocumentChanged, FileFinished and ImportProgress. Returns one FileFinished per file.

    Args:
        library: The open library.
        paths: Files and folders.
        knowledge_base: Knowledge base of new documents; created if it does not exist, but not in a shared library.
        folder: Folder in the tree of the knowledge base ("Contracts/2024") in which they are put, folders with their
            contents. Unchanged documents that the library already has are moved there, too.
        password: Tried on every encrypted file, before the passwords that the library remembers.
        remember_password: Keep the password in the system's keyring if it opens a file.
        check_contents: Read every file, even if its size and time are unchanged.
        include: If not empty, a file must match at least one of these patterns ("*.pdf", "2024/*").
        exclude: A file must match none of these patterns.
        follow_links: Whether to follow links to files that are found in folders; None leaves it to the setting. A link
            in paths itself is always followed.
        metadata: Texts, numbers, dates or lists by key, set on each document, also on those already in the library.

    Raises:
        MetadataError: A key or a value is invalid; then nothing is added.
    """
    given, patterns = checked_metadata(metadata), PathPatterns(tuple(include), tuple(exclude), bool(follow_links))

    async def operation(context: JobContext) -> list[FileFinished]:
        if library.shared.of_knowledge_base(knowledge_base) is not None:
            return await _share(library, paths, knowledge_base, folder, patterns)(context)
        await library.on_store(library.documents.ensure_knowledge_base, knowledge_base)
        follows = patterns.follow_links
        if follow_links is None:
            follows = (await library.on_store(library.setting_values.load)).follow_links == "yes"
        adding = Importer(
            library,
            context,
            knowledge_base=knowledge_base,
            folder=folder.strip("/"),
            password=password,
            remember_password=remember_password,
            check_contents=check_contents,
            choice=replace(patterns, follow_links=follows),
        )
        finished = await adding.add(paths)
        await _give(library, context, finished, given)
        return finished

    return operation


async def _give(
    library: Library, context: JobContext, finished: Sequence[FileFinished], given: Sequence[CustomField]
) -> None:
    """Set custom metadata of the documents that an import has added."""
    numbers = {one.document for one in finished if one.document is not None} if given else set()
    for document in await library.on_store(library.custom_metadata.put, dict.fromkeys(numbers, given)):
        context.emit(DocumentChanged(document))


def _share(
    library: Library, paths: Sequence[Path], knowledge_base: str, folder: str, patterns: PathPatterns
) -> Operation[list[FileFinished]]:
    from workbench.operations.shared.sharing import share_files  # it imports this module's neighbours

    return share_files(library, paths, knowledge_base, folder=folder, patterns=patterns)


MORE_TIME = 10
"""Factor by which the time limit per file is extended on request: 20 minutes of processor time for a page."""


def reindex_documents(
    library: Library, documents: Sequence[int], *, more_time: bool = False
) -> Operation[list[FileFinished]]:
    """Read, chunk and embed documents again from the library's own copies; until then the old content is searched.

    Args:
        library: The open library.
        documents: Their ids.
        more_time: Extend the time limit per file and page, for documents that it ended. If it ended only OCR or the
            layout model, only their pages that are left are read.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        shared = [number for number in documents if slot_of(number)]
        if shared:
            from workbench.operations.shared.sharing import reread_shared

            await reread_shared(library, shared)(context)
        own = [number for number in documents if not slot_of(number)]
        chosen = [await library.on_store(library.documents.get, number) for number in own]
        idle = [d for d in chosen if d.id not in library.active]
        if not more_time:
            return await Importer(library, context).read_again(idle)
        with_pages_left = [d for d in idle if is_out_of_time(d) and not is_reading_out_of_time(d)]
        results: list[FileFinished] = []
        if with_pages_left:
            results += await Importer(library, context, patience=MORE_TIME, wants_ocr=True).finish(with_pages_left)
        if others := [d for d in idle if d not in with_pages_left]:
            results += await Importer(library, context, patience=MORE_TIME).read_again(others)
        return results

    return operation


def resume_import(library: Library) -> Operation[list[FileFinished]]:
    """Continue imports that were left unfinished by a stop, a kill or a change of the embedding model.

    If there is nothing to do, it costs two queries.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        embedder = await library.on_embedding(library.models.embedder_or_none)
        if embedder is not None:
            await library.on_store(library.models.bind)
        documents = await library.on_store(library.documents.list)
        waiting = [d for d in documents if is_unfinished(d) and d.id not in library.active]
        unfetched = [d for d in waiting if is_unfetched(d)]
        waiting = [d for d in waiting if d not in unfetched]
        results = await Importer(library, context).finish(waiting) if waiting else []
        return [*results, *await bring_up_to_date(library, context, unfetched)] if unfetched else results

    return operation


def is_unfetched(document: Document) -> bool:
    """Return whether a document comes from the web or a database and was not fetched yet."""
    return document.origin in (Origin.URL, Origin.QUERY) and not is_hashed(document)


def has_room(library: Library) -> Operation[bool]:
    """Return whether the disk has space for the unfinished documents: twice their size, plus LEAST_ROOM."""

    def is_there() -> bool:
        waiting = sum(one.size for one in library.documents.list() if is_unfinished(one))
        try:
            return shutil.disk_usage(library.folder).free > 2 * waiting + LEAST_ROOM
        except OSError:
            return False  # the drive is not connected

    async def operation(_context: JobContext) -> bool:
        return await library.on_store(is_there)

    return operation


def is_unfinished(document: Document) -> bool:
    """Return whether a document is not yet completely read and embedded, and is neither failed nor locked."""
    if document.status in (DocumentStatus.FAILED, DocumentStatus.LOCKED):
        return False
    return document.status is not DocumentStatus.READY or document.embedded < document.chunks


def list_documents(library: Library, knowledge_base: str | None = None) -> Operation[list[Document]]:
    """Return the documents of a knowledge base, or of all of them, in the order they were added."""

    async def operation(_context: JobContext) -> list[Document]:
        return await library.on_store(library.documents.all_documents, knowledge_base)

    return operation


def list_knowledge_bases(library: Library) -> Operation[list[str]]:
    """Return the names of the knowledge bases."""

    async def operation(_context: JobContext) -> list[str]:
        return await library.on_store(library.documents.all_knowledge_bases)

    return operation


def show_document(library: Library, spec: str, *, knowledge_base: str | None = None) -> Operation[Document]:
    """Return the document that spec names: its id, its path in any spelling, its name, or the start of its hash.

    Raises:
        NotFound: There is no such document.
    """

    async def operation(_context: JobContext) -> Document:
        return await library.on_store(library.documents.find_in_all, spec, knowledge_base)

    return operation


def list_chunks(library: Library, document: int) -> Operation[list[Chunk]]:
    """Return a document's chunks in order."""

    async def operation(_context: JobContext) -> list[Chunk]:
        return await library.on_store(library.documents.chunks, document)

    return operation


def document_text(library: Library, document: int) -> Operation[str]:
    """Return a document's whole text, to which the offsets of chunks and citations refer."""

    async def operation(_context: JobContext) -> str:
        return await library.on_store(library.documents.text, document)

    return operation


def remove_documents(library: Library, documents: Sequence[int], *, for_good: bool = False) -> Operation[None]:
    """Remove documents; they are neither listed nor searched from then on.

    Args:
        library: The open library.
        documents: Their ids.
        for_good: Delete everything at once; otherwise they are kept in the bin and can be restored.
    """

    async def operation(context: JobContext) -> None:
        await move_to_bin(library, context, documents)
        if for_good:
            await library.on_store(library.bin.purge, documents)
            await library.on_store(library.drop_copies)
        await library.on_embedding(library.models.follow_documents)

    return operation


PIECE = 100
"""Number of documents that are read in one store call; other calls can run between two."""


def list_bin(library: Library) -> Operation[list[BinnedDocument]]:
    """Return the removed documents that can still be restored, the last removed first."""

    async def operation(_context: JobContext) -> list[BinnedDocument]:
        return await library.on_store(library.bin.list)

    return operation


def restore_documents(library: Library, documents: Sequence[int]) -> Operation[list[int]]:
    """Restore documents from the bin and return the ids of those that were restored; searches find them as before.

    A document that was added again meanwhile stays in the bin: its content is in the library under another id.
    """

    async def operation(context: JobContext) -> list[int]:
        numbers = await library.on_store(library.documents.restore, documents)
        back: list[Document] = []
        for start in range(0, len(numbers), PIECE):
            back += await library.on_store(_restored_documents, library, numbers[start : start + PIECE])
        await library.on_embedding(library.models.follow_documents)
        for document in back:
            context.emit(DocumentChanged(document))
        # The embedder was changed while they were in the bin.
        behind = [one for one in back if one.status is DocumentStatus.READY and one.embedded < one.chunks]
        if behind:
            await Importer(library, context).finish(behind)
        return numbers

    return operation


def _restored_documents(library: Library, numbers: Sequence[int]) -> list[Document]:
    """Return documents, and stamp those whose file in a linked folder is missing, so that the next scan keeps them."""
    documents = [library.documents.get(number) for number in numbers]
    for one in documents:
        if not os.path.lexists(one.path) and library.linked.covers(one.knowledge_base, one.path):
            library.intake.put_stamp(one.id, NO_FILE)
    return documents


def empty_bin(library: Library, documents: Sequence[int] | None = None) -> Operation[int]:
    """Delete documents in the bin for good, all of them or these; returns their number."""

    async def operation(_context: JobContext) -> int:
        binned = [one.document.id for one in await library.on_store(library.bin.list)]
        chosen = binned if documents is None else [number for number in documents if number in binned]
        deleted = await library.on_store(library.bin.purge, chosen)
        await library.on_store(library.drop_copies)
        return deleted

    return operation


def refetch(
    library: Library, documents: Sequence[int], *, allow_hosts: Sequence[str] = ()
) -> Operation[list[FileFinished]]:
    """Fetch web pages and run queries again; an unchanged one costs one request and nothing more.

    Changed content replaces the old in one transaction, and only changed parts are embedded. Files and notes are
    skipped: add_documents and edit_note update those.

    Args:
        library: The open library.
        documents: Their ids.
        allow_hosts: As for add_urls and add_query. Hosts that were allowed when a page or a query was added must be
            allowed again here.

    Raises:
        SettingError: One of allow_hosts is not a host.
    """

    async def operation(context: JobContext) -> list[FileFinished]:
        chosen = [await library.on_store(library.documents.get, number) for number in documents]
        return await bring_up_to_date(library, context, chosen, allow_hosts)

    return operation


async def bring_up_to_date(
    library: Library, context: JobContext, documents: Sequence[Document], allow_hosts: Sequence[str] = ()
) -> list[FileFinished]:
    """Fetch documents again from their source, if offline mode allows its host or allow_hosts contains it.

    Raises:
        SettingError: One of allow_hosts is not a host.
    """
    for_pages, for_queries = [await gate_for(library, allow_hosts, one) for one in (PAGE_PURPOSES, QUERY_PURPOSES)]
    free = [document for document in documents if document.id not in library.active]
    pages = [document for document in free if document.origin is Origin.URL]
    queries = [document for document in free if document.origin is Origin.QUERY]
    others = [document for document in documents if document not in pages and document not in queries]
    results = [_skipped(document) for document in others]
    for result in results:
        context.emit(result)
    if pages:
        results += await fetch_pages(library, context, pages, for_pages)
    if queries:
        results += await run_queries(library, context, queries, for_queries)
    return results


def _skipped(document: Document) -> FileFinished:
    is_ours = document.origin in (Origin.URL, Origin.QUERY)
    reason = mark("It is already being added.") if is_ours else mark("It did not come from the web or a database.")
    return FileFinished(document.path, FileOutcome.SKIPPED, document.id, reason, document.pages, document.chunks, 0.0)


def text_size(library: Library, text: str) -> Operation[TextSize]:
    """Return the token count of a text for the current embedder, and the maximum that the embedder reads at once."""

    def size() -> TextSize:
        embedder = library.models.embedder_or_none()
        if embedder is None:
            return TextSize(0, 0)
        return TextSize(embedder.tokenizer.count(text), embedder.tokenizer.max_tokens)

    async def operation(_context: JobContext) -> TextSize:
        return await library.on_search(size)

    return operation


def page_outlines(library: Library, document: int, page: int) -> Operation[tuple[Outline, ...]]:
    """Return the outlines of the chunks on a page of a document, in order; empty if there is no such page."""

    def outlines() -> tuple[Outline, ...]:
        place = library.documents.page(document, page)
        if place is None:
            return ()
        on_page = library.documents.chunks_between(document, place.start, place.end)
        found = (Outline(chunk.id, mark_boxes(place, chunk.start, chunk.end)) for chunk in on_page)
        return tuple(outline for outline in found if outline.boxes)

    async def operation(_context: JobContext) -> tuple[Outline, ...]:
        return await library.on_store(outlines)

    return operation


def chunk_neighbours(library: Library, chunk: int) -> Operation[Neighbours]:
    """Return the current state of a chunk, with the one before it and the one after it.

    Raises:
        NotFound: It is no longer in the library.
    """

    def neighbours() -> Neighbours:
        found = library.documents.chunks_by_id([chunk])
        if chunk not in found:
            raise NotFound("This passage is no longer in the library.", "Search again.")
        one = found[chunk][0]
        at = {
            other.ordinal: other
            for other in library.documents.chunks_at(one.document, one.ordinal - 1, one.ordinal + 1)
        }
        return Neighbours(one, at.get(one.ordinal - 1), at.get(one.ordinal + 1))

    async def operation(_context: JobContext) -> Neighbours:
        return await library.on_store(neighbours)

    return operation


def cited_in(library: Library, document: int) -> Operation[list[ChunkUse]]:
    """Return each citation of a document by a stored answer of the user, the latest answers first."""

    async def operation(_context: JobContext) -> list[ChunkUse]:
        return await library.on_store(ChunkUseStore(library.database, library.user).of, document)

    return operation

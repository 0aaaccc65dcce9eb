"""Knowledge bases: describe, add, rename, remove, restore; move and copy documents between them."""

from collections.abc import Sequence

from workbench.model.document import DocumentStatus
from workbench.model.import_progress import DocumentChanged
from workbench.model.knowledge_base import KnowledgeBase, KnowledgeBasesChanged, RemovedBase, Transfer
from workbench.operations.documents.removal import end_removed
from workbench.operations.library.library import Library
from workbench.operations.shared.federated_ids import require_personal
from workbench.worker.job import JobContext, Operation


def describe_knowledge_bases(library: Library) -> Operation[list[KnowledgeBase]]:
    """Return the knowledge bases with their contents, oldest first."""

    async def operation(_context: JobContext) -> list[KnowledgeBase]:
        return await library.on_store(_described, library)

    return operation


def _described(library: Library) -> list[KnowledgeBase]:
    """Return the knowledge bases of all libraries; those of shared ones are counted from their lists of documents."""
    found = library.knowledge_bases.list()
    shared = [document for one in library.shared for document in one.documents()]
    for name in library.shared.knowledge_bases():
        documents = [document for document in shared if document.knowledge_base == name]
        found.append(
            KnowledgeBase(
                name,
                len(documents),
                sum(one.chunks for one in documents),
                sum(one.embedded for one in documents),
                sum(one.status is DocumentStatus.FAILED for one in documents),
                sum(one.size for one in documents),
            )
        )
    return found


def add_knowledge_base(library: Library, name: str) -> Operation[str]:
    """Add an empty knowledge base and return its name.

    Raises:
        LibraryError: The name is blank, too long, or taken.
    """

    async def operation(context: JobContext) -> str:
        added = await library.on_store(library.knowledge_bases.add, name)
        await _emit_change(library, context)
        return added

    return operation


def rename_knowledge_base(library: Library, name: str, new: str) -> Operation[str]:
    """Rename a knowledge base and return its new name.

    Raises:
        NotFound: There is no knowledge base of that name.
        LibraryError: The new name is blank, too long, or taken; or it is the default one.
    """

    async def operation(context: JobContext) -> str:
        renamed = await library.on_store(library.knowledge_bases.rename, name, new)
        for document in await library.on_store(library.documents.list, renamed):
            context.emit(DocumentChanged(document))
        await _emit_change(library, context)
        return renamed

    return operation


def remove_knowledge_base(library: Library, name: str) -> Operation[RemovedBase]:
    """Remove a knowledge base with everything in it; returns the argument for restore_knowledge_base.

    Raises:
        NotFound: There is no knowledge base of that name.
        LibraryError: It is the default one.
    """

    async def operation(context: JobContext) -> RemovedBase:
        removed = await library.on_store(library.knowledge_bases.remove, name)
        end_removed(library, context, removed.documents)
        await _emit_change(library, context)
        return removed

    return operation


def restore_knowledge_base(library: Library, removed: RemovedBase) -> Operation[None]:
    """Undo remove_knowledge_base.

    Raises:
        LibraryError: Another knowledge base has its name meanwhile.
    """

    async def operation(context: JobContext) -> None:
        await library.on_store(library.knowledge_bases.restore, removed)
        await _emit_change(library, context)
        for document in await library.on_store(library.documents.list, removed.name):
            context.emit(DocumentChanged(document))

    return operation


def move_documents(
    library: Library, documents: Sequence[int], target: str, *, copy: bool = False
) -> Operation[Transfer]:
    """Move documents to another knowledge base, or copy them there, with their chunks and vectors.

    A document whose content the target already contains is not moved; the result reports it.

    Raises:
        NotFound: There is no such knowledge base or document; then nothing is moved.
    """

    async def operation(context: JobContext) -> Transfer:
        require_personal(documents)
        bases = library.knowledge_bases
        transfer = await library.on_store(bases.copy if copy else bases.move, documents, target)
        if copy and transfer.documents:
            await library.on_embedding(_index_copies, library, transfer.documents)
        elif transfer.documents:
            # The knowledge bases may have different vector stores.
            await library.on_embedding(library.models.follow_documents)
        for number in transfer.documents:
            context.emit(DocumentChanged(await library.on_store(library.documents.get, number)))
        await _emit_change(library, context)
        return transfer

    return operation


def move_back(library: Library, transfer: Transfer) -> Operation[list[Transfer]]:
    """Undo a move_documents that did not copy: move every document back to its previous knowledge base.

    Raises:
        NotFound: A knowledge base or document was deleted meanwhile.
    """

    async def operation(context: JobContext) -> list[Transfer]:
        was_in = dict(zip(transfer.documents, transfer.sources, strict=True))
        return [
            await move_documents(library, [one for one in was_in if was_in[one] == source], source)(context)
            for source in dict.fromkeys(transfer.sources)
        ]

    return operation


def _index_copies(library: Library, documents: Sequence[int]) -> None:
    """Add the vectors of copied chunks to the index, which so far has only those of embedded chunks."""
    embedder = library.models.embedder_or_none()
    if embedder is None:
        return
    for number in documents:
        ids = [chunk.id for chunk in library.documents.chunks(number)]
        found, vectors = library.vectors.get(embedder.id, ids)
        if len(found):
            library.models.take_into_index(found, vectors)
    library.models.save_index()


async def _emit_change(library: Library, context: JobContext) -> None:
    names = await library.on_store(library.documents.knowledge_bases)
    context.emit(KnowledgeBasesChanged(tuple(names)))

"""Change of the embedder without downtime: compute new vectors next to the old ones, swap, revert.

    settings name another model -> load it -> embed the chunks that have only old vectors -> swap -> keep the old ones

The library is searched with the old vectors until the new ones are complete. The settings contain the requested
embedder, the store the current one. Therefore a change that was interrupted by a stop or a kill continues at the next
start.
"""

import asyncio
import time
from pathlib import Path

import numpy as np

from workbench.egress.gate import carrying
from workbench.embedding.servers.client import requests_of
from workbench.errors import DiskFull, NotFound, WorkbenchError
from workbench.language import mark
from workbench.model.chunk import Chunk, embedding_text
from workbench.model.embedder import EmbedderChanged, EmbedderChangeProgress, EmbedderChoice, EmbedderState
from workbench.model.embedding_server import embedding_server_of
from workbench.model.import_progress import DocumentChanged, FileFinished
from workbench.model.vector_store import BUILT_IN_STORE
from workbench.operations.imports.embedding import BATCH
from workbench.operations.imports.importing import Importer
from workbench.operations.library.derived_vectors import embedded
from workbench.operations.library.embedder_language import language_notice
from workbench.operations.library.index_stores import embedder_part
from workbench.operations.library.library import Library
from workbench.worker.job import JobContext, Operation, finish_despite_cancel

_SPECIAL_TOKENS = 2


def embedder_state(library: Library) -> Operation[EmbedderState]:
    """Return the state of the library's embedder: current, previous and requested one, limits and warnings."""

    async def operation(_context: JobContext) -> EmbedderState:
        return await library.on_search(_state, library)

    return operation


def change_embedder(library: Library) -> Operation[EmbedderState | None]:
    """Change to the embedder of the settings; returns None if it is already the current one.

    Emits EmbedderChangeProgress, EmbedderChanged and DocumentChanged. If the user stops it or it fails, the library
    keeps its embedder and the settings are reset to it; closing the library only interrupts it.

    Raises:
        EmbeddingError: The model cannot be loaded, or failed; incomplete vectors are never searched.
    """

    async def operation(context: JobContext) -> EmbedderState | None:
        async with library.changing:
            choice = await library.on_store(library.models.wanted)
            if choice is None:
                return None
            await _switch_to(library, choice, context)
        return await library.on_search(_state, library)

    return operation


def revert_embedder(library: Library) -> Operation[EmbedderState]:
    """Revert to the embedder before the last change; only chunks that were added since must be embedded.

    Raises:
        NotFound: There is no previous embedder, or its vectors were deleted.
    """

    async def operation(context: JobContext) -> EmbedderState:
        async with library.changing:
            previous = await library.on_store(lambda: library.embedders.previous)
            if previous is None:
                raise NotFound("There is no earlier embedding model to go back to.", "Choose one in the settings.")
            await library.on_store(_set_choice, library, previous.choice)
            await _switch_to(library, previous.choice, context)
        return await library.on_search(_state, library)

    return operation


def confirm_embedder(library: Library) -> Operation[EmbedderState]:
    """Delete the vectors of all embedders except the current one; after that, it cannot be reverted."""

    async def operation(_context: JobContext) -> EmbedderState:
        async with library.changing:
            await library.on_store(_forget_others, library, set())
        return await library.on_search(_state, library)

    return operation


def recut_documents(library: Library) -> Operation[list[FileFinished]]:
    """Chunk and embed documents again that have chunks longer than the embedder reads at once."""

    async def operation(context: JobContext) -> list[FileFinished]:
        embedder = await library.on_search(library.models.embedder)
        limit = embedder.tokenizer.max_tokens - _SPECIAL_TOKENS
        numbers = await library.on_store(library.embedders.documents_too_long, limit)
        chosen = [await library.on_store(library.documents.get, n) for n in numbers if n not in library.active]
        return await Importer(library, context).read_again(chosen)

    return operation


async def _switch_to(library: Library, choice: EmbedderChoice, context: JobContext) -> None:
    try:
        # The first use of a model takes 10 s, in which there is no progress to report.
        context.emit(EmbedderChangeProgress(_name(choice), 0, 0, None))
        embedder = await library.on_embedding(library.models.load_embedder, choice)
        before = library.vectors.embedder
        await _embed_missing(library, choice, embedder.id, context)
        while not await library.on_embedding(library.models.swap, embedder, choice):
            # Documents were added while the last ones were embedded.
            await _embed_missing(library, choice, embedder.id, context)
    except asyncio.CancelledError:
        library.models.servers.abort(context)
        if not library.closing:
            await finish_despite_cancel(library.on_store(_reset_choice, library, choice))
        raise
    except WorkbenchError as error:
        if isinstance(error, DiskFull):
            # Free disk space first: otherwise not even the settings can be written.
            await library.on_store(_drop_unfinished, library)
        await library.on_store(_reset_choice, library, choice)
        raise
    context.emit(EmbedderChanged(await library.on_search(_state, library)))
    for document in await library.on_store(library.documents.list):
        context.emit(DocumentChanged(document))
    await library.on_store(_forget_others, library, {before})
    await library.on_embedding(library.models.save_index)


def _name(choice: EmbedderChoice) -> str:
    """Return the name of a model that is not loaded yet, for users."""
    server = embedding_server_of(choice.model)
    return server.name if server is not None else Path(choice.model).name or mark("the built-in model")


async def _embed_missing(library: Library, choice: EmbedderChoice, embedder_id: str, context: JobContext) -> None:
    """Embed the chunks that have vectors of the current embedder but not of the new one; finished batches are kept."""
    embedder = await library.on_embedding(library.models.load_embedder, choice)
    left = await library.on_store(library.embedders.count_behind, embedder_id)
    done, last, began = 0, 0, time.perf_counter()

    def embed(batch: list[Chunk]) -> None:
        texts = [embedding_text(chunk.headings, chunk.text) for chunk in batch]
        ids = [chunk.id for chunk in batch]
        with requests_of(context), carrying(chunks=ids):
            vectors = embedded(library.models, embedder, texts)
        library.vectors.put(embedder.id, np.array(ids, np.int64), *vectors)

    def behind() -> list[Chunk]:
        return library.embedders.behind(embedder_id, BATCH, after=last)

    name = embedder_id.rsplit("/", 3)[0]
    while batch := await library.on_store(behind):
        seconds = (time.perf_counter() - began) / done * max(0, left - done) if done else None
        context.emit(EmbedderChangeProgress(name, done, max(left, done), seconds))
        await library.on_embedding(embed, batch)
        done, last = done + len(batch), batch[-1].id
    context.emit(EmbedderChangeProgress(name, done, max(left, done), 0.0))


def _set_choice(library: Library, choice: EmbedderChoice) -> None:
    """Set the settings to an embedder; a backend of "auto" is kept."""
    library.setting_values.put("embedder", choice.model)
    if library.settings.embedding_backend != "auto":
        library.setting_values.put("embedding_backend", choice.backend)


def _reset_choice(library: Library, choice: EmbedderChoice) -> None:
    """Reset the settings to the current embedder, unless they name a third one meanwhile."""
    current, wanted = library.embedders.current, library.models.wanted()
    if current is not None and wanted is not None and wanted.model == choice.model:
        _set_choice(library, current.choice)


def _drop_unfinished(library: Library) -> None:
    """Delete the incomplete vectors of the new embedder; those of the previous one are kept."""
    previous = library.embedders.previous
    library.embedders.forget_others({previous.id} if previous is not None else set())


def _forget_others(library: Library, keep: set[str]) -> None:
    library.embedders.forget_others(keep)
    kept = {library.models.stores.path(name, BUILT_IN_STORE).name for name in keep | {library.vectors.embedder}}
    for path in library.models.stores.folders():
        if embedder_part(path) not in kept:
            # On Windows, files that a running search has open cannot be deleted: the next change deletes them.
            library.models.stores.delete(path)


def _state(library: Library) -> EmbedderState:
    embedder = library.models.embedder_or_none()
    dim, max_tokens = (embedder.dim, embedder.tokenizer.max_tokens) if embedder else (0, 0)
    too_long = library.embedders.too_long(max_tokens - _SPECIAL_TOKENS) if max_tokens else 0
    warnings = _warnings(library.settings.chunk_tokens, max_tokens, too_long)
    if embedder is not None and (notice := language_notice(library, embedder)):
        warnings.insert(0, notice)
    return EmbedderState(
        current=library.embedders.current,
        previous=library.embedders.previous,
        wanted=library.models.wanted(),
        dim=dim,
        max_tokens=max_tokens,
        too_long=too_long,
        warnings=tuple(warnings),
    )


def _warnings(chunk_tokens: int, seen: int, too_long: int) -> list[str]:
    found = []
    if 0 < seen < chunk_tokens + _SPECIAL_TOKENS:
        found.append(
            mark(
                f"The passage size is set to {chunk_tokens} tokens, but the model reads {seen}: passages are cut"
                " to fit."
            )
        )
    if too_long == 1:
        found.append(
            mark(
                f"1 passage is longer than the {seen} tokens that the model reads at once, and harder to"
                " find. Split them again to fit."
            )
        )
    elif too_long:
        found.append(
            mark(
                f"{too_long:,} passages are longer than the {seen} tokens that the model reads at once, and harder to"
                " find. Split them again to fit."
            )
        )
    return found

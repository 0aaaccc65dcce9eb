"""Move of a library to another vector store and back, while the old store is searched; and keys of servers.

    settings name another store -> open it -> copy the vectors of the library -> switch -> the old store is kept

The vectors are read from the database of the library, so nothing is embedded again. The settings name the requested
store, and the state of the library names the one in use; an interrupted move continues where it stopped.
"""

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import EmbeddingError, IndexUnavailable, SettingError, WorkbenchError
from workbench.model.embedder import StoreChoice, StoreMoved, StoreMoveProgress, StoreState
from workbench.operations.library.index_stores import (
    chosen_store,
    embedder_part,
    put_store_key,
    store_in_use,
    store_part,
)
from workbench.operations.library.library import Library
from workbench.operations.library.models import truth_of
from workbench.operations.library.settings import put_setting
from workbench.worker.job import JobContext, Operation, finish_despite_cancel

if TYPE_CHECKING:  # numpy is not needed to show the window.
    import numpy as np
    from numpy.typing import NDArray

    from workbench.indexing.base import VectorStore

PIECE = 1000
"""Number of vectors between two checks for cancellation: about 1 s in the slowest store."""


def vector_store_state(library: Library) -> Operation[StoreState]:
    """Return the vector store in use, the one requested by the settings, and those kept after a move."""

    async def operation(_context: JobContext) -> StoreState:
        return await library.on_search(_state, library)

    return operation


def move_vector_store(library: Library, target: StoreChoice | None = None) -> Operation[StoreState]:
    """Move the library to another vector store; do nothing if it is already in use.

    Emits StoreMoveProgress and StoreMoved. If the move is cancelled or fails, the library keeps the store in use, and
    the settings name it again; closing the library only interrupts the move. The old store is kept for moving back.

    Args:
        library: The open library.
        target: The store, which is written to the settings; None for the one that they name.

    Raises:
        EmbeddingError: The embedder cannot be loaded.
        IndexUnavailable: The new store cannot be used.
        SettingError: There is no such store, or it lacks its address.
    """

    async def operation(context: JobContext) -> StoreState:
        if target is not None:
            await put_setting(library, "vector_store_url", target.url)(context)
            await put_setting(library, "vector_store", target.name)(context)
        async with library.changing:
            await library.on_store(library.models.stores.try_again)
            choice = await library.on_store(_wanted, library)
            if choice is not None:
                await _move(library, choice, context)
        return await library.on_search(_state, library)

    return operation


def delete_other_stores(library: Library) -> Operation[StoreState]:
    """Delete the data of this library from all other vector stores, including those on reachable servers."""

    async def operation(_context: JobContext) -> StoreState:
        async with library.changing:
            await library.on_store(_delete_others, library)
        return await library.on_search(_state, library)

    return operation


def put_vector_store_key(library: Library, key: str) -> Operation[bool]:
    """Store the password or key of the server named in the settings; an empty one removes it.

    Returns:
        True if it is kept after the program ends; see store_secret.

    Raises:
        SettingError: The settings name no server.
    """

    async def operation(_context: JobContext) -> bool:
        library.models.stores.try_again()
        return await library.on_store(put_store_key, library.settings.vector_store_url.strip(), key)

    return operation


async def _move(library: Library, choice: StoreChoice, context: JobContext) -> None:
    before = await library.on_store(library.models.stores.folders)
    try:
        context.emit(StoreMoveProgress(choice.name, 0, 0, None))
        store = await library.on_embedding(_opened, library, choice)
        await _fill(library, store, choice, context)
        await library.on_embedding(library.models.swap_store, store, choice)
    except asyncio.CancelledError:
        if not library.closing:
            # Queued on the embedding thread, so that it runs after a pending opening of the store.
            await finish_despite_cancel(library.on_embedding(_give_up, library, choice, before))
        raise
    except WorkbenchError:
        await library.on_embedding(_give_up, library, choice, before)
        raise
    context.emit(StoreMoved(await library.on_search(_state, library)))


async def _fill(library: Library, store: "VectorStore", choice: StoreChoice, context: JobContext) -> None:
    """Copy the vectors that the library has at the start to a store; later changes are synchronised afterwards."""
    import numpy as np  # as above

    embedder = library.models.embedder().id
    wanted = await library.on_store(library.vectors.ids, embedder)
    lacking = np.setdiff1d(wanted, store.ids, assume_unique=True)
    held, began = len(wanted) - len(lacking), time.perf_counter()

    def put(ids: "NDArray[np.int64]") -> None:
        store.upsert(*library.vectors.get(embedder, ids.tolist()))

    for start in range(0, len(lacking), PIECE):
        seconds = (time.perf_counter() - began) / start * (len(lacking) - start) if start else None
        context.emit(StoreMoveProgress(choice.name, held + start, len(wanted), seconds))
        await library.on_embedding(put, lacking[start : start + PIECE])
    context.emit(StoreMoveProgress(choice.name, len(wanted), len(wanted), 0.0))


def _opened(library: Library, choice: StoreChoice) -> "VectorStore":
    """Open the target store of a move, and remove vectors from it that have changed in the library."""
    from workbench.indexing.saved_index import remove_outdated  # numpy, as above

    library.models.bind()
    embedder = library.models.embedder()
    truth = truth_of(library.vectors, embedder.id, embedder.dim)
    store, _was_damaged = library.models.stores.open_saved(embedder.id, embedder.dim, choice)
    remove_outdated(store, truth, store.generation)
    return store


def _wanted(library: Library) -> StoreChoice | None:
    """Return the store named in the settings; None if it is in use."""
    choice = chosen_store(library.settings)
    return None if choice == store_in_use(library.setting_values) else choice


def _give_up(library: Library, choice: StoreChoice, before: list[Path]) -> None:
    """Undo a move: delete the new store if the move created it, and reset the settings to the store in use.

    The settings are not changed if they name a third store by now.

    Args:
        library: The open library.
        choice: Target store of the move.
        before: Index folders that existed before the move.
    """
    begun = library.models.stores.path(library.vectors.embedder, choice.name)
    if begun not in before and choice.name != store_in_use(library.setting_values).name:
        library.models.stores.delete(begun)
    if chosen_store(library.settings) == choice:
        current = store_in_use(library.setting_values)
        library.setting_values.put("vector_store", current.name)
        library.setting_values.put("vector_store_url", current.url)


def _delete_others(library: Library) -> None:
    for name in _others(library):
        library.models.stores.delete(library.models.stores.path(library.vectors.embedder, name))


def _others(library: Library) -> tuple[str, ...]:
    """Return the stores other than the one in use that contain vectors of the embedder in use."""
    in_use = library.models.index_path(library.vectors.embedder)
    same = (folder for folder in library.models.stores.folders() if embedder_part(folder) == embedder_part(in_use))
    return tuple(store_part(folder) for folder in same if folder.name != in_use.name)


def _state(library: Library) -> StoreState:
    from workbench.indexing.stores.store_registry import store_names  # numpy, as above

    vectors, problem = None, ""
    try:
        vectors = library.models.index().count
    except (EmbeddingError, IndexUnavailable, SettingError) as error:
        problem = str(error)
    return StoreState(
        current=store_in_use(library.setting_values),
        wanted=_wanted(library),
        vectors=vectors,
        problem=problem,
        others=_others(library) if library.vectors.embedder else (),
        names=store_names(),
    )

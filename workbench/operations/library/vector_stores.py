"""A move of a library to another vector store, while it is searched in the old one; the way back, and server keys.

    settings ask for another store -> open it -> put in the vectors of the library -> switch -> the old one is kept

The vectors come from the database of the library, so nothing is embedded again. The settings say which store is
wanted, the state of the library which one is in use: a move that was interrupted continues where it was.
"""

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import EmbeddingError, IndexUnavailable, SettingError, WorkbenchError
from workbench.model.vector_store import StoreChoice, StoreMoved, StoreMoveProgress, StoreState
from workbench.operations.library.index_stores import (
    chosen_store,
    embedder_part,
    put_store_key,
    store_in_use,
    store_part,
)
from workbench.operations.library.library import Library
from workbench.operations.library.models import truth_of
from workbench.worker.job import JobContext, Operation, finish_despite_cancel

if TYPE_CHECKING:  # numpy is not needed to show the window.
    import numpy as np
    from numpy.typing import NDArray

    from workbench.indexing.base import VectorStore

PIECE = 1000
"""Vectors between two looks at whether the move is cancelled: about 1 s in the slowest store."""


def vector_store_state(library: Library) -> Operation[StoreState]:
    """Return which vector store is in use, which one is wanted, and which ones a move has left behind."""

    async def operation(_context: JobContext) -> StoreState:
        return await library.on_search(_state, library)

    return operation


def move_vector_store(library: Library) -> Operation[StoreState]:
    """Move the library to the vector store that the settings ask for; nothing happens where that one is in use.

    Emits StoreMoveProgress and StoreMoved. Where it is cancelled or fails, the library keeps the store that it had, and
    the settings say so; closing the library only interrupts it. The old store is kept for the way back.

    Raises:
        EmbeddingError: The embedder cannot be loaded.
        IndexUnavailable: The new store cannot be used.
        SettingError: There is no such store, or it lacks its address.
    """

    async def operation(context: JobContext) -> StoreState:
        async with library.changing:
            await library.on_store(library.stores.try_again)
            choice = await library.on_store(_wanted, library)
            if choice is not None:
                await _move(library, choice, context)
        return await library.on_search(_state, library)

    return operation


def delete_other_stores(library: Library) -> Operation[StoreState]:
    """Delete what every vector store but the one in use holds of this library, also on servers that can be reached."""

    async def operation(_context: JobContext) -> StoreState:
        async with library.changing:
            await library.on_store(_delete_others, library)
        return await library.on_search(_state, library)

    return operation


def put_vector_store_key(library: Library, key: str) -> Operation[bool]:
    """Keep the password or key of the server that the settings name; an empty one removes it.

    Returns:
        Whether it will be there the next time, as store_secret does.

    Raises:
        SettingError: The settings name no server.
    """

    async def operation(_context: JobContext) -> bool:
        library.stores.try_again()
        return await library.on_store(put_store_key, library.settings.vector_store_url.strip(), key)

    return operation


async def _move(library: Library, choice: StoreChoice, context: JobContext) -> None:
    before = await library.on_store(library.stores.folders)
    try:
        context.emit(StoreMoveProgress(choice.name, 0, 0, None))
        store = await library.on_embedding(_opened, library, choice)
        await _fill(library, store, choice, context)
        await library.on_embedding(library.swap_store, store, choice)
    except asyncio.CancelledError:
        if not library.closing:
            # On the thread that may be about to open the store: after that.
            await finish_despite_cancel(library.on_embedding(_give_up, library, choice, before))
        raise
    except WorkbenchError:
        await library.on_embedding(_give_up, library, choice, before)
        raise
    context.emit(StoreMoved(await library.on_search(_state, library)))


async def _fill(library: Library, store: "VectorStore", choice: StoreChoice, context: JobContext) -> None:
    """Make a store hold the vectors of the library, as they are when it begins; what changes meanwhile comes later."""
    import numpy as np  # as above

    embedder = library.embedder().id
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
    """Return the store to move to, without vectors that are others by now."""
    library.bind()
    embedder = library.embedder()
    truth = truth_of(library.vectors, embedder.id, embedder.dim)
    store, _was_damaged = library.stores.open_saved(embedder.id, embedder.dim, choice)
    if store.count and store.generation != truth.generation:
        store.remove(store.differing(*truth.beginnings()))
    return store


def _wanted(library: Library) -> StoreChoice | None:
    """Return the store that the settings ask for; None where it is in use."""
    choice = chosen_store(library.settings)
    return None if choice == store_in_use(library.setting_values) else choice


def _give_up(library: Library, choice: StoreChoice, before: list[Path]) -> None:
    """Let the settings ask for the store in use, unless they ask for a third one by now; delete what was begun.

    Args:
        library: The open library.
        choice: The store that was moved to.
        before: The index folders that there were before.
    """
    begun = library.stores.path(library.vectors.embedder, choice.name)
    if begun not in before and choice.name != store_in_use(library.setting_values).name:
        library.stores.delete(begun)
    if chosen_store(library.settings) == choice:
        current = store_in_use(library.setting_values)
        library.setting_values.put("vector_store", current.name)
        library.setting_values.put("vector_store_url", current.url)


def _delete_others(library: Library) -> None:
    for name in _others(library):
        library.stores.delete(library.stores.path(library.vectors.embedder, name))


def _others(library: Library) -> tuple[str, ...]:
    """Return the stores other than the one in use that hold vectors of the embedder in use."""
    in_use = library.index_path(library.vectors.embedder)
    same = (folder for folder in library.stores.folders() if embedder_part(folder) == embedder_part(in_use))
    return tuple(store_part(folder) for folder in same if folder.name != in_use.name)


def _state(library: Library) -> StoreState:
    from workbench.indexing.stores.store_registry import store_names  # numpy, as above

    vectors, problem = None, ""
    try:
        vectors = library.index().count
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

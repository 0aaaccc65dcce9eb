"""Move of a library or a knowledge base to another vector store and back, while the old store is searched; keys.

    settings name another store -> open it -> copy the vectors of the library -> switch -> the old store is kept
    a knowledge base is to have its own store -> open it -> copy its vectors -> switch -> delete them from the old store

The vectors are read from the database of the library, so nothing is embedded again. The settings name the requested
store of the library, and the state of the library names those in use; an interrupted move of the library continues
where it stopped.
"""

import asyncio
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import EmbeddingError, IndexUnavailable, SettingError, WorkbenchError
from workbench.model.vector_store import (
    BUILT_IN_STORE,
    LIBRARY_STORE,
    StoreChoice,
    StoreMoved,
    StoreMoveProgress,
    StoreOfBase,
    StoreState,
)
from workbench.operations.library.index_stores import (
    chosen_store,
    embedder_part,
    is_of_base,
    main_store,
    partitions_of,
    put_store_in_use,
    put_store_key,
    put_store_of_base,
    store_in_use,
    store_part,
    stores_of_bases,
)
from workbench.operations.library.library import Library
from workbench.operations.library.models import truth_of
from workbench.operations.library.settings import put_setting
from workbench.worker.job import JobContext, Operation, finish_despite_cancel

if TYPE_CHECKING:  # numpy is not needed to show the window.
    import numpy as np
    from numpy.typing import NDArray

    from workbench.indexing.base import VectorStore
    from workbench.indexing.partitioned_store import Partition
    from workbench.indexing.saved_index import LibraryVectors

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


def move_base_to_store(library: Library, knowledge_base: str, target: StoreChoice) -> Operation[StoreState]:
    """Move the vectors of a knowledge base to a store of its own, or back; do nothing if they are already there.

    Emits StoreMoveProgress and StoreMoved. If the move is cancelled or fails, the store in use stays in use. The
    vectors are deleted from the old store.

    Args:
        library: The open library.
        knowledge_base: Name of the knowledge base, which is the library's own.
        target: The store; the name LIBRARY_STORE for that of the library.

    Raises:
        EmbeddingError: The embedder cannot be loaded.
        IndexUnavailable: The new store cannot be used.
        NotFound: There is no knowledge base of that name.
        SettingError: There is no such store, or it lacks its address.
    """

    async def operation(context: JobContext) -> StoreState:
        async with library.changing:
            await library.on_store(library.models.stores.try_again)
            number = await library.on_store(library.knowledge_bases.number_of, knowledge_base)
            old = stores_of_bases(library.setting_values).get(number)
            choice = None if target.name == LIBRARY_STORE else target
            if choice != old:
                await _move_base(library, _BaseMove(knowledge_base, number, old, choice), context)
        return await library.on_search(_state, library)

    return operation


def delete_other_stores(library: Library) -> Operation[StoreState]:
    """Delete the data of this library from all other vector stores, including those on reachable servers."""

    async def operation(_context: JobContext) -> StoreState:
        async with library.changing:
            await library.on_store(_delete_others, library)
        return await library.on_search(_state, library)

    return operation


def put_vector_store_key(library: Library, key: str, *, url: str | None = None) -> Operation[bool]:
    """Store the password or key of a server; an empty one removes it.

    Args:
        library: The open library.
        key: The password or key.
        url: Address of the server; None uses the one named in the settings.

    Returns:
        True if it is kept after the program ends; see store_secret.

    Raises:
        SettingError: There is no address.
    """

    async def operation(_context: JobContext) -> bool:
        library.models.stores.try_again()
        address = library.settings.vector_store_url if url is None else url
        return await library.on_store(put_store_key, address.strip(), key)

    return operation


async def _move(library: Library, choice: StoreChoice, context: JobContext) -> None:
    before = await library.on_store(library.models.stores.folders)
    try:
        context.emit(StoreMoveProgress(choice.name, 0, 0, None))
        store = await library.on_embedding(_opened, library, choice)
        progress = StoreMoveProgress(choice.name, 0, 0, None)
        await _fill(library, store, _truth(library), progress, context)
        await library.on_embedding(_swap, library, store, choice)
    except asyncio.CancelledError:
        if not library.closing:
            # Queued on the embedding thread, so that it runs after a pending opening of the store.
            await finish_despite_cancel(library.on_embedding(_give_up, library, choice, before))
        raise
    except WorkbenchError:
        await library.on_embedding(_give_up, library, choice, before)
        raise
    context.emit(StoreMoved(await library.on_search(_state, library)))


@dataclass(frozen=True, slots=True)
class _BaseMove:
    """Move of a knowledge base from one store to another; None stands for the store of the library."""

    name: str
    number: int
    old: StoreChoice | None
    new: StoreChoice | None

    @property
    def changes_folder(self) -> bool:
        """False if only the address of the server changes."""
        return self.old is None or self.new is None or self.old.name != self.new.name


async def _move_base(library: Library, move: _BaseMove, context: JobContext) -> None:
    target = store_in_use(library.setting_values) if move.new is None else move.new
    started = StoreMoveProgress(target.name, 0, 0, None, move.name)
    try:
        context.emit(started)
        store = await library.on_embedding(_opened_for_base, library, move)
        await _fill(library, store, _truth(library, move.number), started, context)
        await library.on_embedding(_swap_base, library, store, move)
    except asyncio.CancelledError:
        if not library.closing:
            await finish_despite_cancel(library.on_embedding(_give_up_base, library, move))
        raise
    except WorkbenchError:
        await library.on_embedding(_give_up_base, library, move)
        raise
    if move.old is not None and move.changes_folder:
        await library.on_embedding(_delete_store_of_base, library, move.number, move.old)
    context.emit(StoreMoved(await library.on_search(_state, library)))


def _swap(library: Library, store: "VectorStore", choice: StoreChoice) -> None:
    """Use another store for the library, except for knowledge bases that have their own."""
    models = library.models
    index = models.stores.combined(store, _partitions(library))
    path = models.stores.path(models.embedder().id, choice.name)
    models.swap_store(index, path, partial(put_store_in_use, library.setting_values, choice))


def _swap_base(library: Library, store: "VectorStore", move: _BaseMove) -> None:
    """Use another store for a knowledge base, and delete its vectors from that of the library if it moved away."""
    models, embedder = library.models, library.models.embedder()
    partitions = [one for one in _partitions(library) if one.knowledge_base != move.number]
    if move.new is not None:
        truth = truth_of(library.vectors, embedder.id, embedder.dim)
        partitions.append(models.stores.partition(embedder.id, truth, move.number, move.new, store=store))
    index = models.stores.combined(main_store(models.index()), partitions)
    record = partial(put_store_of_base, library.setting_values, move.number, move.new)
    models.swap_store(index, models.index_path(embedder.id), record)
    if move.new is not None:
        main_store(index).remove(_truth(library, move.number).ids())
        models.save_index()


def _partitions(library: Library) -> "tuple[Partition, ...]":
    """Return the stores of knowledge bases, open or not."""
    embedder, stores = library.models.embedder(), library.models.stores
    try:
        return partitions_of(library.models.index())
    except IndexUnavailable:  # the library moves away from a server that is down
        return tuple(stores.partitions(embedder.id, truth_of(library.vectors, embedder.id, embedder.dim)))


async def _fill(
    library: Library, store: "VectorStore", truth: "LibraryVectors", move: StoreMoveProgress, context: JobContext
) -> None:
    """Copy the vectors that the library has at the start to a store; later changes are synchronised afterwards."""
    import numpy as np  # as above

    wanted = await library.on_store(truth.ids)
    lacking = np.setdiff1d(wanted, store.ids, assume_unique=True)
    held, began = len(wanted) - len(lacking), time.perf_counter()

    def put(ids: "NDArray[np.int64]") -> None:
        store.upsert(*truth.fetch(ids.tolist()))

    for start in range(0, len(lacking), PIECE):
        seconds = (time.perf_counter() - began) / start * (len(lacking) - start) if start else None
        context.emit(replace(move, done=held + start, total=len(wanted), seconds_left=seconds))
        await library.on_embedding(put, lacking[start : start + PIECE])
    context.emit(replace(move, done=len(wanted), total=len(wanted), seconds_left=0.0))


def _truth(library: Library, knowledge_base: int = 0) -> "LibraryVectors":
    """Return the vectors of a knowledge base, or by default of all that have no store of their own."""
    embedder, stores = library.models.embedder(), library.models.stores
    truth = truth_of(library.vectors, embedder.id, embedder.dim)
    return stores.vectors_of_base(truth, knowledge_base) if knowledge_base else stores.rest_of(truth)


def _opened(library: Library, choice: StoreChoice, knowledge_base: int = 0) -> "VectorStore":
    """Open the target store of a move, and remove vectors from it that have changed in the library."""
    from workbench.indexing.saved_index import remove_outdated  # numpy, as above

    library.models.bind()
    embedder = library.models.embedder()
    store, _was_damaged = library.models.stores.open_saved(embedder.id, embedder.dim, choice, knowledge_base)
    remove_outdated(store, _truth(library, knowledge_base), store.generation)
    return store


def _opened_for_base(library: Library, move: _BaseMove) -> "VectorStore":
    """Open the target store of the move of a knowledge base."""
    index = library.models.index()
    return main_store(index) if move.new is None else _opened(library, move.new, move.number)


def _give_up_base(library: Library, move: _BaseMove) -> None:
    """Delete what the move of a knowledge base has copied."""
    if move.new is not None and move.changes_folder:
        _delete_store_of_base(library, move.number, move.new)
    elif move.new is None:
        main_store(library.models.index()).remove(_truth(library, move.number).ids())


def _delete_store_of_base(library: Library, knowledge_base: int, choice: StoreChoice) -> None:
    embedder = library.vectors.embedder
    library.models.stores.delete(library.models.stores.path(embedder, choice.name, knowledge_base))


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
    return tuple(store_part(folder) for folder in same if folder.name != in_use.name and not is_of_base(folder))


def _state(library: Library) -> StoreState:
    from workbench.indexing.stores.store_registry import store_offers  # numpy, as above

    vectors, problem = None, ""
    index = None
    try:
        index = library.models.index()
        vectors = main_store(index).count
    except (EmbeddingError, IndexUnavailable, SettingError) as error:
        problem = str(error)
    offers = tuple(replace(one, url=_last_address(library, one.name)) for one in store_offers())
    return StoreState(
        current=store_in_use(library.setting_values),
        wanted=_wanted(library),
        vectors=vectors,
        problem=problem,
        others=_others(library) if library.vectors.embedder else (),
        names=tuple(one.name for one in offers),
        offers=offers,
        knowledge_bases=tuple(library.knowledge_bases.numbers()),
        of_bases=_of_bases(library, index),
    )


def _of_bases(library: Library, index: "VectorStore | None") -> tuple[StoreOfBase, ...]:
    """Return the knowledge bases that have a store of their own; opens these stores."""
    partitions = {one.knowledge_base: one for one in (partitions_of(index) if index is not None else ())}
    names = {number: name for name, number in library.knowledge_bases.numbers().items()}
    found = []
    for number, choice in stores_of_bases(library.setting_values).items():
        if number not in names:
            continue
        vectors, problem = None, ""
        try:
            vectors = partitions[number].store().count if number in partitions else None
        except IndexUnavailable as error:
            problem = str(error)
        found.append(StoreOfBase(names[number], choice, vectors, problem))
    return tuple(sorted(found, key=lambda one: one.knowledge_base))


def _last_address(library: Library, name: str) -> str:
    """Return the address of the server on which a store keeps vectors of the embedder in use; empty for none."""
    from workbench.indexing.stores.store_manifest import StoreManifest  # numpy, as above

    if name == BUILT_IN_STORE or not library.vectors.embedder:
        return ""
    try:
        return StoreManifest.read(library.models.stores.path(library.vectors.embedder, name)).url
    except IndexUnavailable:
        return ""

"""Vector stores of a library: those in use, the location of their files, and the opening of a store."""

import json
import logging
import re
import sys
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from workbench.egress.gate import EgressGate
from workbench.errors import IndexUnavailable, ModelKeyRefused, SettingError, StoreUnreachable
from workbench.files.changes import delete_folder
from workbench.model.profile import ModelProfile
from workbench.model.vector_store import BUILT_IN_STORE, StoreChoice
from workbench.operations.library.credentials import load_key, store_secret
from workbench.settings import Settings
from workbench.store.configuration import SettingStore
from workbench.store.vectors import VectorTable

if TYPE_CHECKING:  # numpy and faiss are not needed to show the window.
    from workbench.indexing.base import VectorStore
    from workbench.indexing.partitioned_store import Partition
    from workbench.indexing.saved_index import LibraryVectors, OpenedIndex
    from workbench.indexing.stores.vector_engine import StoreLocation

logger = logging.getLogger(__name__)

_STATE = "vector store"
"""Key of the store in use in the state of the library."""
_STATE_OF_BASES = "vector stores of knowledge bases"
"""Key of the stores of single knowledge bases in the state of the library."""
_MARK = "@"
"""Separator of embedder, store and knowledge base in the name of an index folder."""
_RETRY_SECONDS = 15.0
"""Delay before a store that could not be reached is tried again, so that not every search waits for a connection."""
AT_ONCE = 2000
"""Maximum number of vectors added to a database while the caller waits for it to open: 1 to 3 s."""


def embedder_part(folder: Path) -> str:
    """Return the embedder part of an index folder's name, which is the folder name in the built-in store."""
    return folder.name.partition(_MARK)[0]


def store_part(folder: Path) -> str:
    """Return the name of the store of an index folder."""
    return folder.name.split(_MARK)[1] if _MARK in folder.name else BUILT_IN_STORE


def is_of_base(folder: Path) -> bool:
    """Return whether an index folder contains the vectors of a single knowledge base."""
    return folder.name.count(_MARK) == 2


def chosen_store(settings: Settings) -> StoreChoice:
    """Return the store named in the settings; the address is used only for a database."""
    if settings.vector_store == BUILT_IN_STORE:
        return StoreChoice()
    return StoreChoice(settings.vector_store, settings.vector_store_url.strip())


def store_in_use(values: SettingStore) -> StoreChoice:
    """Return the store in use."""
    try:
        name, url = json.loads(values.state(_STATE))
    except ValueError:
        return StoreChoice()
    return StoreChoice(str(name), str(url))


def put_store_in_use(values: SettingStore, choice: StoreChoice) -> None:
    """Record the store that the library uses from now on."""
    values.set_state(_STATE, json.dumps([choice.name, choice.url]))


def stores_of_bases(values: SettingStore) -> dict[int, StoreChoice]:
    """Return the stores of knowledge bases that have one of their own, by id of the knowledge base."""
    try:
        stored = json.loads(values.state(_STATE_OF_BASES))
        return {int(base): StoreChoice(str(name), str(url)) for base, (name, url) in stored.items()}
    except (ValueError, AttributeError, TypeError):
        return {}


def main_store(index: "VectorStore") -> "VectorStore":
    """Return the store of the library, without those of single knowledge bases."""
    from workbench.indexing.partitioned_store import PartitionedStore  # numpy, as above

    return index.main if isinstance(index, PartitionedStore) else index


def partitions_of(index: "VectorStore") -> "tuple[Partition, ...]":
    """Return the stores of single knowledge bases."""
    from workbench.indexing.partitioned_store import PartitionedStore  # numpy, as above

    return index.partitions if isinstance(index, PartitionedStore) else ()


def put_store_of_base(values: SettingStore, knowledge_base: int, choice: StoreChoice | None) -> None:
    """Record the store that a knowledge base uses from now on; None for that of the library."""
    stores = {base: one for base, one in stores_of_bases(values).items() if base != knowledge_base}
    if choice is not None:
        stores[knowledge_base] = choice
    values.set_state(_STATE_OF_BASES, json.dumps({str(base): [one.name, one.url] for base, one in stores.items()}))


def store_key_name(url: str) -> str:
    """Return the name of a server's key in the keyring; it contains the host, so that no other server gets the key."""
    return f"vector store at {urlsplit(url if '://' in url else f'//{url}').netloc.rpartition('@')[2]}"


def put_store_key(url: str, key: str) -> bool:
    """Store the password or key of a server, or remove it if empty; return True if it is kept after the program ends.

    Raises:
        SettingError: There is no address.
    """
    if not url:
        raise SettingError("The vector store has no address.", "Enter the address of its server first.")
    return store_secret(store_key_name(url), key)


class IndexStores:
    """Vector stores of one library: their folders, opening and deletion."""

    def __init__(
        self,
        folder: Path,
        values: SettingStore,
        gate: EgressGate,
        vectors: VectorTable,
        on_behind: Callable[[], None] = lambda: None,
    ) -> None:
        """Use the vector stores of a library.

        Args:
            folder: The library's folder.
            values: Its settings.
            gate: Its access to the network.
            vectors: Its vectors.
            on_behind: Called after a store of a knowledge base was opened without some of its vectors.
        """
        self._folder = folder / "index"
        self._values = values
        self._gate = gate
        self._vectors = vectors
        self._on_behind = on_behind
        self._failed: dict[Path, tuple[float, str, str]] = {}

    def path(self, embedder_id: str, store: str | None = None, knowledge_base: int = 0) -> Path:
        """Return the folder of an embedder's index.

        Args:
            embedder_id: The embedder.
            store: Name of the store; None for the one in use.
            knowledge_base: Id of the knowledge base that has the store of its own; 0 for the store of the library.
        """
        name = store_in_use(self._values).name if store is None else store
        embedder = re.sub(r"[^\w.-]+", "_", embedder_id)
        if knowledge_base:
            return self._folder / f"{embedder}{_MARK}{name}{_MARK}{knowledge_base}"
        return self._folder / (embedder if name == BUILT_IN_STORE else f"{embedder}{_MARK}{name}")

    @property
    def is_one_built_in(self) -> bool:
        """True if all vectors are in one store, the built-in one."""
        return store_in_use(self._values).name == BUILT_IN_STORE and not stores_of_bases(self._values)

    @property
    def are_built_in(self) -> bool:
        """True if all vectors are in the built-in store."""
        choices = {store_in_use(self._values), *stores_of_bases(self._values).values()}
        return all(one.name == BUILT_IN_STORE for one in choices)

    def folders(self) -> list[Path]:
        """Return every index folder, of all embedders and stores."""
        return sorted(self._folder.iterdir()) if self._folder.is_dir() else []

    def open(self, embedder_id: str, truth: "LibraryVectors", *, at_once: int = sys.maxsize) -> "OpenedIndex":
        """Return the index of an embedder in the stores in use; after a failure it is not tried again for a while.

        Stores of single knowledge bases are opened when they are first needed, except the built-in one.

        Args:
            embedder_id: The embedder.
            truth: The library's vectors, of all knowledge bases.
            at_once: Maximum number of missing vectors that are added here, for a database AT_ONCE at most; if more are
                missing, adding them is left to the caller. sys.maxsize adds all, for a database as well.

        Raises:
            IndexUnavailable: The store of the library cannot be used, or the vectors do not fit the embedder.
        """
        from workbench.indexing.saved_index import OpenedIndex

        choice = store_in_use(self._values)
        partitions = self.partitions(embedder_id, truth, at_once=at_once)
        opened = self._open(choice, self.path(embedder_id, choice.name), self.rest_of(truth), at_once)
        if not partitions:
            return opened
        return OpenedIndex(self.combined(opened.store, partitions), opened.was_damaged, opened.is_whole)

    def combined(self, main: "VectorStore", partitions: "Sequence[Partition]") -> "VectorStore":
        """Return one store over that of the library and those of knowledge bases."""
        from workbench.indexing.partitioned_store import PartitionedStore

        return PartitionedStore(main, partitions, self._vectors.knowledge_bases_of) if partitions else main

    def rest_of(self, truth: "LibraryVectors") -> "LibraryVectors":
        """Return the vectors of the knowledge bases that have no store of their own."""
        import numpy as np  # as above

        own = list(stores_of_bases(self._values))
        if not own:
            return truth
        return truth.limited(lambda ids: ids[~np.isin(self._vectors.knowledge_bases_of(ids), own)])

    def vectors_of_base(self, truth: "LibraryVectors", knowledge_base: int) -> "LibraryVectors":
        """Return the vectors of one knowledge base."""
        return truth.limited(lambda ids: ids[self._vectors.knowledge_bases_of(ids) == knowledge_base])

    def partitions(self, embedder_id: str, truth: "LibraryVectors", *, at_once: int = sys.maxsize) -> "list[Partition]":
        """Return the stores of knowledge bases, which are not opened yet."""
        return [
            self.partition(embedder_id, truth, base, choice, at_once=at_once)
            for base, choice in stores_of_bases(self._values).items()
        ]

    def partition(
        self,
        embedder_id: str,
        truth: "LibraryVectors",
        knowledge_base: int,
        choice: StoreChoice,
        *,
        at_once: int = sys.maxsize,
        store: "VectorStore | None" = None,
    ) -> "Partition":
        """Return the store of a knowledge base, which is not opened, unless it is given.

        Args:
            embedder_id: The embedder.
            truth: The library's vectors, of all knowledge bases.
            knowledge_base: Id of the knowledge base.
            choice: Its store.
            at_once: As in open().
            store: The store, if it is open.
        """
        from workbench.indexing.partitioned_store import Partition

        path = self.path(embedder_id, choice.name, knowledge_base)

        own = self.vectors_of_base(truth, knowledge_base)

        def open_now() -> "OpenedIndex":
            now = replace(own, generation=self._vectors.generation(embedder_id))
            return self._open(choice, path, now, at_once)

        return Partition(knowledge_base, path, open_now, own.ids, store=store, on_behind=self._on_behind)

    def _open(self, store: StoreChoice, path: Path, truth: "LibraryVectors", at_once: int) -> "OpenedIndex":
        from workbench.indexing.saved_index import open_index

        if store.name == BUILT_IN_STORE:
            return open_index(path, truth, at_once=at_once)
        failed = self._failed.get(path)
        if failed is not None and time.monotonic() < failed[0]:
            raise StoreUnreachable(*failed[1:])
        try:
            try:
                opener = self._opener(store, path, truth.dim)
            except (SettingError, ModelKeyRefused) as error:
                raise StoreUnreachable(error.message, error.hint) from error
            most = at_once if at_once == sys.maxsize else min(at_once, AT_ONCE)
            return open_index(path, truth, at_once=most, opener=opener)
        except StoreUnreachable as error:
            self._failed[path] = (time.monotonic() + _RETRY_SECONDS, error.message, error.hint)
            raise

    def try_again(self) -> None:
        """Allow a store that could not be reached to be tried at its next use."""
        self._failed.clear()

    def open_saved(
        self, embedder_id: str, dim: int, choice: StoreChoice, knowledge_base: int = 0
    ) -> "tuple[VectorStore, bool]":
        """Return a store as saved, which may be incomplete or empty, and whether it was damaged.

        Args:
            embedder_id: The embedder.
            dim: Width of its vectors.
            choice: The store.
            knowledge_base: Id of the knowledge base that has the store of its own; 0 for the store of the library.

        Raises:
            IndexUnavailable: The store cannot be used.
            SettingError: There is no such store, or it lacks its address.
        """
        from workbench.indexing.saved_index import open_saved

        path = self.path(embedder_id, choice.name, knowledge_base)
        if choice.name == BUILT_IN_STORE:
            return open_saved(path, dim)
        return self._opener(choice, path, dim)()

    def delete_unused(self, knowledge_bases: Collection[int]) -> None:
        """Delete the stores of knowledge bases that are not among the given ids, which were deleted permanently."""
        for base in stores_of_bases(self._values).keys() - set(knowledge_bases):
            put_store_of_base(self._values, base, None)
            for folder in self.folders():
                if is_of_base(folder) and folder.name.endswith(f"{_MARK}{base}"):
                    self.delete(folder)

    def delete(self, folder: Path) -> None:
        """Delete an index folder, and its collection on a server if that can be reached."""
        if not folder.exists():
            return
        name = store_part(folder)
        if name != BUILT_IN_STORE:
            try:
                self._drop(name, folder)
            except (IndexUnavailable, SettingError) as error:
                logger.warning("What a vector store holds could not be deleted: %s", error)
        delete_folder(folder, within=self._folder.parent)

    def _drop(self, name: str, folder: Path) -> None:
        from workbench.indexing.stores.engine_store import load_engine_store
        from workbench.indexing.stores.store_manifest import StoreManifest
        from workbench.indexing.stores.store_registry import provider_of

        url = StoreManifest.read(folder).url
        provider = provider_of(name, url)
        if provider is not None:
            load_engine_store(name, provider, self._location(folder, url)).drop()

    def _opener(self, choice: StoreChoice, path: Path, dim: int) -> "Callable[[], tuple[VectorStore, bool]]":
        from workbench.indexing.stores.engine_store import open_engine_store
        from workbench.indexing.stores.store_registry import provider_of

        provider = provider_of(choice.name, choice.url)
        assert provider is not None
        location = self._location(path, choice.url)
        return lambda: open_engine_store(choice.name, provider, location, dim)

    def _location(self, path: Path, url: str) -> "StoreLocation":
        from workbench.indexing.stores.vector_engine import StoreLocation

        key_env = self._values.load().vector_store_key_env
        key = load_key(ModelProfile(store_key_name(url), key_env=key_env)) if url else ""
        return StoreLocation(path, url, key, self._gate)

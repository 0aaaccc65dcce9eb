"""Vector store of a library: the store in use, the location of its files, and the opening of a store."""

import json
import logging
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from workbench.egress.gate import EgressGate
from workbench.errors import IndexUnavailable, ModelKeyRefused, SettingError, StoreUnreachable
from workbench.files.changes import delete_folder
from workbench.model.embedder import BUILT_IN_STORE, StoreChoice
from workbench.model.profile import ModelProfile
from workbench.operations.library.credentials import load_key, store_secret
from workbench.settings import Settings
from workbench.store.configuration import SettingStore

if TYPE_CHECKING:  # numpy and faiss are not needed to show the window.
    from workbench.indexing.base import VectorStore
    from workbench.indexing.saved_index import LibraryVectors, OpenedIndex
    from workbench.indexing.stores.vector_engine import StoreLocation

logger = logging.getLogger(__name__)

_STATE = "vector store"
"""Key of the store in use in the state of the library."""
_MARK = "@"
"""Separator of embedder and store in the name of an index folder."""
_RETRY_SECONDS = 15.0
"""Delay before a store that could not be reached is tried again, so that not every search waits for a connection."""
AT_ONCE = 2000
"""Maximum number of vectors added to a database while the caller waits for it to open: 1 to 3 s."""


def embedder_part(folder: Path) -> str:
    """Return the embedder part of an index folder's name, which is the folder name in the built-in store."""
    return folder.name.partition(_MARK)[0]


def store_part(folder: Path) -> str:
    """Return the name of the store of an index folder."""
    return folder.name.rpartition(_MARK)[2] if _MARK in folder.name else BUILT_IN_STORE


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

    def __init__(self, folder: Path, values: SettingStore, gate: EgressGate) -> None:
        """Use the library's folder, its settings, and the gate for connections to servers."""
        self._folder = folder / "index"
        self._values = values
        self._gate = gate
        self._failed: tuple[float, str, str] | None = None

    def path(self, embedder_id: str, store: str | None = None) -> Path:
        """Return the folder of an embedder's index, in the store in use or in another one."""
        name = store_in_use(self._values).name if store is None else store
        embedder = re.sub(r"[^\w.-]+", "_", embedder_id)
        return self._folder / (embedder if name == BUILT_IN_STORE else f"{embedder}{_MARK}{name}")

    def folders(self) -> list[Path]:
        """Return every index folder, of all embedders and stores."""
        return sorted(self._folder.iterdir()) if self._folder.is_dir() else []

    def open(self, embedder_id: str, truth: "LibraryVectors", *, at_once: int = sys.maxsize) -> "OpenedIndex":
        """Return the index of an embedder in the store in use; after a failure it is not tried again for a while.

        Args:
            embedder_id: The embedder.
            truth: The library's vectors.
            at_once: Maximum number of missing vectors that are added here, for a database AT_ONCE at most; if more are
                missing, adding them is left to the caller. sys.maxsize adds all, for a database as well.

        Raises:
            IndexUnavailable: The store cannot be used, or the vectors do not fit the embedder.
        """
        from workbench.indexing.saved_index import open_index

        store = store_in_use(self._values)
        path = self.path(embedder_id, store.name)
        if store.name == BUILT_IN_STORE:
            return open_index(path, truth, at_once=at_once)
        if self._failed is not None and time.monotonic() < self._failed[0]:
            raise StoreUnreachable(*self._failed[1:])
        try:
            try:
                opener = self._opener(store, path, truth.dim)
            except (SettingError, ModelKeyRefused) as error:
                raise StoreUnreachable(error.message, error.hint) from error
            most = at_once if at_once == sys.maxsize else min(at_once, AT_ONCE)
            return open_index(path, truth, at_once=most, opener=opener)
        except StoreUnreachable as error:
            self._failed = (time.monotonic() + _RETRY_SECONDS, error.message, error.hint)
            raise

    def try_again(self) -> None:
        """Allow a store that could not be reached to be tried at its next use."""
        self._failed = None

    def open_saved(self, embedder_id: str, dim: int, choice: StoreChoice) -> "tuple[VectorStore, bool]":
        """Return a store as saved, which may be incomplete or empty, and whether it was damaged.

        Raises:
            IndexUnavailable: The store cannot be used.
            SettingError: There is no such store, or it lacks its address.
        """
        from workbench.indexing.saved_index import open_saved

        path = self.path(embedder_id, choice.name)
        if choice.name == BUILT_IN_STORE:
            return open_saved(path, dim)
        return self._opener(choice, path, dim)()

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

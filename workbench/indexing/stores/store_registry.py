"""The registry of vector databases: the adapters of the program, then those of installed packages."""

from importlib.util import find_spec

from workbench.errors import SettingError
from workbench.indexing.stores.vector_engine import StoreProvider
from workbench.model.vector_store import BUILT_IN_STORE, AddressUse, StoreOffer
from workbench.plugins.registry import Registry


def _lancedb() -> StoreProvider:
    from workbench.indexing.stores.lancedb_engine import LanceDBProvider

    return LanceDBProvider()


def _chroma() -> StoreProvider:
    from workbench.indexing.stores.chroma_engine import ChromaProvider

    return ChromaProvider()


def _qdrant() -> StoreProvider:
    from workbench.indexing.stores.qdrant_engine import QdrantProvider

    return QdrantProvider()


def _milvus() -> StoreProvider:
    from workbench.indexing.stores.milvus_engine import MilvusProvider

    return MilvusProvider()


def _pgvector() -> StoreProvider:
    from workbench.indexing.stores.pgvector_engine import PgvectorProvider

    return PgvectorProvider()


STORES: Registry[StoreProvider] = Registry("workbench.stores")
"""All vector databases; other packages add theirs by the entry point group of that name."""

STORES.register("lancedb", _lancedb)
STORES.register("chroma", _chroma)
STORES.register("qdrant", _qdrant)
STORES.register("milvus", _milvus)
STORES.register("pgvector", _pgvector)


_CLIENTS = {
    "lancedb": "lancedb",
    "chroma": "chromadb",
    "qdrant": "qdrant_client",
    "milvus": "pymilvus",
    "pgvector": "pgvector",
}
"""Store -> the module of its client, which the optional extra with the name of the store installs."""


def store_offers() -> tuple[StoreOffer, ...]:
    """Return every vector store with what is needed to choose one, the built-in one first; loads no client."""
    offers = [StoreOffer(BUILT_IN_STORE, "FAISS")]
    for name in STORES.names():
        provider = STORES.get(name)
        is_missing = name in _CLIENTS and find_spec(_CLIENTS[name]) is None
        offers.append(StoreOffer(name, provider.title, provider.address_use, extra=name if is_missing else ""))
    return tuple(offers)


def store_names() -> tuple[str, ...]:
    """Return the names of all vector stores, the built-in one first."""
    return (BUILT_IN_STORE, *STORES.names())


def provider_of(name: str, url: str) -> StoreProvider | None:
    """Return the provider of a store; None for the built-in one.

    Args:
        name: Name in the registry.
        url: Address of the server; empty for none.

    Raises:
        SettingError: No store has that name, its address is missing, or it cannot use an address.
    """
    if name not in store_names():
        raise SettingError(f"There is no vector store “{name}”.", f"Choose one of {', '.join(store_names())}.")
    if name == BUILT_IN_STORE:
        return None  # faiss_store.py needs no database
    provider = STORES.get(name)
    if provider.address_use is AddressUse.NEVER and url:
        raise SettingError(
            f"{provider.title} keeps its files in the library and has no server.", "Leave its address empty."
        )
    if provider.address_use is AddressUse.REQUIRED and not url:
        raise SettingError(
            f"{provider.title} needs the address of a server.",
            "Enter it, such as postgresql://name@localhost/database.",
        )
    return provider

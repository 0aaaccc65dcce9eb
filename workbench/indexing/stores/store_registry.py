"""The registry of vector databases: the adapters of the program, then those of installed packages."""

from workbench.errors import SettingError
from workbench.indexing.stores.vector_engine import AddressUse, StoreProvider
from workbench.model.embedder import BUILT_IN_STORE
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
"""Every vector database; other packages add theirs by the entry point group of that name."""

STORES.register("lancedb", _lancedb)
STORES.register("chroma", _chroma)
STORES.register("qdrant", _qdrant)
STORES.register("milvus", _milvus)
STORES.register("pgvector", _pgvector)


def store_names() -> tuple[str, ...]:
    """Return every vector store that can be chosen, the built-in one first."""
    return (BUILT_IN_STORE, *STORES.names())


def provider_of(name: str, url: str) -> StoreProvider | None:
    """Return the provider of a store; None for the built-in one.

    Args:
        name: As in the registry.
        url: Address of the server; empty for none.

    Raises:
        SettingError: There is no such store, it lacks its address, or has one that it cannot use.
    """
    if name not in store_names():
        raise SettingError(f"There is no vector store “{name}”.", f"Choose one of {', '.join(store_names())}.")
    if name == BUILT_IN_STORE:
        return None  # its files need no database: faiss_store.py
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

"""Vector databases in place of the built-in index, each an optional extra; FAISS is the default.

    VectorStore (indexing/base.py) <- EngineStore <- VectorEngine <- the client of a database

vector_engine.py     The interface of a vector database: the protocol of an adapter, and the location of its vectors
store_manifest.py    The manifest of a vector store: a small file in the index folder with the name and state of the
                     collection
engine_store.py      A vector store on a vector database: the code that is common to all databases
store_registry.py    The registry of vector databases: the adapters of the program, then those of installed packages
lancedb_engine.py    LanceDB: an embedded database of columnar files; searches by comparing with every vector
chroma_engine.py     Chroma: an embedded database with an approximate index (HNSW graph)
qdrant_engine.py     Qdrant: a server by its URL, or the local mode of its client, which compares with every vector
                     in memory
milvus_engine.py     Milvus: a server by its URL, or Milvus Lite, which runs in this process behind a local socket
pgvector_engine.py   PostgreSQL with the extension pgvector: exact up to 50,000 vectors, then by a graph (HNSW)

A package adds a store by the entry point group `workbench.stores`, whose entry is a function without arguments that
returns a StoreProvider. The vectors in the database of the library stay the truth: any store can be rebuilt from them.
"""

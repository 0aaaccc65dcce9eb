"""An open library: its stores, models, settings, network rules, and changes requested by other programs.

library.py                    Open library: its stores, its index, its embedder, and the executors that work for it
models.py                     Search models of a library: embedder, index and retriever, loaded on demand
warm_up.py                    Warm-up: load all that the first question, answer, click and file would otherwise wait for
background_work.py            Background work of a library: maintenance while nothing else is active, and jobs between
                              two answers
embedder_change.py            Change of the embedder without downtime: compute new vectors next to the old ones, swap,
                              revert
embedder_language.py          Languages of a library that its embedding model hardly understands
embedding_servers.py          Embedding servers of a library: addresses, keys, embedders; set-up: plan, consent, trial,
                              waiting
package_installation.py       Installation of the packages that load other embedding models, by pip or uv
index_stores.py               Vector store of a library: the store in use, the location of its files, and the opening of
                              a store
vector_stores.py              Move of a library to another vector store and back, while the old store is searched;
                              server keys
derived_vectors.py            Derived vectors: first vectors of chunks that wait for the embedder, vectors of phrases,
                              and token vectors
settings.py                   Settings: read, change, reset
profiles.py                   Model profiles: list, add, remove, test, find servers of this machine; and the provider of
                              a profile
credentials.py                Keys and passwords: stored in the system's keyring, or read from an environment variable
                              that a profile names
trust.py                      Trust: whether a library is trusted on this machine, which tool servers the user consented
                              to
network_access.py             Network operations: offline mode, the ledger of requests and its export as JSON lines or
                              CSV, models to download
knowledge_base_management.py  Knowledge bases: describe, add, rename, remove, restore; move and copy documents between
                              them
library_map.py                Map of a library: read, draw, and locate questions and passages on it
map_chart.py                  Map chart: drawn from vectors, stored next to the index, updated with the library;
                              blocking
change_messages.py            Change messages: change requests from one program to another one that has the library open
document_changes.py           Change requests for documents that one program sends to another: add, read again, tag,
                              edit, remove
library_changes.py            Change requests for everything in a library except documents, from one program to another
"""

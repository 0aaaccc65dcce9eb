"""Shared libraries: searched and read beside the personal library, and served by workers.

federated_ids.py        Ids and names of several libraries in one
connections.py          Connections of a personal library, as stored
shared_library.py       Open connections of a personal library, their stores and retrievers
shared_tables.py        Stores of an open shared library
federated_documents.py  Documents of all libraries, read by their ids
federated_metadata.py   Metadata and tags of documents of all libraries
shared_search.py        Search of all libraries for one question
sharing.py              Operations: set up, connect, members, adding files, following changes
import_worker.py        Worker that reads the documents of the queue
originals.py            Original files of documents, fetched when needed
"""

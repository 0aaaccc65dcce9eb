"""An open library: its stores, models, settings, network rules, and changes requested by other programs.

library.py           One open library: its stores, its index, its embedder, and the executors that work for it
models.py            Search models of a library: embedder, index and retriever, loaded on demand
warm_up.py           Load what the first question, its answer, the first click and the first file would wait for
upkeep.py            What can wait until nothing else is to be done: files checked, searches made faster, room given
                     back
embedder_change.py   A change of the embedder without an outage: new vectors beside the old, then a swap, and a way
                     back
derived_vectors.py   Derived vectors: approximate first vectors of chunks that wait for the embedder, and vectors of
                     phrases
token_codes.py       Token vectors of the chunks, kept compressed beside their vectors for late interaction
settings.py          Settings: read, change, reset
profiles.py          Model profiles: list, add, remove, test, find servers of this machine; and the provider that a
                     profile stands for
credentials.py       Keys and passwords: in the system's keyring, or in an environment variable that a profile names,
                     and nowhere else
trust.py             Trust: whether a library is trusted on this machine, which tool servers the user consented to
egress.py            Network operations: offline mode, the ledger of requests and their passages, and downloads of
                     models
knowledge_bases.py   Knowledge bases: describe, add, rename, remove, restore; move and copy documents between them
map.py               The map of a library: looked at, drawn, and asked where something stands on it
map_chart.py         Map chart: drawn from vectors, stored beside the index, updated with the library; blocking
change_messages.py   Changes that one program has another one make, which holds the library
document_changes.py  Change requests for documents that one program sends to another: added, read again, tagged,
                     edited, removed
library_changes.py   Changes of what a library has besides documents, that one program may have another one make
"""

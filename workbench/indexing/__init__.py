"""Vector index: nearest-neighbour search over a cache of the library's vectors.

    new vectors -> buffer in memory -> segment file -> merged with segments of similar size -> inverted lists if large

base.py           The vector store protocol: a cache of the library's vectors, made for searching
faiss_store.py    Nearest neighbours by inner product, computed by FAISS; see indexing/__init__.py for the parts
segment.py        Segments of an index
index_file.py     An open index file whose reads return the checked content or raise an error
file_rows.py      Vectors that stay in their file and are read when a search needs them
index_folder.py   The folder of an index: the manifest file that lists the segments, and the numbering, opening and
                  cleanup of their files; replacing the manifest saves the index
flat.py           Exact search: inner products with every row, in memory without a copy or read from a file
ivf.py            Inverted lists (IVF) over one segment: approximate search in rows with 8-bit values, loaded when first
                  needed
centres.py        Spherical k-means clustering of unit vectors
atomic_files.py   Atomic file writes
saved_index.py    The saved index: opening, read-only use, synchronisation with the library, verification and repair
partitioned_store.py
                  A vector store whose vectors lie in several stores, by knowledge base
first_vectors.py  First vectors: approximate vectors in memory of chunks that are not embedded yet
token_codec.py    Compression of token vectors for late interaction
stores/           Vector databases in place of the built-in index, each an optional extra; FAISS is the default
projection.py     Projection of the vectors into a plane, for the map of the library
"""

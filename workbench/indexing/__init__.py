"""Vectors -> nearest neighbours: a cache of the library's vectors, made for searching.

    new vectors -> tail, in memory -> segment, a file -> merged with its like -> lists, where there are many

base.py           The vector store protocol: a cache of the library's vectors, made for searching
faiss_store.py    Nearest neighbours by inner product, computed by FAISS; see indexing/__init__.py for the parts
segment.py        Segments of an index
index_file.py     A file of the index that is open: what is read of it is what was in it when it was checked, or an
                  error
file_rows.py      Vectors that stay in their file: what a search wants of them is read when it wants it
index_folder.py   The one small file that says what an index consists of; to replace it is to save the index
folder.py         The files of an index in their folder: named by number, opened, swept
flat.py           Exact search: the inner product with every row, taken where the rows lie in memory, or read from
                  their file
ivf.py            An IVF over one segment: a search looks at the lists of its rows that are near, each value rounded
                  to a byte
loaded_lists.py   The lists of a file as FAISS searches them, each read into memory when a search first looks at it
centres.py        Spherical k-means: points that stand in the middle of the vectors near them
atomic_files.py   Files that are written whole or not at all
saved_index.py    The saved index: opened, read beside the program that writes it, synchronised with the library
first_vectors.py  First vectors: rough ones in memory, of chunks that wait for the model's; and an index searched with
                  them
token_codec.py    Compression of token vectors for late interaction
stores/           Vector databases in place of the built-in index, each an optional extra; FAISS is the default
projection/       Vectors -> points in a plane, to be looked at: what is alike stands together
"""

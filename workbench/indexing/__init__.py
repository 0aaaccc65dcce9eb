"""Vectors -> nearest neighbours: a cache of the library's vectors, made for searching.

base.py         the VectorStore protocol
faiss_store.py  exact search with FAISS
index_file.py   the cache file
following.py    a store brought into step with the library
"""

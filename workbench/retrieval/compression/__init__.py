"""Passages -> as much of them, word for word, as a model has room for.

compress.py  Compression of passages to the room that a model has
"""

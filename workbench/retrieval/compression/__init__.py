"""Passages -> as much of them, word for word, as a model has room for.

pieces.py       a passage -> sentences, rows of tables, code, in order; together they are all of it
redundancy.py   which sentences say what a better one has said already
selection.py    pieces with their worth and cost -> those that fit
excerpt.py      what is kept of a passage: spans of its text, and how they read with marks where something is missing
compress.py     question + passages + room -> excerpts
"""

"""Preparation of a file in a parser process: parsing, chunking, and word segmentation.

file -> parsing -> ParsedDocument -> chunking -> Chunks -> their words for the keyword index -> Prepared

A separate package, because a parser process imports nothing else: the operations, with embedding and agent, would cost
each process 25 MB and 0.6 s.

prepare.py  Preparation of one file, or of several small ones: its text, its chunks and their words
"""

"""What a reader process does with one file: parse, chunk, cut words.

file -> parsing -> ParsedDocument -> chunking -> Chunks -> their words for the keyword index -> Prepared

A room of its own, because a reader imports nothing else: the operations, with the embedding and the agent behind them,
would cost each reader 25 MB and 0.6 s.

prepare.py  One file -> its text, its chunks and their words; runs in a reader process
"""

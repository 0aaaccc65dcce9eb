"""Compression of passages into verbatim excerpts that fit a model's token budget.

compress.py  Compression of passages to a token budget: scoring, removal of repetitions, and selection of pieces
"""

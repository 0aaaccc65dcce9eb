"""Filters as a person, a script or a model writes them -> the tree that a search is filtered with, and back.

text_syntax.py  Text syntax of filters (“format:pdf year>=2020 -draft”): tokenizer, parser, writer and completion at
                the cursor
json_forms.py   Filters as dicts and lists of scripts and JSON, and several filters merged into one
mentions.py     @document and #tag in a question: what is being typed, what it is restricted to by them, and what is
                left of it
"""

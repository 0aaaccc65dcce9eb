"""Filters as written by a person, a script or a model, parsed into the tree that a search uses, and written back.

text_syntax.py  Text syntax of filters (“format:pdf year>=2020 -draft”): tokenizer, parser, writer and completion at
                the cursor
json_forms.py   Filters as dicts and lists of scripts and JSON, and several filters merged into one
mentions.py     @document and #tag mentions in a question: completion, the filter made of them, and the remaining text
"""

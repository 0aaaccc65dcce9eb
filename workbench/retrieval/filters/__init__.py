"""Filters as a person, a script or a model writes them -> the tree that a search is filtered with, and back.

syntax.py      “format:pdf year>=2020 -draft” -> tree; tokens.py: the text cut into its parts
writing.py     tree -> such a text, which reads back as the same tree
forms.py       dicts and lists, as scripts and JSON files give them <-> tree
merging.py     several filters -> one: a user's restriction is never widened
completion.py  a text that is being typed -> what may come next
mentions.py    @document and #tag in a question -> what it is restricted to, and what is left of it
"""

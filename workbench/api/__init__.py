"""The program as a library: `import workbench`. The names in workbench/__init__.py stay; all others may change.

library.py        Library: add, search, ask, from a script that waits for each
async_library.py  AsyncLibrary: the same, awaited
knowledge.py      Knowledge: one knowledge base of it
verbs.py          what people write -> the operations that do it
"""

"""The program as a library: `import workbench`. The names in workbench/__init__.py stay; all others may change.

async_library.py  AsyncLibrary: add, search, ask, change passages, from a program with an asyncio loop of its own
library.py        Library: the same verbs, for a script that waits for each
knowledge.py      Knowledge: one knowledge base of it
arguments.py      what scripts write -> what operations take
"""

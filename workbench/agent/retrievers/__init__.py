"""Custom retrievers: question -> passages from outside the library, asked side by side, each within its limits.

shelf.py           every retriever there is, by name: registered in code, of installed packages, of plug-in files
asking.py          several asked at once -> one search result: in order, within one budget, with what went wrong
plugin_process.py  a plug-in file in a child process of its own, with consent
rendering.py       such a passage as a model sees it

What a retriever may look like, and what it may give, is in workbench/plugins.
"""

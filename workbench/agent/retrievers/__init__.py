"""Custom retrievers: question -> passages from outside the library, asked side by side, each within its limits.

shelf.py           Every retriever there is, by name: registered in code, of installed packages, of the library's
                   plug-in files
asking.py          Several retrievers asked at once -> one search result; one that fails or is late costs nobody else
                   anything
plugin_process.py  A plug-in file as the program sees it: it runs in a child process of its own, and only with consent
rendering.py       A passage from outside the library as a model sees it

What a retriever may look like, and what it may give, is in workbench/plugins.
"""

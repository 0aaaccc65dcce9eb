"""Custom retrievers: question -> passages from outside the library, asked side by side, each within its limits.

retriever_registry.py  Registry of all retrievers by name, and the concurrent query of several of them within their
                       limits
plugin_process.py      A plug-in file as the program sees it: it runs in a child process of its own, and only with
                       consent

What a retriever may look like, and what it may give, is in workbench/plugins.
"""

"""Custom retrievers: passages from outside the library, requested concurrently, each within limits.

retriever_registry.py  Registry of all retrievers by name, and the concurrent query of several of them within their
                       limits
plugin_process.py      Client of a plug-in file, which runs in its own child process, and only with the user's consent

The interface of retrievers and the formats of their results are defined in workbench/plugins.
"""

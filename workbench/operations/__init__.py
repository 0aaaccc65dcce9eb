"""The verbs: every operation of the program, free of Qt, each a function of a JobContext.

    library.py    one open library: its stores, index, embedder, executors
    sources.py    paths -> files to add, or the reason why not
    prepare.py    one file -> text and chunks, in a child process
    documents.py  add, list, remove, restore, re-index; chunks and text of a document
    embedding.py  chunks without a vector -> vectors, in batches over documents
    search.py     question -> hits
    ask.py        question -> run, every step an event, all of it kept
    sessions.py   list, open, rename, remove, restore
    export.py     session -> file
    pages.py      citation -> picture of its page with the passage marked
    profiles.py   model profiles, their keys in the system's keyring, connection test
    settings.py   read and change settings
    warm_up.py    load what the first question would wait for
    doctor.py     what this machine and library look like

Rooms above import from here: ``from workbench import operations`` and ``operations.add_documents(library, paths)``.
"""

from workbench.operations.ask import ask
from workbench.operations.doctor import examine
from workbench.operations.documents import (
    add_documents,
    document_text,
    list_chunks,
    list_documents,
    list_knowledge_bases,
    reindex_documents,
    remove_documents,
    restore_documents,
    resume_import,
    show_document,
)
from workbench.operations.export import export_session
from workbench.operations.library import Library
from workbench.operations.pages import PageImage, page_image
from workbench.operations.profiles import check_profile, list_profiles, put_profile, remove_profile
from workbench.operations.search import search
from workbench.operations.sessions import (
    list_sessions,
    open_session,
    remove_session,
    rename_session,
    restore_session,
)
from workbench.operations.settings import load_settings, put_setting, reset_setting
from workbench.operations.warm_up import warm_up

__all__ = [
    "Library",
    "PageImage",
    "add_documents",
    "ask",
    "check_profile",
    "document_text",
    "examine",
    "export_session",
    "list_chunks",
    "list_documents",
    "list_knowledge_bases",
    "list_profiles",
    "list_sessions",
    "load_settings",
    "open_session",
    "page_image",
    "put_profile",
    "put_setting",
    "reindex_documents",
    "remove_documents",
    "remove_profile",
    "remove_session",
    "rename_session",
    "reset_setting",
    "restore_documents",
    "restore_session",
    "resume_import",
    "search",
    "show_document",
    "warm_up",
]

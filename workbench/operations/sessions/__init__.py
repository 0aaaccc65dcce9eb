"""Sessions and their runs: list, edit, export and import.

session_management.py    Sessions and their stored runs: list, find, open, rename, pin, archive, remove, restore,
                         compare
session_export.py        Export of sessions to files: the job with its child process and page images, and the cited
                         documents
session_import.py        Import of a session from a bundle or JSON: check, store, map its documents, keep its original
                         files
imported_page_images.py  Page images of imported sessions, shown for documents that are not in the library
atomic_write.py          Atomic writing of files, with errors for the user
"""

"""Sessions and their runs: listed, edited, exported and imported.

sessions.py              Sessions and their stored runs: list, find, open, rename, pin, archive, remove, restore,
                         compare
session_export.py        Export of sessions to files: the job with its child process and page images, and the cited
                         documents
session_import.py        Import of a session from a bundle or JSON: checked, stored, its documents mapped, its
                         original files kept
imported_page_images.py  Pictures of pages that came with an imported session: what is shown of a document that is not
                         here
atomic_write.py          Writes a file that is there whole or not at all
"""

"""Documents of a library: list, edit, diagnose, draw their pages, and edit their chunks.

document_management.py  Documents of a library: add, list, show, remove, restore, reindex, refetch; and read their
                        chunks
metadata_edits.py       Metadata edits by the user: fields, tags and custom keys of documents, each with its undo
file_metadata.py        Metadata files: sidecar files next to documents, and metadata tables of folders
chunk_editing.py        Chunk edits: edit, merge, split, disable, tag, reset, undo and redo; and the chunks that each
                        creates
document_diagnosis.py   Diagnosis of documents: symptoms found by the import, and remedies that read some pages again
unread_documents.py     Documents that a search cannot see or sees in part: read them before all others, and start to
                        read them
removal.py              Removal of documents: what every way of removing them does besides marking their rows
page_images.py          Page images: the page of a citation or chunk with the passage marked, or only the part around it
"""

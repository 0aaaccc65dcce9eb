"""Documents of a library: list, edit, diagnose, draw their pages, and edit their chunks.

documents.py           Documents of a library: add, list, show, remove, restore, reindex, refetch; and look at their
                       chunks
metadata_edits.py      What the user writes of documents: metadata fields, tags and keys of their own, each change
                       with its way back
file_metadata.py       Metadata that stand beside a file: in a sidecar file of its own, or in a table of its folder
chunk_edits.py         Chunk edits: edit, merge, split, disable, tag, reset, undo and redo; and the chunks that each
                       makes
document_diagnosis.py  Diagnosis of documents: findings of the ingestion, and remedies that read some of the pages
                       again
page_images.py         Page images: the page of a citation or chunk with the passage marked, or only the part around
                       it
"""

"""The truth on disk: documents, chunks, keywords, vectors, sessions -> SQLite -> the same again after any kill.

database.py        open, lock, migrate; one writer, many readers
lock.py            the one-writer lock of a library folder
migration.py       schema/NNNN_*.sql -> the newest schema
failures.py        an error of SQLite -> an error fit to be shown
values.py          text, JSON and times as they stand in the database
rows.py            rows -> Document and Chunk
packing.py         text, blocks and word boxes <-> blobs
document_contents.py  what documents hold, read: text, blocks, pages, chunks
replacement.py     new content in the place of the old, in one transaction
documents.py       documents with their content and chunks
intake.py          files that are on their way in; origins.py: what does not come as a file
bin.py             removed documents, until their time is over
linked_folders.py  linked folders, and what is known of their files
knowledge_bases.py knowledge bases made, renamed, removed; documents moved and copied between them
duplication.py     a document copied with its chunks and vectors
metadata.py        fields and tags that the user writes
filtering.py       ChunkFilter -> SQL; filter_values.py: which values there are to filter by
segmentation.py    text -> words
stemming.py        light English stemming
stopwords.py       words that say nothing
keywords.py        the FTS5 index: question -> chunk ids with BM25
embedders.py       the embedder that is in force, and the one before it
vectors.py         vectors by embedder, with a generation number
event_codec.py     run events <-> JSON
sessions.py        sessions, runs and their events
profiles.py        model profiles
setting_values.py  settings, and what the window remembers
"""

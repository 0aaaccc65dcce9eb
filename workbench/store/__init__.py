"""The truth on disk: documents, chunks, keywords, vectors, sessions -> SQLite -> the same again after any kill.

database.py        open, lock, migrate; one writer, many readers
lock.py            the one-writer lock of a library folder; closing.py: a library closed to other users
reading.py         a library read beside the program that writes it, or where nobody can write
migration.py       schema/NNNN_*.sql -> the newest schema
backups.py         copies of the database: made before a migration, listed, put in its place
soundness.py       what does not agree in it; repair.py: put in order (mending.py: row by row);
                   recovery.py: whether files are all that is left of documents
clock.py           the time by which things are deleted
failures.py        an error of SQLite -> an error fit to be shown
values.py          text, JSON and times as they stand in the database
columns.py         whole columns of numbers; latest.py: counts kept until anything is written
rows.py            rows -> Document and Chunk
packing.py         text, blocks and word boxes <-> blobs
document_contents.py  what documents hold, read: text, blocks, pages, chunks
definitions.py     text -> the abbreviations that it defines; abbreviations.py: those of a library, by either form
replacement.py     new content in the place of the old, in one transaction
documents.py       documents with their content and chunks
chunk_edits.py     chunks that the user changed, with the way back (chunk_log.py: the edits as they are kept;
                   chunk_rows.py: chunks in the place of others; chunk_reapply.py: after the file was read anew)
chunk_uses.py      which answers cited a document
intake.py          files that are on their way in; origins.py: what does not come as a file
bin.py             removed documents, until their time is over
linked_folders.py  linked folders, and what is known of their files
knowledge_bases.py knowledge bases made, renamed, removed; documents moved and copied between them
duplication.py     a document copied with its chunks and vectors
metadata.py        fields and tags that the user writes; custom_metadata.py: keys of the user's own
chunk_owners.py    which document each chunk is of, for filters
map_rows.py        chunks and names of documents as whole columns, for the map
filtering.py       ChunkFilter -> SQL; filter_values.py: which values there are to filter by
segmentation.py    text -> words
stemming.py        light English stemming
stopwords.py       words that say nothing
document_names.py  what documents are called: words -> documents; name_words.py: a name -> its words
keywords.py        the FTS5 index: question -> chunk ids with BM25
index_reader.py    one transaction's view of that index, with the caches of the library's revision
postings.py        a word -> the chunks that hold it; chunk_layout.py: where chunks stand in their documents
words_around.py    which words stand in chunks and around them
bm25.py            the numbers of BM25, and how they come out of FTS5
common_words.py    words of many chunks, kept as arrays beside FTS5; adding_up.py: the scores of chunks
ranks.py           scores -> the best, and the ranks of some, without putting all in order
keyword_evidence.py  BM25 shares of chunks and of their pages, for the parts of a question
changed_chunks.py  chunks that came into what can be found, or went, since somebody looked
embedders.py       the embedder that is in force, and the one before it
vectors.py         vectors by embedder, with a generation number; token_codes.py: their tokens, compressed;
                   checksums.py: whether both are what was written,
                   row_checksums.py: and all else that the user wrote, asked and set up
event_codec.py     run events <-> JSON
session_intake.py  sessions from elsewhere
sessions.py        sessions of a user, runs and their events; session_rows.py: as rows; session_upkeep.py: of all users;
                   session_shelf.py: where sessions stand, and what was said in them
agents.py          the agents that the user made; memories.py: what is remembered of conversations
profiles.py        model profiles; tool_servers.py: MCP servers
egress_ledger.py   what was asked of the network
unstored.py        answers and requests of a program that only reads: kept beside the library, until it is closed
golden_questions.py  questions with what is right to find; evaluations.py: runs over them
exhaustive.py      questions asked of every passage; exhaustive_passages.py: what each said; exhaustive_pace.py: speed
search_configurations.py  how knowledge bases are searched
setting_values.py  settings, and what the window remembers; state.py: what the library remembers of itself

salvage/           a damaged database -> what can still be read of it, in a new one
"""

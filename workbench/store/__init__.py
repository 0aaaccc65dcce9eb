"""The truth on disk: documents, chunks, keywords, vectors, sessions -> SQLite -> the same again after any kill.

database.py            The library's database: one file, one serialised writer, many readers
lock.py                The one-writer lock of a library folder: held by the operating system, so a killed program
                       leaves none behind
read_only.py           How a library is opened to read, beside the program that writes it or on a medium that nobody
                       can write
migration.py           Upgrades of an older library
backups.py             Backups of the database: made whole and checked or not at all, listed, put in use again, and
                       few of each kind
database_check.py      What does not agree in the database: its file, its indexes, texts, vectors, answers, settings;
                       nothing is changed
database_repair.py     The database put in order: what cannot be read is handed out, the rest mended, in one
                       transaction a fault
row_repair.py          Rows put in order again: what lost its owner gets another one or is handed out, counts are
                       counted anew
library_state.py       What the library remembers for later starts: the time that deletion goes by, and whether files
                       need recovery
failures.py            The one place where an error of SQLite becomes an error of ours
stored_values.py       Encoding of stored values: text, JSON, times, dataclasses, packed blobs
bulk_reads.py          Bulk reads: whole columns as one text each, and what is cached in memory until the library is
                       written
document_rows.py       Database rows -> the nouns of workbench.model, and the column lists that go with them
abbreviation_table.py  Abbreviations that documents define: found in a text, stored in a table, searched by short and
                       by long form
document_writes.py     Writes to a stored document: its content replaced in one transaction, its metadata fields, tags
                       and custom fields
documents.py           The documents of a library with their text, blocks, pages and chunks
chunk_edits.py         The user's edits of chunks: each made, undone and redone in one transaction with keyword rows
                       and vectors
chunk_edit_log.py      The stored log of chunk edits, and its edits applied again when a document was parsed or
                       chunked anew
intake.py              Documents on their way in
recycle_bin.py         The bin: removed documents, kept with everything they hold until their time is over or the user
                       empties it
linked_folders.py      The linked folders of a library, and what it knows of the files in them
knowledge_bases.py     The knowledge bases of a library: made, renamed, removed; documents moved and copied between
                       them
filtering.py           Filters as SQL conditions with bound values, and which values the documents of a library have
segmentation.py        Text analysis for keyword search: segmentation into words, stemming, and stop words
name_index.py          Which documents are called by a word: their names, titles and authors, kept by the schema's own
                       triggers
name_words.py          Words of a file name, title or author, by which a question can name a document
keywords.py            The keyword index: FTS5 over segmented text, ranked by BM25
index_reader.py        One transaction's view of the keyword index; what it reads is kept while the library stays the
                       same
chunk_layout.py        Where chunks stand in their documents, as columns: their order, their stretch of the text,
                       their pages
bm25.py                What BM25 is reckoned with: the numbers, and how they come out of FTS5
common_words.py        Words that stand in many chunks -> those chunks as arrays
bm25_scorer.py         BM25 scores of all chunks at once, as arrays: postings, chunk lengths, and where chunks stand
                       in their documents
ranks.py               Scores -> the best of them, and the ranks of some, by counting
keyword_evidence.py    BM25 shares of chunks, of their pages and of the chunks around them, for the parts of a
                       question
changed_chunks.py      Which chunks may have come into what can be found, or gone from it
embedders.py           The embedder that a library is bound to, the one before it, and the swap between two sets of
                       vectors
vectors.py             Vectors and compressed token vectors of the chunks, by embedder: the truth of which the search
                       index is a cache
checksums.py           Checksums of vectors, token codes and rows, by which damage is found that SQLite does not
                       notice
sessions.py            Sessions with their runs and events
session_rows.py        Sessions and runs as rows: whose they are, and what is read of them
configuration.py       Configuration that the user made: agents, model profiles, tool servers, setting values, search
                       configurations
memories.py            What is remembered of conversations: each user's apart from all others', and apart from the
                       documents
egress_ledger.py       What the program asked of the network: written before anything is sent, completed when the
                       answer is there
temporary_store.py     What a library that is opened to read cannot keep: answers and requests of this process, in a
                       database beside it
evaluations.py         Sets of golden questions with their judgements, and the evaluations that were run over them
exhaustive.py          Questions asked of every passage: the stored readings, the passages they have to read, and how
                       fast a model was
salvage/               What can still be read of a damaged database: page by page, past SQLite, which gives up where
                       one is off
"""

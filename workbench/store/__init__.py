"""Storage on disk: documents, chunks, keywords, vectors and sessions in SQLite, unchanged after any kill.

sql.py                 Protocols of a database with documents, implemented for SQLite and PostgreSQL
database.py            The library's database: one file, one serialised writer, many readers
lock.py                Lock for the single writer of a library folder, held by the operating system
read_only.py           Read-only access to a library, while another program writes it or on a read-only medium
migration.py           Migration of older libraries
backups.py             Backups of the database: checked copies that can be listed, restored and limited in number
database_check.py      Integrity check of the database: file, indexes, texts, vectors, answers, settings; read-only
database_repair.py     Repair of the database, in one transaction per fault: owners, unreadable values, counts
library_state.py       State kept for later starts: the time used for deletions, and whether files need recovery
failures.py            Translation of SQLite errors into the program's own errors
stored_values.py       Encoding of stored values: text, JSON, times, dataclasses, packed blobs
bulk_reads.py          Bulk reads of whole columns, and in-memory caches that are valid until the library is written
document_rows.py       Conversion of database rows to the data classes of workbench.model, with their column lists
abbreviation_table.py  Abbreviations defined in documents: extraction, storage, and lookup by short or long form
document_writes.py     Writes to a stored document: content, metadata fields, tags and custom fields
documents.py           Documents of a library with their text, blocks, pages and chunks
chunk_edits.py         User edits of chunks: made, undone and redone in one transaction with keyword rows and vectors
chunk_edit_log.py      Stored log of chunk edits, and their reapplication after a document was parsed or chunked again
intake.py              Intake of documents
recycle_bin.py         Recycle bin: removed documents with all their content, until they expire or the user empties it
linked_folders.py      Linked folders of a library, and the known files in them
knowledge_bases.py     Knowledge bases of a library, and moving and copying documents between them
filtering.py           Conversion of filters to SQL conditions, and the filter values that documents have
segmentation.py        Text analysis for keyword search: segmentation into words, stemming, and stop words
name_index.py          Index of documents by the words of their names, titles and authors
name_words.py          Words of a file name, title or author, by which a question can name a document
keywords.py            The keyword index: FTS5 over segmented text, ranked by BM25
index_reader.py        View of the keyword index in one transaction, with a cache
chunk_layout.py        Positions of chunks in their documents, as columns: order, text offsets, pages
bm25.py                BM25 constants and formulas, and their computation from FTS5 results
common_words.py        Arrays of the chunks that contain common words
bm25_scorer.py         BM25 scores of all chunks at once, as arrays, from postings and chunk lengths
ranks.py               Best scores, and ranks of selected scores, computed without sorting all scores
keyword_evidence.py    BM25 shares of the parts of a question in chunks, in their pages and in neighbouring chunks
changed_chunks.py      Chunks that may have become searchable or unsearchable, recorded by triggers
embedders.py           Current and previous embedder of a library, and the swap between two sets of vectors
vectors.py             Vectors and compressed token vectors of chunks, by embedder
checksums.py           Checksums of vectors, token codes and rows, which detect damage that SQLite does not notice
sessions.py            Sessions with their runs and events
session_rows.py        Queries and row conversion for sessions and runs, by user
configuration.py       User configuration: agents, profiles, tool servers, setting values, search configurations
memories.py            Memories of conversations: separate for each user, and separate from the documents
egress_ledger.py       Ledger of network requests: written before anything is sent, completed with the response
temporary_store.py     Temporary store for a library opened to read: answers and requests of this process
evaluations.py         Stored sets of golden questions with their judgements, and stored evaluations of them
readings.py            Stored exhaustive readings, the passages to read, and the speed of models
postgres/              Shared libraries: documents in PostgreSQL, opened by several workbenches at once
salvage/               Recovery of readable rows from a damaged database, page by page
"""

"""Shared libraries: documents in PostgreSQL that several workbenches open at once.

    workbench -> original file + job -> worker reads it -> publication -> every workbench searches it

The stores of workbench/store read PostgreSQL, too: they use the protocols of store/sql.py, and their statements are
translated. What SQLite does by FTS5, a thread lock or one file is done here by PostgreSQL's own means.

schema.sql            Tables, functions and rights (row-level security)
dialect.py            Translation of statements from SQLite's dialect to PostgreSQL's
postgres_database.py  The database: connections, transactions, generations, errors
binary_columns.py     Columns of numbers read as arrays
shared_keywords.py    The keyword index, ranked by BM25
posting_lists.py      Stored lists of the chunks with common words
shared_names.py       Index of documents by the words of their names
shared_metadata.py    Metadata and tags, changed by members who may write
shared_vectors.py     Nearest neighbours by pgvector
vector_lists.py       Lists of vectors, built by workers, so that a search compares few of them
import_jobs.py        Queue of documents to be read, and original files
publication.py        Writing documents that a worker has read
members.py            Knowledge bases and their members
notifications.py      Announcements of changes
"""

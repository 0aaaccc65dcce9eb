-- Searchable chunks changed by each of the latest transactions (store/changed_chunks.py), so that another program that
-- reads the library checks only these. chunks: packed ids; NULL if any chunk may have changed. token: random number
-- with a CRC-32 of chunks, by which a reader notices a damaged row, and that a backup replaced the library.
CREATE TABLE chunk_changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    token INTEGER NOT NULL,
    chunks BLOB
) STRICT;

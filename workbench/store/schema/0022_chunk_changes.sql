-- What each of the latest transactions changed of what can be found (store/changed_chunks.py), so that another program
-- that reads the library looks at these chunks alone. chunks: their ids, packed; NULL where it may be any. token: random,
-- so that a library that a backup took the place of is not taken for the one of before.
CREATE TABLE chunk_changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    token INTEGER NOT NULL,
    chunks BLOB
) STRICT;

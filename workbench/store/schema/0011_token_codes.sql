-- The token vectors of a chunk, compressed, for late interaction; each row belongs to one vector and goes with it.
CREATE TABLE token_codes (
    vector INTEGER PRIMARY KEY REFERENCES vectors (id) ON DELETE CASCADE,
    codes BLOB NOT NULL
) STRICT;

-- How the codes of an embedder are read (indexing/token_codec.py). Kept here, since another machine would train another.
CREATE TABLE token_codecs (
    embedder INTEGER PRIMARY KEY REFERENCES embedders (id) ON DELETE CASCADE,
    codec BLOB NOT NULL
) STRICT;

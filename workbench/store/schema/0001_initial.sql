-- The library, first form. Everything a person would miss is in here; the FAISS file beside it is a cache.

CREATE TABLE knowledge_bases (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE
) STRICT;

INSERT INTO knowledge_bases (name) VALUES ('default');

-- path, name and chunk text are ANY: TEXT, or the bytes of a string that has no UTF-8 form (values.py).
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    knowledge_base INTEGER NOT NULL REFERENCES knowledge_bases (id),
    path ANY NOT NULL,
    name ANY NOT NULL,
    sha256 TEXT NOT NULL,
    size INTEGER NOT NULL,
    format TEXT NOT NULL,
    status TEXT NOT NULL,
    title ANY NOT NULL,
    author ANY NOT NULL DEFAULT '',
    created ANY NOT NULL DEFAULT '',
    keywords ANY NOT NULL DEFAULT '[]',
    language ANY NOT NULL DEFAULT '',
    pages INTEGER NOT NULL DEFAULT 0,
    chunks INTEGER NOT NULL DEFAULT 0,
    embedded INTEGER NOT NULL DEFAULT 0,
    reason ANY NOT NULL DEFAULT '',
    hint ANY NOT NULL DEFAULT '',
    added TEXT NOT NULL,
    warnings ANY NOT NULL DEFAULT '[]',
    removed INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Identity is the hash of the bytes within the knowledge base; a removed document no longer holds on to it.
CREATE UNIQUE INDEX documents_identity ON documents (knowledge_base, sha256) WHERE removed = 0;
CREATE INDEX documents_path ON documents (knowledge_base, path) WHERE removed = 0;

-- The whole text and its blocks, compressed: read rarely and always whole.
CREATE TABLE contents (
    document INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    text BLOB NOT NULL,
    blocks BLOB NOT NULL
) STRICT;

CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    width REAL NOT NULL,
    height REAL NOT NULL,
    words BLOB NOT NULL,
    UNIQUE (document, number)
) STRICT;

-- AUTOINCREMENT: a number once given to a chunk is never given to another, so an old citation cannot point at new text.
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    text ANY NOT NULL,
    page INTEGER,
    page_end INTEGER,
    headings ANY NOT NULL,
    kind TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    oversize INTEGER NOT NULL
) STRICT;

CREATE INDEX chunks_document ON chunks (document, ordinal);

-- Contentless: the words are indexed, not kept again. Rows hold segment()ed text, and are removed with the same text.
-- ascii splits on ASCII punctuation only; segment() has done everything else.
CREATE VIRTUAL TABLE keyword_index USING fts5 (
    title, headings, body,
    content = '', tokenize = "ascii tokenchars '.+#'"
);

CREATE VIRTUAL TABLE keyword_terms USING fts5vocab (keyword_index, row);

CREATE TABLE embedders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    dim INTEGER NOT NULL,
    generation INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE vectors (
    id INTEGER PRIMARY KEY,
    embedder INTEGER NOT NULL REFERENCES embedders (id) ON DELETE CASCADE,
    chunk INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    vector BLOB NOT NULL,
    UNIQUE (chunk, embedder)
) STRICT;

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title ANY NOT NULL,
    started TEXT NOT NULL,
    changed TEXT NOT NULL,
    removed INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    question ANY NOT NULL,
    profile TEXT NOT NULL,
    mode TEXT NOT NULL,
    status TEXT NOT NULL,
    answer ANY NOT NULL DEFAULT '',
    refused INTEGER NOT NULL DEFAULT 0,
    started TEXT NOT NULL,
    seconds REAL NOT NULL DEFAULT 0,
    citations ANY NOT NULL DEFAULT '[]',
    error ANY NOT NULL DEFAULT '',
    hint ANY NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX runs_session ON runs (session);

CREATE TABLE run_events (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    seconds REAL NOT NULL,
    type TEXT NOT NULL,
    fields ANY NOT NULL,
    UNIQUE (run, number)
) STRICT;

CREATE TABLE profiles (
    name TEXT PRIMARY KEY,
    base_url TEXT NOT NULL,
    model TEXT NOT NULL,
    api TEXT NOT NULL,
    key_env TEXT NOT NULL,
    detected_api TEXT
) STRICT;

-- scope "setting": a value declared in settings.py, as JSON. scope "state": what the program remembers for itself.
CREATE TABLE remembered (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    value ANY NOT NULL,
    PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;

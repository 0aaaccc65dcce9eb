-- A question asked of every passage that a filter lets through (model Reading). citations, notes and price are JSON.
-- busy is the time that the calls took, one after the other: what the next estimate goes by.
CREATE TABLE readings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name ANY NOT NULL,
    question ANY NOT NULL,
    knowledge_base ANY,
    filter ANY NOT NULL,
    profile ANY NOT NULL,
    model ANY NOT NULL,
    mode ANY NOT NULL,
    status TEXT NOT NULL,
    reason ANY NOT NULL DEFAULT '',
    hint ANY NOT NULL DEFAULT '',
    created TEXT NOT NULL,
    changed TEXT NOT NULL,
    seconds REAL NOT NULL DEFAULT 0,
    busy REAL NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    conclusion ANY NOT NULL DEFAULT '',
    citations ANY NOT NULL DEFAULT '[]',
    notes ANY NOT NULL DEFAULT '[]',
    price ANY NOT NULL DEFAULT '[]',
    removed INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What there is to be read, as it was when the reading was last begun. The names outlive the documents.
CREATE TABLE reading_documents (
    reading INTEGER NOT NULL REFERENCES readings (id) ON DELETE CASCADE,
    document INTEGER NOT NULL,
    name ANY NOT NULL,
    passages INTEGER NOT NULL,
    PRIMARY KEY (reading, document)
) STRICT, WITHOUT ROWID;

-- What was read, passage by passage; sha256 is of the text that was read, quotes are citations as JSON.
CREATE TABLE reading_passages (
    reading INTEGER NOT NULL REFERENCES readings (id) ON DELETE CASCADE,
    chunk INTEGER NOT NULL,
    document INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    says TEXT NOT NULL,
    finding ANY NOT NULL DEFAULT '',
    quotes ANY NOT NULL DEFAULT '[]',
    thrown_out INTEGER NOT NULL DEFAULT 0,
    problem ANY NOT NULL DEFAULT '',
    score REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (reading, chunk)
) STRICT, WITHOUT ROWID;

-- A reading goes on in the knowledge base in which it began, whatever that is called.
CREATE TRIGGER readings_follow AFTER UPDATE OF name ON knowledge_bases
BEGIN
    UPDATE readings SET knowledge_base = NEW.name WHERE knowledge_base = OLD.name;
END;

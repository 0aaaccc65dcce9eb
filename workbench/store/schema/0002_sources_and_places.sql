-- Documents of every kind: places that are not pages, sources that are not files, what the user says of a document,
-- what its parser found and lost, folders that are watched.

-- What the format calls its pages: page, slide, sheet, chapter ... (model PageKind).
ALTER TABLE documents ADD COLUMN page_kind TEXT NOT NULL DEFAULT 'page';
-- Of the parser that read it, so that a better one can offer to read it again; 0 = not known.
ALTER TABLE documents ADD COLUMN parser_version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN modified ANY NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN tags ANY NOT NULL DEFAULT '[]';
-- Names of the metadata fields that the user wrote: reading the file again leaves them alone.
ALTER TABLE documents ADD COLUMN edited ANY NOT NULL DEFAULT '[]';
-- file, url, query, note, archive (model Origin), and what is known of it, as JSON (an ETag, a query, ...).
ALTER TABLE documents ADD COLUMN origin TEXT NOT NULL DEFAULT 'file';
ALTER TABLE documents ADD COLUMN origin_details ANY NOT NULL DEFAULT '{}';
-- Where it stands in the tree of the folder that was added: "Contracts/2024", or nothing.
ALTER TABLE documents ADD COLUMN folder ANY NOT NULL DEFAULT '';
-- Of the file when its bytes were hashed: while both stay the same it need not be hashed again. 0 = not known.
ALTER TABLE documents ADD COLUMN file_size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN file_mtime_ns INTEGER NOT NULL DEFAULT 0;
-- What the parser found and lost, as JSON (model Finding).
ALTER TABLE documents ADD COLUMN findings ANY NOT NULL DEFAULT '[]';
-- When a document went to the bin, ISO 8601 UTC; empty for one that is there.
ALTER TABLE documents ADD COLUMN removed_at TEXT NOT NULL DEFAULT '';

-- Every search says what it could not see, and leaves out what was removed: neither may cost a pass over all documents.
CREATE INDEX documents_not_read ON documents (knowledge_base, status)
    WHERE removed = 0 AND chunks = 0 AND status <> 'ready';
CREATE INDEX documents_not_embedded ON documents (knowledge_base) WHERE removed = 0 AND embedded < chunks;
CREATE INDEX documents_removed ON documents (removed, removed_at) WHERE removed > 0;

-- The name of a sheet, a chapter, an attachment; and whether the text was read by OCR.
ALTER TABLE pages ADD COLUMN label ANY NOT NULL DEFAULT '';
ALTER TABLE pages ADD COLUMN ocr INTEGER NOT NULL DEFAULT 0;

-- 1 = on its way out with all its documents, until the library is closed.
ALTER TABLE knowledge_bases ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;

CREATE TABLE linked_folders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    knowledge_base INTEGER NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
    path ANY NOT NULL,
    added TEXT NOT NULL,
    checked TEXT NOT NULL DEFAULT '',
    reason ANY NOT NULL DEFAULT '',
    UNIQUE (knowledge_base, path)
) STRICT;

-- Metadata of the user's own: a row a value. place is 0 for a single value; those of a list are numbered from 1.
-- kind: text, number, date; none where the user took away what the file says, which has no value then.
-- folded is the value without regard to case, number its number: what filters compare. source: user or file.
CREATE TABLE document_metadata (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    place INTEGER NOT NULL DEFAULT 0,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,
    folded TEXT NOT NULL,
    number REAL,
    source TEXT NOT NULL,
    UNIQUE (document, key, place)
) STRICT;

-- With all that a filter and the list of values read, so that neither looks at the rows.
CREATE INDEX document_metadata_key ON document_metadata (key, folded, kind, number, document, value);

-- What every document of a linked folder is given: keys with values, as JSON.
CREATE TABLE folder_metadata (
    folder INTEGER PRIMARY KEY REFERENCES linked_folders (id) ON DELETE CASCADE,
    given TEXT NOT NULL
) STRICT;

-- As in 0015: a row that is changed loses its checksum, and gets another one when nothing else is to be done.
CREATE TRIGGER document_metadata_changed AFTER UPDATE ON document_metadata
BEGIN
    DELETE FROM row_checksums WHERE holder = 'document_metadata' AND key = +OLD.id;
END;

CREATE TRIGGER document_metadata_deleted AFTER DELETE ON document_metadata
BEGIN
    DELETE FROM row_checksums WHERE holder = 'document_metadata' AND key = +OLD.id;
END;

CREATE TRIGGER folder_metadata_changed AFTER UPDATE ON folder_metadata
BEGIN
    DELETE FROM row_checksums WHERE holder = 'folder_metadata' AND key = +OLD.folder;
END;

CREATE TRIGGER folder_metadata_deleted AFTER DELETE ON folder_metadata
BEGIN
    DELETE FROM row_checksums WHERE holder = 'folder_metadata' AND key = +OLD.folder;
END;

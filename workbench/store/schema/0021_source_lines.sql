-- The lines of a long file in the texts of its parts (model/source_lines.py), a row for each 1,024 of them, so that a hit
-- reads those around it only. start: where the first of them begins in the document's text. kind: line, row.
CREATE TABLE source_lines (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    kind TEXT NOT NULL,
    lines BLOB NOT NULL,
    UNIQUE (document, start)
) STRICT;

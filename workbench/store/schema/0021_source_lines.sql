-- Line numbers of a long file for the texts of its parts (model/source_lines.py): a row for each 1,024 lines, so that a
-- hit reads only those around it. start: offset of the first line into the document's text. kind: line, row.
CREATE TABLE source_lines (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    kind TEXT NOT NULL,
    lines BLOB NOT NULL,
    UNIQUE (document, start)
) STRICT;

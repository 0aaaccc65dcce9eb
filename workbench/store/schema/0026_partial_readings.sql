-- Pages of files whose reading was stopped before the end, as their parser saw them (PdfParser.page_facts): a file with
-- the same bytes is read on after them, and not from its first page. The row is deleted when the file was read.
CREATE TABLE partial_readings (
    document INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    sha256 TEXT NOT NULL,
    parser_version INTEGER NOT NULL,
    page_facts BLOB NOT NULL
) STRICT;

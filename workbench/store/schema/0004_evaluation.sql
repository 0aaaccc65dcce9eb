-- Golden questions, the runs that measured searches with them, and how each knowledge base is searched.

-- Judgements, as JSON (model Judgement): they name documents by hash and name and places by their text, no row of ours.
CREATE TABLE golden_questions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    set_name ANY NOT NULL,
    question ANY NOT NULL,
    knowledge_base ANY NOT NULL DEFAULT '',
    filter ANY NOT NULL DEFAULT '',
    judgements ANY NOT NULL,
    UNIQUE (set_name, question, knowledge_base, filter)
) STRICT;

-- A question goes on asking the knowledge base that it asked, whatever that is called.
CREATE TRIGGER golden_questions_follow AFTER UPDATE OF name ON knowledge_bases
BEGIN
    UPDATE OR REPLACE golden_questions SET knowledge_base = NEW.name WHERE knowledge_base = OLD.name;
END;

-- Outcomes are compressed JSON: read only where a run is opened or compared.
CREATE TABLE evaluations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    set_name ANY NOT NULL,
    began TEXT NOT NULL,
    seconds REAL NOT NULL,
    name ANY NOT NULL,
    as_searched INTEGER NOT NULL,
    configuration ANY NOT NULL,
    metrics ANY NOT NULL,
    circumstances ANY NOT NULL,
    lost INTEGER NOT NULL,
    unmeasured INTEGER NOT NULL,
    told ANY NOT NULL,
    outcomes BLOB NOT NULL
) STRICT;

CREATE INDEX evaluations_set ON evaluations (set_name);

-- Configurations that the user keeps under a name, as JSON (model SearchConfiguration).
CREATE TABLE search_configurations (
    name ANY PRIMARY KEY,
    configuration ANY NOT NULL
) STRICT, WITHOUT ROWID;

-- The one that was promoted for a knowledge base; empty = as all are searched.
ALTER TABLE knowledge_bases ADD COLUMN configuration ANY NOT NULL DEFAULT '';

-- Whose a reading, a golden question and an evaluation is, as 0017 has it of sessions: they hold what somebody asked. ''
-- is who gives no name, to whom all belongs that was there before.
ALTER TABLE readings ADD COLUMN user ANY NOT NULL DEFAULT '';
ALTER TABLE evaluations ADD COLUMN user ANY NOT NULL DEFAULT '';

-- Written anew, so that each row holds the column itself: a rebuild of a damaged database knows rows by that.
UPDATE readings SET user = '';
UPDATE evaluations SET user = '';

DROP INDEX evaluations_set;
CREATE INDEX evaluations_set ON evaluations (user, set_name);

-- Two users may ask the same question in sets of the same name: all marks of a user are in one.
DROP TRIGGER golden_questions_follow;
CREATE TABLE own_golden_questions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    set_name ANY NOT NULL,
    question ANY NOT NULL,
    knowledge_base ANY NOT NULL DEFAULT '',
    filter ANY NOT NULL DEFAULT '',
    judgements ANY NOT NULL,
    user ANY NOT NULL DEFAULT '',
    UNIQUE (user, set_name, question, knowledge_base, filter)
) STRICT;
INSERT INTO own_golden_questions (id, set_name, question, knowledge_base, filter, judgements, user)
    SELECT id, set_name, question, knowledge_base, filter, judgements, '' FROM golden_questions ORDER BY id;
DROP TABLE golden_questions;
ALTER TABLE own_golden_questions RENAME TO golden_questions;
CREATE TRIGGER golden_questions_follow AFTER UPDATE OF name ON knowledge_bases
BEGIN
    UPDATE OR REPLACE golden_questions SET knowledge_base = NEW.name WHERE knowledge_base = OLD.name;
END;

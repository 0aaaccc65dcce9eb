-- Kind of the failure that reason describes (model FailureKind); empty if there is none. The messages of earlier versions
-- are recognised here, once.
ALTER TABLE documents ADD COLUMN failure TEXT NOT NULL DEFAULT '';
UPDATE documents SET failure = 'other' WHERE reason <> '';
UPDATE documents SET failure = 'time' WHERE instr(reason, 'Reading the file made no progress for')
    OR instr(reason, 'Reading the file came no further for') OR instr(reason, 'LibreOffice took longer than');
UPDATE documents SET failure = 'cancelled' WHERE reason = 'Cancelled before it was read.';
UPDATE documents SET failure = 'password' WHERE status = 'locked'
    OR status = 'failed' AND (instr(reason, 'password') OR instr(hint, 'password'));

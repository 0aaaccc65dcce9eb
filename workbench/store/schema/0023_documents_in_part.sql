-- Documents that are searched in part: some of their pages have no usable text, were skipped or are not read yet, or
-- a limit ended the reading (model FindingKind). Every search counts them (store/intake.py), which would otherwise
-- scan the whole table. Intake repeats the condition.
CREATE INDEX documents_in_part ON documents (knowledge_base) WHERE removed = 0 AND chunks > 0 AND (
    instr(findings, '"no text"') OR instr(findings, '"garbled"') OR instr(findings, '"skipped"')
    OR instr(findings, '"unread"') OR instr(findings, '"truncated"'));

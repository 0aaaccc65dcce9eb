-- Whose a session is: '' is who gives no name, to whom all belongs that was there before. Memories have had theirs since
-- 0006; runs and their events are their session's.
ALTER TABLE sessions ADD COLUMN user ANY NOT NULL DEFAULT '';

-- A session that stays at the top of the list, one that is kept but not listed, and what was typed there and not asked.
ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN draft ANY NOT NULL DEFAULT '';

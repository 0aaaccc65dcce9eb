-- Agents, as JSON (model Agent). The one that is always there is not among them.
CREATE TABLE agents (
    name ANY PRIMARY KEY,
    fields ANY NOT NULL
) STRICT, WITHOUT ROWID;

-- An agent goes on searching the knowledge bases that it searched, whatever they are called.
CREATE TRIGGER agents_follow AFTER UPDATE OF name ON knowledge_bases
BEGIN
    UPDATE agents SET fields = json_set(
            fields, '$.knowledge_bases',
            (SELECT json_group_array(iif(value = OLD.name, NEW.name, value))
                FROM json_each(agents.fields, '$.knowledge_bases'))
        )
        WHERE EXISTS (SELECT 1 FROM json_each(agents.fields, '$.knowledge_bases') WHERE value = OLD.name);
END;

-- How a model calls tools (model ToolCalling), and what was found out about that.
ALTER TABLE profiles ADD COLUMN tool_calling TEXT NOT NULL DEFAULT 'auto';
ALTER TABLE profiles ADD COLUMN detected_tools TEXT;

-- A run that went on from a step of another one: of which, and behind which of its events.
ALTER TABLE runs ADD COLUMN parent INTEGER REFERENCES runs (id) ON DELETE SET NULL;
ALTER TABLE runs ADD COLUMN parent_event INTEGER;

-- An evaluation that was out of date and was made again by itself.
ALTER TABLE evaluations ADD COLUMN by_itself INTEGER NOT NULL DEFAULT 0;

-- MCP servers whose tools agents may use (model ToolServer); command and variables are JSON lists.
CREATE TABLE tool_servers (
    name TEXT PRIMARY KEY,
    command ANY NOT NULL,
    url ANY NOT NULL,
    variables ANY NOT NULL
) STRICT, WITHOUT ROWID;

-- What is remembered of conversations (model Memory), each user's apart; no search of documents looks in here. hash is of
-- the text as it is compared; vector is that of the embedder named beside it, and made anew where that is another one.
CREATE TABLE memories (
    id INTEGER PRIMARY KEY,
    user ANY NOT NULL,
    hash TEXT NOT NULL,
    kind TEXT NOT NULL,
    text ANY NOT NULL,
    created TEXT NOT NULL,
    expires TEXT NOT NULL,
    hits INTEGER NOT NULL DEFAULT 0,
    run INTEGER REFERENCES runs (id) ON DELETE SET NULL,
    embedder TEXT,
    vector BLOB,
    UNIQUE (user, hash)
) STRICT;

CREATE INDEX memories_run ON memories (run);

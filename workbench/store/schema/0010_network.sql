-- What the program asked of the network (model NetworkRequest). chunks is a JSON list of ids of chunks, which may be gone.
CREATE TABLE network_requests (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    purpose TEXT NOT NULL,
    host ANY NOT NULL,
    port INTEGER NOT NULL DEFAULT 0,
    is_here INTEGER NOT NULL DEFAULT 0,
    address ANY NOT NULL DEFAULT '',
    outcome TEXT NOT NULL,
    status INTEGER,
    sent INTEGER,
    received INTEGER,
    milliseconds REAL NOT NULL DEFAULT 0,
    run INTEGER REFERENCES runs (id) ON DELETE SET NULL,
    chunks ANY NOT NULL DEFAULT '[]',
    via ANY NOT NULL DEFAULT '',
    note ANY NOT NULL DEFAULT ''
) STRICT;

-- A session that is removed takes its runs along; without this, each of them would go through all requests.
CREATE INDEX network_requests_run ON network_requests (run) WHERE run IS NOT NULL;

-- Checksums of rows that nothing else can tell of: what the user wrote, asked and set up (store/row_checksums.py). A row
-- gets one in idle time and when the library is closed, and loses it with every change, so that no writer has to know.
-- The + takes the type of a column away: key has none, and is looked up by its index only without one.
CREATE TABLE row_checksums (
    holder TEXT NOT NULL,
    key ANY NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (holder, key)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER documents_changed AFTER UPDATE ON documents
BEGIN
    DELETE FROM row_checksums WHERE holder = 'documents' AND key = +OLD.id;
END;

CREATE TRIGGER documents_deleted AFTER DELETE ON documents
BEGIN
    DELETE FROM row_checksums WHERE holder = 'documents' AND key = +OLD.id;
END;

CREATE TRIGGER chunk_edits_changed AFTER UPDATE ON chunk_edits
BEGIN
    DELETE FROM row_checksums WHERE holder = 'chunk_edits' AND key = +OLD.id;
END;

CREATE TRIGGER chunk_edits_deleted AFTER DELETE ON chunk_edits
BEGIN
    DELETE FROM row_checksums WHERE holder = 'chunk_edits' AND key = +OLD.id;
END;

CREATE TRIGGER knowledge_bases_changed AFTER UPDATE ON knowledge_bases
BEGIN
    DELETE FROM row_checksums WHERE holder = 'knowledge_bases' AND key = +OLD.id;
END;

CREATE TRIGGER knowledge_bases_deleted AFTER DELETE ON knowledge_bases
BEGIN
    DELETE FROM row_checksums WHERE holder = 'knowledge_bases' AND key = +OLD.id;
END;

CREATE TRIGGER linked_folders_changed AFTER UPDATE ON linked_folders
BEGIN
    DELETE FROM row_checksums WHERE holder = 'linked_folders' AND key = +OLD.id;
END;

CREATE TRIGGER linked_folders_deleted AFTER DELETE ON linked_folders
BEGIN
    DELETE FROM row_checksums WHERE holder = 'linked_folders' AND key = +OLD.id;
END;

CREATE TRIGGER sessions_changed AFTER UPDATE ON sessions
BEGIN
    DELETE FROM row_checksums WHERE holder = 'sessions' AND key = +OLD.id;
END;

CREATE TRIGGER sessions_deleted AFTER DELETE ON sessions
BEGIN
    DELETE FROM row_checksums WHERE holder = 'sessions' AND key = +OLD.id;
END;

CREATE TRIGGER runs_changed AFTER UPDATE ON runs
BEGIN
    DELETE FROM row_checksums WHERE holder = 'runs' AND key = +OLD.id;
END;

CREATE TRIGGER runs_deleted AFTER DELETE ON runs
BEGIN
    DELETE FROM row_checksums WHERE holder = 'runs' AND key = +OLD.id;
END;

CREATE TRIGGER run_events_changed AFTER UPDATE ON run_events
BEGIN
    DELETE FROM row_checksums WHERE holder = 'run_events' AND key = +OLD.id;
END;

CREATE TRIGGER run_events_deleted AFTER DELETE ON run_events
BEGIN
    DELETE FROM row_checksums WHERE holder = 'run_events' AND key = +OLD.id;
END;

CREATE TRIGGER readings_changed AFTER UPDATE ON readings
BEGIN
    DELETE FROM row_checksums WHERE holder = 'readings' AND key = +OLD.id;
END;

CREATE TRIGGER readings_deleted AFTER DELETE ON readings
BEGIN
    DELETE FROM row_checksums WHERE holder = 'readings' AND key = +OLD.id;
END;

CREATE TRIGGER golden_questions_changed AFTER UPDATE ON golden_questions
BEGIN
    DELETE FROM row_checksums WHERE holder = 'golden_questions' AND key = +OLD.id;
END;

CREATE TRIGGER golden_questions_deleted AFTER DELETE ON golden_questions
BEGIN
    DELETE FROM row_checksums WHERE holder = 'golden_questions' AND key = +OLD.id;
END;

CREATE TRIGGER evaluations_changed AFTER UPDATE ON evaluations
BEGIN
    DELETE FROM row_checksums WHERE holder = 'evaluations' AND key = +OLD.id;
END;

CREATE TRIGGER evaluations_deleted AFTER DELETE ON evaluations
BEGIN
    DELETE FROM row_checksums WHERE holder = 'evaluations' AND key = +OLD.id;
END;

CREATE TRIGGER memories_changed AFTER UPDATE ON memories
BEGIN
    DELETE FROM row_checksums WHERE holder = 'memories' AND key = +OLD.id;
END;

CREATE TRIGGER memories_deleted AFTER DELETE ON memories
BEGIN
    DELETE FROM row_checksums WHERE holder = 'memories' AND key = +OLD.id;
END;

CREATE TRIGGER network_requests_changed AFTER UPDATE ON network_requests
BEGIN
    DELETE FROM row_checksums WHERE holder = 'network_requests' AND key = +OLD.id;
END;

CREATE TRIGGER network_requests_deleted AFTER DELETE ON network_requests
BEGIN
    DELETE FROM row_checksums WHERE holder = 'network_requests' AND key = +OLD.id;
END;

CREATE TRIGGER agents_changed AFTER UPDATE ON agents
BEGIN
    DELETE FROM row_checksums WHERE holder = 'agents' AND key = +OLD.name;
END;

CREATE TRIGGER agents_deleted AFTER DELETE ON agents
BEGIN
    DELETE FROM row_checksums WHERE holder = 'agents' AND key = +OLD.name;
END;

CREATE TRIGGER profiles_changed AFTER UPDATE ON profiles
BEGIN
    DELETE FROM row_checksums WHERE holder = 'profiles' AND key = +OLD.name;
END;

CREATE TRIGGER profiles_deleted AFTER DELETE ON profiles
BEGIN
    DELETE FROM row_checksums WHERE holder = 'profiles' AND key = +OLD.name;
END;

CREATE TRIGGER search_configurations_changed AFTER UPDATE ON search_configurations
BEGIN
    DELETE FROM row_checksums WHERE holder = 'search_configurations' AND key = +OLD.name;
END;

CREATE TRIGGER search_configurations_deleted AFTER DELETE ON search_configurations
BEGIN
    DELETE FROM row_checksums WHERE holder = 'search_configurations' AND key = +OLD.name;
END;

CREATE TRIGGER tool_servers_changed AFTER UPDATE ON tool_servers
BEGIN
    DELETE FROM row_checksums WHERE holder = 'tool_servers' AND key = +OLD.name;
END;

CREATE TRIGGER tool_servers_deleted AFTER DELETE ON tool_servers
BEGIN
    DELETE FROM row_checksums WHERE holder = 'tool_servers' AND key = +OLD.name;
END;

CREATE TRIGGER reading_documents_changed AFTER UPDATE ON reading_documents
BEGIN
    DELETE FROM row_checksums WHERE holder = 'reading_documents' AND key = OLD.reading || '/' || OLD.document;
END;

CREATE TRIGGER reading_documents_deleted AFTER DELETE ON reading_documents
BEGIN
    DELETE FROM row_checksums WHERE holder = 'reading_documents' AND key = OLD.reading || '/' || OLD.document;
END;

CREATE TRIGGER reading_passages_changed AFTER UPDATE ON reading_passages
BEGIN
    DELETE FROM row_checksums WHERE holder = 'reading_passages' AND key = OLD.reading || '/' || OLD.chunk;
END;

CREATE TRIGGER reading_passages_deleted AFTER DELETE ON reading_passages
BEGIN
    DELETE FROM row_checksums WHERE holder = 'reading_passages' AND key = OLD.reading || '/' || OLD.chunk;
END;

CREATE TRIGGER remembered_changed AFTER UPDATE ON remembered
    WHEN OLD.scope = 'setting'
BEGIN
    DELETE FROM row_checksums WHERE holder = 'remembered' AND key = +OLD.key;
END;

CREATE TRIGGER remembered_deleted AFTER DELETE ON remembered
    WHEN OLD.scope = 'setting'
BEGIN
    DELETE FROM row_checksums WHERE holder = 'remembered' AND key = +OLD.key;
END;

CREATE TRIGGER chunks_changed AFTER UPDATE ON chunks
BEGIN
    DELETE FROM row_checksums WHERE holder = 'chunks' AND key = +OLD.id;
END;

CREATE TRIGGER chunks_deleted AFTER DELETE ON chunks
BEGIN
    DELETE FROM row_checksums WHERE holder = 'chunks' AND key = +OLD.id;
END;

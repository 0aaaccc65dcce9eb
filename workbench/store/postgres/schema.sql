-- Schema of a shared library in PostgreSQL. Tables and columns that a personal library has, too, have the same names
-- and meaning (store/schema); the same statements read both, with the functions below (dialect.py).
--
-- Row-level security separates knowledge bases: every table names the knowledge base of its rows, and a user sees those
-- of which they are a member. Everybody who may connect to the database may use the tables, and sees nothing until a
-- manager has added their name. Only the owner of the schema, who created it, and superusers see everything.
-- session_user is used because current_user is the owner within the functions below.
CREATE SCHEMA workbench;
SET search_path = workbench, public;

CREATE TABLE remembered (
    scope text NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (scope, key)
);

-- Grows with every change of documents: caches of the workbenches are valid for one generation. returned grows when
-- numbers of chunks may be used again, which never happens here.
CREATE TABLE library_generation (
    value bigint NOT NULL
);
INSERT INTO library_generation VALUES (1);

CREATE TABLE knowledge_bases (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    removed integer NOT NULL DEFAULT 0
);

-- access: 1 = read, 2 = write, 3 = manage; each includes those before it.
CREATE TABLE members (
    knowledge_base integer NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
    name text NOT NULL,
    access integer NOT NULL CHECK (access BETWEEN 1 AND 3),
    PRIMARY KEY (name, knowledge_base)
);

CREATE FUNCTION is_owner() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = workbench, pg_temp
    AS $$
        SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = session_user AND (rolsuper OR oid = (
            SELECT nspowner FROM pg_namespace WHERE nspname = 'workbench')))
    $$;
-- The knowledge bases in which the user has at least this access.
CREATE FUNCTION accessible(minimum integer) RETURNS integer[]
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = workbench, pg_temp
    AS $$
        SELECT coalesce(array_agg(id), '{}') FROM knowledge_bases WHERE (SELECT is_owner())
            OR id IN (SELECT knowledge_base FROM members WHERE name = session_user AND access >= minimum)
    $$;

-- words: total length of its chunks, in words; shared_by: who added it.
CREATE TABLE documents (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    knowledge_base integer NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
    path text NOT NULL,
    name text NOT NULL,
    sha256 text NOT NULL,
    size bigint NOT NULL,
    format text NOT NULL,
    status text NOT NULL,
    title text NOT NULL DEFAULT '',
    author text NOT NULL DEFAULT '',
    created text NOT NULL DEFAULT '',
    keywords text NOT NULL DEFAULT '[]',
    language text NOT NULL DEFAULT '',
    pages integer NOT NULL DEFAULT 0,
    chunks integer NOT NULL DEFAULT 0,
    embedded integer NOT NULL DEFAULT 0,
    reason text NOT NULL DEFAULT '',
    hint text NOT NULL DEFAULT '',
    added text NOT NULL,
    warnings text NOT NULL DEFAULT '[]',
    removed integer NOT NULL DEFAULT 0,
    page_kind text NOT NULL DEFAULT 'page',
    parser_version integer NOT NULL DEFAULT 0,
    modified text NOT NULL DEFAULT '',
    tags text NOT NULL DEFAULT '[]',
    edited text NOT NULL DEFAULT '[]',
    origin text NOT NULL DEFAULT 'file',
    origin_details text NOT NULL DEFAULT '{}',
    folder text NOT NULL DEFAULT '',
    findings text NOT NULL DEFAULT '[]',
    removed_at text NOT NULL DEFAULT '',
    chunk_edits integer NOT NULL DEFAULT 0,
    passage_tags text NOT NULL DEFAULT '[]',
    shared_by text NOT NULL DEFAULT session_user,
    words bigint NOT NULL DEFAULT 0,
    UNIQUE (id, knowledge_base)
);
CREATE UNIQUE INDEX documents_identity ON documents (knowledge_base, sha256) WHERE removed = 0;
CREATE INDEX documents_path ON documents (knowledge_base, path) WHERE removed = 0;
CREATE INDEX documents_not_read ON documents (knowledge_base, status)
    WHERE removed = 0 AND chunks = 0 AND status <> 'ready';
CREATE INDEX documents_not_embedded ON documents (knowledge_base) WHERE removed = 0 AND embedded < chunks;
CREATE INDEX documents_removed ON documents (removed, removed_at) WHERE removed > 0;

-- The original file, in pieces of 1 MB, so that neither side holds all of a large file in memory.
CREATE TABLE original_pieces (
    document bigint NOT NULL,
    knowledge_base integer NOT NULL,
    number integer NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (document, number),
    FOREIGN KEY (document, knowledge_base) REFERENCES documents (id, knowledge_base) ON DELETE CASCADE
);
-- Most originals are compressed already.
ALTER TABLE original_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE contents (
    document bigint PRIMARY KEY,
    knowledge_base integer NOT NULL,
    text bytea NOT NULL,
    blocks bytea NOT NULL,
    FOREIGN KEY (document, knowledge_base) REFERENCES documents (id, knowledge_base) ON DELETE CASCADE
);

CREATE TABLE pages (
    document bigint NOT NULL,
    knowledge_base integer NOT NULL,
    number integer NOT NULL,
    start integer NOT NULL,
    "end" integer NOT NULL,
    width double precision NOT NULL,
    height double precision NOT NULL,
    words bytea NOT NULL,
    label text NOT NULL DEFAULT '',
    ocr integer NOT NULL DEFAULT 0,
    PRIMARY KEY (document, number),
    FOREIGN KEY (document, knowledge_base) REFERENCES documents (id, knowledge_base) ON DELETE CASCADE
);

CREATE TABLE source_lines (
    document bigint NOT NULL,
    knowledge_base integer NOT NULL,
    start integer NOT NULL,
    kind text NOT NULL,
    lines bytea NOT NULL,
    PRIMARY KEY (document, start),
    FOREIGN KEY (document, knowledge_base) REFERENCES documents (id, knowledge_base) ON DELETE CASCADE
);

CREATE TABLE chunks (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    document bigint NOT NULL,
    knowledge_base integer NOT NULL,
    ordinal integer NOT NULL,
    start integer NOT NULL,
    "end" integer NOT NULL,
    text text NOT NULL,
    page integer,
    page_end integer,
    headings text NOT NULL,
    kind text NOT NULL,
    tokens integer NOT NULL,
    oversize integer NOT NULL,
    source text NOT NULL DEFAULT '',
    by_hand integer NOT NULL DEFAULT 0,
    disabled integer NOT NULL DEFAULT 0,
    tags text NOT NULL DEFAULT '[]',
    UNIQUE (id, knowledge_base),
    FOREIGN KEY (document, knowledge_base) REFERENCES documents (id, knowledge_base) ON DELETE CASCADE
);
CREATE INDEX chunks_document ON chunks (document, ordinal);

-- The keyword index: words is the segmented text (segmentation.py), with the title at weight A, the headings at B and
-- the text at D; length is its number of words. A disabled chunk has no row. Apart from the chunks, the rows stay
-- below 2 KB, so that nothing is moved out of them: 3 microseconds for a chunk with a word, 6 beside the text.
-- A partition for each knowledge base (create_knowledge_base): what a user may not read, or a filter excludes, costs
-- nothing.
CREATE TABLE chunk_words (
    chunk bigint NOT NULL,
    knowledge_base integer NOT NULL,
    length integer NOT NULL,
    words tsvector NOT NULL,
    PRIMARY KEY (chunk, knowledge_base),
    FOREIGN KEY (chunk, knowledge_base) REFERENCES chunks (id, knowledge_base) ON DELETE CASCADE
) PARTITION BY LIST (knowledge_base);
CREATE INDEX chunk_words_words ON chunk_words USING gin (words);

-- Saturations (0 to 1, as 16 bits) of common words in the chunks of a knowledge base, so that a question reads one row
-- for a word instead of a hundred thousand chunks (posting_lists.py). They hold the chunks up to the last of the build.
CREATE TABLE posting_lists (
    word text NOT NULL,
    knowledge_base integer NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE,
    ids bytea NOT NULL,
    saturations bytea NOT NULL,
    PRIMARY KEY (word, knowledge_base)
);
-- Decompressing would take longer than reading.
ALTER TABLE posting_lists ALTER COLUMN ids SET STORAGE EXTERNAL;
ALTER TABLE posting_lists ALTER COLUMN saturations SET STORAGE EXTERNAL;
CREATE TABLE posting_builds (
    knowledge_base integer PRIMARY KEY REFERENCES knowledge_bases (id) ON DELETE CASCADE,
    segmentation text NOT NULL,
    last bigint NOT NULL,
    chunks integer NOT NULL
);

CREATE TABLE document_names (
    id bigint PRIMARY KEY,
    knowledge_base integer NOT NULL,
    name text NOT NULL,
    title text NOT NULL,
    author text NOT NULL,
    words text[] NOT NULL,
    FOREIGN KEY (id, knowledge_base) REFERENCES documents (id, knowledge_base) ON DELETE CASCADE
);
CREATE INDEX document_names_words ON document_names USING gin (words);

CREATE TABLE document_metadata (
    document bigint NOT NULL,
    knowledge_base integer NOT NULL,
    key text NOT NULL,
    place integer NOT NULL DEFAULT 0,
    kind text NOT NULL,
    value text NOT NULL,
    folded text NOT NULL,
    number double precision,
    source text NOT NULL,
    PRIMARY KEY (document, key, place),
    FOREIGN KEY (document, knowledge_base) REFERENCES documents (id, knowledge_base) ON DELETE CASCADE
);
CREATE INDEX document_metadata_key ON document_metadata (key, folded);
-- The statements of store/ insert rows without the knowledge base, which a personal library does not have here.
CREATE FUNCTION put_knowledge_base() RETURNS trigger LANGUAGE plpgsql SET search_path = workbench, pg_temp
    AS $$
        BEGIN
            NEW.knowledge_base := (SELECT knowledge_base FROM documents WHERE id = NEW.document);
            RETURN NEW;
        END
    $$;
CREATE TRIGGER knowledge_base_put BEFORE INSERT ON document_metadata FOR EACH ROW
    WHEN (NEW.knowledge_base IS NULL) EXECUTE FUNCTION put_knowledge_base();

CREATE TABLE abbreviations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document bigint NOT NULL,
    knowledge_base integer NOT NULL,
    short text NOT NULL,
    long text NOT NULL,
    phrase text NOT NULL,
    FOREIGN KEY (document, knowledge_base) REFERENCES documents (id, knowledge_base) ON DELETE CASCADE
);
CREATE INDEX abbreviations_document ON abbreviations (document);
CREATE INDEX abbreviations_short ON abbreviations (short);
CREATE INDEX abbreviations_phrase ON abbreviations (phrase);

-- Unit vectors of the embedder named in remembered ('state', 'embedder'); workers build an index (vector_lists.py).
-- A partition for each knowledge base, as above.
CREATE TABLE vectors (
    chunk bigint NOT NULL,
    knowledge_base integer NOT NULL,
    vector halfvec NOT NULL,
    PRIMARY KEY (chunk, knowledge_base),
    FOREIGN KEY (chunk, knowledge_base) REFERENCES chunks (id, knowledge_base) ON DELETE CASCADE
) PARTITION BY LIST (knowledge_base);
-- 384 values are 768 bytes, which do not compress: in the row, so that a comparison reads no other table.
ALTER TABLE vectors ALTER COLUMN vector SET STORAGE PLAIN;

-- Token vectors of chunks for late interaction, compressed by the codec of their embedder: the first worker stores its
-- codec, and all others use it, because another machine would train another one.
CREATE TABLE token_codes (
    chunk bigint PRIMARY KEY,
    knowledge_base integer NOT NULL,
    codes bytea NOT NULL,
    FOREIGN KEY (chunk, knowledge_base) REFERENCES chunks (id, knowledge_base) ON DELETE CASCADE
);
ALTER TABLE token_codes ALTER COLUMN codes SET STORAGE EXTERNAL;
CREATE TABLE token_codecs (
    embedder text PRIMARY KEY,
    codec bytea NOT NULL
);

-- Documents that a worker has to read. A worker that claims one renews its lease while it reads; the document of a
-- worker that was killed is claimed by another one when the lease has ended.
CREATE TABLE import_jobs (
    document bigint PRIMARY KEY,
    knowledge_base integer NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    attempts integer NOT NULL DEFAULT 0,
    worker text NOT NULL DEFAULT '',
    lease timestamptz NOT NULL DEFAULT '-infinity',
    FOREIGN KEY (document, knowledge_base) REFERENCES documents (id, knowledge_base) ON DELETE CASCADE
);
CREATE INDEX import_jobs_position ON import_jobs (position);

-- Functions by which the statements of store/ read PostgreSQL, too.
CREATE FUNCTION folded(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT {folded} $$;
CREATE FUNCTION instr(value text, part text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT strpos(value, part) $$;
CREATE FUNCTION json_ids(list text) RETURNS TABLE (value bigint) LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
    AS $$ SELECT one::bigint FROM json_array_elements_text(list::json) one WHERE one ~ '^-?\d+$' $$;
CREATE FUNCTION json_texts(list text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10
    AS $$ SELECT one FROM json_array_elements_text(list::json) one $$;
CREATE FUNCTION json_rows(list text) RETURNS TABLE (value json) LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 100
    AS $$ SELECT one FROM json_array_elements(list::json) one $$;
CREATE FUNCTION json_list(items json[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT array_to_json(items)::text $$;
CREATE AGGREGATE json_group_array(json) (
    SFUNC = array_append, STYPE = json[], INITCOND = '{}', FINALFUNC = json_list
);
CREATE AGGREGATE total(double precision) (SFUNC = float8pl, STYPE = double precision, INITCOND = '0');

-- Searches with operators that are not "leakproof" use no index under row-level security
-- (https://www.postgresql.org/docs/current/rules-privileges.html); these functions check the access themselves.
--
-- For each word with a knowledge base (by its place, from 1): each chunk with the word there, the number of occurrences
-- (title and headings count less, as in bm25.py), and the length of the chunk. If newer is not 0, only chunks with a
-- higher number than after: up to newer of them. Each branch is for one case, because the planner knows no numbers: a
-- word in 500,000 chunks waited 40 ms for the order of all chunks to be intersected with the 90 that contain it.
CREATE FUNCTION postings(words tsquery[], bases integer[], afters bigint[], newer bigint[], beside real)
    RETURNS TABLE (place bigint, chunk bigint, occurrences real, length integer)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = workbench, pg_temp
    AS $$
        SELECT w.place, c.chunk, ts_rank_cd(ARRAY[1, 1, beside, beside], c.words, w.query), c.length
        FROM unnest(words, bases, afters, newer) WITH ORDINALITY AS w(query, base, after, newer, place),
            LATERAL (
                SELECT * FROM chunk_words c
                WHERE w.newer = 0 AND c.words @@ w.query AND c.knowledge_base = w.base
                UNION ALL
                SELECT * FROM (
                    SELECT * FROM chunk_words c WHERE w.newer BETWEEN 1 AND 2000
                        AND c.chunk > w.after AND c.chunk <= w.after + 2000 AND c.knowledge_base = w.base OFFSET 0
                ) c WHERE c.words @@ w.query
                UNION ALL
                SELECT * FROM chunk_words c
                WHERE w.newer > 2000 AND c.words @@ w.query AND c.chunk > w.after AND c.knowledge_base = w.base
            ) c
        WHERE w.base = ANY ((SELECT accessible(1))::integer[])
    $$;
-- Up to most documents that are named by a word, oldest first.
CREATE FUNCTION documents_called(word text, most integer)
    RETURNS TABLE (id bigint, name text, title text, author text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = workbench, pg_temp
    AS $$
        SELECT n.id, n.name, n.title, n.author FROM document_names n JOIN documents d ON d.id = n.id
        WHERE n.words @> ARRAY[word] AND n.knowledge_base = ANY ((SELECT accessible(1))::integer[])
            AND d.removed = 0 AND d.chunks > 0 ORDER BY n.id LIMIT most
    $$;
CREATE FUNCTION count_called(word text) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = workbench, pg_temp
    AS $$
        SELECT count(*) FROM document_names
        WHERE words @> ARRAY[word] AND knowledge_base = ANY ((SELECT accessible(1))::integer[])
    $$;

-- The last statement of every transaction that changes documents: it orders them, and tells the other workbenches.
CREATE FUNCTION advance() RETURNS bigint
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = workbench, pg_temp
    AS $$
        WITH next AS (UPDATE library_generation SET value = value + 1 RETURNING value)
        SELECT value FROM next, LATERAL (SELECT pg_notify('workbench', value::text)) told
    $$;

-- Store a codec unless there is one, and return the one that is to be used.
CREATE FUNCTION put_codec(model text, packed bytea) RETURNS bytea
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = workbench, pg_temp
    AS $$
        BEGIN
            IF cardinality(accessible(2)) > 0 THEN
                INSERT INTO token_codecs VALUES (model, packed) ON CONFLICT DO NOTHING;
            END IF;
            RETURN (SELECT codec FROM token_codecs WHERE embedder = model);
        END
    $$;

-- Members of knowledge bases. Only these functions read and write the table.
CREATE FUNCTION create_knowledge_base(base text) RETURNS integer
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = workbench, pg_temp
    AS $$
        DECLARE number integer;
        BEGIN
            IF NOT (is_owner() OR EXISTS (SELECT 1 FROM members WHERE name = session_user AND access = 3)) THEN
                RAISE insufficient_privilege USING MESSAGE = 'only a manager can create a knowledge base';
            END IF;
            INSERT INTO knowledge_bases (name) VALUES (base) RETURNING id INTO number;
            EXECUTE format('CREATE TABLE chunk_words_%s PARTITION OF chunk_words FOR VALUES IN (%s)', number, number);
            EXECUTE format('CREATE TABLE vectors_%s PARTITION OF vectors FOR VALUES IN (%s)', number, number);
            EXECUTE format('ALTER TABLE vectors_%s ALTER COLUMN vector SET STORAGE PLAIN', number);
            INSERT INTO members VALUES (number, session_user, 3);
            RETURN number;
        END
    $$;
CREATE FUNCTION list_members(base integer) RETURNS TABLE (member text, level integer)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = workbench, pg_temp
    AS $$ SELECT name, access FROM members WHERE knowledge_base = base AND base = ANY (accessible(1)) ORDER BY name $$;
-- level 0 removes the member. The last manager stays, because nobody could add another one.
CREATE FUNCTION put_member(base integer, member text, level integer) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = workbench, pg_temp
    AS $$
        BEGIN
            IF NOT base = ANY (accessible(3)) THEN
                RAISE insufficient_privilege USING MESSAGE = 'only a manager can change the members';
            END IF;
            PERFORM 1 FROM knowledge_bases WHERE id = base FOR UPDATE;
            IF level < 3 AND NOT EXISTS (SELECT 1 FROM members
                WHERE knowledge_base = base AND access = 3 AND name <> member) THEN
                RAISE check_violation USING MESSAGE = 'a knowledge base needs a manager';
            END IF;
            IF level = 0 THEN
                DELETE FROM members WHERE knowledge_base = base AND name = member;
            ELSE
                INSERT INTO members VALUES (base, member, level)
                    ON CONFLICT (name, knowledge_base) DO UPDATE SET access = level;
            END IF;
            PERFORM advance();
        END
    $$;

-- Rights of everybody else. "SELECT accessible(...)" is computed once for a statement.
DO $$
    DECLARE one text;
    BEGIN
        FOREACH one IN ARRAY ARRAY['documents', 'original_pieces', 'contents', 'pages', 'source_lines', 'chunks', 'chunk_words',
            'document_names', 'document_metadata', 'abbreviations', 'vectors', 'token_codes', 'import_jobs', 'posting_lists',
            'posting_builds'] LOOP
            EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
            EXECUTE format('CREATE POLICY readable ON %I FOR SELECT'
                ' USING (knowledge_base = ANY ((SELECT accessible(1))::integer[]))', one);
            EXECUTE format('CREATE POLICY writable ON %I FOR ALL'
                ' USING (knowledge_base = ANY ((SELECT accessible(2))::integer[]))', one);
            EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO PUBLIC', one);
        END LOOP;
    END
$$;
ALTER TABLE knowledge_bases ENABLE ROW LEVEL SECURITY;
CREATE POLICY readable ON knowledge_bases FOR SELECT USING (id = ANY ((SELECT accessible(1))::integer[]));
CREATE POLICY managed ON knowledge_bases FOR UPDATE USING (id = ANY ((SELECT accessible(3))::integer[]));
GRANT SELECT, UPDATE ON knowledge_bases TO PUBLIC;
GRANT SELECT ON remembered, library_generation, token_codecs TO PUBLIC;
GRANT USAGE ON SCHEMA workbench TO PUBLIC;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA workbench TO PUBLIC;
INSERT INTO remembered VALUES ('state', 'schema', '1');

-- The words of each document's name, title and author, so that a question can name a document among many.
-- name_words() is the program's own (store/name_words.py): what it does not know cannot get in here.
CREATE VIRTUAL TABLE document_names USING fts5 (
    name, title, author,
    tokenize = "ascii tokenchars '.+#'"
);

CREATE VIRTUAL TABLE document_name_words USING fts5vocab (document_names, row);

INSERT INTO document_names (rowid, name, title, author)
    SELECT id, name_words(name), name_words(title), name_words(author) FROM documents;

CREATE TRIGGER documents_named AFTER INSERT ON documents
BEGIN
    INSERT INTO document_names (rowid, name, title, author)
        VALUES (NEW.id, name_words(NEW.name), name_words(NEW.title), name_words(NEW.author));
END;

CREATE TRIGGER documents_renamed AFTER UPDATE OF name, title, author ON documents
    WHEN (NEW.name, NEW.title, NEW.author) IS NOT (OLD.name, OLD.title, OLD.author)
BEGIN
    UPDATE document_names
        SET name = name_words(NEW.name), title = name_words(NEW.title), author = name_words(NEW.author)
        WHERE rowid = NEW.id;
END;

CREATE TRIGGER documents_unnamed AFTER DELETE ON documents
BEGIN
    DELETE FROM document_names WHERE rowid = OLD.id;
END;

"""Repair of the database, in one transaction per fault: missing owners, unreadable values and wrong counts.

Unreadable values are handed out, the rest is fixed.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from workbench.errors import LibraryDamaged
from workbench.language import mark
from workbench.model.document import DocumentStatus, FailureKind, Origin, PageKind
from workbench.model.integrity_report import Cure, Fault
from workbench.model.knowledge_base import DEFAULT
from workbench.model.run import RunStatus
from workbench.store.checksums import CODEC, CODES, accept_changes, true_width
from workbench.store.database import Database
from workbench.store.document_rows import CHUNK_COLUMNS, chunk_of, findings_of
from workbench.store.stored_values import (
    decoded_event,
    forget_state,
    loaded_json,
    loaded_text,
    now,
    read_undecoded,
    stored_text,
    unpacked_blocks,
    unpacked_lines,
    unpacked_text,
    unpacked_words,
)

HandOut = Callable[[str, dict[str, Any]], None]
"""Receives a row that is about to be deleted: the name of its table, and its values by column."""

_OWNERS = {
    "contents": ("document", "documents"),
    "pages": ("document", "documents"),
    "source_lines": ("document", "documents"),
    "partial_readings": ("document", "documents"),
    "abbreviations": ("document", "documents"),
    "chunk_edits": ("document", "documents"),
    "document_metadata": ("document", "documents"),
    "chunks": ("document", "documents"),
    "folder_metadata": ("folder", "linked_folders"),
    "run_events": ("run", "runs"),
    "reading_documents": ("reading", "readings"),
    "reading_passages": ("reading", "readings"),
    "vectors": ("chunk", "chunks"),
    "token_codes": ("vector", "vectors"),
}
"""Tables whose rows depend on another row: the column that refers to it, and its table. Owners come first."""

_DERIVED_TABLES = {"vectors", "token_codes", "pages", "source_lines", "partial_readings", "abbreviations"}
"""Tables whose deleted rows are not handed out: they are computed again from the file or from the text."""

_LOOSE = (("runs", "parent", "runs"), ("memories", "run", "runs"))
"""Optional references to rows that may be missing."""

# Vectors of the embedder in use.
_EMBEDDED = (
    "(SELECT COUNT(*) FROM remembered r, embedders e, chunks c, vectors v WHERE r.scope = 'state'"
    " AND r.key = 'embedder' AND e.name = r.value AND c.document = documents.id AND v.chunk = c.id"
    " AND v.embedder = e.id)"
)

_RUN_TEXTS = ("question", "answer", "profile", "mode", "error", "hint")

_TABLE_NAMES = {
    "documents": mark("Documents"),
    "contents": mark("Texts of documents"),
    "pages": mark("Pages of documents"),
    "source_lines": mark("Lines of long files"),
    "partial_readings": mark("Pages of partly read files"),
    "abbreviations": mark("Abbreviations"),
    "chunks": mark("Passages"),
    "chunk_edits": mark("Edits of passages"),
    "document_metadata": mark("Metadata of documents"),
    "vectors": mark("Vectors"),
    "token_codes": mark("Token vectors"),
    "token_codecs": mark("Token vectors"),
    "knowledge_bases": mark("Knowledge bases"),
    "linked_folders": mark("Linked folders"),
    "folder_metadata": mark("Metadata of linked folders"),
    "sessions": mark("Sessions"),
    "runs": mark("Answers"),
    "run_events": mark("Steps of answers"),
    "memories": mark("Memories"),
    "profiles": mark("Model profiles"),
    "agents": mark("Agents"),
    "readings": mark("Questions asked of every passage"),
    "reading_passages": mark("What passages said"),
    "reading_documents": mark("What was read of documents"),
    "golden_questions": mark("Golden questions"),
    "evaluations": mark("Evaluations"),
    "remembered": mark("Settings"),
    "search_configurations": mark("Ways of searching"),
    "tool_servers": mark("MCP servers"),
    "network_requests": mark("The ledger of the network"),
}


class DatabaseRepair:
    """Repairs the rows of an open database.

    Attributes:
        is_index_behind: The keyword index still contains chunks that were removed; it must be rebuilt.
    """

    def __init__(self, database: Database, hand_out: HandOut) -> None:
        """Create a repair of the database; hand_out receives what is taken out of it."""
        self.is_index_behind = False
        self._database = database
        self._hand_out = hand_out

    def rows(self, faults: Sequence[Fault]) -> list[str]:
        """Repair what needs no files; return the actions taken, as sentences. Blocking.

        Raises:
            LibraryDamaged: Not even the indexes can be emptied: a new file is needed.
        """
        cures = {fault.cure for fault in faults}
        done: list[str] = []
        if Cure.REBUILD_KEYWORDS in cures:
            with self._writing() as connection:
                _drop_keywords(connection)
                _rebuild_names(connection)
        with self._writing() as connection:
            done += _repair_owners(connection, self._hand_out)
            self.is_index_behind = Cure.SET_ROWS_ASIDE in cures
        done += self._answers(_keys(faults, Cure.SET_SESSION_ASIDE))
        done += self._settings([fault for fault in faults if fault.cure is Cure.RESET])
        self._documents(number for fault in faults if fault.cure is Cure.READ_AGAIN for number in fault.documents)
        with self._writing() as connection:
            _forget_vectors(connection, [int(key) for key in _keys(faults, Cure.EMBED_AGAIN)])
            if Cure.CODE_AGAIN in cures:
                _forget_damaged_codes(connection)
                done.append(
                    mark("Damaged word vectors were deleted; they will be computed again when the program is idle.")
                )
            _recount(connection)
            self._database.revision += 1
            self._database.returned += 1
        if Cure.ACCEPT in cures:
            with self._writing() as connection:
                accept_changes(connection, self._hand_out)
        if Cure.COUNT_AGAIN in cures:
            done.append(mark("Passages were counted again."))
        return done

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._database.write() as connection, read_undecoded(connection):
            yield connection

    def _answers(self, runs: Iterable[str]) -> list[str]:
        done = []
        for run in map(int, runs):
            events, are_citations_readable = _broken_events(self._database, run)
            with self._writing() as connection:
                _remove_damaged_events(connection, run, events, self._hand_out)
                if not are_citations_readable:
                    _replace_damaged_value(connection, "runs", "citations", ("id", run), "[]", self._hand_out)
                for column in _RUN_TEXTS:
                    (value,) = connection.execute(f"SELECT {column} FROM runs WHERE id = ?", (run,)).fetchone()
                    if (readable := _readable_text(value)) != value:
                        _replace_damaged_value(connection, "runs", column, ("id", run), readable, self._hand_out)
                connection.execute(
                    f"UPDATE runs SET status = ? WHERE id = ? AND status NOT IN ({', '.join('?' * len(RunStatus))})",
                    (RunStatus.CANCELLED.value, run, *(one.value for one in RunStatus)),
                )
            done.append(mark(f"Steps of an answer that could not be read were moved to quarantine: {len(events)}."))
        return done

    def _settings(self, faults: Iterable[Fault]) -> list[str]:
        done = []
        for fault in faults:
            table, name = fault.keys
            where, parameters = ("scope = 'setting' AND key = ?" if table == "remembered" else "name = ?"), [name]
            with self._writing() as connection:
                _remove_damaged_row(connection, table, where, parameters, self._hand_out)
            done.append(mark(f"“{name}” could not be read and was moved to quarantine."))
        return done

    def _documents(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            with self._writing() as connection:
                _repair_document_row(connection, number, self._hand_out)
                if _clear_unreadable(connection, number, self._hand_out):
                    self.is_index_behind = True


def describe_table_rows(table: str) -> str:
    """Return the name of a table's rows for users."""
    return _TABLE_NAMES.get(table, table)


def _repair_owners(connection: sqlite3.Connection, hand_out: HandOut) -> list[str]:
    """Create owners for rows without one, or hand the rows out and delete them; return the actions taken, as sentences.

    Args:
        connection: A transaction.
        hand_out: Called with each row before it is deleted.
    """
    done = [*_knowledge_bases(connection), *_sessions(connection)]
    for table, column, owner in _LOOSE:
        connection.execute(
            f"UPDATE {table} SET {column} = NULL"
            f" WHERE {column} IS NOT NULL AND {column} NOT IN (SELECT id FROM {owner})"
        )
    for table, (column, owner) in _OWNERS.items():
        many = _delete(connection, table, f"{column} NOT IN (SELECT id FROM {owner})", hand_out)
        if many:
            done.append(mark(f"{describe_table_rows(table)}: {many} without an owner, moved to quarantine."))
    connection.execute("DELETE FROM vectors WHERE embedder NOT IN (SELECT id FROM embedders)")
    connection.execute("DELETE FROM token_codecs WHERE embedder NOT IN (SELECT id FROM embedders)")
    return done


def _recount(connection: sqlite3.Connection) -> None:
    """Recompute the chunk counts of documents and the vector widths of embedders.

    Documents with pending vectors keep this state.
    """
    connection.execute(
        "UPDATE documents SET chunks = (SELECT COUNT(*) FROM chunks c WHERE c.document = documents.id)"
        " WHERE chunks <> (SELECT COUNT(*) FROM chunks c WHERE c.document = documents.id)"
    )
    connection.execute(
        f"UPDATE documents SET embedded = {_EMBEDDED} WHERE status = 'ready' AND embedded <> {_EMBEDDED}"
    )
    for (embedder,) in connection.execute("SELECT id FROM embedders").fetchall():
        if (width := true_width(connection, embedder)) is not None:
            connection.execute("UPDATE embedders SET dim = ? WHERE id = ?", (width, embedder))


def miscounted(connection: sqlite3.Connection) -> list[int]:
    """Return the documents that _recount() would change."""
    rows = connection.execute(
        "SELECT id FROM documents WHERE chunks <> (SELECT COUNT(*) FROM chunks c WHERE c.document = documents.id)"
        f" OR (status = 'ready' AND embedded <> {_EMBEDDED}) ORDER BY id"
    )
    return [row[0] for row in rows]


def _forget_vectors(connection: sqlite3.Connection, chunks: Sequence[int]) -> None:
    """Delete the vectors of chunks: the next import or its continuation computes them again."""
    connection.executemany("DELETE FROM vectors WHERE chunk = ?", [(number,) for number in chunks])
    connection.execute("UPDATE embedders SET generation = generation + 1")


def _forget_damaged_codes(connection: sqlite3.Connection) -> None:
    """Delete damaged token codes, and damaged codecs with their codes: they are computed again in idle time."""
    connection.execute(f"DELETE FROM token_codes WHERE checksum <> {CODES}")
    codecs = connection.execute(f"SELECT embedder FROM token_codecs WHERE checksum <> {CODEC}").fetchall()
    connection.executemany(
        "DELETE FROM token_codes WHERE vector IN (SELECT id FROM vectors WHERE embedder = ?)", codecs
    )
    connection.executemany("DELETE FROM token_codecs WHERE embedder = ?", codecs)


def _remove_damaged_events(connection: sqlite3.Connection, run: int, numbers: Sequence[int], hand_out: HandOut) -> None:
    """Hand out and delete unreadable events of an answer, so that the rest of it is readable."""
    for number in numbers:
        _delete(connection, "run_events", "run = ? AND number = ?", hand_out, (run, number))


def _replace_damaged_value(
    connection: sqlite3.Connection, table: str, column: str, key: tuple[str, Any], value: Any, hand_out: HandOut
) -> None:
    """Hand out the row of an unreadable value, and replace the value."""
    name, wanted = key
    for row in _rows(connection, table, f"{name} = ?", (wanted,)):
        hand_out(table, row)
    connection.execute(f"UPDATE {table} SET {column} = ? WHERE {name} = ?", (value, wanted))


def _remove_damaged_row(
    connection: sqlite3.Connection, table: str, where: str, parameters: Sequence[Any], hand_out: HandOut
) -> None:
    """Hand out an unreadable row, and delete it."""
    _delete(connection, table, where, hand_out, parameters)


def _recreate_index(connection: sqlite3.Connection, index: str, words: str) -> None:
    """Empty a full-text index and its vocabulary table by recreating them; deleting rows would read a damaged index."""
    connection.execute(f"DROP TABLE IF EXISTS {words}")
    (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (index,)).fetchone()
    connection.execute(f"DROP TABLE {index}")
    connection.execute(sql)
    connection.execute(f"CREATE VIRTUAL TABLE {words} USING fts5vocab ({index}, row)")


def _rebuild_names(connection: sqlite3.Connection) -> None:
    """Rebuild the index of documents' names."""
    _recreate_index(connection, "document_names", "document_name_words")
    with read_undecoded(connection):
        rows = connection.execute("SELECT id, name, title, author FROM documents").fetchall()
    connection.executemany(
        "INSERT INTO document_names (rowid, name, title, author)"
        " VALUES (?, name_words(?), name_words(?), name_words(?))",
        ((number, *map(_readable_text, texts)) for number, *texts in rows),
    )


def _drop_keywords(connection: sqlite3.Connection) -> None:
    """Empty the keyword index, regardless of its state; it is rebuilt when the library is next opened."""
    _recreate_index(connection, "keyword_index", "keyword_terms")
    # Same values as in the schema (0020_keyword_buffer.sql, 0024_keyword_segments.sql).
    for name, value in (("hashsize", 4_194_304), ("automerge", 0), ("crisismerge", 1000), ("usermerge", 16)):
        connection.execute("INSERT INTO keyword_index (keyword_index, rank) VALUES (?, ?)", (name, value))
    forget_state(connection, "segmentation")


def _knowledge_bases(connection: sqlite3.Connection) -> Iterator[str]:
    lost = connection.execute(
        "SELECT knowledge_base FROM documents UNION SELECT knowledge_base FROM linked_folders"
        " EXCEPT SELECT id FROM knowledge_bases"
    ).fetchall()
    names = {row[0] for row in connection.execute("SELECT name FROM knowledge_bases")}
    for (number,) in lost:
        name = DEFAULT if number == 1 and DEFAULT not in names else f"Recovered {number}"
        connection.execute("INSERT INTO knowledge_bases (id, name) VALUES (?, ?)", (number, name))
        yield mark(f"The name of a knowledge base was lost; it is called “{name}” now.")


def _sessions(connection: sqlite3.Connection) -> Iterator[str]:
    lost = connection.execute(
        "SELECT session, MIN(started), MAX(started), question FROM runs WHERE session NOT IN (SELECT id FROM sessions)"
        " GROUP BY session"
    ).fetchall()
    for number, started, changed, question in lost:
        title = loaded_text(question)[:200]
        connection.execute(
            "INSERT INTO sessions (id, title, started, changed) VALUES (?, ?, ?, ?)",
            (number, stored_text(title), started or now(), changed or now()),
        )
        yield mark(f"The title of a session was lost; it is called “{title}” now.")


def _delete(
    connection: sqlite3.Connection, table: str, where: str, hand_out: HandOut, parameters: Sequence[Any] = ()
) -> int:
    if table not in _DERIVED_TABLES:
        for row in _rows(connection, table, where, parameters):
            hand_out(table, row)
    return connection.execute(f"DELETE FROM {table} WHERE {where}", parameters).rowcount


def _rows(
    connection: sqlite3.Connection, table: str, where: str, parameters: Sequence[Any] = ()
) -> Iterator[dict[str, Any]]:
    cursor = connection.execute(f"SELECT * FROM {table} WHERE {where}", parameters)
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(names, row, strict=True))


def _repair_document_row(connection: sqlite3.Connection, document: int, hand_out: HandOut) -> None:
    """Replace unreadable values in a document's row."""
    rows = list(_rows(connection, "documents", "id = ?", (document,)))
    for row in rows:
        repaired = {name: right(row[name]) for name, right in _RIGHT.items()}
        changed = {name: value for name, value in repaired.items() if value != row[name]}
        if changed:
            hand_out("documents", row)
            columns = ", ".join(f"{name} = ?" for name in changed)
            connection.execute(f"UPDATE documents SET {columns} WHERE id = ?", (*changed.values(), document))


def _clear_unreadable(connection: sqlite3.Connection, document: int, hand_out: HandOut) -> bool:
    """Hand out the unreadable parts of a document's content; return whether the keyword index must be rebuilt.

    Readable parts stay, and are found until the document was parsed again.
    """
    texts = connection.execute("SELECT text, blocks FROM contents WHERE document = ?", (document,)).fetchall()
    for blob, blocks in texts:
        if not (_is_readable(partial(unpacked_text, blob)) and _is_readable(partial(unpacked_blocks, blocks))):
            _delete(connection, "contents", "document = ?", hand_out, (document,))
    for number, words in connection.execute("SELECT id, words FROM pages WHERE document = ?", (document,)).fetchall():
        if not _is_readable(partial(unpacked_words, words)):
            connection.execute("DELETE FROM pages WHERE id = ?", (number,))
    of_lines = "SELECT id, kind, lines FROM source_lines WHERE document = ?"
    for number, kind, lines in connection.execute(of_lines, (document,)).fetchall():
        if not _is_readable(partial(unpacked_lines, kind, lines)):
            connection.execute("DELETE FROM source_lines WHERE id = ?", (number,))
    chunks = connection.execute(f"SELECT {CHUNK_COLUMNS} FROM chunks c WHERE c.document = ?", (document,)).fetchall()
    broken = [row[0] for row in chunks if not _is_readable(partial(chunk_of, row))]
    for number in broken:
        connection.execute("DELETE FROM vectors WHERE chunk = ?", (number,))
        _delete(connection, "chunks", "id = ?", hand_out, (number,))
    return bool(broken)


def _is_readable(read: Callable[[], object]) -> bool:
    try:
        read()
    except LibraryDamaged:
        return False
    return True


def _one_of(known: Iterable[str], default: str) -> Callable[[Any], Any]:
    allowed = set(known)
    return lambda value: value if value in allowed else default


def _list(value: Any) -> Any:
    try:
        return value if isinstance(loaded_json(value), list) else "[]"
    except LibraryDamaged:
        return "[]"


def _readable_text(value: Any) -> Any:
    """Return a stored text unchanged, or with replacement characters for invalid bytes."""
    return value if _is_readable(lambda: loaded_text(value)) else bytes(value).decode("utf-8", "replace")


_RIGHT: dict[str, Callable[[Any], Any]] = {
    "status": _one_of((one.value for one in DocumentStatus), DocumentStatus.QUEUED.value),
    "origin": _one_of((one.value for one in Origin), Origin.FILE.value),
    "page_kind": _one_of((one.value for one in PageKind), PageKind.PAGE.value),
    "failure": _one_of((one.value for one in FailureKind), FailureKind.OTHER.value),
    **dict.fromkeys(("keywords", "warnings", "tags", "edited", "passage_tags"), _list),
    "findings": lambda value: value if _is_readable(lambda: findings_of(value)) else "[]",
    **dict.fromkeys(("path", "name", "title", "author", "created", "language", "modified"), _readable_text),
    **dict.fromkeys(("reason", "hint", "folder"), _readable_text),
}
"""Repair function of each column of a document's row; readable values stay unchanged."""


def _broken_events(database: Database, run: int) -> tuple[list[int], bool]:
    """Return the numbers of an answer's unreadable events, and whether its citations are readable."""
    with database.read() as connection, read_undecoded(connection):
        rows = connection.execute("SELECT number, type, fields FROM run_events WHERE run = ?", (run,)).fetchall()
        (citations,) = connection.execute("SELECT citations FROM runs WHERE id = ?", (run,)).fetchone()
    bad = []
    for number, kind, fields in rows:
        try:
            decoded_event(kind, loaded_json(fields))
        except (LibraryDamaged, KeyError, ValueError, TypeError, AttributeError):
            bad.append(number)
    return bad, _is_list(citations)


def _is_list(value: str | bytes) -> bool:
    try:
        return isinstance(loaded_json(value), list)
    except LibraryDamaged:
        return False


def _keys(faults: Iterable[Fault], cure: Cure) -> list[str]:
    return [key for fault in faults if fault.cure is cure for key in fault.keys]

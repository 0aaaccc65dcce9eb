"""Integrity check of the database: file, indexes, texts, vectors, answers, settings; read-only."""

import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from workbench.errors import LibraryDamaged, SettingError
from workbench.language import mark
from workbench.model.chunk import Chunk
from workbench.model.integrity_report import Cure, Fault, LibraryPart
from workbench.model.knowledge_base import Removal
from workbench.settings import declaration
from workbench.store.checksums import CODEC, CODES, changed_rows, row_checksum, true_width
from workbench.store.database import Database
from workbench.store.database_repair import describe_table_rows, miscounted
from workbench.store.document_rows import documents_where
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordRow
from workbench.store.segmentation import segment
from workbench.store.session_rows import USERS
from workbench.store.sessions import SessionMaintenance
from workbench.store.stored_values import loaded_json, loaded_text

Stop = Callable[[], bool]
ProgressCallback = Callable[[int, int], None]

# Number of SQLite's own steps between two calls of stop(): some milliseconds.
_STEPS = 200_000
_MESSAGES = 5
_SAMPLE = 200
# FTS5 checks up to this number of chunks in 0.2 s.
_QUICK_CHUNKS = 20_000
_PIECE = 2000
# Tolerance for the length of a unit vector after rounding and 8-bit quantisation.
_FAR_FROM_UNIT = 0.05
_VECTOR = "<f4"

# Tables by part of the library; all others contain what the user set up.
_PARTS = {
    LibraryPart.TEXTS: (
        "documents",
        "chunks",
        "chunk_edits",
        "document_metadata",
        "knowledge_bases",
        "linked_folders",
        "folder_metadata",
    ),
    LibraryPart.SESSIONS: (
        "sessions",
        "runs",
        "run_events",
        "readings",
        "reading_documents",
        "reading_passages",
        "memories",
    ),
}
# Tables whose rows belong to one user.
_OF_USERS = (*_PARTS[LibraryPart.SESSIONS], "golden_questions", "evaluations")

REBUILD = mark("Everything that can be read goes into a new database; the damaged one is kept beside it.")
_REBUILD_KEYWORDS = mark("The keyword index is rebuilt from the passages.")
_PARSE_AGAIN = mark("It is read again from the library's copy of the file.")
_EMBED_AGAIN = mark("These vectors are computed again.")
_CODE_AGAIN = mark("They are deleted, and computed again in idle time.")
_ACCEPT = mark("They stay as they are now; a backup may contain the original.")
_SET_ASIDE = mark("What cannot be read is moved to quarantine; the rest stays.")


class DatabaseCheck:
    """Check of a database by parts; each method returns the faults of a part, and ends soon after stop() is true."""

    def __init__(self, database: Database, stop: Stop = lambda: False) -> None:
        self._database = database
        self._stop = stop
        self._documents = DocumentStore(database)

    def file(self, *, thorough: bool = True) -> list[Fault]:
        """Return the faults that SQLite itself finds in the file, and rows without an owner."""
        faults: list[Fault] = []
        if self._database.lost_log:
            message = mark("The last changes are missing: the log beside the database was deleted.")
            faults.append(
                Fault(LibraryPart.DATABASE, message, mark("They cannot be recovered."), Cure.NONE, is_loss=True)
            )
        pragma = "integrity_check" if thorough else "quick_check"
        found: list[str] = []
        orphans: list[str] = []
        try:
            with self._interruptible() as connection:
                found = [str(row[0]) for row in connection.execute(f"PRAGMA {pragma}({_MESSAGES})")]
                orphans = [str(row[0]) for row in connection.execute("PRAGMA foreign_key_check")]
        except LibraryDamaged as error:
            return [*faults, Fault(LibraryPart.DATABASE, error.message, REBUILD, Cure.REBUILD_DATABASE)]
        if problems := [one for one in found if one != "ok"]:
            first = problems[0].splitlines()[-1]
            message = mark(f"The database file is damaged: {first}.")
            faults.append(Fault(LibraryPart.DATABASE, message, REBUILD, Cure.REBUILD_DATABASE))
        for table in sorted(set(orphans)):
            message = mark(f"{describe_table_rows(table)}: {orphans.count(table)} without an owner.")
            faults.append(
                Fault(LibraryPart.DATABASE, message, mark("They are moved to quarantine."), Cure.SET_ROWS_ASIDE)
            )
        return faults

    def keywords(self, *, thorough: bool = True) -> list[Fault]:
        """Return faults of the keyword and name indexes; unless thorough, skip the slow check of a large library."""
        try:
            with self._database.write() as connection:
                (chunks,) = connection.execute("SELECT COUNT(*) FROM chunks").fetchone()
                # It cannot be interrupted, and blocks other writers.
                for index in ("keyword_index", "document_names") if thorough or chunks < _QUICK_CHUNKS else ():
                    connection.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
            found: list[Fault] = []
            with self._interruptible() as connection:
                found = _keyword_faults(connection)
        except LibraryDamaged:
            message = mark("The keyword index is damaged.")
            return [Fault(LibraryPart.KEYWORDS, message, _REBUILD_KEYWORDS, Cure.REBUILD_KEYWORDS)]
        return found

    def texts(
        self, report: ProgressCallback = lambda _done, _total: None, *, most: int | None = None
    ) -> tuple[list[Fault], int]:
        """Return the faults of documents, and the number of documents checked; above most, a random sample is checked.

        Checked are their rows, texts, pages and blocks, and whether each chunk is a slice of the text of its document.
        """
        faults: list[Fault] = []
        with self._database.read() as connection:
            numbers = [row[0] for row in connection.execute("SELECT id FROM documents ORDER BY id")]
            counted = set(miscounted(connection))
        if most is not None and len(numbers) > most:
            numbers = random.sample(numbers, most)
        for done, number in enumerate(numbers):
            if self._stop():
                break
            report(done, len(numbers))
            # Checked twice: an import may have replaced the content between two reads of its parts.
            fault = self._document_fault(number) and self._document_fault(number)
            if fault is not None:
                faults.append(fault)
                counted.discard(number)
        if counted:
            message = mark(f"Documents with a wrong number of passages: {len(counted)}.")
            remedy = mark("They are counted again.")
            faults.append(Fault(LibraryPart.TEXTS, message, remedy, Cure.COUNT_AGAIN, tuple(sorted(counted))))
        return faults, len(numbers)

    def vectors(self, report: ProgressCallback = lambda _done, _total: None) -> tuple[list[Fault], int]:
        """Return the faults of vectors, and the number of vectors; keys are the chunks concerned."""
        with self._database.read() as connection:
            embedders = connection.execute("SELECT id, name, dim FROM embedders ORDER BY id").fetchall()
            (total,) = connection.execute("SELECT COUNT(*) FROM vectors").fetchone()
            widths = {number: true_width(connection, number) or dim for number, _name, dim in embedders}
        bad: list[int] = []
        looked = 0
        for number, width in widths.items():
            last = 0
            while not self._stop():
                with self._database.read() as connection:
                    rows = connection.execute(
                        "SELECT id, embedder, chunk, vector, checksum FROM vectors WHERE embedder = ? AND id > ?"
                        " ORDER BY id LIMIT ?",
                        (number, last, _PIECE),
                    ).fetchall()
                if not rows:
                    break
                last = rows[-1][0]
                bad += _bad_vectors(rows, width)
                looked += len(rows)
                report(looked, total)
        faults = []
        if any(widths[number] != dim for number, _name, dim in embedders):
            message = mark("The stored width of the vectors is wrong.")
            faults.append(
                Fault(LibraryPart.VECTORS, message, mark("It is derived from the vectors."), Cure.COUNT_AGAIN)
            )
        if bad:
            message = mark(f"Damaged vectors: {len(bad)}.")
            keys = tuple(str(chunk) for chunk in bad)
            faults.append(Fault(LibraryPart.VECTORS, message, _EMBED_AGAIN, Cure.EMBED_AGAIN, keys=keys))
        if damaged_codes := self._damaged_codes():
            message = mark(f"Passages with damaged word vectors: {damaged_codes}.")
            faults.append(Fault(LibraryPart.VECTORS, message, _CODE_AGAIN, Cure.CODE_AGAIN))
        return faults, looked

    def _damaged_codes(self) -> int:
        """Return the number of chunks whose token codes, or the codec that decodes them, are damaged."""
        damaged = 0
        with self._interruptible() as connection:
            (damaged,) = connection.execute(
                f"SELECT COUNT(*) FROM token_codes WHERE checksum <> {CODES} OR vector IN (SELECT v.id FROM vectors v"
                f" WHERE v.embedder IN (SELECT embedder FROM token_codecs WHERE checksum <> {CODEC}))"
            ).fetchone()
        return int(damaged)

    def sessions(self, report: ProgressCallback = lambda _done, _total: None) -> tuple[list[Fault], int]:
        """Return the unreadable answers as a fault, and the number of all answers; keys are their numbers."""
        upkeep = SessionMaintenance(self._database)
        with self._database.read() as connection:
            runs = [row[0] for row in connection.execute("SELECT id FROM runs ORDER BY id")]
        bad = []
        for done, number in enumerate(runs):
            if self._stop():
                break
            report(done, len(runs))
            if not upkeep.is_readable(number):
                bad.append(number)
        if not bad:
            return [], len(runs)
        message = mark(f"Answers that cannot be read: {len(bad)}.")
        if not self._is_shared():
            message = mark(f"Answers that cannot be read: {len(bad)}, to {self._questions(bad)}")
        keys = tuple(map(str, bad))
        return [Fault(LibraryPart.SESSIONS, message, _SET_ASIDE, Cure.SET_SESSION_ASIDE, keys=keys)], len(runs)

    def settings(self) -> tuple[list[Fault], int]:
        """Return faults of settings and other user configuration that cannot be read, and the number of all of them."""
        faults = []
        with self._database.read() as connection:
            rows = connection.execute("SELECT key, value FROM remembered WHERE scope = 'setting'").fetchall()
            others = [
                (table, name, loaded)
                for table, column in (("agents", "fields"), ("search_configurations", "configuration"))
                for name, loaded in connection.execute(f"SELECT name, {column} FROM {table}")
            ]
        for key, value in rows:
            if not _is_setting(key, value):
                message = mark(f"The setting “{key}” cannot be read.")
                remedy = mark("It is reset to its default.")
                faults.append(Fault(LibraryPart.SETTINGS, message, remedy, Cure.RESET, keys=("remembered", str(key))))
        for table, name, value in others:
            if not _is_object(value):
                label = _text(name)
                message = mark(f"The settings stored as “{label}” cannot be read.")
                faults.append(
                    Fault(LibraryPart.SETTINGS, message, _SET_ASIDE, Cure.RESET, keys=(table, label), is_loss=True)
                )
        return faults, len(rows) + len(others)

    def changed(self) -> list[Fault]:
        """Return a fault for each table with rows that differ from their checksums."""
        rows: dict[str, list[str]] = {}
        with self._database.read() as connection:
            for row in changed_rows(connection, self._stop):
                rows.setdefault(row.table, []).append(row.name)
        faults = []
        for table, names in rows.items():
            if names[0] and not (table in _OF_USERS and self._is_shared()):
                message = mark(
                    f"{describe_table_rows(table)}: {len(names)} altered or missing, such as “{names[0][:80]}”."
                )
            else:
                message = mark(f"{describe_table_rows(table)}: {len(names)} altered or missing.")
            part = next((part for part, tables in _PARTS.items() if table in tables), LibraryPart.SETTINGS)
            faults.append(Fault(part, message, _ACCEPT, Cure.ACCEPT, keys=(table,), is_loss=True))
        return faults

    def _document_fault(self, number: int) -> Fault | None:
        try:
            with self._database.read() as connection:
                found = documents_where(connection, "d.id = ?", (number,))
                (removal,) = connection.execute("SELECT removed FROM documents WHERE id = ?", (number,)).fetchone()
            if not found or removal == Removal.FOR_GOOD:
                return None
            document = found[0]
            wrong = self._content_fault(number, document.name, document.chunks)
        except LibraryDamaged:
            wrong = mark(f"The entry of “{self._name_of(number)}” cannot be read.")
        return Fault(LibraryPart.TEXTS, wrong, _PARSE_AGAIN, Cure.READ_AGAIN, (number,)) if wrong else None

    def _content_fault(self, number: int, name: str, counted: int) -> str:
        """Return a description of the first fault in the content of a document; empty if there is none."""
        try:
            text, chunks = self._documents.text(number), self._documents.chunks(number)
            self._documents.blocks(number)
            self._documents.source_lines(number)
            for page in self._documents.pages(number):
                self._documents.page(number, page.number)
        except LibraryDamaged:
            return mark(f"The text of “{name}” cannot be read.")
        if chunks and not text:
            return mark(f"The text of “{name}” is missing.")
        if len(chunks) < counted or [chunk.ordinal for chunk in chunks] != list(range(len(chunks))):
            return mark(f"Some passages of “{name}” are not there.")
        if any(not _is_slice(chunk, text) for chunk in chunks):
            return mark(f"Some passages of “{name}” are not in its text.")
        return ""

    def _name_of(self, number: int) -> str:
        with self._database.read() as connection:
            row = connection.execute("SELECT name FROM documents WHERE id = ?", (number,)).fetchone()
        return _text(row[0]) if row else str(number)

    def _is_shared(self) -> bool:
        """Return whether there are several users, so that names in their questions or memories must not be shown."""
        with self._database.read() as connection:
            (many,) = connection.execute(f"SELECT COUNT(*) FROM ({USERS})").fetchone()
        return int(many) > 1

    def _questions(self, runs: list[int]) -> str:
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT question FROM runs WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT 3",
                (json.dumps(runs),),
            ).fetchall()
        return ", ".join(f"“{_text(row[0])[:80]}”" for row in rows) + "."

    @contextmanager
    def _interruptible(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that is interrupted when stop() is true; the rest of the block is then skipped."""
        with self._database.read() as connection:
            connection.set_progress_handler(lambda: int(self._stop()), _STEPS)
            try:
                yield connection
            except sqlite3.OperationalError as error:
                if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_INTERRUPT:
                    raise
            finally:
                connection.set_progress_handler(None, 0)


def _keyword_faults(connection: sqlite3.Connection) -> list[Fault]:
    lacking = "id NOT IN (SELECT id FROM keyword_index_docsize)"
    (absent,) = connection.execute(f"SELECT COUNT(*) FROM chunks WHERE disabled = 0 AND {lacking}").fetchone()
    (extra,) = connection.execute(
        "SELECT COUNT(*) FROM keyword_index_docsize WHERE id NOT IN (SELECT id FROM chunks WHERE disabled = 0)"
    ).fetchone()
    (unnamed,) = connection.execute(
        "SELECT COUNT(*) FROM documents WHERE id NOT IN (SELECT rowid FROM document_names)"
    ).fetchone()
    faults = []
    if absent:
        message = mark(f"Passages that are not in the keyword index: {absent}.")
        faults.append(Fault(LibraryPart.KEYWORDS, message, _REBUILD_KEYWORDS, Cure.REBUILD_KEYWORDS))
    if extra:
        message = mark(f"Passages in the keyword index that no longer exist: {extra}.")
        faults.append(Fault(LibraryPart.KEYWORDS, message, _REBUILD_KEYWORDS, Cure.REBUILD_KEYWORDS))
    if unnamed:
        message = mark(f"Documents that cannot be found by their names: {unnamed}.")
        faults.append(Fault(LibraryPart.KEYWORDS, message, _REBUILD_KEYWORDS, Cure.REBUILD_KEYWORDS))
    if not faults and (other := _other_words(connection)):
        message = mark(f"Passages whose words differ from the keyword index: {other}.")
        faults.append(Fault(LibraryPart.KEYWORDS, message, _REBUILD_KEYWORDS, Cure.REBUILD_KEYWORDS))
    return faults


def _other_words(connection: sqlite3.Connection) -> int:
    """Return the number of chunks in a sample that lack a word in the index, which stores no text to compare with."""
    rows = connection.execute(
        "SELECT c.id, d.title, c.headings, c.text FROM chunks c JOIN documents d ON d.id = c.document"
        " WHERE c.disabled = 0 AND c.id % (SELECT MAX(1, COUNT(*) / ?) FROM chunks) = 0 LIMIT ?",
        (_SAMPLE, _SAMPLE),
    ).fetchall()
    wrong = 0
    for number, title, headings, text in rows:
        row = KeywordRow(number, loaded_text(title), tuple(loaded_json(headings)), loaded_text(text))
        words = [word for word in row.values[3].split() if word.isalnum()] or segment(loaded_text(title)).split()
        for word in words[:: max(1, len(words) // 3)][:3]:
            found = connection.execute(
                "SELECT 1 FROM keyword_index WHERE rowid = ? AND keyword_index MATCH ?", (number, f'"{word}"')
            ).fetchone()
            if word.isalnum() and found is None:
                wrong += 1
                break
    return wrong


def _bad_vectors(rows: list[tuple[int, int, int, bytes, int | None]], dim: int) -> list[int]:
    """Return the chunks of damaged vectors; those without a checksum are checked by their length."""
    import numpy as np  # 100 ms that the window does not wait for

    undamaged, bad = [], []
    for _, embedder, chunk, vector, checksum in rows:
        is_right = len(vector) == 4 * dim and checksum in (None, row_checksum(embedder, chunk, vector))
        if is_right:
            undamaged.append((chunk, vector))
        else:
            bad.append(chunk)
    if undamaged:
        matrix = np.frombuffer(b"".join(vector for _, vector in undamaged), _VECTOR).reshape(len(undamaged), dim)
        with np.errstate(all="ignore"):
            lengths = np.linalg.norm(matrix.astype(np.float64), axis=1)
            off = ~(np.abs(lengths - 1.0) < _FAR_FROM_UNIT)
        bad += [chunk for (chunk, _), is_off in zip(undamaged, off, strict=True) if is_off]
    return bad


def _is_slice(chunk: Chunk, text: str) -> bool:
    return text[chunk.start : chunk.end] == (chunk.source or chunk.text)


def _is_setting(key: str, value: str | bytes) -> bool:
    try:
        declared = declaration(key)
    except SettingError:
        return True  # of another version
    loaded = _json(value)
    try:
        declared.check(loaded)
    except SettingError:
        return False
    return loaded is not None


def _json(value: str | bytes) -> object:
    try:
        return loaded_json(value)
    except LibraryDamaged:
        return None


def _is_object(value: str | bytes) -> bool:
    return isinstance(_json(value), dict)


def _text(value: str | bytes) -> str:
    try:
        return loaded_text(value)
    except LibraryDamaged:
        return "?"

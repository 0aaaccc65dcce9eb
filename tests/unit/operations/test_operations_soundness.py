"""Faults of a library: every kind is found by the check and fixed by the repair, and losses are named."""

import asyncio
import json
import shutil
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import operations
from workbench.embedding.base import Embedder
from workbench.errors import LibraryDamaged
from workbench.model.document import DocumentStatus
from workbench.model.integrity_report import CheckProgress, Cure, LibraryUnsound, Repair
from workbench.operations import Library
from workbench.operations.integrity.integrity_and_backups import IdleCheck, _note_end, is_due
from workbench.store.database import FILE_NAME
from workbench.worker.job import JobContext

Run = Callable[[Any], Any]
Damage = Callable[[Path, sqlite3.Connection], None]
PAGE = 8192
PAPERS = {
    "harbour.md": "# Harbour\n\nThe harbour of Lindhamn froze in 1987. The ferry Aurora stayed in port.\n",
    "港口.txt": "港口的水深是十二米。灯塔建于一九零三年。\n",
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> Path:
    """Return a closed library with two documents, an answer and a setting, and the files next to it."""
    place = tmp_path_factory.mktemp("filled")
    (place / "papers").mkdir()
    for name, text in PAPERS.items():
        (place / "papers" / name).write_text(text, "utf-8")
    library = Library.open(place / "library", embedder=embedder)

    async def fill() -> None:
        silent = JobContext()
        await operations.add_documents(library, [place / "papers"])(silent)
        await operations.ask(library, "When did the harbour freeze?")(silent)
        await operations.put_setting(library, "search_results", 7)(silent)

    asyncio.run(fill())
    library.close()
    return place


@pytest.fixture
def folder(filled: Path, tmp_path: Path) -> Path:
    """Return the folder of a copy of that library."""
    for name in ("library", "papers"):
        shutil.copytree(filled / name, tmp_path / name)
    moved = (str(filled / "papers"), str(tmp_path / "papers"))
    _damage(tmp_path / "library", _sql(f"UPDATE documents SET path = replace(path, '{moved[0]}', '{moved[1]}')"))
    return tmp_path / "library"


def _damage(folder: Path, damage: Damage) -> None:
    connection = sqlite3.connect(folder / FILE_NAME, isolation_level=None)
    connection.create_function("name_words", 1, str)
    damage(folder, connection)
    connection.close()


def _sql(*statements: str) -> Damage:
    def damage(_folder: Path, connection: sqlite3.Connection) -> None:
        for statement in statements:
            connection.execute(statement)

    return damage


def _break_copy(folder: Path, _connection: sqlite3.Connection) -> None:
    next((folder / "originals").glob("??/*/harbour.md")).write_text("something else")


def _break_copy_and_file(folder: Path, _connection: sqlite3.Connection) -> None:
    _break_copy(folder, _connection)
    (folder.parent / "papers" / "harbour.md").unlink()


def _lose_copy(folder: Path, _connection: sqlite3.Connection) -> None:
    shutil.rmtree(next((folder / "originals").glob("??/*/harbour.md")).parent)


def _cut_index(folder: Path, _connection: sqlite3.Connection) -> None:
    file = next((folder / "index").glob("*/*.vectors"))
    file.write_bytes(file.read_bytes()[:-40])


def _flip_index(folder: Path, _connection: sqlite3.Connection) -> None:
    file = next((folder / "index").glob("*/*.vectors"))
    data = bytearray(file.read_bytes())
    data[-3] ^= 0x40
    file.write_bytes(data)


def _other_index(folder: Path, _connection: sqlite3.Connection) -> None:
    from workbench.indexing.index_folder import IndexManifest

    index = next((folder / "index").iterdir())
    manifest = IndexManifest.read(index)
    IndexManifest(manifest.dim * 2, manifest.generation, manifest.entries).write(index)


def _flip(table: str, column: str) -> Damage:
    """Flip a bit of each blob in a column."""

    def damage(_folder: Path, connection: sqlite3.Connection) -> None:
        for number, blob in connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall():
            changed = bytearray(blob)
            changed[len(changed) // 2] ^= 4
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (bytes(changed), number))

    return damage


def _unnoticed(statement: str) -> Damage:
    """Execute a statement without triggers, like damage by a disk."""

    def damage(_folder: Path, connection: sqlite3.Connection) -> None:
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        assert connection.execute(statement).rowcount > 0
        for _, sql in triggers:
            connection.execute(sql)

    return damage


def _no_text(table: str, column: str) -> Damage:
    """Append a byte that is not valid UTF-8 to a text."""
    row = f"(SELECT MIN(rowid) FROM {table} WHERE {column} <> '')"
    return _unnoticed(f"UPDATE {table} SET {column} = CAST({column} || x'ff' AS TEXT) WHERE rowid = {row}")


HARBOUR = "(SELECT id FROM documents WHERE name = 'harbour.md')"
FAULTS: dict[str, tuple[Damage, Cure]] = {
    "a chunk is no slice": (_sql(f"UPDATE chunks SET text = text || '?' WHERE document = {HARBOUR}"), Cure.READ_AGAIN),
    "a text is gone": (_sql(f"DELETE FROM contents WHERE document = {HARBOUR}"), Cure.READ_AGAIN),
    "a text is garbage": (_sql(f"UPDATE contents SET text = x'0102' WHERE document = {HARBOUR}"), Cure.READ_AGAIN),
    "a text ends early": (
        _sql(f"UPDATE contents SET text = substr(text, 1, 20) WHERE document = {HARBOUR}"), Cure.READ_AGAIN,
    ),
    "blocks are garbage": (_sql(f"UPDATE contents SET blocks = x'00' WHERE document = {HARBOUR}"), Cure.READ_AGAIN),
    "lines are garbage": (
        _sql(f"INSERT INTO source_lines (document, start, kind, lines) VALUES ({HARBOUR}, 0, 'line', x'00')"),
        Cure.READ_AGAIN,
    ),
    "chunks are gone": (
        _sql("PRAGMA foreign_keys = ON", f"DELETE FROM chunks WHERE document = {HARBOUR}"), Cure.READ_AGAIN,
    ),
    "headings are no JSON": (_sql(f"UPDATE chunks SET headings = '[' WHERE document = {HARBOUR}"), Cure.READ_AGAIN),
    "a status is none": (_sql("UPDATE documents SET status = 'odd' WHERE name = 'harbour.md'"), Cure.READ_AGAIN),
    "findings are no JSON": (_sql("UPDATE documents SET findings = '{' WHERE name = 'harbour.md'"), Cure.READ_AGAIN),
    "chunks are miscounted": (_sql("UPDATE documents SET embedded = 99 WHERE name = 'harbour.md'"), Cure.COUNT_AGAIN),
    "a row has no owner": (
        _sql("INSERT INTO run_events (run, number, seconds, type, fields) VALUES (99, 0, 0, 'x', '{}')"),
        Cure.SET_ROWS_ASIDE,
    ),
    "a session is gone": (_sql("DELETE FROM sessions"), Cure.SET_ROWS_ASIDE),
    "a knowledge base is gone": (_sql("DELETE FROM knowledge_bases"), Cure.SET_ROWS_ASIDE),
    "keyword rows are gone": (
        _sql("DELETE FROM keyword_index_docsize WHERE id = (SELECT MIN(id) FROM chunks)"), Cure.REBUILD_KEYWORDS,
    ),
    "the keyword index is garbage": (
        _sql("UPDATE keyword_index_data SET block = x'00ff00ff00ff' WHERE id > 10"), Cure.REBUILD_KEYWORDS,
    ),
    "the keyword index is empty": (_sql("DELETE FROM keyword_index_data WHERE id > 10"), Cure.REBUILD_KEYWORDS),
    "a name is not indexed": (
        _sql("DELETE FROM document_names WHERE rowid = (SELECT MIN(id) FROM documents)"), Cure.REBUILD_KEYWORDS,
    ),
    "a vector is short": (_sql("UPDATE vectors SET vector = x'00'"), Cure.EMBED_AGAIN),
    "a vector is no unit": (_sql("UPDATE vectors SET vector = zeroblob(length(vector))"), Cure.EMBED_AGAIN),
    "a bit of a vector flipped": (_flip("vectors", "vector"), Cure.EMBED_AGAIN),
    "a bit of a checksum flipped": (
        _sql("UPDATE vectors SET checksum = (checksum | 1) - (checksum & 1)"), Cure.EMBED_AGAIN,
    ),
    "a vector is another chunk's": (
        _sql("DELETE FROM vectors WHERE chunk = 1", "UPDATE vectors SET chunk = 1"), Cure.EMBED_AGAIN,
    ),
    "the width of vectors is another": (_sql("UPDATE embedders SET dim = (dim | 16) - (dim & 16)"), Cure.COUNT_AGAIN),
    "a bit of token codes flipped": (_flip("token_codes", "codes"), Cure.CODE_AGAIN),
    "a bit of a codec flipped": (_flip("token_codecs", "codec"), Cure.CODE_AGAIN),
    "the index is cut short": (_cut_index, Cure.REBUILD_INDEX),
    "a bit of the index flipped": (_flip_index, Cure.REBUILD_INDEX),
    "the index is of another model": (_other_index, Cure.REBUILD_INDEX),
    "a vector is not in the index": (
        _sql(
            "INSERT INTO chunks (document, ordinal, start, end, text, headings, kind, tokens, oversize)"
            " SELECT document, ordinal + 1, start, end, text, headings, kind, tokens, 0 FROM chunks"
            f" WHERE document = {HARBOUR} LIMIT 1",
            "INSERT INTO vectors (embedder, chunk, vector) SELECT embedder, (SELECT MAX(id) FROM chunks), vector"
            " FROM vectors LIMIT 1",
        ),
        Cure.REBUILD_INDEX,
    ),
    "a copy of a file is damaged": (_break_copy, Cure.COPY_FILE),
    "a copy of a file is gone": (_lose_copy, Cure.COPY_FILE),
    "a file is damaged for good": (_break_copy_and_file, Cure.SET_FILE_ASIDE),
    "a step of an answer is garbage": (
        _sql("UPDATE run_events SET fields = '{\"x' WHERE number = 1"), Cure.SET_SESSION_ASIDE,
    ),
    "citations are garbage": (_sql("UPDATE runs SET citations = '[{}]]'"), Cure.SET_SESSION_ASIDE),
    "an answer is no text": (_no_text("runs", "answer"), Cure.SET_SESSION_ASIDE),
    "a step of an answer is no text": (_no_text("run_events", "fields"), Cure.SET_SESSION_ASIDE),
    "a title is no text": (_no_text("documents", "title"), Cure.READ_AGAIN),
    "tags are no text": (_no_text("documents", "tags"), Cure.READ_AGAIN),
    "a passage is no text": (_no_text("chunks", "text"), Cure.READ_AGAIN),
    "an answer is another": (
        _unnoticed("UPDATE runs SET answer = replace(answer, '1987', '1986')"), Cure.ACCEPT,
    ),
    "a step of an answer is another": (_unnoticed("UPDATE run_events SET seconds = seconds + 1"), Cure.ACCEPT),
    "a session's title is another": (_unnoticed("UPDATE sessions SET title = 'Other'"), Cure.ACCEPT),
    "a setting is another": (_unnoticed("UPDATE remembered SET value = '6' WHERE value = '7'"), Cure.ACCEPT),
    "a setting has another name": (
        _unnoticed("UPDATE remembered SET key = 'search_result' WHERE key = 'search_results'"), Cure.ACCEPT,
    ),
    "a setting is garbage": (
        _sql("UPDATE remembered SET value = '[[' WHERE key = 'search_results'"), Cure.RESET,
    ),
    "an agent is garbage": (_sql("INSERT INTO agents (name, fields) VALUES ('mine', '{')"), Cure.RESET),
}  # fmt: skip


def _repaired(run: Run, folder: Path, embedder: Embedder) -> Repair:
    repair: Repair = run(operations.repair_library(folder, embedder=embedder))
    return repair


def test_a_sound_library_is_found_sound_and_repair_does_nothing(folder: Path, run: Run, embedder: Embedder) -> None:
    found = run(operations.check_folder(folder))
    assert found.faults == ()
    assert {one.part.value: one.count for one in found.looked}["texts"] == 2
    repair = _repaired(run, folder, embedder)
    assert (repair.done, repair.lost, repair.backup, repair.aside) == ((), (), "", "")


def test_a_damaged_copy_of_a_file_that_could_not_be_read_is_found_and_copied_again(
    folder: Path, run: Run, embedder: Embedder
) -> None:
    broken = folder.parent / "papers" / "broken.pdf"
    broken.write_bytes(b"%PDF-1.4 and nothing that could be read")
    library = Library.open(folder, embedder=embedder)
    run(operations.add_documents(library, [broken]))
    library.close()
    copy = next((folder / "originals").glob("??/*/broken.pdf"))
    copy.write_bytes(copy.read_bytes().replace(b"nothing", b"Nothing"))
    (fault,) = run(operations.check_folder(folder)).faults
    assert (fault.cure, "“broken.pdf” is damaged" in fault.message) == (Cure.COPY_FILE, True)
    assert _repaired(run, folder, embedder).left == ()
    assert next((folder / "originals").glob("??/*/broken.pdf")).read_bytes() == broken.read_bytes()


@pytest.mark.logs_warnings
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_and_mended_and_nothing_else_is_lost(
    folder: Path, run: Run, embedder: Embedder, fault: str
) -> None:
    damage, cure = FAULTS[fault]
    _damage(folder, damage)
    found = run(operations.check_folder(folder))
    assert cure in {one.cure for one in found.faults}, found.faults
    assert all(one.message.endswith(".") and one.remedy.endswith(".") for one in found.faults)
    repair = _repaired(run, folder, embedder)
    is_gone = cure is Cure.SET_FILE_ASIDE
    assert [one for one in repair.left if not is_gone] == []
    assert repair.backup
    _is_whole(folder, run, embedder)


def _is_whole(folder: Path, run: Run, embedder: Embedder) -> None:
    """Check that documents are found by words and by meaning, and that the session can be read."""
    library = Library.open(folder, embedder=embedder)
    try:
        documents = library.documents.list()
        assert [document.name for document in documents] == ["harbour.md", "港口.txt"]
        assert {document.status for document in documents} == {DocumentStatus.READY}
        assert all(document.embedded == document.chunks > 0 for document in documents)
        assert run(operations.search(library, "ferry Aurora")).hits[0].document_name == "harbour.md"
        (session,) = library.sessions.list()
        (answer,) = library.sessions.get(session.id).runs
        assert answer.question == "When did the harbour freeze?"
        assert library.database.integrity_problem() == ""
    finally:
        library.close()


@pytest.mark.parametrize("page", [1, 2, 3, 9])
def test_a_database_page_of_zeros_is_found_and_its_content_is_rebuilt_or_reported_as_lost(
    folder: Path, run: Run, embedder: Embedder, page: int
) -> None:
    with (folder / FILE_NAME).open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(bytes(PAGE))
    assert not run(operations.check_folder(folder)).is_sound
    repair = _repaired(run, folder, embedder)
    assert repair.left == ()
    assert (Path(repair.aside) / FILE_NAME).exists()
    library = Library.open(folder, embedder=embedder)
    assert {document.name for document in library.documents.list()} == {"harbour.md", "港口.txt"}
    assert run(operations.search(library, "ferry Aurora")).hits
    library.close()


def test_an_answer_that_is_not_as_it_was_written_is_named_and_then_taken_as_it_is(
    folder: Path, run: Run, embedder: Embedder
) -> None:
    _damage(folder, FAULTS["an answer is another"][0])
    (fault,) = run(operations.check_folder(folder)).faults
    assert fault.message == "Answers: 1 altered or missing, such as “When did the harbour freeze?”."
    repair = _repaired(run, folder, embedder)
    assert (repair.lost, repair.left) == ((fault.message,), ())
    (line,) = (Path(repair.aside) / "rows.jsonl").read_text("utf-8").splitlines()
    assert "1986" in json.loads(line)["row"]["answer"]
    assert run(operations.check_folder(folder)).is_sound


def test_documents_that_the_database_lost_are_added_again_from_their_files(
    folder: Path, run: Run, embedder: Embedder
) -> None:
    _damage(folder, _sql("DELETE FROM documents", "DELETE FROM chunks", "DELETE FROM contents", "DELETE FROM vectors"))
    (folder / FILE_NAME).write_bytes(b"\0" * 100 + (folder / FILE_NAME).read_bytes()[100:])
    repair = _repaired(run, folder, embedder)
    library = Library.open(folder, embedder=embedder)
    names = {document.name: document.knowledge_base for document in library.documents.list()}
    library.close()
    assert names == {"harbour.md": "Recovered", "港口.txt": "Recovered"}
    assert "“harbour.md” was added again, to “Recovered”." in repair.done


def _zeros(database: Path) -> None:
    database.write_bytes(bytes(database.stat().st_size))


@pytest.mark.parametrize("happens", [_zeros, Path.unlink])
def test_documents_are_added_again_from_their_files_when_nothing_is_left_of_the_database(
    folder: Path, run: Run, embedder: Embedder, happens: Callable[[Path], None]
) -> None:
    happens(folder / FILE_NAME)
    assert not run(operations.check_folder(folder)).is_sound
    repair = _repaired(run, folder, embedder)
    assert "Nothing in the database could be read" in repair.lost[0]
    library = Library.open(folder, embedder=embedder)
    assert {document.name for document in library.documents.list()} == {"harbour.md", "港口.txt"}
    assert run(operations.search(library, "ferry Aurora")).hits
    library.close()


@pytest.mark.parametrize("happens", [_zeros, Path.unlink])
def test_a_backup_takes_precedence_over_repair_when_nothing_is_left_of_the_database(
    folder: Path, run: Run, embedder: Embedder, happens: Callable[[Path], None]
) -> None:
    library = Library.open(folder, embedder=embedder)
    backup = run(operations.create_backup(library))
    library.close()
    happens(folder / FILE_NAME)
    with pytest.raises(LibraryDamaged) as raised:
        _repaired(run, folder, embedder)
    assert "backup" in raised.value.hint
    run(operations.restore_backup(folder, backup.name))
    _is_whole(folder, run, embedder)


def test_a_trial_repair_reports_the_planned_changes_and_changes_nothing(
    folder: Path, run: Run, embedder: Embedder
) -> None:
    _damage(folder, FAULTS["a text is gone"][0])
    before = sorted(path for path in folder.rglob("*") if path.is_file())
    repair = run(operations.repair_library(folder, trial=True, embedder=embedder))
    assert repair.is_trial
    assert any("read again" in one for one in repair.done)
    assert sorted(path for path in folder.rglob("*") if path.is_file()) == before
    assert not run(operations.check_folder(folder)).is_sound


def test_rows_removed_by_a_repair_are_kept_beside_the_library(folder: Path, run: Run, embedder: Embedder) -> None:
    _damage(folder, FAULTS["a row has no owner"][0])
    repair = _repaired(run, folder, embedder)
    (line,) = (Path(repair.aside) / "rows.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["row"]["run"] == 99


def test_repair_names_a_file_that_is_permanently_lost(folder: Path, run: Run, embedder: Embedder) -> None:
    _damage(folder, lambda folder, connection: (_lose_copy(folder, connection), None)[1])
    (folder.parent / "papers" / "harbour.md").unlink()
    _damage(folder, FAULTS["a text is gone"][0])
    repair = _repaired(run, folder, embedder)
    assert any("“harbour.md” cannot be read again" in one for one in repair.lost)


def test_a_cancelled_repair_leaves_the_library_as_it_was(folder: Path, embedder: Embedder) -> None:
    (folder / FILE_NAME).write_bytes(bytes(PAGE) + (folder / FILE_NAME).read_bytes()[PAGE:])
    before = (folder / FILE_NAME).read_bytes()

    async def cancelled() -> None:
        task: asyncio.Future[Any]
        heard = threading.Event()

        def cancel() -> None:
            task.cancel()
            # The repair receives the cancellation in the turn after the next.
            loop.call_soon(loop.call_soon, loop.call_soon, heard.set)

        def stop(event: Any) -> None:
            if isinstance(event, CheckProgress):
                loop.call_soon_threadsafe(cancel)
                heard.wait(10)

        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(operations.repair_library(folder, embedder=embedder)(JobContext(stop)))
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert (folder / FILE_NAME).read_bytes() == before
    assert not (folder / "damaged").exists()


def test_a_library_is_checked_in_idle_time_after_its_process_was_killed_and_faults_are_reported(
    folder: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.operations.library.background_work.QUIET_SECONDS", 0.0)
    _damage(folder, FAULTS["a setting is garbage"][0])
    (folder / "library.lock").write_text("1\nopen\n")
    (folder / f"{FILE_NAME}-wal").touch()
    library = Library.open(folder, embedder=embedder)
    told: list[LibraryUnsound] = []
    try:
        _note_end(library)
        assert is_due(library)
        IdleCheck(library, told.append)(lambda: False)
        assert not is_due(library)
    finally:
        library.close()
    assert [fault.cure for fault in told[0].faults] == [Cure.RESET]


def test_a_sound_library_is_backed_up_once_a_week(folder: Path, embedder: Embedder, run: Run) -> None:
    library = Library.open(folder, embedder=embedder)
    try:
        assert not is_due(library)  # a new library counts as checked when it was first opened
        library.setting_values.set_state("library checked", "2026-01-01T00:00:00+00:00")
        IdleCheck(library)(lambda: True)
        assert is_due(library)  # the last check was stopped
        IdleCheck(library)(lambda: False)
        assert not is_due(library)
        assert [backup.reason.value for backup in run(operations.list_backups(folder))] == ["weekly"]
    finally:
        library.close()


def test_a_backup_is_put_in_use_and_what_was_in_use_is_kept(
    folder: Path, run: Run, embedder: Embedder, tmp_path: Path
) -> None:
    library = Library.open(folder, embedder=embedder)
    backup = run(operations.create_backup(library))
    (tmp_path / "later.md").write_text("# Later\n\nThe lighthouse was added later.\n", "utf-8")
    run(operations.add_documents(library, [tmp_path / "later.md"]))
    library.close()
    restored = run(operations.restore_backup(folder, backup.name))
    assert (restored.backup.name, bool(restored.kept), restored.aside, restored.absent) == (backup.name, True, "", 1)
    repair = _repaired(run, folder, embedder)
    assert repair.done == ("“later.md” was added again, to “Recovered”.",)
    library = Library.open(folder, embedder=embedder)
    assert {document.name for document in library.documents.list()} == {"harbour.md", "港口.txt", "later.md"}
    library.close()
    assert run(operations.restore_backup(folder, restored.kept)).absent == 0


def test_a_backup_takes_the_place_of_a_database_that_cannot_be_opened(
    folder: Path, run: Run, embedder: Embedder
) -> None:
    library = Library.open(folder, embedder=embedder)
    backup = run(operations.create_backup(library))
    library.close()
    (folder / FILE_NAME).write_bytes(b"nothing of it is left")
    restored = run(operations.restore_backup(folder, backup.name))
    assert (Path(restored.aside) / FILE_NAME).read_bytes() == b"nothing of it is left"
    _is_whole(folder, run, embedder)

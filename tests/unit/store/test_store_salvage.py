"""Salvage of a damaged database: everything is recovered except the rows on damaged pages."""

import gzip
import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from store_content import Add

from workbench.errors import LibraryDamaged, LibraryTooNew
from workbench.model.run import AnswerDelta, TimedEvent
from workbench.store.database import FILE_NAME, Database
from workbench.store.documents import DocumentStore
from workbench.store.keywords import KeywordIndex
from workbench.store.migration import shipped_steps
from workbench.store.salvage.page_file import PageFile
from workbench.store.salvage.rebuild import Salvaged, find_pages, salvage, shapes
from workbench.store.sessions import SessionStore

STEPS = shipped_steps()
TABLES = tuple(shapes(STEPS))
PAGE = 8192
Rows = dict[str, list[tuple[Any, ...]]]


@pytest.fixture
def filled(database: Database, add: Add) -> Path:
    """Return a closed library of some thirty pages: long texts, many chunks, answers with many steps."""
    for number in range(5):
        add(
            "".join(f"Line {number}.{line} of the heron report, {'x' * 200}\n" for line in range(20)),
            path=f"{number}.md",
        )
    sessions = SessionStore(database)
    for number in range(2):
        run = sessions.start_run(sessions.create().id, f"How high is {number}?", "offline", "offline")
        events = [TimedEvent(place, 0.1, AnswerDelta("word " * 120)) for place in range(30)]
        sessions.append_events(run, events)
    # One row that needs overflow pages.
    sessions.append_event(run, TimedEvent(99, 0.2, AnswerDelta("".join(map(str, range(20_000))))))
    DocumentStore(database).mark_removed([3])
    database.close()
    return database.path


def _rows(path: Path) -> Rows:
    connection = sqlite3.connect(path)
    found = {table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr) for table in TABLES}
    connection.close()
    # Both are written by the salvage itself.
    found["remembered"] = [row for row in found["remembered"] if row[0] != "state"]
    found["embedders"] = [row[:3] for row in found["embedders"]]
    return found


def _salvaged(path: Path) -> tuple[Rows, Salvaged]:
    target = path.with_name("made.sqlite3")
    target.unlink(missing_ok=True)
    made = salvage(path, target, STEPS)
    return _rows(target), made


def _overwrite(path: Path, page: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(data)


def test_of_a_sound_database_every_row_comes_over(filled: Path) -> None:
    before = _rows(filled)
    after, made = _salvaged(filled)
    assert after == before
    assert (made.unreadable, made.pages, made.version) == ({}, {}, STEPS[-1].number)


def test_a_page_of_zeros_costs_the_rows_on_it_and_nothing_else(filled: Path) -> None:
    before = _rows(filled)
    whole = filled.with_name("whole")
    shutil.copy(filled, whole)
    pages = PageFile(whole)
    holding = {
        number: table
        for table, some in find_pages(pages, shapes(STEPS), lambda _: None).pages.items()
        for number in some
    }
    count = pages.count
    pages.close()
    lost: dict[int, set[str]] = {}
    for number in range(2, count + 1):
        shutil.copy(whole, filled)
        _overwrite(filled, number, bytes(PAGE))
        after, _made = _salvaged(filled)
        assert all(set(after[table]) <= set(before[table]) for table in TABLES), number
        lost[number] = {table for table in TABLES if len(after[table]) < len(before[table])}
    # A damaged leaf page costs some of its rows, an overflow page its row; an inner, index or map page costs none.
    overflow = {number for number, tables in lost.items() if number not in holding and tables}
    assert all(lost[number] <= {holding[number]} for number in holding)
    assert all(lost[number] in ({"run_events"}, {"contents"}) for number in overflow)
    assert sum(bool(tables) for tables in lost.values()) < count / 2


def test_without_its_first_page_the_tables_are_known_by_their_rows(filled: Path) -> None:
    before = _rows(filled)
    _overwrite(filled, 1, bytes(PAGE))
    after, made = _salvaged(filled)
    assert made.version == STEPS[-1].number
    for table in ("documents", "chunks", "contents", "runs", "run_events", "sessions", "knowledge_bases"):
        assert after[table] == before[table], table


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.95])
def test_of_a_file_that_was_cut_short_the_rest_is_had_back(filled: Path, keep: float) -> None:
    before = _rows(filled)
    data = filled.read_bytes()
    filled.write_bytes(data[: int(len(data) * keep)])
    after, _made = _salvaged(filled)
    assert after["documents"]
    assert all(set(after[table]) <= set(before[table]) for table in TABLES)


@pytest.mark.parametrize("seed", range(6))
def test_bits_that_flip_anywhere_end_in_rows_or_in_a_sentence(filled: Path, seed: int) -> None:
    dice = random.Random(seed)
    data = bytearray(filled.read_bytes())
    for _ in range(400):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    filled.write_bytes(data)
    try:
        after, _made = _salvaged(filled)
    except (LibraryDamaged, LibraryTooNew):
        return  # the bits were in the header: the file's signature, or the schema number
    assert after["chunks"]


def test_committed_entries_of_the_log_are_recovered_and_uncommitted_ones_are_not(tmp_path: Path) -> None:
    database = Database.open(tmp_path / "library")
    sessions = SessionStore(database)
    sessions.create("committed")
    folder = tmp_path / "copy"
    folder.mkdir()
    for ending in ("", "-wal"):
        shutil.copy(f"{database.path}{ending}", folder / f"{FILE_NAME}{ending}")
    database.close()
    log = folder / f"{FILE_NAME}-wal"
    whole = log.read_bytes()
    assert [row[1] for row in _salvaged(folder / FILE_NAME)[0]["sessions"]] == ["committed"]
    log.write_bytes(whole[:-100])  # the last page of the last commit
    assert _salvaged(folder / FILE_NAME)[0]["sessions"] == []


def test_numbers_that_were_given_are_not_given_again(filled: Path, add: Add) -> None:
    connection = sqlite3.connect(filled)
    highest = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").fetchone()[0]
    connection.execute("DELETE FROM chunks WHERE id > 40")
    connection.commit()
    connection.close()
    _salvaged(filled)
    made = sqlite3.connect(filled.with_name("made.sqlite3"))
    assert made.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").fetchone()[0] == highest
    made.close()


def test_a_salvaged_library_opens_and_is_searched(filled: Path, tmp_path: Path) -> None:
    _overwrite(filled, 1, bytes(PAGE))
    _salvaged(filled)
    folder = tmp_path / "again"
    folder.mkdir()
    shutil.move(filled.with_name("made.sqlite3"), folder / FILE_NAME)
    database = Database.open(folder)
    assert len(KeywordIndex(database).search("heron", 1000)) == 4 * 20
    assert database.integrity_problem() == ""
    database.close()


def test_an_older_database_keeps_its_schema_until_it_is_opened(tmp_path: Path) -> None:
    kept = Path(__file__).parents[2] / "data" / "library_0001.sqlite3.gz"
    path = tmp_path / FILE_NAME
    path.write_bytes(gzip.decompress(kept.read_bytes()))
    target = tmp_path / "made.sqlite3"
    assert salvage(path, target, STEPS).version == 1
    target.replace(path)
    database = Database.open(tmp_path)
    assert [document.name for document in DocumentStore(database).list()] == ["tidal.md"]
    database.close()


@pytest.mark.parametrize("content", [b"", b"These are my notes." * 1000, bytes(5 * PAGE)])
def test_a_file_with_nothing_of_ours_in_it_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(content)
    with pytest.raises(LibraryDamaged, match="can no longer be read at all"):
        salvage(path, tmp_path / "made", STEPS)


def test_the_database_of_another_program_is_not_salvaged(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (id INTEGER)")
    connection.execute("PRAGMA application_id = 1234")
    connection.close()
    with pytest.raises(LibraryDamaged, match="not a library of this program"):
        salvage(path, tmp_path / "made", STEPS)

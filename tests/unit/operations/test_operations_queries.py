"""Queries on databases, added to a real library."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from gates import requests_of

from workbench import operations
from workbench.errors import QueryFailed
from workbench.model.document import Document, DocumentStatus, Origin, PageKind
from workbench.model.egress import NetworkOutcome, Purpose
from workbench.model.import_progress import FileOutcome
from workbench.operations import Library
from workbench.operations.imports import queries
from workbench.store.intake import Origins

Run = Callable[[Any], Any]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, city TEXT)")
        people = [(n, f"Customer {n}", "Lindhamn" if n == 57 else "Elsewhere") for n in range(1, 101)]
        database.executemany("INSERT INTO orders VALUES (?, ?, ?)", people)
    return path


def _only(library: Library) -> Document:
    [document] = library.documents.list()
    return document


def test_e8_a_query_becomes_a_document_of_records(library: Library, run: Run, shop: Path) -> None:
    [file] = run(operations.add_query(library, str(shop), "SELECT * FROM orders", title="Orders"))
    document = _only(library)
    assert (file.outcome, document.name, document.origin) == (FileOutcome.READY, "Orders", Origin.QUERY)
    assert (document.page_kind, document.pages) == (PageKind.RECORD, 100)


def test_e8_a_hit_shows_its_record_number(library: Library, run: Run, shop: Path) -> None:
    run(operations.add_query(library, str(shop), "SELECT * FROM orders"))
    hit = run(operations.search(library, "Who lives in Lindhamn?")).hits[0]
    assert "Customer 57" in hit.chunk.text
    assert (hit.chunk.page or 0) <= 57 <= (hit.chunk.page_end or 0)


def test_e8_the_same_query_again_is_one_document(library: Library, run: Run, shop: Path) -> None:
    run(operations.add_query(library, str(shop), "SELECT * FROM orders"))
    [file] = run(operations.add_query(library, str(shop), " SELECT * FROM orders "))
    assert file.outcome is FileOutcome.UNCHANGED
    assert len(library.documents.list()) == 1


def test_e8_another_query_of_the_same_rows_is_another_document(library: Library, run: Run, shop: Path) -> None:
    run(operations.add_query(library, str(shop), "SELECT * FROM orders"))
    run(operations.add_query(library, str(shop), "SELECT id, customer, city FROM orders"))
    assert len(library.documents.list()) == 2


def test_e8_run_again_it_takes_what_changed(library: Library, run: Run, shop: Path) -> None:
    [file] = run(operations.add_query(library, str(shop), "SELECT * FROM orders"))
    assert run(operations.refetch(library, [file.document]))[0].outcome is FileOutcome.UNCHANGED
    with closing(sqlite3.connect(shop)) as database, database:
        database.execute("UPDATE orders SET customer = 'Ottilia Brandt' WHERE id = 3")
    assert run(operations.refetch(library, [file.document]))[0].outcome is FileOutcome.READY
    assert "Ottilia Brandt" in library.documents.text(file.document)


def test_e8_a_refused_query_is_a_row_with_its_reason(library: Library, run: Run, shop: Path) -> None:
    [file] = run(operations.add_query(library, str(shop), "DELETE FROM orders"))
    document = _only(library)
    assert (file.outcome, document.status) == (FileOutcome.FAILED, DocumentStatus.FAILED)
    assert document.reason == "Only a query that reads data is run: a single SELECT statement."


@pytest.mark.parametrize(("connection", "query"), [("mysql://h/d", "SELECT 1"), ("", "SELECT 1"), ("shop.db", "  ")])
def test_e8_an_invalid_connection_or_empty_query_is_rejected_immediately(
    library: Library, run: Run, connection: str, query: str
) -> None:
    with pytest.raises(QueryFailed):
        run(operations.add_query(library, connection, query))
    assert library.documents.list() == []


def test_e8_rows_over_the_limit_are_omitted_and_reported(library: Library, run: Run, shop: Path) -> None:
    run(operations.put_setting(library, "query_rows", 10))
    run(operations.add_query(library, str(shop), "SELECT * FROM orders"))
    document = _only(library)
    assert document.pages == 10
    assert "only the first 10 rows" in document.warnings[0]


def test_e8_a_password_goes_to_the_keyring_and_nowhere_else(library: Library, run: Run, ring: Any) -> None:
    run(operations.add_query(library, "postgresql://ada:hunter2@127.0.0.1:1/shop", "SELECT 1"))
    document = _only(library)
    details = Origins(library.database).details(document.id)
    assert "hunter2" not in json.dumps(details) + document.path + document.name + document.reason
    assert list(ring.entries.values()) == ["hunter2"]
    library.passwords.clear()
    assert queries._password(details["connection"]) == "hunter2"


def test_a_query_on_a_server_is_recorded_in_the_ledger_without_its_password(
    library: Library, run: Run, ring: Any
) -> None:
    run(operations.add_query(library, "postgresql://ada:hunter2@127.0.0.1:1/shop", "SELECT 1"))
    (request,) = requests_of(library)
    assert (request.purpose, request.host, request.port) == (Purpose.DATABASE, "127.0.0.1", 1)
    assert (request.outcome, request.sent) == (NetworkOutcome.FAILED, None)
    assert request.address == "postgresql://127.0.0.1:1/shop"


def test_a_database_whose_program_was_killed_is_read_with_what_it_had_not_written_back(
    library: Library, run: Run, shop: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(shop)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("INSERT INTO orders VALUES (999, 'Ottilia Brandt', 'Vinga')")
        database.commit()
        left = tmp_path / "left"
        left.mkdir()
        for ending in ("", "-wal"):
            (left / f"shop.db{ending}").write_bytes(shop.with_name(f"shop.db{ending}").read_bytes())
    run(operations.add_query(library, str(left / "shop.db"), "SELECT * FROM orders WHERE id = 999"))
    assert "Ottilia Brandt" in library.documents.text(_only(library).id)

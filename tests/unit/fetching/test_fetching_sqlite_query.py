"""Queries on an SQLite file, and everything that is forbidden to them."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from workbench.errors import QueryFailed
from workbench.fetching.base import QueryLimits
from workbench.fetching.database_query import query_sqlite

LIMITS = QueryLimits(rows=100, characters=10_000, seconds=5)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop 100%.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, total REAL, photo BLOB)")
        rows = [(1, "Ada", 9.5, None), (2, "Grace | Hopper", 20.0, b"\x89PNG"), (3, "林", None, None)]
        database.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", rows)
    return path


def test_e8_a_query_returns_columns_and_rows(shop: Path) -> None:
    table = query_sqlite(str(shop), "SELECT id, customer, total FROM orders ORDER BY id", LIMITS)
    assert table.columns == ("id", "customer", "total")
    assert table.rows == ((1, "Ada", 9.5), (2, "Grace | Hopper", 20.0), (3, "林", None))
    assert table.truncated == ""


def test_e8_bytes_are_named_and_not_shown(shop: Path) -> None:
    assert query_sqlite(str(shop), "SELECT photo FROM orders WHERE id = 2", LIMITS).rows == (("(4 bytes)",),)


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM orders",
        "UPDATE orders SET total = 0",
        "INSERT INTO orders VALUES (9, 'x', 1, NULL)",
        "INSERT INTO orders VALUES (9, 'x', 1, NULL) RETURNING id",
        "DROP TABLE orders",
        "CREATE TABLE t (a)",
        "CREATE TEMP TABLE t AS SELECT 1",
        "ATTACH '/tmp/other.db' AS other",
        "PRAGMA query_only = OFF",
        "PRAGMA journal_mode = DELETE",
        "VACUUM INTO '/tmp/copy.db'",
        "BEGIN",
        "SELECT load_extension('evil')",
        "SELECT 1; DELETE FROM orders",
        "",
        "-- nothing",
    ],
)
def test_e8_a_query_that_does_more_than_read_is_rejected_and_changes_nothing(shop: Path, query: str) -> None:
    before = hashlib.sha256(shop.read_bytes()).digest()
    with pytest.raises(QueryFailed):
        query_sqlite(str(shop), query, LIMITS)
    assert hashlib.sha256(shop.read_bytes()).digest() == before
    assert [file.name for file in shop.parent.iterdir()] == [shop.name]


@pytest.mark.parametrize("query", ["WITH x AS (SELECT 1 AS a) SELECT a FROM x", "VALUES (1)", "SELECT 1;"])
def test_e8_every_form_of_reading_is_run(shop: Path, query: str) -> None:
    assert query_sqlite(str(shop), query, LIMITS).rows == ((1,),)


NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"


def test_e8_rows_beyond_the_limit_are_omitted_and_reported(shop: Path) -> None:
    table = query_sqlite(str(shop), NUMBERS, LIMITS)
    assert (len(table.rows), table.truncated) == (100, "only the first 100 rows")


def test_e8_characters_beyond_the_limit_are_omitted_and_reported(shop: Path) -> None:
    table = query_sqlite(str(shop), f"SELECT printf('%.*c', 3000, 'x') FROM ({NUMBERS})", LIMITS)
    assert len(table.rows) == 3
    assert "10,000 characters" in table.truncated


def test_e8_a_query_without_end_is_given_up(shop: Path) -> None:
    with pytest.raises(QueryFailed, match=r"longer than 0\.05 seconds"):
        query_sqlite(str(shop), f"SELECT COUNT(*) FROM ({NUMBERS})", QueryLimits(seconds=0.05))


@pytest.mark.parametrize(
    ("query", "words"), [("SELECT colour FROM orders", "no such column"), ("SELEC 1", "syntax error")]
)
def test_a_query_error_is_reported_with_the_error_message_of_the_database(shop: Path, query: str, words: str) -> None:
    with pytest.raises(QueryFailed, match=words):
        query_sqlite(str(shop), query, LIMITS)


def test_a_query_that_finds_no_rows_is_reported(shop: Path) -> None:
    with pytest.raises(QueryFailed, match="found no rows"):
        query_sqlite(str(shop), "SELECT * FROM orders WHERE id > 99", LIMITS)


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be read", None])
def test_a_file_that_is_missing_or_not_a_database_is_reported(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x.db"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(QueryFailed):
        query_sqlite(str(path), "SELECT 1 FROM sqlite_schema", LIMITS)
    assert path.exists() is (content is not None)

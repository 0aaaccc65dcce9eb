"""Database connections as entered by users."""

from pathlib import Path

import pytest

from workbench.errors import QueryFailed
from workbench.fetching.database_query import (
    database_for,
    insert_password,
    normalise_connection,
    query_postgres,
    query_sqlite,
    servers_of,
    strip_password,
)


def test_a_file_is_an_sqlite_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for typed in (
        "shop.db",
        " ./shop.db",
        "sqlite:///shop.db",
        f"sqlite:///{tmp_path}/shop.db",
        f"file://{tmp_path}/shop.db",
    ):
        assert normalise_connection(typed) == str(tmp_path / "shop.db")
    assert database_for(str(tmp_path / "shop.db")) is query_sqlite


def test_an_address_is_a_postgresql_server() -> None:
    assert normalise_connection("postgres://ada@db.example.org/shop") == "postgresql://ada@db.example.org/shop"
    assert database_for("postgresql://db.example.org/shop") is query_postgres


@pytest.mark.parametrize("typed", ["mysql://a/b", "", "  ", "https://example.org/shop.db"])
def test_other_databases_are_refused(typed: str) -> None:
    with pytest.raises(QueryFailed):
        normalise_connection(typed)


@pytest.mark.parametrize(
    ("connection", "shown", "password"),
    [
        ("postgresql://ada:s%40crt@h:5432/d", "postgresql://ada@h:5432/d", "s@crt"),
        ("postgresql://ada@h/d?password=s%40crt&sslmode=require", "postgresql://ada@h/d?sslmode=require", "s@crt"),
        ("postgresql://h/d", "postgresql://h/d", ""),
        ("/home/ada/a:b@c.db", "/home/ada/a:b@c.db", ""),
    ],
)
def test_e8_a_password_is_taken_out_and_put_back(connection: str, shown: str, password: str) -> None:
    assert strip_password(connection) == (shown, password)
    assert strip_password(insert_password(shown, password)) == (shown, password)


@pytest.mark.parametrize(
    ("connection", "servers"),
    [
        ("postgresql://db.example/shop", [("db.example", 5432)]),
        ("postgresql://me:p%40ss@db.example:6000/shop", [("db.example", 6000)]),
        ("postgresql://a.example:1,b.example/shop", [("a.example", 1), ("b.example", 5432)]),
        ("postgresql://[2001:db8::1]:7/shop", [("2001:db8::1", 7)]),
        ("postgresql://[::1]/shop", [("::1", 5432)]),
        ("postgresql:///shop", [("localhost", 5432)]),
        ("postgresql:///shop?host=/var/run/postgresql", [("localhost", 5432)]),
        ("postgresql://%2Fvar%2Frun/shop", [("localhost", 5432)]),
        ("postgresql:///shop?host=db.example&port=6000", [("db.example", 6000)]),
        ("postgresql://localhost/shop?hostaddr=192.0.2.1", [("192.0.2.1", 5432), ("localhost", 5432)]),
        ("/home/me/shop.db", []),
    ],
)
def test_every_server_that_a_connection_can_lead_to_is_known(connection: str, servers: list[tuple[str, int]]) -> None:
    assert servers_of(connection) == servers


def test_a_connection_that_leaves_it_to_a_file_where_it_leads_is_refused() -> None:
    with pytest.raises(QueryFailed, match="service"):
        servers_of("postgresql:///shop?service=work")

"""What a person gives as a database."""

from pathlib import Path

import pytest

from workbench.errors import QueryFailed
from workbench.fetching.connections import database_for, normalised, with_password, without_password
from workbench.fetching.postgres_query import query_postgres
from workbench.fetching.sqlite_query import query_sqlite


def test_a_file_is_an_sqlite_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for typed in (
        "shop.db",
        " ./shop.db",
        "sqlite:///shop.db",
        f"sqlite:///{tmp_path}/shop.db",
        f"file://{tmp_path}/shop.db",
    ):
        assert normalised(typed) == str(tmp_path / "shop.db")
    assert database_for(str(tmp_path / "shop.db")) is query_sqlite


def test_an_address_is_a_postgresql_server() -> None:
    assert normalised("postgres://ada@db.example.org/shop") == "postgresql://ada@db.example.org/shop"
    assert database_for("postgresql://db.example.org/shop") is query_postgres


@pytest.mark.parametrize("typed", ["mysql://a/b", "", "  ", "https://example.org/shop.db"])
def test_other_databases_are_refused(typed: str) -> None:
    with pytest.raises(QueryFailed):
        normalised(typed)


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
    assert without_password(connection) == (shown, password)
    assert without_password(with_password(shown, password)) == (shown, password)

"""Addresses of PostgreSQL servers: only the named server is connected to."""

from urllib.parse import urlsplit

import pytest

from workbench.egress.postgres import connect, connection_options
from workbench.errors import SettingError


def test_variables_that_lead_to_another_server_are_ignored(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("PGHOSTADDR", "192.0.2.1"), ("PGSERVICE", "elsewhere"), ("PGHOST", "192.0.2.1")):
        monkeypatch.setenv(name, value)
    with connect(connection_options(urlsplit(postgres_url))) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://one,two/team",
        "postgresql://one/team?hostaddr=192.0.2.1",
        "postgresql://one/team?host=two",
        "postgresql:///team?host=/run/postgresql,192.0.2.1",
        "postgresql://one/team?service=elsewhere",
        "mysql://one/team",
    ],
)
def test_an_address_that_could_lead_to_another_server_is_refused(address: str) -> None:
    with pytest.raises(SettingError, match="cannot be used"):
        connection_options(urlsplit(address))


def test_another_machine_is_reached_by_tls_only_unless_the_address_says_otherwise() -> None:
    modes = [
        connection_options(urlsplit(address))["sslmode"]
        for address in (
            "postgresql://db.example.org/team",
            "postgresql://db.example.org/team?sslmode=verify-full",
            "postgresql://localhost/team",
        )
    ]
    assert modes == ["require", "verify-full", "prefer"]

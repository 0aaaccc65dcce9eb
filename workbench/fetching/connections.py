"""Database connections: a file or a server's address, and the parts that may be shown and stored."""

from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from workbench.errors import QueryFailed
from workbench.fetching.base import QueriedDatabase
from workbench.model.egress import DATABASE_PORT, is_here

POSTGRES = ("postgresql", "postgres")


def normalise_connection(connection: str) -> str:
    """Return a connection in full: the absolute path of an SQLite file, or a PostgreSQL address.

    Raises:
        QueryFailed: The text is neither.
    """
    text = connection.strip()
    scheme, separator, rest = text.partition("://")
    if separator and scheme.lower() in POSTGRES:
        return f"postgresql://{rest}"
    if separator and scheme.lower() in ("sqlite", "file"):
        # sqlite:///relative.db and sqlite:////absolute.db, as other programs write them
        text = unquote(rest.removeprefix("/")) if scheme.lower() == "sqlite" else unquote(rest)
    elif separator:
        raise QueryFailed(
            f"“{scheme}” databases cannot be asked.", "Give an SQLite file, or an address with postgresql://."
        )
    if not text:
        raise QueryFailed("No database is named.", "Give an SQLite file, or an address with postgresql://.")
    return str(Path(text).expanduser().absolute())


def is_server(connection: str) -> bool:
    """Return True if a normalised connection leads to a server."""
    return connection.startswith("postgresql://")


def servers_of(connection: str) -> list[tuple[str, int]]:
    """Return the host and port of each server that a normalised connection may lead to; empty for a file.

    A socket of this machine counts as localhost. A connection may name several servers, of which one is used.

    Raises:
        QueryFailed: The connection leaves the choice of the server to other files or variables.
    """
    if not is_server(connection):
        return []
    parts = urlsplit(connection)
    given = {key.lower(): unquote(value) for key, _, value in (pair.partition("=") for pair in parts.query.split("&"))}
    if "service" in given or "servicefile" in given:
        raise QueryFailed(
            "The connection names a service, which says elsewhere where it leads.", "Give the server's own address."
        )
    named = [_host_and_port(unquote(one)) for one in parts.netloc.rpartition("@")[2].split(",")]
    ports = given.get("port", "").split(",")
    hosts = [one for key in ("host", "hostaddr") if key in given for one in given[key].split(",")]
    found = [(host, _port(ports[min(place, len(ports) - 1)])) for place, host in enumerate(hosts)]
    # If both are given, the driver uses one of the two; all possible hosts are included.
    found += [one for one in named if one[0] or not hosts]
    return [
        ("localhost" if not host or host.startswith(("/", "@")) else host.strip("[]"), port) for host, port in found
    ]


def named_server(host: str, port: int) -> str:
    """Return a server as a consent shows it: “db.example.org”, with its port unless it is the default one."""
    host = f"[{host}]" if ":" in host else host
    return host if port == DATABASE_PORT else f"{host}:{port}"


def remote_servers(connection: str) -> tuple[str, ...]:
    """Return the distinct servers on other machines that a connection as typed may lead to, as a consent shows them.

    Empty for a file, or for an invalid connection.
    """
    try:
        servers = servers_of(normalise_connection(connection))
    except (QueryFailed, ValueError):
        return ()
    return tuple(dict.fromkeys(named_server(*one) for one in servers if not is_here(one[0])))


def _host_and_port(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]") or "/" in port:
        return text, DATABASE_PORT
    return host, _port(port)


def _port(text: str) -> int:
    return int(text) if text.isdecimal() else DATABASE_PORT


def database_for(connection: str) -> QueriedDatabase:
    """Return the function that runs a query on a normalised connection; importable by name in a child process."""
    if is_server(connection):
        from workbench.fetching.database_query import query_postgres  # psycopg is an optional extra

        return query_postgres
    from workbench.fetching.database_query import query_sqlite

    return query_sqlite


def strip_password(connection: str) -> tuple[str, str]:
    """Return a connection without its password, to show and store, and the password."""
    if not is_server(connection):
        return connection, ""
    parts = urlsplit(connection)
    user, _, host = parts.netloc.rpartition("@")
    name, _, password = user.partition(":")
    kept, hidden = [], unquote(password)
    for pair in filter(None, parts.query.split("&")):
        key, _, value = pair.partition("=")
        if key.lower() in ("password", "sslpassword"):
            hidden = hidden or unquote(value)
        else:
            kept.append(pair)
    netloc = f"{name}@{host}" if user else host
    return urlunsplit(parts._replace(netloc=netloc, query="&".join(kept))), hidden


def insert_password(connection: str, password: str) -> str:
    """Return a connection with its password inserted again."""
    if not password or not is_server(connection):
        return connection
    parts = urlsplit(connection)
    user, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user}:{quote(password, safe='')}@{host}"))

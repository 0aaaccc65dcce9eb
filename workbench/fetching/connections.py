"""What a person gives as a database: a file or a server's address; and what of it may be shown and kept."""

from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from workbench.errors import QueryFailed
from workbench.fetching.base import QueriedDatabase
from workbench.model.egress import DATABASE_PORT, is_here

POSTGRES = ("postgresql", "postgres")


def normalise_connection(connection: str) -> str:
    """Return a connection in full: the absolute path of an SQLite file, or a PostgreSQL address.

    Raises:
        QueryFailed: It is neither.
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
    """Tell whether a normalised connection leads to a server."""
    return connection.startswith("postgresql://")


def servers_of(connection: str) -> list[tuple[str, int]]:
    """Return host and port of each server that a normalised connection leads to; none where it is a file.

    A socket of this machine counts as localhost. A connection may name several servers, of which one is asked.

    Raises:
        QueryFailed: It leaves to other files or variables which server that is.
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
    # Where both are given, one of the two is asked; that both may be is what matters.
    found += [one for one in named if one[0] or not hosts]
    return [
        ("localhost" if not host or host.startswith(("/", "@")) else host.strip("[]"), port) for host, port in found
    ]


def named_server(host: str, port: int) -> str:
    """Return a server as a consent names it: “db.example.org”, or with its port where that is not the usual one."""
    host = f"[{host}]" if ":" in host else host
    return host if port == DATABASE_PORT else f"{host}:{port}"


def remote_servers(connection: str) -> tuple[str, ...]:
    """Return the servers on other machines that a connection as typed leads to, each once, as a consent names them.

    None where it is a file, or no connection at all.
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
    """Return what runs a query on a normalised connection; importable by name, so that a child process can."""
    if is_server(connection):
        from workbench.fetching.database_query import query_postgres  # psycopg is an optional extra

        return query_postgres
    from workbench.fetching.database_query import query_sqlite

    return query_sqlite


def strip_password(connection: str) -> tuple[str, str]:
    """Return a connection that may be shown and stored, and the password that stood in it."""
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
    """Return a connection with its password in it again."""
    if not password or not is_server(connection):
        return connection
    parts = urlsplit(connection)
    user, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user}:{quote(password, safe='')}@{host}"))

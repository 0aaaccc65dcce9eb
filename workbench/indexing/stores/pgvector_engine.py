"""PostgreSQL with the extension pgvector: exact up to 10,000 vectors, then inverted lists (IVFFlat)."""

from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np

from workbench.egress import postgres
from workbench.egress.pgvector_lists import PROBES, build_lists
from workbench.egress.postgres import ConnectionPool
from workbench.errors import SettingError, StoreUnreachable
from workbench.indexing.stores.vector_engine import (
    IdFilter,
    Ids,
    Rows,
    StoreLocation,
    VectorEngine,
    connecting,
    failure,
    missing_package,
    other_schema,
    refused_key,
)
from workbench.model.egress import DATABASE_PORT
from workbench.model.vector_store import AddressUse

_TITLE = "PostgreSQL"
_MILLISECONDS = 60_000
"""Timeout of a statement, except for building an index."""
_LEAST_FOR_LISTS = 10_000
"""Number of vectors from which lists are built: comparing with 10,000 of 384 dimensions takes about 11 ms."""
_MOST_OF_LISTS = 500
"""Maximum number of results that are read from lists; for more, all vectors are compared."""


class PgvectorProvider:
    """StoreProvider for PostgreSQL with pgvector."""

    title = _TITLE
    address_use = AddressUse.REQUIRED
    port = DATABASE_PORT
    is_concurrent = True

    def open(self, location: StoreLocation, dim: int) -> VectorEngine:
        """Open the table; raises as StoreProvider.open does."""
        try:
            import pgvector.psycopg
            import psycopg
        except ImportError as error:
            raise missing_package(_TITLE, "pgvector") from error
        options = connection_options(location)

        def prepare(connection: Any) -> None:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            pgvector.psycopg.register_vector(connection)
            connection.execute(f"SET statement_timeout = {_MILLISECONDS}")
            connection.execute("SET ivfflat.iterative_scan = relaxed_order")

        with connecting(_TITLE, location, DATABASE_PORT) as permitted:
            try:
                return PgvectorEngine(ConnectionPool(options, prepare, permitted), location.collection, dim)
            except psycopg.OperationalError as error:
                if postgres.problem_of(error) is postgres.PostgresProblem.REFUSED:
                    raise refused_key(_TITLE) from error
                raise failure(_TITLE, error) from error


def connection_options(location: StoreLocation) -> dict[str, Any]:
    """Return the arguments of a connection; see postgres.connection_options.

    Raises:
        StoreUnreachable: The address is not that of one PostgreSQL server, or has options that could lead elsewhere.
    """
    try:
        return postgres.connection_options(location.address, location.key)
    except SettingError as error:
        raise StoreUnreachable(error.message, error.hint) from error


class PgvectorEngine:
    """VectorEngine over one table with the columns id and vector."""

    uses_ranges = True

    def __init__(self, pool: ConnectionPool, table: str, dim: int) -> None:
        self._pool = pool
        self._table = table
        self._dim = dim
        with pool.connection() as connection:
            connection.execute(
                f"CREATE TABLE IF NOT EXISTS {table} (id bigint PRIMARY KEY, vector vector({dim}) NOT NULL)"
            )
            found = connection.execute(
                "SELECT format_type(atttypid, atttypmod) FROM pg_attribute"
                " WHERE attrelid = %s::regclass AND attname = 'vector'",
                (table,),
            ).fetchone()
            if found is None or found[0] != f"vector({dim})":
                raise other_schema(_TITLE)
            # Vectors hardly compress. PLAIN stores them in the row, so that a comparison reads no TOAST table.
            connection.execute(f"ALTER TABLE {table} ALTER COLUMN vector SET STORAGE PLAIN")

    def ids(self) -> Ids:
        """Return all ids."""
        with self._pool.connection() as connection:
            rows = connection.execute(f"SELECT array_agg(id) FROM {self._table}", binary=True).fetchone()
        return np.array(rows[0] or [], np.int64)

    def vectors(self, ids: Ids) -> tuple[Ids, Rows]:
        """Return the ids that are held, and their vectors."""
        with self._pool.connection() as connection:
            rows = connection.execute(
                f"SELECT id, vector FROM {self._table} WHERE id = ANY(%s)", (ids.tolist(),), binary=True
            ).fetchall()
        vectors = np.array([row[1].to_numpy() for row in rows], np.float32).reshape(-1, self._dim)
        return np.array([row[0] for row in rows], np.int64), vectors

    def put(self, ids: Ids, rows: Rows) -> None:
        """Add or replace vectors, in one transaction."""
        with self._pool.connection() as connection, connection.transaction(), connection.cursor() as cursor:
            cursor.execute(f"CREATE TEMP TABLE given (LIKE {self._table}) ON COMMIT DROP")
            with cursor.copy("COPY given (id, vector) FROM STDIN WITH (FORMAT BINARY)") as copy:
                copy.set_types(["int8", "vector"])
                for id, row in zip(ids.tolist(), rows, strict=True):
                    copy.write_row((id, row))
            cursor.execute(
                f"INSERT INTO {self._table} SELECT * FROM given ON CONFLICT (id) DO UPDATE SET vector = EXCLUDED.vector"
            )

    def delete(self, ids: Ids) -> None:
        """Delete ids."""
        with self._pool.connection() as connection:
            connection.execute(f"DELETE FROM {self._table} WHERE id = ANY(%s)", (ids.tolist(),))

    def nearest(self, query: Rows, k: int, allowed: IdFilter | None) -> tuple[Ids, Rows]:
        """Return the ids and inner products of the k nearest; with lists, the recall is slightly below 1."""
        among, parameters = "", {"query": query, "k": k}
        if allowed is not None and allowed.has_few_ranges:
            among = "WHERE " + " OR ".join(f"id BETWEEN {first} AND {last}" for first, last in allowed.ranges.tolist())
        elif allowed is not None:
            among, parameters["allowed"] = "WHERE id = ANY(%(allowed)s)", allowed.ids.tolist()
        with self._pool.connection() as connection, connection.transaction():
            if k > _MOST_OF_LISTS:
                connection.execute("SET LOCAL enable_indexscan = off")
            else:
                connection.execute(f"SET LOCAL ivfflat.probes = {PROBES}")
            rows = connection.execute(
                f"SELECT id, vector <#> %(query)s AS distance FROM {self._table} {among} ORDER BY distance LIMIT %(k)s",
                parameters,
                binary=True,
            ).fetchall()
        # The operator <#> returns the negative inner product.
        ids, products = np.array([row[0] for row in rows], np.int64), -np.array([row[1] for row in rows], np.float32)
        # Where more lists were searched, their results follow those of the first ones.
        order = np.argsort(-products, kind="stable")
        return ids[order], products[order]

    def optimise(self, stop: Callable[[], bool]) -> None:
        """Build lists if there are at least 10,000 vectors, and again as they grow; searches and changes continue."""
        with closing(self._pool.connect()) as connection:  # its timeouts are switched off
            count = connection.execute(f"SELECT count(*) FROM {self._table}").fetchone()[0]
            if count < _LEAST_FOR_LISTS or stop():
                return
            build_lists(connection, self._table, "vector vector_ip_ops", vectors=count, dim=self._dim, stop=stop)
            if stop():  # perhaps before the lists were there
                return
            # The graph of an earlier version, which lost 0.05 of the ten nearest.
            connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {self._table}_graph")

    def flush(self) -> None:
        """Do nothing: each change is a transaction."""

    def drop(self) -> None:
        """Delete the table."""
        with self._pool.connection() as connection:
            connection.execute(f"DROP TABLE IF EXISTS {self._table}")

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

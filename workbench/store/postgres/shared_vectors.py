"""Nearest neighbours among the vectors of a shared library, by pgvector: inverted lists (IVFFlat) over half floats.

Half floats take 770 bytes for 384 values, half of what single floats do; an index over them is as accurate
(https://github.com/pgvector/pgvector, "Half-Precision Indexing"). The lists are built by workers (vector_lists.py).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.egress.pgvector_lists import PROBES
from workbench.errors import IndexUnavailable, SharedLibraryUnreachable
from workbench.model.filter import EVERYTHING, ChunkFilter
from workbench.store.filtering import knowledge_base_id
from workbench.store.postgres.binary_columns import read_columns

if TYPE_CHECKING:
    from workbench.store.postgres.postgres_database import PostgresDatabase

_FEW = 2_000
"""Up to this number of allowed chunks, all of them are compared."""
_MOST_RANGES = 200
"""Maximum number of ranges of ids in a filter."""

Ids = NDArray[np.int64]
Row = NDArray[np.float32]

_scope: ContextVar[ChunkFilter] = ContextVar("scope", default=EVERYTHING)
"""Filter of the current search; see SharedVectors.within()."""


class SharedVectors:
    """VectorSearch in the vectors of a shared library; only those that the user may read are found."""

    def __init__(self, database: "PostgresDatabase", dim: int) -> None:
        """Search vectors of dim values."""
        self._database = database
        self._dim = dim

    @contextmanager
    def within(self, filter: ChunkFilter) -> Iterator[None]:
        """Search only the partition of the filter's knowledge base in this context; ids are compared only if necessary.

        Without this, a filter on a knowledge base searches all others, too: 90 ms instead of 3 for 20,000 chunks beside
        20,000 others.
        """
        before = _scope.set(filter)
        try:
            yield
        finally:
            _scope.reset(before)

    def search(self, vector: Row, k: int, *, allowed: Ids | None = None) -> tuple[Ids, Row]:
        """Return the ids int64 [m] and inner products float32 [m] of the m <= k nearest, best first.

        Args:
            vector: float32 [dim], unit length.
            k: Maximum number of results.
            allowed: Search among these ids only, ascending; None means all.

        Raises:
            IndexUnavailable: The server failed.
        """
        if allowed is not None and len(allowed) <= _FEW:
            ids, products = self.products(vector, allowed=allowed)
            best = np.lexsort((ids, -products))[:k]
            return ids[best], products[best]
        filter = _scope.get()
        among, parameters = _among(allowed if filter.where else None if filter.knowledge_base else allowed)
        if filter.knowledge_base is not None:
            among += " AND v.knowledge_base = %(base)s"
        query = (
            f"SELECT v.chunk, v.vector::halfvec({self._dim}) <#> %(query)s AS distance FROM vectors v"
            " JOIN chunks c ON c.id = v.chunk JOIN documents d ON d.id = c.document"
            f" WHERE d.removed = 0 AND c.disabled = 0{among} ORDER BY distance LIMIT %(k)s"
        )
        try:
            with self._database.read() as connection:
                raw = connection.raw
                if filter.knowledge_base is not None:
                    parameters["base"] = knowledge_base_id(connection, filter.knowledge_base)
                raw.execute(f"SET LOCAL ivfflat.probes = {PROBES}")
                rows = raw.execute(query, {"query": _half(vector), "k": k, **parameters}, binary=True).fetchall()
        except SharedLibraryUnreachable as error:
            raise IndexUnavailable(error.message, error.hint) from error
        # The operator <#> returns the negative inner product.
        ids, products = np.array([row[0] for row in rows], np.int64), -np.array([row[1] for row in rows], np.float32)
        # Where more lists were searched, their results follow those of the first ones.
        best = np.lexsort((ids, -products))
        return ids[best], products[best]

    def products(self, vector: Row, *, allowed: Ids | None = None) -> tuple[Ids, Row]:
        """Return the ids int64 [n] of all allowed vectors, and their inner products float32 [n].

        Raises:
            IndexUnavailable: The server failed.
        """
        among = "" if allowed is None else " AND v.chunk = ANY(%s)"
        parameters: tuple[Any, ...] = (_half(vector),) if allowed is None else (_half(vector), allowed.tolist())
        query = (
            f"SELECT v.chunk, -(v.vector <#> %s::halfvec({self._dim})) AS product FROM vectors v"
            " JOIN chunks c ON c.id = v.chunk JOIN documents d ON d.id = c.document"
            f" WHERE d.removed = 0 AND c.disabled = 0{among}"
        )
        try:
            with self._database.read() as connection:
                found = read_columns(connection.raw, query, parameters, {"chunk": "i8", "product": "f8"})
        except SharedLibraryUnreachable as error:
            raise IndexUnavailable(error.message, error.hint) from error
        return found["chunk"].astype(np.int64), found["product"].astype(np.float32)

    def get(self, ids: Sequence[int]) -> tuple[Ids, Row]:
        """Return the ids that have a vector, int64 [n], and the vectors, float32 [n, dim]."""
        with self._database.read() as connection:
            rows = connection.raw.execute(
                "SELECT chunk, vector FROM vectors WHERE chunk = ANY(%s)", ([int(one) for one in ids],), binary=True
            ).fetchall()
        vectors = np.array([row[1].to_numpy() for row in rows], np.float32).reshape(-1, self._dim)
        return np.array([row[0] for row in rows], np.int64), vectors

    def codes(self, ids: Sequence[int]) -> tuple[tuple[Ids, Row], list[bytes]]:
        """Return the ids that have compressed token vectors, int64 [n], their vectors float32 [n, dim], and codes."""
        with self._database.read() as connection:
            rows = connection.raw.execute(
                "SELECT v.chunk, v.vector, t.codes FROM token_codes t JOIN vectors v USING (chunk)"
                " WHERE chunk = ANY(%s)",
                ([int(one) for one in ids],),
                binary=True,
            ).fetchall()
        vectors = np.array([row[1].to_numpy() for row in rows], np.float32).reshape(-1, self._dim)
        return (np.array([row[0] for row in rows], np.int64), vectors), [bytes(row[2]) for row in rows]

    def codec(self, embedder: str) -> bytes | None:
        """Return the codec of the token vectors; None before the first."""
        with self._database.read() as connection:
            row = connection.raw.execute(
                "SELECT codec FROM token_codecs WHERE embedder = %s", (embedder,), binary=True
            ).fetchone()
        return None if row is None else bytes(row[0])

    def put_codec(self, embedder: str, packed: bytes) -> bytes | None:
        """Store a codec unless there is one, and return the one to be used; None if the user may not write."""
        with self._database.write(documents=False) as connection:
            row = connection.raw.execute("SELECT put_codec(%s, %s)", (embedder, packed), binary=True).fetchone()
        return None if row[0] is None else bytes(row[0])


def _half(vector: Row) -> Any:
    from pgvector import HalfVector

    return HalfVector(np.ascontiguousarray(vector, np.float32).reshape(-1))


def _among(allowed: Ids | None) -> tuple[str, dict[str, Any]]:
    """Return a condition for allowed ids, ascending: ranges where they are few, else the list of ids."""
    if allowed is None:
        return "", {}
    starts = np.append(True, np.diff(allowed) != 1)
    if np.count_nonzero(starts) > _MOST_RANGES:
        return " AND v.chunk = ANY(%(allowed)s)", {"allowed": allowed.tolist()}
    firsts, lasts = allowed[starts], allowed[np.append(starts[1:], True)]
    pairs = zip(firsts.tolist(), lasts.tolist(), strict=True)
    return " AND (" + " OR ".join(f"v.chunk BETWEEN {first} AND {last}" for first, last in pairs) + ")", {}

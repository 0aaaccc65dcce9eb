"""Inverted lists over the vectors of each knowledge base of a shared library, built by workers."""

from workbench.egress.pgvector_lists import Stop, build_lists
from workbench.store.postgres.postgres_database import PostgresDatabase

LEAST_VECTORS = 2_000
"""Minimum number of vectors of a knowledge base with lists: of 10,000, comparing all took 15 ms, with lists 2.7."""
_BUILDING = 7_267_003
"""Advisory lock of a build, with the number of the knowledge base."""


def build_vector_lists(
    database: PostgresDatabase, dim: int, stop: Stop = lambda: False, *, least: int = LEAST_VECTORS
) -> int:
    """Build the lists of every knowledge base that has none, or twice the vectors that they were made for; blocking.

    Searches and imports continue meanwhile. Does nothing unless the user is the owner of the tables.

    Args:
        database: The shared library.
        dim: Width of its vectors.
        stop: Called twice a second; a build ends without a result if it returns True.
        least: Minimum number of vectors of a knowledge base.

    Returns:
        The number of knowledge bases whose lists were built.
    """
    with database.read() as connection:
        if not connection.execute("SELECT is_owner()").fetchone()[0]:
            return 0
        counts = connection.execute(
            "SELECT knowledge_base, CAST(SUM(embedded) AS bigint) FROM documents WHERE removed = 0"
            " GROUP BY knowledge_base HAVING SUM(embedded) >= ?",
            (least,),
        ).fetchall()
    return sum(_build(database, int(base), int(count), dim, stop) for base, count in counts if not stop())


def _build(database: PostgresDatabase, base: int, vectors: int, dim: int, stop: Stop) -> bool:
    """Build the lists of one knowledge base; False if they suit the number of vectors, or somebody else builds them."""
    with database.unpooled() as raw:
        if not raw.execute("SELECT pg_try_advisory_lock(%s, %s)", (_BUILDING, base)).fetchone()[0]:
            return False
        column = f"(vector::halfvec({dim})) halfvec_ip_ops"
        return build_lists(raw, f"vectors_{base}", column, vectors=vectors, dim=dim, stop=stop)

"""Inverted lists (pgvector's IVFFlat) over the vectors of a table.

Without lists, all vectors of a table are compared. 200 questions to 100,034 passages (SQuAD, MiniLM), the 10 nearest, 2
cores with AVX-512 and VNNI:

    HNSW, m = 16, ef_construction = 64, ef_search = 256    recall 0.90    7.8 ms    built in  63 s
    HNSW, m = 24, ef_construction = 200, ef_search = 256   recall 0.95    9.9 ms    built in 185 s
    1,000 lists, of which 32 are searched                  recall 0.998   2.8 ms    built in  23 s
    2,000 lists, of which 32 are searched                  recall 0.998   2.2 ms    built in  85 s

The graph led 9 of the questions to none of their passages. It can grow; lists have to be built again when there are
many more vectors than they were made for. Only the owner of the table can do that.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from workbench.egress.postgres import PostgresProblem, problem_of

logger = logging.getLogger(__name__)

PROBES = 32
"""Number of lists that a search reads; more if they contain too few of the allowed chunks.

Recall of the 10 nearest of those questions: 0.995 with 100 lists of 10,000 vectors, 0.998 with 1,000 or 2,000 lists of
100,034; with 16 lists read 0.979 and 0.992.
"""
_PER_LIST = 100
_MOST_LISTS = 2000
"""Clustering takes time and memory in proportion to the square of the number of lists: 93 s and 0.9 GB for these."""
_SAMPLES_PER_LIST = 50
"""Number of vectors for each list that pgvector clusters."""
_WATCH_SECONDS = 0.5

Stop = Callable[[], bool]


def lists_for(vectors: int) -> int:
    """Return the number of lists for a number of vectors."""
    return max(1, min(vectors // _PER_LIST, _MOST_LISTS))


def build_lists(raw: Any, table: str, column: str, *, vectors: int, dim: int, stop: Stop) -> bool:
    """Build lists over the vectors of a table unless those that it has suit their number; blocking.

    Args:
        raw: A psycopg connection outside of a transaction, whose timeouts are switched off.
        table: The table.
        column: What is indexed, with the class of its operators: "vector vector_ip_ops".
        vectors: Number of vectors in the table.
        dim: Their width.
        stop: Called twice a second; the build ends without a result if it returns True.

    Returns:
        True if lists were built.
    """
    wanted = lists_for(vectors)
    present = _indexes(raw, table)
    if any(lists <= wanted < 2 * lists for lists in present.values()):
        return False
    raw.execute("SET statement_timeout = 0")
    raw.execute("SET lock_timeout = 0")
    raw.execute(f"SET maintenance_work_mem = '{_megabytes(wanted, dim)}MB'")
    name = f"{table}_lists_{wanted}"
    with _cancelled_by(stop, raw):
        # Left over from a build that was interrupted.
        raw.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        try:
            raw.execute(f"CREATE INDEX CONCURRENTLY {name} ON {table} USING ivfflat ({column}) WITH (lists = {wanted})")
        except Exception as error:
            if stop() and problem_of(error) is PostgresProblem.TOO_SLOW:
                return False
            raise
        for other in present:
            raw.execute(f"DROP INDEX CONCURRENTLY {other}")
    raw.execute(f"ANALYZE {table}")
    logger.info("%d lists were built for the vectors of a table", wanted)
    return True


def _indexes(raw: Any, table: str) -> dict[str, int]:
    """Return the names of the finished lists over the vectors of a table, and their numbers."""
    rows = raw.execute(
        "SELECT c.relname, option.option_value::integer FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid,"
        " LATERAL pg_options_to_table(c.reloptions) option WHERE i.indrelid = %s::regclass AND i.indisvalid"
        " AND option.option_name = 'lists'",
        (table,),
    ).fetchall()
    return {str(name): int(lists) for name, lists in rows}


def _megabytes(lists: int, dim: int) -> int:
    """Return the memory for a build: samples, and the distances of each sample and each list to all lists."""
    samples = max(10_000, lists * _SAMPLES_PER_LIST)
    return 64 + int(1.2 * (samples * (4 * lists + 2 * dim) + 4 * lists * lists)) // 2**20


@contextmanager
def _cancelled_by(stop: Stop, raw: Any) -> Iterator[None]:
    """Cancel the running statement of a connection soon after stop() returns True."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_WATCH_SECONDS):
            if stop():
                raw.cancel()
                return

    watcher = threading.Thread(target=watch, name="vector-lists", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
